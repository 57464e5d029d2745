/**
 * One rule with everything that decides about it, as one Sigma detection: the conditions of its parents on each way to it, without the events that a sibling before one of
 * them takes, and without those that a child of it takes.
 */
import { areDisjoint } from '../diff/overlap.js'
import type { Side } from '../diff/side.js'
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import { pathTo } from '../rules/placement-path.js'
import { fromByteString } from '../source/byte-string.js'
import { type Construct, type RuleTerm, type Selection, type Term, termsOf } from './detection.js'
import { type LogSource, NORMALIZED_NAMES, sourceName } from './normalized-event.js'

/** Ways to a rule that are written, and log sources that they are of: each is a document of its own. */
const PATHS_LIMIT = 48
const SOURCES_LIMIT = 16
/** Rules that are excluded; each is a part of the condition. */
const EXCLUDED_LIMIT = 60

export interface UsedConstruct {
  readonly construct: Construct
  /** The rule that uses it: the rule itself, or one above it. */
  readonly rule: CompiledRule
}

/** A rule that takes events and cannot be excluded, because Sigma cannot say its conditions. */
export interface NotExcluded {
  readonly rule: CompiledRule
  readonly constructs: readonly Construct[]
}

export interface Detection {
  readonly logsource: LogSource
  /** Selections by name, in the order of the condition. */
  readonly selections: ReadonlyMap<string, readonly Selection[]>
  readonly condition: string
  /** Rules above it whose conditions it has. */
  readonly parents: readonly CompiledRule[]
  readonly excluded: readonly CompiledRule[]
  readonly notExcluded: readonly NotExcluded[]
}

/** A detection for each log source. */
export type Flattened = { readonly ok: true; readonly detections: readonly Detection[] } | { readonly ok: false; readonly constructs: readonly UsedConstruct[] }

export function flatten(rule: CompiledRule, side: Side): Flattened {
  const { ruleset } = side
  const placements = ruleset.rules.placements(rule.id)
  const paths = placements.slice(0, PATHS_LIMIT).map((node) => pathTo(ruleset.rules, node))
  const used = [...new Set(paths.flat().map((node) => node.rule))].flatMap((above) => {
    const terms = termsOf(above, ruleset)
    return terms.ok ? [] : terms.constructs.map((construct): UsedConstruct => ({ construct, rule: above }))
  })
  const sources = new Map<string, { readonly source: LogSource; readonly paths: (readonly RuleNode[])[] }>()
  for (const path of paths) {
    const source = sourceOf(path)
    const key = JSON.stringify(source)
    const known = sources.get(key)
    if (known === undefined) sources.set(key, { source, paths: [path] })
    else known.paths.push(path)
  }
  if (placements.length === 0 || placements.length > PATHS_LIMIT || sources.size > SOURCES_LIMIT) used.push({ construct: 'parents', rule })
  if (used.length > 0) return { ok: false, constructs: used }
  return { ok: true, detections: [...sources.values()].map(({ source, paths: own }) => new Flattener(rule, side).run(source, own)) }
}

/** Writes the detection of a rule for one log source. */
class Flattener {
  readonly #rule: CompiledRule
  readonly #side: Side
  readonly #selections = new Map<string, readonly Selection[]>()
  /** The condition of each rule that is written. */
  readonly #conditions = new Map<CompiledRule, string>()
  readonly #parents = new Set<CompiledRule>()
  readonly #excluded = new Set<CompiledRule>()
  readonly #notExcluded = new Map<CompiledRule, readonly Construct[]>()

  constructor(rule: CompiledRule, side: Side) {
    this.#rule = rule
    this.#side = side
  }

  run(logsource: LogSource, paths: readonly (readonly RuleNode[])[]): Detection {
    const conditions = [...new Set(paths.map((path) => this.#pathCondition(path)))]
    return {
      logsource,
      selections: this.#selections,
      condition: conditions.length === 1 ? conditions[0] : conditions.map((text) => `(${text})`).join(' or '),
      parents: [...this.#parents],
      excluded: [...this.#excluded],
      notExcluded: [...this.#notExcluded].map(([rule, constructs]) => ({ rule, constructs })),
    }
  }

  #termsOf(rule: CompiledRule): RuleTerm {
    return termsOf(rule, this.#side.ruleset)
  }

  #pathCondition(path: readonly RuleNode[]): string {
    const rules = path.map(({ rule }) => rule)
    const parts: string[] = []
    for (const rule of rules) {
      const text = this.#write(rule)
      if (text === '') continue
      if (rule !== this.#rule) this.#parents.add(rule)
      parts.push(text)
    }
    const before = path.slice(1).flatMap((node, at) => {
      const siblings = path[at].children
      return siblings.slice(
        0,
        siblings.findIndex(({ rule }) => rule.id === node.rule.id),
      )
    })
    for (const { rule } of [...before, ...path[path.length - 1].children]) {
      if (rules.includes(rule) || rule.category !== this.#rule.category || rules.some((own) => areDisjoint(this.#side, own, rule))) continue
      const terms = this.#termsOf(rule)
      // A rule without alert is left again if no rule below it matches.
      if (!terms.ok || rule.definition.noalert || this.#excluded.size >= EXCLUDED_LIMIT || terms.terms.length === 0) {
        this.#notExcluded.set(rule, terms.ok ? [] : terms.constructs)
        continue
      }
      this.#excluded.add(rule)
      const text = this.#write(rule)
      parts.push(`not ${/ (?:and|or) /.test(text) ? `(${text})` : text}`)
    }
    if (parts.some((part) => !part.startsWith('not '))) return parts.join(' and ')
    // A condition is about something that is there.
    this.#selections.set('any_event', [{ [`${NORMALIZED_NAMES.log}|exists`]: true }])
    return ['any_event', ...parts].join(' and ')
  }

  /** The condition of a rule alone. Empty: it has none. */
  #write(rule: CompiledRule): string {
    let text = this.#conditions.get(rule)
    if (text !== undefined) return text
    const terms = this.#termsOf(rule)
    const name = `rule_${rule.id}`
    text = terms.ok ? new TermWriter(name, this.#selections).write(joinSelections(terms.terms)) : ''
    this.#conditions.set(rule, text)
    return text
  }
}

function sourceOf(path: readonly RuleNode[]): LogSource {
  const decoder = path.findLast(({ rule }) => rule.definition.decodedAs !== null)?.rule.definition.decodedAs?.name
  return { category: path[0].rule.category, ...(decoder === undefined ? {} : { service: sourceName(fromByteString(decoder)) }) }
}

/** Puts selections of one map together, as far as they have different keys: all keys of a map hold. */
function joinSelections(terms: readonly Term[]): Term {
  const joined: Record<string, Selection[string]> = {}
  const others: Term[] = []
  for (const term of terms.flatMap((each) => (each.kind === 'and' ? each.terms : [each]))) {
    const map = term.kind === 'selection' && term.maps.length === 1 ? term.maps[0] : null
    if (map !== null && Object.keys(map).every((key) => !Object.hasOwn(joined, key))) Object.assign(joined, map)
    else others.push(term)
  }
  const selections: Term[] = Object.keys(joined).length === 0 ? [] : [{ kind: 'selection', maps: [joined] }]
  return { kind: 'and', terms: [...selections, ...others] }
}

/** Names the selections of a rule. */
class TermWriter {
  readonly #name: string
  readonly #selections: Map<string, readonly Selection[]>
  #count = 0

  constructor(name: string, selections: Map<string, readonly Selection[]>) {
    this.#name = name
    this.#selections = selections
  }

  write(term: Term, isInside = false): string {
    if (term.kind === 'selection') {
      const name = ++this.#count === 1 ? this.#name : `${this.#name}_${this.#count}`
      this.#selections.set(name, term.maps)
      return name
    }
    if (term.kind === 'not') return `not ${this.write(term.term, true)}`
    const texts = term.terms.map((each) => this.write(each, term.terms.length > 1)).filter((text) => text !== '')
    const text = texts.join(` ${term.kind} `)
    return isInside && texts.length > 1 ? `(${text})` : text
  }
}
