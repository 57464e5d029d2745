/** Requests and answers about cases. The record is in `case-record.ts`. */
import Type, { type Static } from 'typebox'
import { fields } from '../../core/auth/records.js'
import { listQuery } from '../../core/http/request/list-query.js'
import { nullable } from '../../core/nullable.js'
import { WHOLE_CHARACTERS } from '../../core/patterns.js'
import { CaseRecord, caseFields, EXAMPLE_EVENT } from './case-record.js'
import { ProjectParams, projectFields } from '../shared/fields.js'
import { CASES_LIMIT } from '../shared/test-case.js'
import { DIAGNOSTIC, LOGTEST_RESPONSE, VALIDATION_SUMMARY } from '../../analysis/service.js'

export { CaseRecord, ProjectParams }

export const CaseParams = Type.Object({ project_id: fields.id('The project.'), case_id: fields.id('The case.') })

export const CaseListQuery = listQuery({
  sort: ['created_at', 'updated_at', 'name'],
  filters: {
    search: Type.Optional(Type.String({ minLength: 1, maxLength: 120, examples: ['login'], description: 'Only cases whose name contains this text. Case does not matter.' })),
    expected_rule: Type.Optional(Type.String({ minLength: 1, maxLength: 16, examples: ['100101'], description: 'Only cases that expect this final rule.' })),
    expected_decoder: Type.Optional(Type.String({ minLength: 1, maxLength: 255, examples: ['vpn'], description: 'Only cases that expect this decoder.' })),
    session_id: Type.Optional(Type.String({ minLength: 1, maxLength: 128, examples: ['triage-42'], description: 'Only cases with this session id.' })),
  },
})
export type CaseListQuery = Static<typeof CaseListQuery>

const changeable = {
  description: Type.Optional(caseFields.description),
  event_text: Type.Optional(caseFields.event_text),
  events: Type.Optional(caseFields.events),
  log_format: Type.Optional(projectFields.logFormat('Log format of the events; default: the log format of the project.')),
  location: Type.Optional(caseFields.location),
  session_id: Type.Optional(caseFields.session_id),
  now: Type.Optional(caseFields.now),
  expected_decoder: Type.Optional(caseFields.expected_decoder),
  expected_rule: Type.Optional(caseFields.expected_rule),
  expected_level: Type.Optional(caseFields.expected_level),
  expected_fields: Type.Optional(caseFields.expected_fields),
  expected_rule_ids: Type.Optional(caseFields.expected_rule_ids),
  forbidden_rule_ids: Type.Optional(caseFields.forbidden_rule_ids),
  expect_no_rule: Type.Optional(caseFields.expect_no_rule),
}

export const CaseCreateRequest = Type.Object(
  { name: fields.name('Name.'), ...changeable },
  { $id: 'CaseCreateRequest', description: 'A case to create: a name, and `event_text` or `events`. An absent expectation is not checked.' },
)
export type CaseCreateRequest = Static<typeof CaseCreateRequest>

export const CaseUpdateRequest = Type.Object(
  { name: Type.Optional(fields.name('Name.')), ...changeable },
  { $id: 'CaseUpdateRequest', description: 'The fields to update. To replace one event by several, send `events` and an empty `event_text`, and vice versa.' },
)
export type CaseUpdateRequest = Static<typeof CaseUpdateRequest>

/** Maximum characters of a suite; the body has the same limit. */
const SUITE_CHARACTERS = 8 * 1024 * 1024
const SUITE = '; one section\n[VPN: failed login]\nlog 1 pass = Nov 21 08:15:30 gw1 vpnd[311]: login failed for ana from 203.0.113.7\nrule = 100101\nalert = 5\ndecoder = vpn\n'

export const CaseImportRequest = Type.Object(
  {
    content: Type.String({
      minLength: 1,
      maxLength: SUITE_CHARACTERS,
      pattern: WHOLE_CHARACTERS,
      examples: [SUITE],
      description: "Text of a suite in the format of Wazuh's test suites (`.ini`), with at most 20,000 cases and invalid lines.",
    }),
    filename: Type.Optional(fields.name('Name of the file, which becomes part of the description of each case.')),
    prefix: Type.Optional(fields.name('Prefix of the name of each case.')),
  },
  { $id: 'CaseImportRequest', description: 'A suite to import.' },
)
export type CaseImportRequest = Static<typeof CaseImportRequest>

export const DryRunQuery = Type.Object({ dry_run: Type.Optional(Type.Boolean({ default: false, description: 'Create nothing, and answer what would be created.' })) })

const IMPORT_FAULTS = [
  'line_unread',
  'clock_misplaced',
  'section_empty',
  'event_empty',
  'events_limit',
  'rule_invalid',
  'level_invalid',
  'decoder_invalid',
  'pass_incomplete',
  'fail_inexpressible',
] as const
export type ImportFault = (typeof IMPORT_FAULTS)[number]

export const CaseImportResponse = Type.Object(
  {
    dry_run: Type.Boolean({ description: 'Whether nothing was created.' }),
    created: Type.Integer({ minimum: 0, description: 'Number of cases that were created, or would be.' }),
    skipped: Type.Array(
      Type.Object({
        line: Type.Integer({ minimum: 1, description: 'Line of the suite, counted from 1.' }),
        name: nullable(Type.String(), 'Name of the case or section; null: none.'),
        reason: Type.Enum([...IMPORT_FAULTS], { description: 'Reason as a code. New codes may be added.' }),
        message: Type.String({ description: 'Reason, in the language of the request.' }),
      }),
      { examples: [[]], description: 'Every part of the suite that did not become a case.' },
    ),
    cases: Type.Array(CaseRecord, { description: 'The cases, in the order of the suite. For a dry run, the cases that would be created.' }),
  },
  { $id: 'CaseImportResponse', description: 'Result of an import.' },
)

export const ExportQuery = Type.Object({
  format: Type.Optional(
    Type.Unsafe<'json' | 'ini'>({
      type: 'string',
      enum: ['json', 'ini'],
      description: "`json`: all fields of every case. `ini`: the format of Wazuh's test suites; unsupported cases become comments. Default: the type that `Accept` names.",
    }),
  ),
})

/** Examples of cases to create. */
export const CASE_EXAMPLES = {
  event: { name: 'Failed login', event_text: EXAMPLE_EVENT, expected_rule: '100101', expected_fields: { srcip: '203.0.113.7' } },
  frequency: {
    name: 'Three failed logins in a minute',
    events: [
      { event_text: EXAMPLE_EVENT, at: 0 },
      { event_text: EXAMPLE_EVENT, at: 20 },
      { event_text: EXAMPLE_EVENT, at: 40 },
    ],
    log_format: 'syslog',
    expected_rule: '100102',
    expected_level: 10,
  },
  night: {
    name: 'A login at night',
    event_text: EXAMPLE_EVENT.replace('failed', 'accepted'),
    now: '2026-01-05T22:30:00-03:00',
    expected_rule: '100103',
  },
  quiet: { name: 'A good login is no alert', event_text: EXAMPLE_EVENT.replace('failed', 'accepted'), forbidden_rule_ids: ['100101'] },
} as const

export const CaseSuite = Type.Object(
  {
    cases: Type.Array(CaseCreateRequest, {
      examples: [Object.values(CASE_EXAMPLES)],
      description: 'The cases, in order of creation. Each is a valid request that creates the case.',
    }),
  },
  { $id: 'CaseSuite', description: 'A file of cases for `detection-content test`.' },
)

// --- runs

const workspaceId = Type.Optional(fields.id("Run on the content of this workspace instead of the project's."))

export const CaseBatchRunRequest = Type.Object(
  {
    workspace_id: workspaceId,
    case_ids: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        minItems: 1,
        maxItems: CASES_LIMIT,
        uniqueItems: true,
        description: 'Only these cases, in order of creation; default: all.',
      }),
    ),
  },
  { $id: 'CaseBatchRunRequest', description: 'The cases and the content of the run. All fields are optional.' },
)
export type CaseBatchRunRequest = Static<typeof CaseBatchRunRequest>

export const CaseRunRequest = Type.Object({ workspace_id: workspaceId }, { $id: 'CaseRunRequest', description: 'The content of the run. All fields are optional.' })

export const BatchRunQuery = Type.Object({
  trace: Type.Optional(Type.Boolean({ default: false, description: 'Record every decision about the last event of each case, which makes the run several times slower.' })),
})

const CHECK = Type.Object(
  {
    label: Type.String({ examples: ['Rule'], description: 'Name of the expectation, in the language of the request.' }),
    expected: Type.String({ examples: ['100101'], description: 'Expected value.' }),
    actual: Type.String({ examples: ['100101'], description: 'Actual value.' }),
    passed: Type.Boolean({ description: 'Whether the actual value is the expected one.' }),
  },
  { $id: 'CaseCheck', description: 'An expectation compared with the result.' },
)

const RESULT_FIELDS = {
  case: CaseRecord,
  passed: Type.Boolean({ description: 'Whether every check passed and the case ran to its end. An error of the content for which Wazuh drops a rule does not fail a case.' }),
  checks: Type.Array(CHECK, { description: 'One check for each expectation; empty: the case has no expectations or was stopped.' }),
  analysis: LOGTEST_RESPONSE,
  depends_on_clock: Type.Boolean({
    description:
      'Whether the case can have another result at another time: a rule with `time` or `weekday` was evaluated by the clock of the service. `now` of the case, or of the first case of its session, sets the clock.',
  }),
}

export const CaseRunResponse = Type.Object(RESULT_FIELDS, { $id: 'CaseRunResponse', description: 'Result of a case. `analysis` is that of its last event.' })
export type CaseRunResponse = Static<typeof CaseRunResponse>

const TOTALS_FIELDS = {
  total_cases: Type.Integer({ minimum: 0, examples: [2], description: 'Number of cases that ran.' }),
  passed_cases: Type.Integer({ minimum: 0, examples: [1], description: 'Number of cases that passed.' }),
  failed_cases: Type.Integer({ minimum: 0, examples: [1], description: 'Number of cases that failed.' }),
  clock_dependent_cases: Type.Integer({ minimum: 0, examples: [0], description: 'Number of cases that can have another result at another time (`depends_on_clock`).' }),
  duration_ms: Type.Number({ minimum: 0, description: 'Duration from the first case to the last, in milliseconds.' }),
  loads: Type.Boolean({ description: 'Whether Wazuh would start with the content. If false, every case failed, and `diagnostics` has the reason.' }),
  summary: nullable(VALIDATION_SUMMARY, 'Summary of the ruleset; null: it could not be compiled in time.'),
  diagnostics: Type.Array(DIAGNOSTIC, {
    examples: [[]],
    description: 'Diagnostics of the content; those of each event are in its `analysis`. An error of the content sets `analysis.ok` of every case to false.',
  }),
}

export const CaseBatchRunResponse = Type.Object(
  { ...TOTALS_FIELDS, results: Type.Array(CaseRunResponse, { description: 'Results in the order of creation of the cases.' }) },
  { $id: 'CaseBatchRunResponse', description: 'Results of the cases.' },
)

export const CaseRunLine = Type.Union(
  [
    Type.Object(RESULT_FIELDS, { description: 'Result of a case.' }),
    Type.Object({ done: Type.Boolean({ description: 'Whether every case ran. If false, the line before is the error.' }), ...TOTALS_FIELDS }, { description: 'The last line.' }),
  ],
  { description: 'One line of the answer.' },
)
