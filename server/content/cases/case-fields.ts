/** Converts the fields of a request to the stored fields of a case: defaults, contradictions, size. */
import { type LogFormat, readNow } from '#workers'
import type { FieldIssue } from '../../core/http/validation/issue.js'
import { issue } from '../../core/http/validation/issue.js'
import type { CaseDocument } from '../shared/test-case.js'
import { describeXml } from '../shared/content.js'
import { EVENT_BYTES } from '#requests'
import type { CaseCreateRequest, CaseUpdateRequest } from './schema.js'

/** The fields of a case that callers set. */
export type CaseFields = Pick<
  CaseDocument,
  | 'name'
  | 'description'
  | 'event_text'
  | 'events'
  | 'log_format'
  | 'location'
  | 'session_id'
  | 'now'
  | 'expected_decoder'
  | 'expected_rule'
  | 'expected_level'
  | 'expected_fields'
  | 'expected_rule_ids'
  | 'forbidden_rule_ids'
  | 'expect_no_rule'
>

/** Returns the fields of a case without expectations. @param log_format default of the project */
export function newCaseFields(name: string, log_format: LogFormat): CaseFields {
  return {
    name,
    description: '',
    event_text: '',
    events: [],
    log_format,
    location: null,
    session_id: '',
    now: null,
    expected_decoder: null,
    expected_rule: null,
    expected_level: null,
    expected_fields: [],
    expected_rule_ids: [],
    forbidden_rule_ids: [],
    expect_no_rule: false,
  }
}

/** Returns the sent fields as they are stored. An empty text becomes null where null is allowed. */
export function sentFields(request: CaseCreateRequest | CaseUpdateRequest): Partial<CaseFields> {
  const { name, events, location, now, expected_decoder, expected_rule, expected_fields, ...plain } = request
  return {
    ...plain,
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(events === undefined ? {} : { events: events.map((event) => ({ event_text: event.event_text, at: event.at ?? null, location: orNull(event.location) })) }),
    ...(location === undefined ? {} : { location: orNull(location) }),
    ...(now === undefined ? {} : { now: orNull(now) }),
    ...(expected_decoder === undefined ? {} : { expected_decoder: orNull(expected_decoder) }),
    ...(expected_rule === undefined ? {} : { expected_rule: orNull(expected_rule) }),
    ...(expected_fields === undefined ? {} : { expected_fields: Object.entries(expected_fields).map(([field, value]) => ({ name: field, value })) }),
  }
}

function orNull(text: string | null | undefined): string | null {
  return text === undefined || text === '' ? null : text
}

/** Returns the contradictions in the fields of a case as it would be stored; empty: none. */
export function caseIssues(fields: CaseFields): FieldIssue[] {
  return [...clockIssues(fields), ...eventIssues(fields), ...expectationIssues(fields)]
}

/** The pattern of the schema admits February 30. */
function clockIssues({ now = null }: CaseFields): FieldIssue[] {
  return now === null || readNow(now) !== null ? [] : [issue('/now', 'format', { format: 'date-time' }, { format: 'date-time' })]
}

function eventIssues({ event_text, events }: CaseFields): FieldIssue[] {
  const issues: FieldIssue[] = []
  if (event_text === '' && events.length === 0) issues.push(issue('/event_text', 'required', { words: 'value_or_events' }))
  if (event_text !== '' && events.length > 0) issues.push(issue('/events', 'either', { not_beside: 'event_text' }, { other: 'event_text' }))
  const size = (path: string, text: string): void => {
    if (Buffer.byteLength(text) > EVENT_BYTES) issues.push(issue(path, 'too_many_bytes', { max_bytes: EVENT_BYTES }, { limit: EVENT_BYTES }))
  }
  size('/event_text', event_text)
  let clock = 0
  for (const [index, event] of events.entries()) {
    if (event.event_text === '') issues.push(issue(`/events/${index}/event_text`, 'too_short', { min_length: 1 }, { limit: 1 }))
    size(`/events/${index}/event_text`, event.event_text)
    if (event.at !== null && event.at < clock) issues.push(issue(`/events/${index}/at`, 'too_small', { minimum: clock }, { limit: clock }))
    clock = Math.max(clock, event.at ?? clock)
  }
  return issues
}

function expectationIssues({ expect_no_rule, expected_rule, expected_level, expected_rule_ids, forbidden_rule_ids }: CaseFields): FieldIssue[] {
  const issues: FieldIssue[] = []
  if (expect_no_rule && expected_rule !== null) issues.push(issue('/expect_no_rule', 'either', { not_beside: 'expected_rule' }, { other: 'expected_rule' }))
  if (expect_no_rule && expected_level !== null && expected_level > 0)
    issues.push(issue('/expect_no_rule', 'either', { not_beside: 'expected_level' }, { other: 'expected_level > 0' }))
  const expected = new Set(expected_rule_ids)
  for (const [index, id] of forbidden_rule_ids.entries()) {
    const other = id === expected_rule ? 'expected_rule' : expected.has(id) ? 'expected_rule_ids' : null
    if (other !== null) issues.push(issue(`/forbidden_rule_ids/${index}`, 'either', { not_beside: other }, { other: `${other}: ${id}` }))
  }
  return issues
}

/** Bytes of UTF-8 of all texts of a case. */
export function caseBytes(fields: CaseFields): number {
  const {
    name,
    description,
    event_text,
    events,
    location,
    session_id,
    now = null,
    expected_decoder,
    expected_rule,
    expected_fields,
    expected_rule_ids,
    forbidden_rule_ids,
  } = fields
  const texts = [
    ...[name, description, event_text, location, session_id, now, expected_decoder, expected_rule, ...expected_rule_ids, ...forbidden_rule_ids],
    ...events.flatMap((event) => [event.event_text, event.location]),
    ...expected_fields.flatMap((field) => [field.name, field.value]),
  ]
  return texts.reduce((sum, text) => sum + (text === null ? 0 : Buffer.byteLength(text)), 0)
}

/** Returns a case for the audit trail. Events and expected fields are included by hash and size only, because events may hold secrets. */
export function auditedCase(fields: CaseFields) {
  const { name, description, log_format, session_id, now = null, expected_decoder, expected_rule, expected_level, expected_rule_ids, forbidden_rule_ids, expect_no_rule } = fields
  const described = (value: unknown): string | null => (value === null || value === '' || (Array.isArray(value) && value.length === 0) ? null : describeXml(JSON.stringify(value)))
  return {
    ...{ name, description, log_format, session_id, now, expected_decoder, expected_rule, expected_level, expected_rule_ids, forbidden_rule_ids, expect_no_rule },
    event_text: described(fields.event_text),
    events: described(fields.events),
    location: described(fields.location),
    expected_fields: described(fields.expected_fields),
  }
}

export const AUDITED_FIELDS = [
  'name',
  'description',
  'event_text',
  'events',
  'log_format',
  'location',
  'session_id',
  'now',
  'expected_decoder',
  'expected_rule',
  'expected_level',
  'expected_fields',
  'expected_rule_ids',
  'forbidden_rule_ids',
  'expect_no_rule',
] as const satisfies readonly (keyof CaseFields)[]
