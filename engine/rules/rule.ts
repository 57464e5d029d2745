import { entryOf } from '../diagnostics/codes.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { DecoderType } from '../event/event.js'
import type { SourceText } from '../source/source-text.js'
import type { Span } from '../source/span.js'
import type { XmlAttribute, XmlElement } from '../xml/node.js'
import { append } from '../source/append.js'
import { isSure, NO_TAGS, withTag } from '../xml/unsure.js'
import type { ComparedField } from './options/comparisons.js'
import type { ListCondition } from './options/list.js'
import type { MitreReferences } from './options/mitre.js'
import type { ConditionKind } from './options/option.js'
import type { AlertOption } from './options/options.js'

/** `analysisd.default_timeframe`, seconds. */
export const DEFAULT_TIMEFRAME = 360

/** Shared by all rules until an item is added: most collections of most rules stay empty. */
const NO_ITEMS: readonly never[] = []
const NO_COMPARED: ReadonlySet<ComparedField> = new Set()
const NO_OPTIONS: ReadonlySet<AlertOption> = new Set()
const NO_MITRE: MitreReferences = { form: 'ids', ids: [] }

/** A parsed condition before it is compiled. */
export interface ReadCondition {
  readonly kind: ConditionKind
  value: unknown
}

/** A parsed `<rule>` before it is placed in the tree. Texts are byte strings. */
export class RuleDefinition {
  id = -1
  level = 0
  frequency: number | null = null
  timeframe: number = DEFAULT_TIMEFRAME
  ignore = 0
  overwrite = false
  noalert = false
  accuracy = true
  /** Group string: the group's name and all `<group>` texts, joined without separator. */
  groups = ''
  description: string | null = null
  /** Conditions on the event itself, in document order. */
  conditions: readonly ReadCondition[] = NO_ITEMS
  decodedAs: { name: string; element: XmlElement } | null = null
  category: DecoderType | null = null
  lists: readonly ListCondition[] = NO_ITEMS
  ifFts = false
  checkDiff = false
  ifSid: string | null = null
  ifLevel: string | null = null
  ifGroup: string | null = null
  ifMatchedSid: string | null = null
  ifMatchedGroup: string | null = null
  ifMatchedRegex: string | null = null
  same = NO_COMPARED
  different = NO_COMPARED
  sameFields: readonly string[] = NO_ITEMS
  differentFields: readonly string[] = NO_ITEMS
  globalFrequency = false
  options = NO_OPTIONS
  info: string | null = null
  cve: string | null = null
  mitre = NO_MITRE
  /** The first definition of its id, if this one overwrites it. Its parents, what it counts and its GeoIP conditions stay. */
  original: RuleDefinition | null = null
  /** Why the rule does not load; only a survey continues with such a rule. */
  fault: Diagnostic | null = null
  unsure = NO_TAGS
  #span: Span | null = null
  #places: ReadonlyMap<string, XmlElement> | null = null

  constructor(
    readonly source: SourceText,
    readonly element: XmlElement,
    readonly groupElement: XmlElement,
  ) {}

  /** The value of a kind of condition in this rule. */
  valueOf<V>(kind: ConditionKind<V>): V | undefined {
    return this.conditions.find((condition) => condition.kind === kind)?.value as V | undefined
  }

  /** @param value null removes the condition */
  setCondition<V>(kind: ConditionKind<V>, value: V | null): void {
    const known = this.conditions.find((condition) => condition.kind === kind)
    if (value === null) this.conditions = this.conditions.filter((condition) => condition !== known)
    else if (known === undefined) this.conditions = append<ReadCondition>(this.conditions, { kind, value })
    else known.value = value
  }

  /** Computed on first use, like `places`: most rules have no diagnostics. */
  get span(): Span {
    this.#span ??= this.source.span(this.element.start, this.element.end)
    return this.#span
  }

  addUnsure(tag: string): void {
    this.unsure = withTag(this.unsure, tag)
  }

  /** Whether the contents, or the absence, of all these tags and attributes are known. */
  isSure(...tags: readonly string[]): boolean {
    return isSure(this.unsure, ...tags)
  }

  /** The attribute of the name (in lower case), the last one if it is repeated; undefined when absent. */
  attribute(name: string): XmlAttribute | undefined {
    return this.element.attributes.findLast((attribute) => attribute.name.toLowerCase() === name)
  }

  /** First element of each tag by its name in lower case: where diagnostics are reported. */
  get places(): ReadonlyMap<string, XmlElement> {
    if (this.#places === null) {
      const places = new Map<string, XmlElement>()
      for (const child of this.element.children) {
        const tag = child.name.toLowerCase()
        if (!places.has(tag)) places.set(tag, child)
      }
      this.#places = places
    }
    return this.#places
  }
}

/** Whether Wazuh leaves out only this rule. False for a fault that refuses the whole ruleset. */
export function isLeftOut({ fault }: RuleDefinition): boolean {
  return fault !== null && entryOf((fault.cause ?? fault).code).effect !== 'refuse'
}

/** Whether the rule searches earlier events. */
export function isComposite(definition: RuleDefinition): boolean {
  return definition.ifMatchedSid !== null || definition.ifMatchedGroup !== null || definition.ifMatchedRegex !== null
}
