/** Cases of projects: events and their expected results. */
import type { LogFormat, TestCase } from '#workers'
import { type TenantDocument, tenantCollection } from '../../core/storage/contract.js'
import type { Scope } from '../../core/tenancy/scope.js'

/** An event of a case with several events. */
export interface CaseEvent {
  readonly event_text: string
  /** Second of the virtual clock; null: that of the previous event. */
  readonly at: number | null
  readonly location: string | null
}

export interface CaseDocument extends TenantDocument {
  readonly project_id: string
  readonly name: string
  readonly description: string
  readonly event_text: string
  /** Events in order; empty: `event_text` is the only event. Expectations apply to the last event. */
  readonly events: readonly CaseEvent[]
  readonly log_format: LogFormat
  readonly location: string | null
  /** Cases with the same session id share a session within a run, in order of creation; empty: the case has a separate session. */
  readonly session_id: string
  /** When the first event arrives, an ISO time with a zone; null: by the service's clock. Absent in documents of former versions. */
  readonly now?: string | null
  readonly expected_decoder: string | null
  readonly expected_rule: string | null
  readonly expected_level: number | null
  /** Stored as pairs, because callers choose the names, which must not become field names in the database. */
  readonly expected_fields: readonly { readonly name: string; readonly value: string }[]
  readonly expected_rule_ids: readonly string[]
  readonly forbidden_rule_ids: readonly string[]
  readonly expect_no_rule: boolean
  /** Bytes of all texts. The sum over a project is limited. */
  readonly bytes: number
  readonly created_by: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

export const CASES = tenantCollection<CaseDocument>('cases', [
  { keys: { project_id: 1, created_at: -1, _id: -1 } },
  { keys: { project_id: 1, updated_at: -1, _id: -1 } },
  { keys: { project_id: 1, name: 1, _id: 1 } },
])

/** Maximum cases of a project. The largest known suites have a few thousand. */
export const CASES_LIMIT = 10_000
/** Maximum bytes of all cases of a project. A run holds all of them in memory, with their results. */
export const CASES_BYTES_LIMIT = 32 * 1024 * 1024

/** Returns a case in the form that the engine runs. */
export function toTestCase(testCase: CaseDocument): TestCase {
  const { name, event_text, events, log_format, location, session_id, expected_level, expected_fields } = testCase
  return {
    name,
    event_text,
    events: events.map((event) => ({
      event_text: event.event_text,
      ...(event.at === null ? {} : { at: event.at }),
      ...(event.location === null ? {} : { location: event.location }),
    })),
    log_format,
    location,
    session_id,
    now: testCase.now ?? null,
    expected_decoder: testCase.expected_decoder,
    expected_rule: testCase.expected_rule,
    ...(expected_level === null ? {} : { expected_level }),
    expected_fields: Object.fromEntries(expected_fields.map((field) => [field.name, field.value])),
    expected_rule_ids: testCase.expected_rule_ids,
    forbidden_rule_ids: testCase.forbidden_rule_ids,
    expect_no_rule: testCase.expect_no_rule,
  }
}

/** Returns all cases of a project in order of creation, which is the order of events in shared sessions. */
export function loadCases(scope: Scope, projectId: string): Promise<CaseDocument[]> {
  return scope.collection(CASES).find({ project_id: projectId }, { sort: { created_at: 1, _id: 1 } })
}
