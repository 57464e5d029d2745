/** The mutants of one rule: what each operator makes of its attributes and tags. */
import type { Dialect } from '../expressions/expression.js'
import { FREQUENCY_MINIMUM } from '../rules/attributes.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { field } from '../rules/options/field.js'
import { parentIds } from '../rules/options/if-sid.js'
import { findRuleOption } from '../rules/options/index.js'
import type { RulePattern } from '../rules/options/pattern-text.js'
import { PATTERN_OPTIONS } from '../rules/options/patterns.js'
import { isComposite } from '../rules/rule.js'
import type { RuleTree } from '../rules/tree.js'
import { TOP_LEVEL_IDS } from '../rules/tree.js'
import type { XmlElement } from '../xml/node.js'
import type { ByteEdit, Mutant } from './mutant.js'
import { changePattern } from './mutate-pattern.js'
import { ElementEditor } from './text-edits.js'

/** Mutants of one rule. The largest stock rule has some fifty. */
export const MUTANTS_OF_RULE = 160
/** Parents of an `if_sid` that are left out, one at a time. */
const PARENTS_DROPPED = 4
const HIGHEST_LEVEL = 15
/** A level that alerts, for rules that do not. */
const ALERTING_LEVEL = 5

/** Tags of which one stands for the other when a field is swapped. */
const SWAPPED_TAGS: Readonly<Record<string, string>> = {
  srcip: 'dstip',
  dstip: 'srcip',
  srcport: 'dstport',
  dstport: 'srcport',
  same_srcip: 'same_dstip',
  same_source_ip: 'same_dstip',
  same_dstip: 'same_srcip',
  same_srcport: 'same_dstport',
  same_dstport: 'same_srcport',
  same_user: 'same_srcuser',
  same_srcuser: 'same_user',
}
const NEGATED_LOOKUPS: Readonly<Record<string, string>> = {
  match_key: 'not_match_key',
  not_match_key: 'match_key',
  address_match_key: 'not_address_match_key',
  not_address_match_key: 'address_match_key',
}
const LOOSER_LOOKUPS: Readonly<Record<string, string>> = { match_key_value: 'match_key' }
const PATTERNS = new Map(PATTERN_OPTIONS.map((option) => [option.name, option]))

/** @param fields names of dynamic fields that rules of the file test, for swaps */
export function mutantsOfRule(rule: CompiledRule, tree: RuleTree, fields: readonly string[]): readonly Mutant[] {
  return new RuleMutants(rule, tree, fields).list()
}

class RuleMutants {
  readonly #rule: CompiledRule
  readonly #tree: RuleTree
  readonly #fields: readonly string[]
  readonly #edit: ElementEditor
  readonly #found: Mutant[] = []

  constructor(rule: CompiledRule, tree: RuleTree, fields: readonly string[]) {
    this.#rule = rule
    this.#tree = tree
    this.#fields = fields
    this.#edit = new ElementEditor(rule.definition.source)
  }

  list(): readonly Mutant[] {
    const { element, overwrite } = this.#rule.definition
    const head = { start: element.start, end: element.contentStart > element.start ? headEnd(element) : element.nameEnd }
    // Without the rule that overwrites it, the rule that it overwrites is back: the same mutant.
    if (overwrite && this.#overwrites()) this.#found.push(this.#edit.mutant('drop_overwrite', head, this.#withoutOverwrite()))
    else this.#found.push(this.#edit.mutant('delete', head, []))
    this.#parents()
    this.#attributes(head)
    this.#tags()
    return this.#found.slice(0, MUTANTS_OF_RULE)
  }

  #add(operator: Mutant['operator'], place: { readonly start: number; readonly end: number }, ...edits: readonly ByteEdit[]): void {
    this.#found.push(this.#edit.mutant(operator, place, edits))
  }

  #overwrites(): boolean {
    return this.#tree.originals()[this.#rule.index]?.element !== this.#rule.definition.element
  }

  #withoutOverwrite(): ByteEdit[] {
    const attribute = this.#rule.definition.attribute('overwrite')
    return attribute === undefined ? [] : [this.#edit.withoutAttribute(attribute)]
  }

  #parents(): void {
    const { definition, id } = this.#rule
    const place = definition.places.get('if_sid')
    if (place === undefined || id < TOP_LEVEL_IDS || this.#overwrites()) return
    const ids = parentIds(place.content)
    if (ids.length > 1) {
      for (const left of ids.slice(0, PARENTS_DROPPED)) {
        const others = ids.filter((other) => other !== left)
        if (others.length > 0) this.#add('parent', place, this.#edit.content(place, others.join(', ')))
      }
      return
    }
    const nodes = this.#tree.placements(id)
    const [node] = nodes
    const parent = node === undefined ? null : this.#tree.parentOf(node)
    const above = parent === null ? null : this.#tree.parentOf(parent)
    if (above === null || nodes.length !== 1 || this.#tree.placements(above.rule.id).length !== 1) return
    this.#found.push({ ...this.#edit.mutant('parent', place, [this.#edit.content(place, String(above.rule.id))]), parent: above.rule.id })
  }

  #attributes(head: { readonly start: number; readonly end: number }): void {
    const { definition, level } = this.#rule
    const [levelAttribute, frequency, timeframe] = ['level', 'frequency', 'timeframe'].map((name) => definition.attribute(name))
    if (levelAttribute !== undefined) this.#add('level', head, this.#edit.value(levelAttribute, String(otherLevel(level))))
    if (!isComposite(definition)) return
    if (frequency !== undefined && definition.frequency !== null)
      for (const other of [definition.frequency - 1, definition.frequency + 1])
        if (other >= FREQUENCY_MINIMUM) this.#add('frequency', head, this.#edit.value(frequency, String(other)))
    if (timeframe !== undefined)
      for (const other of [definition.timeframe - 1, definition.timeframe + 1]) if (other > 0) this.#add('timeframe', head, this.#edit.value(timeframe, String(other)))
  }

  #tags(): void {
    const { element } = this.#rule.definition
    const byTag = new Map<string, XmlElement[]>()
    for (const child of element.children) {
      const option = findRuleOption(child.name)
      const isCorrelation = option?.part === 'correlation' && !option.name.startsWith('if_matched')
      if (option === undefined || option.deprecated === 'removed' || (option.part !== 'condition' && !isCorrelation)) continue
      const name = option.name.toLowerCase()
      const known = byTag.get(name)
      if (known === undefined) byTag.set(name, [child])
      else known.push(child)
    }
    for (const [name, elements] of byTag) {
      // Texts of repeated tags are joined, and addresses are alternatives: each of them, and all of them, can be left out.
      const isEach = name === 'field' || name === 'list' || name.endsWith('_field')
      if (isEach) for (const one of elements) this.#add('drop', one, this.#edit.without(one))
      else {
        this.#add('drop', elements[0], ...elements.map((one) => this.#edit.without(one)))
        if (elements.length > 1) for (const one of elements) this.#add('drop_alternative', one, this.#edit.without(one))
      }
      this.#negated(name, isEach ? elements : elements.slice(-1))
      for (const one of elements) this.#changed(name, one)
    }
  }

  #negated(name: string, elements: readonly XmlElement[]): void {
    for (const one of elements) {
      if (isPattern(name) || name === 'srcip' || name === 'dstip') {
        const negate = one.attributes.find((attribute) => attribute.name === 'negate')
        if (negate === undefined) this.#add('negate', one, this.#edit.attribute(one, 'negate', 'yes'))
        else this.#add('negate', one, this.#edit.value(negate, negate.value.toLowerCase() === 'yes' ? 'no' : 'yes'))
      } else if (name === 'list') {
        const lookup = one.attributes.find((attribute) => attribute.name === 'lookup')
        const other = NEGATED_LOOKUPS[lookup?.value ?? 'match_key']
        if (other !== undefined) this.#add('negate', one, lookup === undefined ? this.#edit.attribute(one, 'lookup', other) : this.#edit.value(lookup, other))
      } else if (name === 'time') this.#add('negate', one, this.#edit.content(one, one.content.trim().startsWith('!') ? one.content.replace('!', '') : `!${one.content.trim()}`))
      else if (/^(?:same|different)_/.test(name)) {
        const other = name.startsWith('same_') ? name.replace('same_', 'different_') : name.replace('different_', 'same_')
        if (findRuleOption(other) !== undefined) this.#add('negate', one, ...this.#edit.renamed(one, other))
      }
    }
  }

  #changed(name: string, element: XmlElement): void {
    if (isPattern(name)) {
      const dialect = this.#dialectOf(name, element)
      const changes = dialect === null ? [] : changePattern(element.content, dialect)
      for (const { operator, text } of changes) this.#add(operator, element, this.#edit.content(element, text))
    } else if (name === 'list') {
      const lookup = element.attributes.find((attribute) => attribute.name === 'lookup')
      const looser = LOOSER_LOOKUPS[lookup?.value ?? '']
      if (lookup !== undefined && looser !== undefined) this.#add('loosen', element, this.#edit.value(lookup, looser))
    } else if (name === 'srcip' || name === 'dstip') {
      const wider = widerNetwork(element.content)
      if (wider !== null) this.#add('loosen', element, this.#edit.content(element, wider))
    }
    this.#swapped(name, element)
  }

  /** Null: the text is compared as it is. */
  #dialectOf(name: string, element: XmlElement): Dialect | null {
    const { definition } = this.#rule
    const option = PATTERNS.get(name)
    const pattern = option === undefined ? definition.valueOf(field)?.accepted.find(({ elements }) => elements.includes(element)) : definition.valueOf<RulePattern>(option)
    return pattern === undefined || pattern.dialect === 'exact' ? null : pattern.dialect
  }

  #swapped(name: string, element: XmlElement): void {
    const tag = SWAPPED_TAGS[name]
    if (tag !== undefined) return this.#add('swap_field', element, ...this.#edit.renamed(element, tag))
    if (name === 'field') {
      const attribute = element.attributes.find((each) => each.name === 'name')
      const other = attribute === undefined ? null : this.#otherField(attribute.value)
      if (attribute !== undefined && other !== null) this.#add('swap_field', element, this.#edit.value(attribute, other))
    } else if (name === 'list') {
      const attribute = element.attributes.find((each) => each.name === 'field')
      const other = attribute === undefined ? null : (SWAPPED_TAGS[attribute.value] ?? this.#otherField(attribute.value))
      if (attribute !== undefined && other !== null) this.#add('swap_field', element, this.#edit.value(attribute, other))
    } else if (name.endsWith('_field')) {
      const other = this.#otherField(element.content)
      if (other !== null) this.#add('swap_field', element, this.#edit.content(element, other))
    }
  }

  /** The next field that the rule tests, or else one of the file's. */
  #otherField(name: string): string | null {
    const own = this.#rule.conditions.flatMap(({ field }) => (field === null ? [] : [field]))
    for (const names of [own, this.#fields]) {
      const at = names.findIndex((known) => known.toLowerCase() === name.toLowerCase())
      const other = [...names.slice(at + 1), ...names.slice(0, Math.max(0, at))].find((known) => known.toLowerCase() !== name.toLowerCase())
      if (other !== undefined) return other
    }
    return null
  }
}

function isPattern(name: string): boolean {
  return name === field.name || PATTERNS.has(name)
}

/** Offset behind the opening tag of a rule, as far as it can be told without reading the text again. */
function headEnd({ attributes, nameEnd }: XmlElement): number {
  const last = attributes.at(-1)
  return last === undefined ? nameEnd : last.valueEnd + 1
}

function otherLevel(level: number): number {
  if (level === 0) return ALERTING_LEVEL
  return level < HIGHEST_LEVEL ? level + 1 : level - 1
}

/** A network of twice the size; null: it is no IPv4 address. */
function widerNetwork(text: string): string | null {
  const parts = /^(\d{1,3}(?:\.\d{1,3}){3})(?:\/(\d{1,2}))?$/.exec(text)
  if (parts === null) return null
  const bits = Number(parts[2] ?? '32')
  return bits < 1 || bits > 32 ? null : `${parts[1]}/${bits - 1}`
}
