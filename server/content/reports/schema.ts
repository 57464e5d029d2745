/** The report about a project, as the API returns it (CONTRACT.md#project-records). */
import Type, { type Static } from 'typebox'
import { fields } from '../../core/auth/records.js'
import { nullable } from '../../core/nullable.js'
import { SCORE_TERMS, type ScoreTermName } from '../shared/quality-score.js'
import { countsBy, ProjectParams, projectFields, SemanticCountsRecord } from '../shared/fields.js'
import { ProjectRecord } from '../projects/service.js'
import { RuleAuditResponse } from '../rule-audit/service.js'
import { ProjectVersionRecord } from '../versions/service.js'
import { DIAGNOSTIC } from '../../analysis/service.js'
import { QualityGatePolicyRecord, QualityGateResult } from '../quality-gate/service.js'

export { ProjectParams }

/** Most diagnostics, failing cases and untested rules that are listed. Counts include those that are not listed. */
export const LISTED = 1000
/** Most failed checks listed for a case, which may expect hundreds of fields. */
export const CHECKS_LISTED = 20
/** Characters of an expected or actual value; an event may be megabytes. */
export const CHECK_CHARACTERS = 500

const count = (description: string) => Type.Integer({ minimum: 0, description })
const coveredCounts = { total: count('Number of own rules.'), covered: count('Number of these rules that at least one case matches.') }
const ruleIds = (description: string) => Type.Array(Type.String({ examples: ['100100'] }), { description })

const ScoreTermRecord = Type.Object(
  {
    term: Type.Enum(Object.keys(SCORE_TERMS) as [ScoreTermName, ...ScoreTermName[]], { description: 'Name of the term.' }),
    points: count('Points that it subtracts.'),
    most: count('Most points that it can subtract.'),
    count: count('Number of counted items.'),
    title: Type.String({ examples: ['Warnings'], description: 'Name of the term, in the language of the request.' }),
    explanation: Type.String({
      examples: ['Warnings in the content: 2. Each deducts 4 points, up to 24.'],
      description: 'Explanation of the points, in the language of the request.',
    }),
  },
  { $id: 'QualityScoreTerm', description: 'A term of the quality score, which starts at 100.' },
)

const FailingCase = Type.Object(
  {
    case_id: projectFields.id('The case.'),
    name: Type.String({ examples: ['failed login'], description: 'Name of the case.' }),
    checks: Type.Array(
      Type.Object(
        {
          label: Type.String({ examples: ['rule'], description: 'Name of the expectation, in the language of the request.' }),
          expected: Type.String({ examples: ['100101'], description: 'Expected value; long values are cut.' }),
          actual: Type.String({ examples: ['100100'], description: 'Actual value; long values are cut.' }),
          passed: Type.Boolean({ description: 'Always false.' }),
        },
        { description: 'A check that failed.' },
      ),
      { description: `The first ${CHECKS_LISTED} checks that failed; empty if the case could not run.` },
    ),
  },
  { description: 'A case that fails.' },
)

export const ProjectReportResponse = Type.Object(
  {
    project: Type.Omit(ProjectRecord, ['decoders_xml', 'rules_xml', 'lists'], { $id: 'ReportedProject', description: 'The project, without its content.' }),
    generated_at: fields.timestamp('When the report was created.'),
    published_version: nullable(ProjectVersionRecord, 'The published version; null: none.'),
    quality: Type.Object(
      {
        score: Type.Integer({ minimum: 0, maximum: 100, examples: [92], description: 'The quality score.' }),
        is_capped: Type.Boolean({ description: 'Whether the score was limited to 59 because the content has errors.' }),
        terms: Type.Array(ScoreTermRecord, { description: 'Every term, including those that subtract nothing.' }),
      },
      { description: 'The quality score, explained.' },
    ),
    quality_gate_policy: QualityGatePolicyRecord,
    quality_gate_result: QualityGateResult,
    validation: Type.Object(
      {
        loads: Type.Boolean({ description: 'Whether Wazuh would start with the content.' }),
        total: count('Diagnostics.'),
        diagnostics_by_severity: countsBy('Number of diagnostics, by severity.'),
        diagnostics_by_code: countsBy('Number of diagnostics, by code.'),
        findings: Type.Array(DIAGNOSTIC, { description: `The first ${LISTED} diagnostics, the most severe first.` }),
      },
      { description: "Validation of the project's own content." },
    ),
    regression: Type.Object(
      {
        total: count('Cases.'),
        passed: count('Number of cases that pass.'),
        failed: count('Number of cases that fail.'),
        failing: Type.Array(FailingCase, { description: `The first ${LISTED} failing cases, in order of creation.` }),
      },
      { description: 'Results of the cases on the content.' },
    ),
    coverage: Type.Object(
      {
        rules: Type.Object(
          {
            total: count('Number of own rules, including those that Wazuh drops and no case can match.'),
            covered: count('Number of own rules that at least one case matches.'),
            untested: Type.Array(
              Type.Object(
                {
                  rule_id: Type.String({ examples: ['100100'], description: 'Id of the rule.' }),
                  filename: Type.String({ examples: ['project_rules.xml'], description: 'File of the rule.' }),
                  line: Type.Integer({ minimum: 1, description: 'Line of the rule.' }),
                },
                { description: 'A rule that no case matches.' },
              ),
              { description: `The first ${LISTED} untested rules.` },
            ),
          },
          { description: 'Coverage of rules.' },
        ),
        files: Type.Array(
          Type.Object(
            { filename: Type.String({ examples: ['project_rules.xml'], description: 'Name of the file.' }), ...coveredCounts },
            { description: 'Coverage of the rules of a file.' },
          ),
          { description: `Coverage by file, including rules that Wazuh drops: the first ${LISTED} files with rules, by name.` },
        ),
        file_count: count('Number of files with rules.'),
        levels: Type.Array(
          Type.Object(
            { level: Type.Integer({ minimum: 0, maximum: 16, description: 'Level of the rules.' }), ...coveredCounts },
            { description: 'Coverage of the rules of a level.' },
          ),
          { description: 'Coverage by level, of the rules that Wazuh loads. Levels without a rule are left out.' },
        ),
      },
      { description: 'Coverage of the content by cases.' },
    ),
    attack: Type.Object(
      {
        techniques: Type.Array(
          Type.Object(
            {
              id: Type.String({ examples: ['T1110'], description: 'Id of the technique.' }),
              rules: ruleIds('Ids of the own rules with this technique.'),
              tested: ruleIds('Ids of those that at least one case matches.'),
              covered: coveredCounts.covered,
            },
            { description: 'A technique.' },
          ),
          { description: 'Techniques, in order of their ids.' },
        ),
      },
      { description: 'ATT&CK techniques of the content.' },
    ),
    audit: nullable(RuleAuditResponse, 'Which own rules can fire, as `rule-audit` answers it; null: it exceeded the limits of a task.'),
    versions: Type.Array(ProjectVersionRecord, { description: 'The newest 10 versions.' }),
    semantic_counts: SemanticCountsRecord,
  },
  { $id: 'ProjectReportResponse', description: 'Report on the quality of a project.' },
)
export type ProjectReportResponse = Static<typeof ProjectReportResponse>
