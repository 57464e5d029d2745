/**
 * The plain data that callers get: the records of the analysis routes and catalogs, and what this engine adds to them. Everything here crosses
 * threads and the wire unchanged. Texts are Unicode (no byte strings); lines and columns count from 1.
 */
import type { DiagnosticSource, EngineEffect, Severity } from '../diagnostics/codes.js'
import type { FileScope } from '../source/source-file.js'

export const LOG_FORMATS = ['auto', 'syslog', 'json', 'eventchannel', 'plain'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

/** One event to run. */
export interface LogtestInput {
  readonly event: string
  readonly log_format: LogFormat
  /** `/var/log/x`, or `[001] (name) ip->/var/log/x` for an agent's event. Default `stdin`. */
  readonly location?: string
}

/** A finding as callers see it. */
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
  /** What Wazuh does about it as things stand. */
  readonly engine_effect: EngineEffect
  /** "Did you mean". */
  readonly suggestion: string | null
  readonly related: readonly { readonly filename: string; readonly line: number; readonly column: number }[]
  /** Root cause of a consequence. */
  readonly cause: { readonly code: string; readonly filename: string; readonly line: number | null; readonly column: number | null } | null
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
  /** No finding of severity error in the client's own content (scopes custom and adhoc). */
  readonly ok: boolean
  /** Would Wazuh start with it. */
  readonly loads: boolean
  readonly summary: ValidationSummary
  readonly diagnostics: readonly DiagnosticRecord[]
  /** Findings in reference content, whether shown or not. */
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
  /** Times that this rule was final in the session; null for a rule with the option no_counter, whose alert leaves it out. */
  readonly firedtimes: number | null
  /** Of a composite: how many events it takes; else null. */
  readonly frequency: number | null
}

/** One decision. */
export interface TraceEntry {
  readonly phase: 'predecode' | 'decode' | 'rule'
  /** Header form, decoder name or rule id. */
  readonly name: string
  readonly matched: boolean
  /** The condition that decided, and the text it looked at (cut to a limit); what a match extracted. */
  readonly details: Readonly<Record<string, unknown>>
  readonly line?: number
  readonly filename?: string
}

/** Times of one run, milliseconds. */
export interface StageTimes {
  readonly predecode_ms: number
  readonly decode_ms: number
  readonly rule_ms: number
}

/** A LogtestResponse but for `summary` and compile times, which belong to the ruleset. */
export interface LogtestReport {
  /**
   * The engine took the event. False: the ruleset doesn't load, or the event or its location is refused; then `diagnostics` or `insights` say why.
   * The answer to a caller is `ok` only where the content is as well (`isContentOk`).
   */
  readonly ok: boolean
  /** Findings about this run only: of source `session`, and of source `engine` where Wazuh itself crashes or hangs on the event; the answer to a caller also carries those of the ruleset. */
  readonly diagnostics: readonly DiagnosticRecord[]
  readonly predecoded: PredecodedRecord
  readonly decoder: DecoderRecord | null
  readonly rule: FinalRuleRecord | null
  readonly matched_rules: readonly MatchedRuleRecord[]
  readonly extracted_fields: Readonly<Record<string, string>>
  /** Both empty when no trace was asked for. */
  readonly trace: readonly TraceEntry[]
  readonly insights: readonly string[]
  /** The rule alerts: its level reaches `log_alert_level`, and it is not in its `ignore` window. */
  readonly alert: boolean
  /** Logs that a composite counted, newest first. */
  readonly previous_output: readonly string[]
}

/** Why a rule did not answer for an event. */
export interface Explanation {
  readonly rule_id: string
  /** Is the rule loaded at all; if not, `reason` says what became of it. */
  readonly exists: boolean
  readonly matched: boolean
  readonly final: boolean
  /** One or two sentences. */
  readonly reason: string
  /** The ways down the tree to the rule, and how far the event came on the best one. */
  readonly path: readonly { readonly rule_id: string; readonly matched: boolean }[]
  /** The condition that decided against it. */
  readonly failed_condition: {
    readonly rule_id: string
    readonly tag: string
    readonly field: string | null
    readonly pattern: string
    readonly negate: boolean
    /** The text it looked at; null = the event has no such field. */
    readonly text: string | null
    /** Where matching stopped: offsets in pattern and text, in characters; null when not known. */
    readonly stopped_at: { readonly pattern_offset: number; readonly text_offset: number; readonly matched_part: string; readonly expected: string } | null
  } | null
  /** The sibling that was asked first and won. */
  readonly won_instead: { readonly rule_id: string; readonly level: number; readonly description: string } | null
  /** The decoder that came nearest where the wrong one, or none, answered. */
  readonly nearest_decoder: { readonly name: string; readonly matched_length: number; readonly failed_at: string } | null
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
  /** The definition that this one has taken the place of; null: none. */
  readonly overwrites: { readonly source_file: string; readonly source_line: number; readonly source_scope: FileScope } | null
  readonly dependency_count: number
  /** Ids of these rules, by number. */
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
 * A test case: what an event, or the last of several, must give. Field names are those of CaseRecord. An expectation that is absent, null,
 * empty text or an empty list asks nothing.
 */
export interface TestCase {
  readonly name: string
  readonly description?: string
  readonly event_text?: string
  readonly log_format?: LogFormat
  readonly location?: string | null
  /** Cases of a run with the same one share a session, in their order; absent or empty: one of its own. */
  readonly session_id?: string
  /** Several events of one session, in order; `at` = seconds on a virtual clock. Expectations hold for the last. */
  readonly events?: readonly { readonly event_text: string; readonly at?: number; readonly location?: string }[]
  readonly expected_decoder?: string | null
  readonly expected_rule?: string | null
  readonly expected_level?: number
  readonly expected_rule_ids?: readonly string[]
  readonly forbidden_rule_ids?: readonly string[]
  /** Nothing may fire: no rule is final, or one of level 0. */
  readonly expect_no_rule?: boolean
  readonly expected_fields?: Readonly<Record<string, string>>
}

export interface CaseCheck {
  readonly label: string
  readonly expected: string
  readonly actual: string
  readonly passed: boolean
}

/** What the events of a case went through, for coverage: rule ids that matched, and decoders that ran, by their place `file:line`. */
export interface Covered {
  readonly rules: readonly string[]
  readonly decoders: readonly string[]
}

export interface CaseReport {
  readonly name: string
  readonly passed: boolean
  readonly checks: readonly CaseCheck[]
  /** Of the last event. */
  readonly analysis: LogtestReport
  /** Of the last event. */
  readonly times: StageTimes
  /** Of all events. */
  readonly covered: Covered
}

/** A rule or decoder that no case went through. */
export interface UncoveredItem {
  readonly name: string
  readonly filename: string
  readonly line: number
  /** Of a rule that Wazuh drops, which no case can match; otherwise absent. */
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

/** What an event gives that was not run, or whose run gave no answer, beside why. */
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
