/** The policy of a quality gate, and what it says of content, as the interface shows them. */
import Type, { type Static } from 'typebox'
import { fields } from '../../auth/records.js'
import { nullable } from '../../nullable.js'
import { DEFAULT_POLICY, type PolicyField } from '../../projects/gate-policy.js'
import { ProjectParams, projectFields } from '../../projects/fields.js'

export { ProjectParams }

/** Counts beyond it are no limits any more. */
const COUNT_MOST = 1_000_000

const count = (description: string) => Type.Integer({ minimum: 0, maximum: COUNT_MOST, description })
const limitOrNone = (description: string) => nullable(Type.Integer({ minimum: 0, maximum: COUNT_MOST }), description)

const policy = {
  min_quality_score: Type.Integer({
    minimum: 0,
    maximum: 100,
    examples: [DEFAULT_POLICY.min_quality_score],
    description: `The quality score that content must have; default ${DEFAULT_POLICY.min_quality_score}.`,
  }),
  max_errors: count(`Errors that it may have; default ${DEFAULT_POLICY.max_errors}.`),
  max_warnings: limitOrNone('Warnings that it may have; null, the default: any number.'),
  max_infos: limitOrNone('Infos that it may have; null, the default: any number.'),
  require_regression_pass: Type.Boolean({ description: 'Every case must pass; default true.' }),
  min_case_count: count(`Cases that the project must have; default ${DEFAULT_POLICY.min_case_count}.`),
  require_approved_review: Type.Boolean({
    description: 'There must be an approved review of exactly this content, and none that rejects it or asks for changes of it since; default false.',
  }),
} satisfies Record<PolicyField, unknown>

export const QualityGatePolicyRecord = Type.Object(
  { project_id: projectFields.id('The project.'), ...policy, updated_at: fields.timestamp('When the project was last changed.') },
  { $id: 'QualityGatePolicyRecord', description: 'What a version has to hold before it is published.' },
)
export type QualityGatePolicyRecord = Static<typeof QualityGatePolicyRecord>

export const QualityGateUpdateRequest = Type.Partial(Type.Object(policy), { $id: 'QualityGateUpdateRequest', description: 'What changes of the policy; the rest stays.' })
export type QualityGateUpdateRequest = Static<typeof QualityGateUpdateRequest>

export const QualityGateResult = Type.Object(
  {
    passed: Type.Boolean({ description: 'Nothing in the policy speaks against publishing.' }),
    failed_rules: Type.Array(
      Type.Object(
        {
          rule: Type.Enum(Object.keys(DEFAULT_POLICY) as [PolicyField, ...PolicyField[]], { description: 'Field of the policy.' }),
          expected: Type.Union([Type.Number(), Type.Boolean()], { description: 'What the policy asks for.' }),
          actual: Type.Union([Type.Number(), Type.Boolean()], { description: 'What there is.' }),
        },
        { description: 'A field that is not met.' },
      ),
      { description: 'Every field of the policy that is not met.' },
    ),
    quality_score: Type.Integer({ minimum: 0, maximum: 100, examples: [92], description: 'Of the content.' }),
    diagnostics_by_severity: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), { description: 'Findings in the content, by severity.' }),
    case_count: Type.Integer({ minimum: 0, examples: [24], description: 'Cases that were run.' }),
    failed_cases: Type.Integer({ minimum: 0, description: 'Of them: failed.' }),
  },
  { $id: 'QualityGateResult', description: 'What a quality gate says of content.' },
)
export type QualityGateResult = Static<typeof QualityGateResult>
