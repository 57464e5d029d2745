/** Requests and answers about cases. The record is in `case-record.ts`. */
import Type, { type Static } from 'typebox'
import { fields } from '../../auth/records.js'
import { listQuery } from '../../http/request/list-query.js'
import { nullable } from '../../nullable.js'
import { WHOLE_CHARACTERS } from '../../patterns.js'
import { CaseRecord, caseFields, EXAMPLE_EVENT } from './case-record.js'
import { ProjectParams, projectFields } from '../../projects/fields.js'
import { CASES_LIMIT } from '../../projects/test-case.js'
import { DIAGNOSTIC, LOGTEST_RESPONSE, VALIDATION_SUMMARY } from '../analysis/service.js'

export { CaseRecord, ProjectParams }

export const CaseParams = Type.Object({ project_id: fields.id('The project.'), case_id: fields.id('The case.') })

export const CaseListQuery = listQuery({
  sort: ['created_at', 'updated_at', 'name'],
  filters: {
    search: Type.Optional(Type.String({ minLength: 1, maxLength: 120, examples: ['login'], description: 'Only cases with this in their name, in any case.' })),
    expected_rule: Type.Optional(Type.String({ minLength: 1, maxLength: 16, examples: ['100101'], description: 'Only cases that expect this final rule.' })),
    expected_decoder: Type.Optional(Type.String({ minLength: 1, maxLength: 255, examples: ['vpn'], description: 'Only cases that expect this decoder.' })),
    session_id: Type.Optional(Type.String({ minLength: 1, maxLength: 128, examples: ['triage-42'], description: 'Only cases of this session.' })),
  },
})
export type CaseListQuery = Static<typeof CaseListQuery>

const changeable = {
  description: Type.Optional(caseFields.description),
  event_text: Type.Optional(caseFields.event_text),
  events: Type.Optional(caseFields.events),
  log_format: Type.Optional(projectFields.logFormat('Of its events; default: as the project says.')),
  location: Type.Optional(caseFields.location),
  session_id: Type.Optional(caseFields.session_id),
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
  { $id: 'CaseCreateRequest', description: 'A case that is to be made: a name, and `event_text` or `events`. What is left out is not asked.' },
)
export type CaseCreateRequest = Static<typeof CaseCreateRequest>

export const CaseUpdateRequest = Type.Object(
  { name: Type.Optional(fields.name('Name.')), ...changeable },
  { $id: 'CaseUpdateRequest', description: 'What changes; the rest stays. To go from one event to several, `event_text` is sent empty beside `events`, and the other way round.' },
)
export type CaseUpdateRequest = Static<typeof CaseUpdateRequest>

/** Characters of a suite; the body's limit is as much. */
const SUITE_CHARACTERS = 8 * 1024 * 1024
const SUITE = '; one section\n[VPN: failed login]\nlog 1 pass = Nov 21 08:15:30 gw1 vpnd[311]: login failed for ana from 203.0.113.7\nrule = 100101\nalert = 5\ndecoder = vpn\n'

export const CaseImportRequest = Type.Object(
  {
    content: Type.String({
      minLength: 1,
      maxLength: SUITE_CHARACTERS,
      pattern: WHOLE_CHARACTERS,
      examples: [SUITE],
      description: "Text of a suite in the form of Wazuh's own (`.ini`), of at most 20,000 cases and lines that are none.",
    }),
    filename: Type.Optional(fields.name('Name of the file, told in the description of each case.')),
    prefix: Type.Optional(fields.name('Stands before the name of each case.')),
  },
  { $id: 'CaseImportRequest', description: 'A suite whose cases are to be made.' },
)
export type CaseImportRequest = Static<typeof CaseImportRequest>

export const DryRunQuery = Type.Object({ dry_run: Type.Optional(Type.Boolean({ default: false, description: 'Only say what would be made.' })) })

const IMPORT_FAULTS = [
  'line_unread',
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
    dry_run: Type.Boolean({ description: 'Nothing was made.' }),
    created: Type.Integer({ minimum: 0, description: 'Cases that were made, or would be.' }),
    skipped: Type.Array(
      Type.Object({
        line: Type.Integer({ minimum: 1, description: 'Where it stands, from 1.' }),
        name: nullable(Type.String(), 'Of the case or section; null: it belongs to none.'),
        reason: Type.Enum([...IMPORT_FAULTS], { description: 'Why, for programs. New ones may appear.' }),
        message: Type.String({ description: 'Why, in the language of the request.' }),
      }),
      { examples: [[]], description: 'What of the suite is no case: nothing is left out without a word.' },
    ),
    cases: Type.Array(CaseRecord, { description: 'The cases, in the order of the suite; of a dry run as they would be.' }),
  },
  { $id: 'CaseImportResponse', description: 'What became of a suite.' },
)

export const ExportQuery = Type.Object({
  format: Type.Optional(
    Type.Unsafe<'json' | 'ini'>({
      type: 'string',
      enum: ['json', 'ini'],
      description: "`json`: all of every case. `ini`: the form of Wazuh's own suites; what it can't say is told in comments. Absent: as `Accept` says.",
    }),
  ),
})

/** Cases to make, by what they show. */
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
  quiet: { name: 'A good login is no alert', event_text: EXAMPLE_EVENT.replace('failed', 'accepted'), forbidden_rule_ids: ['100101'] },
} as const

export const CaseSuite = Type.Object(
  {
    cases: Type.Array(CaseCreateRequest, {
      examples: [Object.values(CASE_EXAMPLES)],
      description: 'The cases, in the order in which they were made. Each may be sent to make it again.',
    }),
  },
  { $id: 'CaseSuite', description: 'Cases in a file, as `detection-content test` reads them.' },
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
        description: 'Only these cases, in the order in which they were made; default: all.',
      }),
    ),
  },
  { $id: 'CaseBatchRunRequest', description: 'What is run; nothing need be sent.' },
)
export type CaseBatchRunRequest = Static<typeof CaseBatchRunRequest>

export const CaseRunRequest = Type.Object({ workspace_id: workspaceId }, { $id: 'CaseRunRequest', description: 'On what it is run; nothing need be sent.' })

export const BatchRunQuery = Type.Object({
  trace: Type.Optional(Type.Boolean({ default: false, description: 'Record every decision about the last event of each case; costs several times the run itself.' })),
})

const CHECK = Type.Object(
  {
    label: Type.String({ examples: ['Rule'], description: 'What was looked at, in the language of the request.' }),
    expected: Type.String({ examples: ['100101'], description: 'What the case expects.' }),
    actual: Type.String({ examples: ['100101'], description: 'What there was.' }),
    passed: Type.Boolean({ description: 'Whether that is the same.' }),
  },
  { $id: 'CaseCheck', description: 'An expectation, held against what came out.' },
)

const RESULT_FIELDS = {
  case: CaseRecord,
  passed: Type.Boolean({ description: 'Every check passed, and the case was run to its end. An error of the content alone, for which Wazuh drops a rule, does not fail it.' }),
  checks: Type.Array(CHECK, { description: 'One an expectation; empty: it expects nothing, or was stopped.' }),
  analysis: LOGTEST_RESPONSE,
}

export const CaseRunResponse = Type.Object(RESULT_FIELDS, { $id: 'CaseRunResponse', description: 'What became of a case. `analysis` is that of its last event.' })
export type CaseRunResponse = Static<typeof CaseRunResponse>

const TOTALS_FIELDS = {
  total_cases: Type.Integer({ minimum: 0, examples: [2], description: 'Cases that were run.' }),
  passed_cases: Type.Integer({ minimum: 0, examples: [1], description: 'Of them: as expected.' }),
  failed_cases: Type.Integer({ minimum: 0, examples: [1], description: 'Of them: otherwise than expected.' }),
  duration_ms: Type.Number({ minimum: 0, description: 'From the first case to the last.' }),
  loads: Type.Boolean({ description: 'Wazuh would start with the content. False: every case failed, and `diagnostics` say why.' }),
  summary: nullable(VALIDATION_SUMMARY, 'The ruleset in numbers; null: it could not be compiled in time.'),
  diagnostics: Type.Array(DIAGNOSTIC, {
    examples: [[]],
    description: 'Findings of the content; those of each event are in its `analysis`. An error of the content makes `analysis.ok` of every case false.',
  }),
}

export const CaseBatchRunResponse = Type.Object(
  { ...TOTALS_FIELDS, results: Type.Array(CaseRunResponse, { description: 'In the order in which the cases were made.' }) },
  { $id: 'CaseBatchRunResponse', description: 'What became of the cases.' },
)

export const CaseRunLine = Type.Union(
  [
    Type.Object(RESULT_FIELDS, { description: 'What became of a case.' }),
    Type.Object(
      { done: Type.Boolean({ description: 'True: every case was run. False: the line before says why not, in the error shape.' }), ...TOTALS_FIELDS },
      { description: 'Last line.' },
    ),
  ],
  { description: 'A line of the answer.' },
)
