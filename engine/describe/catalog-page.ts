/** A page of a catalog: filtered, sorted and paged entries. */
import type { DecoderCatalogItem, RuleCatalogItem } from '../records/records.js'

/** Columns by which rules are ordered; `load_order` is that of the engine. */
export const RULE_SORTS = [
  'load_order',
  'rule_id',
  'level',
  'description',
  'decoded_as',
  'source_file',
  'source_line',
  'source_scope',
  'dependency_count',
  'dependent_rule_count',
  'field_matcher_count',
  'uses_frequency',
  'uses_correlation',
  'noalert',
] as const
export type RuleSort = (typeof RULE_SORTS)[number]

/** The same for decoders. */
export const DECODER_SORTS = [
  'load_order',
  'name',
  'parent',
  'source_file',
  'source_line',
  'source_scope',
  'child_count',
  'referenced_rule_count',
  'reachable_from_rule',
  'has_regex',
  'chain_depth',
] as const
export type DecoderSort = (typeof DECODER_SORTS)[number]

interface PageSelection<Sort extends string> {
  readonly sort: Sort
  readonly order: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
}

/** Filters of rules; all given filters must hold. */
export interface RuleSelection extends PageSelection<RuleSort> {
  readonly ids?: readonly number[]
  /** From and to, both included. */
  readonly levels?: readonly [number, number]
  /** One of the rule's groups, as written. */
  readonly group?: string
  /** Case is ignored. A technique includes its sub-techniques. */
  readonly attackId?: string
  readonly decodedAs?: string
  readonly sourceFile?: string
  /** Rules that depend on this one. */
  readonly dependsOn?: number
  /** A part of the id, the description or a group; case is ignored. */
  readonly search?: string
}

/** Filters of decoders. */
export interface DecoderSelection extends PageSelection<DecoderSort> {
  readonly name?: string
  /** Null: roots only. */
  readonly parent?: string | null
  readonly sourceFile?: string
  /** A part of the name; case is ignored. */
  readonly search?: string
}

export interface CatalogPage<T> {
  readonly items: readonly T[]
  /** The number of entries on all pages. */
  readonly total: number
}

/** Returns the rules that a selection matches, sorted and paged. @param items all rules, in load order */
export function pageOfRules(items: readonly RuleCatalogItem[], selection: RuleSelection): CatalogPage<RuleCatalogItem> {
  const { ids, levels, group, attackId, decodedAs, sourceFile, dependsOn, search } = selection
  const wanted = ids === undefined ? null : new Set(ids.map(String))
  const technique = attackId?.toUpperCase()
  const text = search?.toLowerCase()
  const holds = (rule: RuleCatalogItem): boolean =>
    (wanted === null || wanted.has(rule.rule_id)) &&
    (levels === undefined || (rule.level >= levels[0] && rule.level <= levels[1])) &&
    (group === undefined || rule.groups.includes(group)) &&
    (technique === undefined || rule.attack_ids.some((id) => isTechnique(id.toUpperCase(), technique))) &&
    (decodedAs === undefined || rule.decoded_as === decodedAs) &&
    (sourceFile === undefined || rule.source_file === sourceFile) &&
    (dependsOn === undefined || rule.depends_on.includes(String(dependsOn))) &&
    (text === undefined || [rule.rule_id, rule.description, ...rule.groups].some((own) => own.toLowerCase().includes(text)))
  return pageOf(items.filter(holds), selection, (rule, sort) => (sort === 'rule_id' ? Number(rule.rule_id) : rule[sort]))
}

/** Returns the decoders that a selection matches, sorted and paged. @param items all decoders, in load order */
export function pageOfDecoders(items: readonly DecoderCatalogItem[], selection: DecoderSelection): CatalogPage<DecoderCatalogItem> {
  const { name, parent, sourceFile, search } = selection
  const text = search?.toLowerCase()
  const holds = (decoder: DecoderCatalogItem): boolean =>
    (name === undefined || decoder.name === name) &&
    (parent === undefined || decoder.parent === parent) &&
    (sourceFile === undefined || decoder.source_file === sourceFile) &&
    (text === undefined || decoder.name.toLowerCase().includes(text))
  return pageOf(items.filter(holds), selection, (decoder, sort) => decoder[sort])
}

function isTechnique(id: string, technique: string): boolean {
  return id === technique || id.startsWith(`${technique}.`)
}

type Column = string | number | boolean | null

/** Entries with equal values stay in load order in both directions, so that pages never repeat or miss one. */
function pageOf<T, Sort extends string>(
  found: readonly T[],
  { sort, order, limit, offset }: PageSelection<Sort>,
  columnOf: (item: T, sort: Exclude<Sort, 'load_order'>) => Column,
): CatalogPage<T> {
  const direction = order === 'asc' ? 1 : -1
  const ordered =
    sort !== 'load_order'
      ? [...found].sort((a, b) => direction * compareColumns(columnOf(a, sort as Exclude<Sort, 'load_order'>), columnOf(b, sort as Exclude<Sort, 'load_order'>)))
      : order === 'asc'
        ? found
        : [...found].reverse()
  return { items: ordered.slice(offset, offset + limit), total: found.length }
}

/** Compares values of one column: null first, then numbers by size, false before true, texts by characters. */
function compareColumns(a: Column, b: Column): number {
  if (a === b) return 0
  if (a === null) return -1
  if (b === null) return 1
  return a < b ? -1 : 1
}
