import type { AddressEntry } from '../conditions/address.js'
import type { TimeRange } from '../conditions/time-range.js'
import type { DecoderType } from '../event/event.js'
import type { StaticFieldName } from '../event/static-fields.js'
import type { Dialect } from '../expressions/expression.js'
import type { Lookup } from '../lists/list.js'
import type { SourceText } from '../source/source-text.js'
import type { Span } from '../source/span.js'
import type { XmlAttribute, XmlElement } from '../xml/node.js'

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
  elements: XmlElement[]
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

/** A `<rule>` as read from its file, before it is placed in the tree. Texts are byte strings. */
export interface RuleDefinition {
  id: number
  level: number
  maxsize: number
  frequency: number | null
  timeframe: number
  ignore: number
  overwrite: boolean
  noalert: boolean
  accuracy: boolean
  /** Group string: the group's name and all `<group>` texts, joined without separator. */
  groups: string
  description: string | null
  patterns: Map<PatternTag, RulePattern>
  fields: FieldCondition[]
  addresses: Map<'srcip' | 'dstip', { entries: AddressEntry[]; negate: boolean; element: XmlElement }>
  decodedAs: { name: string; element: XmlElement } | null
  category: DecoderType | null
  time: TimeRange | null
  weekday: ReadonlySet<number> | null
  lists: ListCondition[]
  compiledRule: CompiledRuleName | null
  ifFts: boolean
  checkDiff: boolean
  ifSid: string | null
  ifLevel: string | null
  ifGroup: string | null
  ifMatchedSid: string | null
  ifMatchedGroup: string | null
  ifMatchedRegex: string | null
  same: Set<ComparedField>
  different: Set<ComparedField>
  sameFields: string[]
  differentFields: string[]
  globalFrequency: boolean
  options: Set<RuleOptionWord>
  info: string
  cve: string
  mitre: MitreReferences
  source: SourceText
  /** Found when somebody asks: most rules are never reported. */
  readonly span: Span
  element: XmlElement
  groupElement: XmlElement
  /** Was `timeframe` written, or is it the default? */
  attributes: Map<string, XmlAttribute>
  /** First element of each tag, for the place of findings. */
  places: Map<string, XmlElement>
}

/** `analysisd.default_timeframe`, seconds. */
export const DEFAULT_TIMEFRAME = 360

/** Is the rule one that searches history? */
export function isComposite(definition: RuleDefinition): boolean {
  return definition.ifMatchedSid !== null || definition.ifMatchedGroup !== null || definition.ifMatchedRegex !== null
}
