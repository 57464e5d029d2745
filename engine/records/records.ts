/**
 * The plain data that callers receive: the records of the analysis routes and catalogs, and what this engine adds to them. All of it is sent
 * between threads and over the wire unchanged. Texts are Unicode (no byte strings); lines and columns count from 1.
 */
import type { DiagnosticSource, EngineEffect, Severity } from '../diagnostics/codes.js'
import type { FileScope } from '../source/source-file.js'
import type { AttackTextRecord } from './attack.js'

export const LOG_FORMATS = ['auto', 'syslog', 'json', 'eventchannel', 'plain'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

/** One event to run. */
export interface LogtestInput {
  readonly event: string
  readonly log_format: LogFormat
  /** `/var/log/x`, or `[001] (name) ip->/var/log/x` for an event of an agent. Default `stdin`. */
  readonly location?: string
}

/** A diagnostic as callers see it. */
export interface DiagnosticRecord {
  readonly severity: Severity
  readonly source: DiagnosticSource
  readonly code: string
  readonly message: string
  readonly filename: string
  readonly line: number | null
  readonly column: number | null
  readonly end_line: number | null
  readonly end_column: number | null
  readonly hint: string
  readonly evidence: string | null
  readonly source_scope: FileScope | null
  /** What Wazuh does about it. */
  readonly engine_effect: EngineEffect
  /** Replacement for a name that may be misspelled. */
  readonly suggestion: string | null
  readonly related: readonly { readonly filename: string; readonly line: number; readonly column: number }[]
  /** The diagnostic that caused this one. */
  readonly cause: { readonly code: string; readonly filename: string; readonly line: number | null; readonly column: number | null } | null
  /** Further diagnostics of this kind in the file, which are not listed. */
  readonly more: number
  /** Only for `regex_backtracking`: the event that stalls or blinds the pattern, as text: `prefix`, `pump` as often as `copies` says, `suffix`. */
  readonly attack?: AttackTextRecord
}

export interface ValidationSummary {
  readonly total_rule_files: number
  readonly total_decoder_files: number
  readonly total_rules: number
  readonly total_decoders: number
  /** Lists that rules can look up, by name. */
  readonly total_lists: number
  readonly compiled_hash: string
  readonly loaded_from_disk: boolean
}

export interface ValidationReport {
  /** No diagnostic of severity error in the client's own content (scopes custom and adhoc). */
  readonly ok: boolean
  /** Whether Wazuh would start with the content. */
  readonly loads: boolean
  readonly summary: ValidationSummary
  readonly diagnostics: readonly DiagnosticRecord[]
  /** Number of diagnostics in reference content, whether shown or not. */
  readonly baseline_issue_count: number
}

export interface PredecodedRecord {
  readonly timestamp: string | null
  readonly hostname: string | null
  readonly program_name: string | null
  readonly location: string
  readonly raw_message: string
  readonly detected_format: Exclude<LogFormat, 'auto'>
}

export interface DecoderRecord {
  readonly name: string
  readonly parent: string | null
  readonly order: readonly string[]
}

export interface MatchedRuleRecord {
  readonly id: string
  readonly matched: true
  readonly level: number
  readonly description: string
  readonly groups: readonly string[]
  readonly attack_ids: readonly string[]
  readonly parent_ids: readonly string[]
  readonly filename: string
  readonly line: number
}

export interface FinalRuleRecord extends MatchedRuleRecord {
  /** How often this rule was final in the session; null for a rule with the option no_counter, whose alert omits it. */
  readonly firedtimes: number | null
  /** For a composite: the number of events that it requires; else null. */
  readonly frequency: number | null
}

/** One decision. */
export interface TraceEntry {
  readonly phase: 'predecode' | 'decode' | 'rule'
  /** Form of the header, decoder name or rule id. */
  readonly name: string
  readonly matched: boolean
  /** The condition that decided, and the text that it tested (truncated); what a match extracted. */
  readonly details: Readonly<Record<string, unknown>>
  readonly line?: number
  readonly filename?: string
}

/** Durations of the stages of one run, in milliseconds. */
export interface StageTimes {
  readonly predecode_ms: number
  readonly decode_ms: number
  readonly rule_ms: number
}

/** A LogtestResponse without `summary` and compile times, which belong to the ruleset. */
export interface LogtestReport {
  /**
   * Whether the engine accepted the event. False: the ruleset does not load, or the event or its location is refused; then `diagnostics` or
   * `insights` say why. In the response to a caller, `ok` also requires that the content is valid (`isContentOk`).
   */
  readonly ok: boolean
  /** Diagnostics of this run only: source `session`; source `engine` if Wazuh crashes or hangs on the event, or a value comes from another event. Responses also contain those of the ruleset. */
  readonly diagnostics: readonly DiagnosticRecord[]
  readonly predecoded: PredecodedRecord
  readonly decoder: DecoderRecord | null
  readonly rule: FinalRuleRecord | null
  readonly matched_rules: readonly MatchedRuleRecord[]
  readonly extracted_fields: Readonly<Record<string, string>>
  /** Both are empty when no trace was requested. */
  readonly trace: readonly TraceEntry[]
  readonly insights: readonly string[]
  /** The rule causes an alert: its level reaches `log_alert_level`, and it is not in its `ignore` window. */
  readonly alert: boolean
  /** Logs that a composite counted, newest first. */
  readonly previous_output: readonly string[]
}

/** Why a rule is not the final one for an event. */
export interface Explanation {
  readonly rule_id: string
  /** Whether the rule is loaded. If not, `reason` says why. */
  readonly exists: boolean
  readonly matched: boolean
  readonly final: boolean
  /** One or two sentences. */
  readonly reason: string
  /** The path through the tree to the rule, and the rules on it that match; of several paths the one on which the event got furthest. */
  readonly path: readonly { readonly rule_id: string; readonly matched: boolean }[]
  /** The condition that failed. */
  readonly failed_condition: {
    readonly rule_id: string
    readonly tag: string
    readonly field: string | null
    readonly pattern: string
    readonly negate: boolean
    /** The text that it tested; null = the event has no such field. */
    readonly text: string | null
    /** Where matching stopped: offsets in pattern and text, in characters; null when unknown. */
    readonly stopped_at: { readonly pattern_offset: number; readonly text_offset: number; readonly matched_part: string; readonly expected: string } | null
  } | null
  /** The sibling that was tried earlier and matched. */
  readonly won_instead: { readonly rule_id: string; readonly level: number; readonly description: string } | null
  /** The decoder that came nearest to a match, when the wrong one or none matched. */
  readonly nearest_decoder: { readonly name: string; readonly matched_length: number; readonly failed_at: string } | null
}

/** Whether a condition holds. `skipped`: one before it failed, or another rule or decoder took the event, so that it is not tested. */
export type ConditionState = 'met' | 'failed' | 'skipped'

/** A condition of a rule or decoder on one event. Offsets count characters (UTF-16). */
export interface InspectedCondition {
  readonly tag: string
  readonly field: string | null
  /** Empty for a decoder without `program_name`, which no event with a program gets. */
  readonly pattern: string
  readonly negate: boolean
  readonly state: ConditionState
  /** Whether it would hold; null: only the run itself could tell, and it did not test it. */
  readonly holds: boolean | null
  /** The text that it tests; null: it tests none, or the event has none. */
  readonly text: string | null
  /** Whether the event lacks the text. */
  readonly is_absent: boolean
  /** Where the text begins in the log, for a decoder that reads only a part of it. */
  readonly text_offset: number
  /** The part of the text that matches; null: none, or unknown. */
  readonly match: { readonly from: number; readonly to: number } | null
  readonly stopped_at: NonNullable<Explanation['failed_condition']>['stopped_at']
  /** For a condition on earlier events: how many it found and needs, in how many seconds; `counted` is null if it did not search. */
  readonly events: { readonly counted: number | null; readonly needed: number; readonly timeframe: number } | null
}

/** A rule or decoder on the way to the inspected one. */
export interface InspectedItem {
  readonly name: string
  readonly filename: string
  readonly line: number
  /** Null: a decoder. */
  readonly level: number | null
  readonly state: ConditionState
  /** In the order in which they are tested. */
  readonly conditions: readonly InspectedCondition[]
}

/** The conditions of a rule or decoder that an event meets or fails. */
export interface Inspection {
  readonly kind: 'rule' | 'decoder'
  readonly name: string
  /** The rules or decoders from the top down to it. If there are several paths, the one on which the event gets furthest. Empty: it is not loaded, or the event does not run. */
  readonly path: readonly InspectedItem[]
  /** The rule or decoder that took the event before it; null: none. */
  readonly taken_by: string | null
}

/** A rule or decoder that was tried and failed, although many of its conditions hold. */
export interface NearMiss {
  readonly kind: 'rule' | 'decoder'
  readonly name: string
  readonly filename: string
  readonly line: number
  readonly level: number | null
  readonly description: string
  /** Conditions that hold, and all of them. */
  readonly met: number
  readonly of: number
  /** The part of the text that the failing pattern matched. */
  readonly matched_part: string
}

/** The relation of a rule to the rule with this id. `category`: the template of its category, which the rule does not name. */
export interface RuleLink {
  readonly kind: 'if_sid' | 'if_group' | 'if_level' | 'category' | 'if_matched_sid' | 'if_matched_group'
  readonly id: string
}

/** A rule in the graph of its ruleset. */
export interface RuleGraphNode {
  readonly id: string
  readonly level: number
  readonly description: string
  readonly filename: string
  readonly line: number
  readonly scope: FileScope
  readonly groups: readonly string[]
  readonly attack_ids: readonly string[]
  readonly noalert: boolean
  /** The definition that this one replaces; null: none. */
  readonly overwrites: { readonly filename: string; readonly line: number } | null
  /** Its parents, and the rules whose events it counts. */
  readonly links: readonly RuleLink[]
  /** For a rule that counts: on how many events it fires, itself included, and in how many seconds. */
  readonly counts: { readonly events: number; readonly seconds: number } | null
  /** Seconds in which it is silent after an alert; 0: none. */
  readonly ignore: number
}

/** A tactic of MITRE ATT&CK, with its techniques. */
export interface AttackTactic {
  readonly id: string
  readonly name: string
  readonly techniques: readonly { readonly id: string; readonly name: string }[]
}

export interface RuleCatalogItem {
  readonly rule_id: string
  readonly level: number
  readonly description: string
  readonly groups: readonly string[]
  readonly decoded_as: string | null
  readonly source_file: string
  readonly source_line: number
  readonly source_scope: FileScope
  /** The definition that this one replaces; null: none. */
  readonly overwrites: { readonly source_file: string; readonly source_line: number; readonly source_scope: FileScope } | null
  readonly dependency_count: number
  /** Ids of these rules, in numeric order. */
  readonly depends_on: readonly string[]
  readonly dependent_rule_count: number
  readonly field_matcher_count: number
  readonly uses_frequency: boolean
  readonly uses_correlation: boolean
  readonly noalert: boolean
  readonly attack_ids: readonly string[]
}

export interface DecoderCatalogItem {
  readonly name: string
  readonly parent: string | null
  readonly source_file: string
  readonly source_line: number
  readonly source_scope: FileScope
  readonly order: readonly string[]
  readonly child_count: number
  readonly referenced_rule_count: number
  readonly reachable_from_rule: boolean
  readonly has_regex: boolean
  readonly chain_depth: number
  readonly fts_fields: readonly string[]
}

/**
 * A test case: the expected results for an event, or for the last of several. Field names are those of CaseRecord. An expectation that is
 * absent, null, empty text or an empty list is not checked.
 */
export interface TestCase {
  readonly name: string
  readonly description?: string
  readonly event_text?: string
  readonly log_format?: LogFormat
  readonly location?: string | null
  /** Cases of a run with the same value share a session, in their order; absent or empty: a separate session. */
  readonly session_id?: string
  /** When the first event arrives, with the zone of the manager: `2026-01-05T22:30:00-03:00`. Absent, null or empty: the caller's clock, or the end of the previous case of the session. */
  readonly now?: string | null
  /** Several events of one session, in order; `at` = seconds on a virtual clock. Expectations apply to the last. */
  readonly events?: readonly { readonly event_text: string; readonly at?: number; readonly location?: string }[]
  readonly expected_decoder?: string | null
  readonly expected_rule?: string | null
  readonly expected_level?: number
  readonly expected_rule_ids?: readonly string[]
  readonly forbidden_rule_ids?: readonly string[]
  /** No rule may be final, except one of level 0. */
  readonly expect_no_rule?: boolean
  readonly expected_fields?: Readonly<Record<string, string>>
}

export interface CaseCheck {
  readonly label: string
  readonly expected: string
  readonly actual: string
  readonly passed: boolean
}

/** What the events of a case covered: ids of rules that matched, and decoders that ran, by their location `file:line`. */
export interface Covered {
  readonly rules: readonly string[]
  readonly decoders: readonly string[]
  /** Ids of own rules that an event matches, and of those that an event comes near and none matches (`logtest/near-rules.ts`). Absent: they were not searched for. */
  readonly own?: { readonly matched: readonly string[]; readonly near: readonly string[] }
}

export interface CaseReport {
  readonly name: string
  readonly passed: boolean
  readonly checks: readonly CaseCheck[]
  /** For the last event. */
  readonly analysis: LogtestReport
  /** For the last event. */
  readonly times: StageTimes
  /** For all events. */
  readonly covered: Covered
  /** Whether the checks can have another result at another time: a `<time>` or `<weekday>` was evaluated by the caller's clock, because no `now` sets it. */
  readonly depends_on_clock: boolean
}

/** A rule or decoder that no case covered. */
export interface UncoveredItem {
  readonly name: string
  readonly filename: string
  readonly line: number
  /** For a rule that Wazuh drops, which no case can match; otherwise absent. */
  readonly dropped?: true
}

export interface CoverageReport {
  readonly rules: { readonly total: number; readonly covered: number; readonly untested: readonly UncoveredItem[] }
  readonly decoders: { readonly total: number; readonly covered: number; readonly untested: readonly UncoveredItem[] }
}

export interface SchemaElement {
  readonly name: string
  readonly context: string
  readonly description: string
  readonly runtime_supported: boolean
  readonly attributes: readonly { readonly name: string; readonly required: boolean; readonly allowed_values: readonly string[]; readonly description: string }[]
  readonly child_tags: readonly string[]
  readonly allowed_values: readonly string[]
}

export interface SchemaSection {
  readonly top_level_tags: readonly string[]
  readonly wrapper_tags: readonly string[]
  readonly elements: readonly SchemaElement[]
}

export interface ValidationSchema {
  readonly version: string
  readonly references: readonly string[]
  readonly decoders: SchemaSection & { readonly root_attributes: readonly string[] }
  readonly rules: SchemaSection & { readonly root_attributes: readonly string[]; readonly group_attributes: readonly string[]; readonly attack_elements: readonly string[] }
}

/** The result fields of an event that was not run, or whose run has no outcome. Another field has the reason. */
export const NO_OUTCOME = {
  decoder: null,
  rule: null,
  matched_rules: [],
  extracted_fields: {},
  trace: [],
  insights: [],
  alert: false,
  previous_output: [],
} as const
