import type { AddressEntry } from '../conditions/address.js'
import type { TimeRange } from '../conditions/time-range.js'
import { entryOf } from '../diagnostics/codes.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { DecoderType } from '../event/event.js'
import type { StaticFieldName } from '../event/static-fields.js'
import type { Dialect } from '../expressions/expression.js'
import type { Lookup } from '../lists/list.js'
import type { SourceText } from '../source/source-text.js'
import type { Span } from '../source/span.js'
import type { XmlAttribute, XmlElement } from '../xml/node.js'
import { isSure, NO_TAGS, withTag } from '../xml/unsure.js'

/** Tags whose repeats are joined into one pattern (engine-rules.md 2.2). */
export const PATTERN_TAGS = [
  'match',
  'regex',
  'program_name',
  'hostname',
  'location',
  'user',
  'id',
  'status',
  'url',
  'data',
  'extra_data',
  'protocol',
  'system_name',
  'srcport',
  'dstport',
  'srcgeoip',
  'dstgeoip',
  'action',
] as const
export type PatternTag = (typeof PATTERN_TAGS)[number]

/** A joined pattern. `exact`: compare the whole text, case-sensitive (the default of `action`). */
export interface RulePattern {
  text: string
  dialect: Dialect | 'exact'
  negate: boolean
  readonly elements: readonly XmlElement[]
}

export interface FieldCondition extends RulePattern {
  /** Name as written. */
  readonly name: string
}

export interface ListCondition {
  readonly path: string
  /** Static subject, or a dynamic field name. */
  readonly field: string
  readonly lookup: Lookup
  readonly checkValue: string | null
  readonly element: XmlElement
}

/** Fields that `same_*` and `different_*` compare; `location` is the event's own. */
export type ComparedField = StaticFieldName | 'srcgeoip' | 'dstgeoip' | 'location'

export const COMPILED_RULES = ['check_id_size', 'comp_srcuser_dstuser', 'comp_mswin_targetuser_calleruser_diff', 'is_simple_http_request', 'is_valid_crawler'] as const
export type CompiledRuleName = (typeof COMPILED_RULES)[number]

export const RULE_OPTION_WORDS = ['alert_by_email', 'no_email_alert', 'log_alert', 'no_log', 'no_ar', 'no_full_log', 'no_counter'] as const
export type RuleOptionWord = (typeof RULE_OPTION_WORDS)[number]

/** Technique ids in order, or pairs of tactic and technique (6.2). */
export type MitreReferences =
  | { readonly form: 'ids'; readonly ids: readonly string[] }
  | { readonly form: 'pairs'; readonly pairs: readonly { readonly tactic: string; readonly technique: string }[] }

/** `analysisd.default_timeframe`, seconds. */
export const DEFAULT_TIMEFRAME = 360

/** Most rules leave most collections empty: they share these until something is put in. */
const NO_ITEMS: readonly never[] = []
const NO_PATTERNS: ReadonlyMap<PatternTag, RulePattern> = new Map()
const NO_ADDRESSES: ReadonlyMap<AddressTag, AddressCondition> = new Map()
const NO_COMPARED: ReadonlySet<ComparedField> = new Set()
const NO_OPTIONS: ReadonlySet<RuleOptionWord> = new Set()
const NO_MITRE: MitreReferences = { form: 'ids', ids: [] }

export type AddressTag = 'srcip' | 'dstip'

export interface AddressCondition {
  readonly entries: readonly AddressEntry[]
  readonly negate: boolean
  readonly element: XmlElement
}

/** A `<rule>` as read from its file, before it is placed in the tree. Texts are byte strings. */
export class RuleDefinition {
  id = -1
  level = 0
  maxsize = 0
  frequency: number | null = null
  timeframe: number = DEFAULT_TIMEFRAME
  ignore = 0
  overwrite = false
  noalert = false
  accuracy = true
  /** Group string: the group's name and all `<group>` texts, joined without separator. */
  groups = ''
  description: string | null = null
  patterns = NO_PATTERNS
  fields: readonly FieldCondition[] = NO_ITEMS
  /** Of a survey: those that are wrong beside their patterns. */
  refusedFields: readonly FieldCondition[] = NO_ITEMS
  addresses = NO_ADDRESSES
  decodedAs: { name: string; element: XmlElement } | null = null
  category: DecoderType | null = null
  time: TimeRange | null = null
  weekday: ReadonlySet<number> | null = null
  lists: readonly ListCondition[] = NO_ITEMS
  compiledRule: CompiledRuleName | null = null
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
  info = ''
  cve = ''
  mitre = NO_MITRE
  /** Why the rule does not load; only a survey goes on with such a rule. */
  fault: Diagnostic | null = null
  unsure = NO_TAGS
  #span: Span | null = null
  #places: ReadonlyMap<string, XmlElement> | null = null

  constructor(
    readonly source: SourceText,
    readonly element: XmlElement,
    readonly groupElement: XmlElement,
  ) {}

  /** Found when somebody asks, as are the two below: most rules are never reported. */
  get span(): Span {
    this.#span ??= this.source.span(this.element.start, this.element.end)
    return this.#span
  }

  addUnsure(tag: string): void {
    this.unsure = withTag(this.unsure, tag)
  }

  /** Is known what all of these tags and attributes say, even that they are not there? */
  isSure(...tags: readonly string[]): boolean {
    return isSure(this.unsure, ...tags)
  }

  /** The attribute of a name (in lower case), the last one if it is repeated; undefined when it is not written and its default holds. */
  attribute(name: string): XmlAttribute | undefined {
    return this.element.attributes.findLast((attribute) => attribute.name.toLowerCase() === name)
  }

  /** First element of each tag, by its name in lower case, for the place of findings. */
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

/** Does the engine leave the rule out before it comes to the rest of it? What refuses the whole ruleset is not that. */
export function isLeftOut({ fault }: RuleDefinition): boolean {
  return fault !== null && entryOf((fault.cause ?? fault).code).effect !== 'refuse'
}

/** Is the rule one that searches history? */
export function isComposite(definition: RuleDefinition): boolean {
  return definition.ifMatchedSid !== null || definition.ifMatchedGroup !== null || definition.ifMatchedRegex !== null
}
