/** A case as the API returns it. */
import type { CaseDocument } from '../shared/test-case.js'
import type { CaseRecord } from './case-record.js'

export function presentCase(testCase: CaseDocument): CaseRecord {
  return {
    id: testCase._id,
    project_id: testCase.project_id,
    name: testCase.name,
    description: testCase.description,
    event_text: testCase.event_text,
    events: testCase.events.map((event) => ({ ...event })),
    log_format: testCase.log_format,
    location: testCase.location,
    session_id: testCase.session_id,
    now: testCase.now ?? null,
    expected_decoder: testCase.expected_decoder,
    expected_rule: testCase.expected_rule,
    expected_level: testCase.expected_level,
    expected_fields: Object.fromEntries(testCase.expected_fields.map(({ name, value }) => [name, value])),
    expected_rule_ids: [...testCase.expected_rule_ids],
    forbidden_rule_ids: [...testCase.forbidden_rule_ids],
    expect_no_rule: testCase.expect_no_rule,
    created_at: testCase.created_at.toISOString(),
    updated_at: testCase.updated_at.toISOString(),
  }
}
