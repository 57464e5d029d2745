/** The report about a project, as the API returns it (CONTRACT.md#project-records). */
import Type, { type Static } from 'typebox'
import { fields } from '../../auth/records.js'
import { nullable } from '../../nullable.js'
import { SCORE_TERMS, type ScoreTermName } from '../../projects/quality-score.js'
import { countsBy, ProjectParams, projectFields, SemanticCountsRecord } from '../../projects/fields.js'
import { ProjectRecord } from '../projects/service.js'
import { ProjectVersionRecord } from '../versions/service.js'
import { DIAGNOSTIC } from '../analysis/service.js'
import { QualityGatePolicyRecord, QualityGateResult } from '../quality-gate/service.js'

export { ProjectParams }

/** Findings, failing cases and untested rules that are listed, of each: a report of more is read by nobody. Their numbers are of all. */
export const LISTED = 1000
/** Failed checks of a case that are listed; a case may expect hundreds of fields. */
export const CHECKS_LISTED = 20
/** Characters of what a check expects and gets; an event may be megabytes. */
export const CHECK_CHARACTERS = 500

const count = (description: string) => Type.Integer({ minimum: 0, description })
const ruleIds = (description: string) => Type.Array(Type.String({ examples: ['100100'] }), { description })

const ScoreTermRecord = Type.Object(
  {
    term: Type.Enum(Object.keys(SCORE_TERMS) as [ScoreTermName, ...ScoreTermName[]], { description: 'Name of the term.' }),
    points: count('Points that it takes away.'),
    most: count('Points that it takes at most.'),
    count: count('What it counts.'),
    title: Type.String({ examples: ['Warnings'], description: 'Its name, in the language of the request.' }),
    explanation: Type.String({
      examples: ['Warnings in the content: 2. Each takes 4 points, up to 24.'],
      description: 'Why it takes what it takes, in the language of the request.',
    }),
  },
  { $id: 'QualityScoreTerm', description: 'A part of the quality score, which begins at 100.' },
)

const FailingCase = Type.Object(
  {
    case_id: projectFields.id('The case.'),
    name: Type.String({ examples: ['failed login'], description: 'Its name.' }),
    checks: Type.Array(
      Type.Object(
        {
          label: Type.String({ examples: ['rule'], description: 'What is looked at, in the language of the request.' }),
          expected: Type.String({ examples: ['100101'], description: 'What the case expects; cut when long.' }),
          actual: Type.String({ examples: ['100100'], description: 'What there is; cut when long.' }),
          passed: Type.Boolean({ description: 'Always false.' }),
        },
        { description: 'A check that failed.' },
      ),
      { description: `The first ${CHECKS_LISTED} checks that failed; none when the case could not be run.` },
    ),
  },
  { description: 'A case that fails.' },
)

export const ProjectReportResponse = Type.Object(
  {
    project: Type.Omit(ProjectRecord, ['decoders_xml', 'rules_xml', 'lists'], { $id: 'ReportedProject', description: 'The project, without its content.' }),
    generated_at: fields.timestamp('When the report was made.'),
    published_version: nullable(ProjectVersionRecord, 'The published version; null: none.'),
    quality: Type.Object(
      {
        score: Type.Integer({ minimum: 0, maximum: 100, examples: [92], description: 'What the terms leave of 100.' }),
        is_capped: Type.Boolean({ description: 'The terms would leave more than 59, which is the most while an error stands.' }),
        terms: Type.Array(ScoreTermRecord, { description: 'Every term, also those that take nothing.' }),
      },
      { description: 'The quality score, explained.' },
    ),
    quality_gate_policy: QualityGatePolicyRecord,
    quality_gate_result: QualityGateResult,
    validation: Type.Object(
      {
        loads: Type.Boolean({ description: 'Wazuh would start with it.' }),
        total: count('Findings.'),
        diagnostics_by_severity: countsBy('Findings, by severity.'),
        diagnostics_by_code: countsBy('Findings, by code.'),
        findings: Type.Array(DIAGNOSTIC, { description: `The first ${LISTED}, the worst first.` }),
      },
      { description: "What is found in the project's own content." },
    ),
    regression: Type.Object(
      {
        total: count('Cases.'),
        passed: count('Cases that pass.'),
        failed: count('Cases that fail.'),
        failing: Type.Array(FailingCase, { description: `The first ${LISTED} that fail, in the order in which they were made.` }),
      },
      { description: 'How the cases fare on the content.' },
    ),
    coverage: Type.Object(
      {
        rules: Type.Object(
          {
            total: count('Own rules as written: also those that Wazuh drops, which no case can go through.'),
            covered: count('Own rules that a case goes through.'),
            untested: Type.Array(
              Type.Object(
                {
                  rule_id: Type.String({ examples: ['100100'], description: 'The rule.' }),
                  filename: Type.String({ examples: ['project_rules.xml'], description: 'Its file.' }),
                  line: Type.Integer({ minimum: 1, description: 'Its line.' }),
                },
                { description: 'A rule that no case goes through.' },
              ),
              { description: `The first ${LISTED}.` },
            ),
          },
          { description: 'Of rules.' },
        ),
      },
      { description: 'What the cases go through.' },
    ),
    attack: Type.Object(
      {
        techniques: Type.Array(
          Type.Object({ id: Type.String({ examples: ['T1110'], description: 'The technique.' }), rules: ruleIds('Own rules that name it.') }, { description: 'A technique.' }),
          { description: 'By id.' },
        ),
      },
      { description: 'ATT&CK techniques that the content names.' },
    ),
    versions: Type.Array(ProjectVersionRecord, { description: 'The newest 10.' }),
    semantic_counts: SemanticCountsRecord,
  },
  { $id: 'ProjectReportResponse', description: 'How good the content of a project is, and why.' },
)
export type ProjectReportResponse = Static<typeof ProjectReportResponse>
