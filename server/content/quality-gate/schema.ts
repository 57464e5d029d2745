/** The policy and the result of a quality gate as the API returns them. */
import Type, { type Static } from 'typebox'
import { fields } from '../../core/auth/records.js'
import { nullable } from '../../core/nullable.js'
import { GATE_STATES, UNKNOWN_STATES } from '../shared/gate.js'
import { DEFAULT_POLICY, POLICY_FIELDS, type PolicyField } from '../shared/gate-policy.js'
import { ProjectParams, projectFields } from '../shared/fields.js'

export { ProjectParams }

/** Largest value of a count; a larger one would never have an effect. */
const COUNT_MAX = 1_000_000

const count = (description: string) => Type.Integer({ minimum: 0, maximum: COUNT_MAX, description })
const limitOrNone = (description: string) => nullable(Type.Integer({ minimum: 0, maximum: COUNT_MAX }), description)

const shareOrNone = (description: string) => nullable(Type.Number({ minimum: 0, maximum: 1, examples: [0.8] }), description)

const policy = {
  min_quality_score: Type.Integer({
    minimum: 0,
    maximum: 100,
    examples: [DEFAULT_POLICY.min_quality_score],
    description: `Minimum quality score. Default: ${DEFAULT_POLICY.min_quality_score}.`,
  }),
  max_errors: count(`Maximum number of errors. Default: ${DEFAULT_POLICY.max_errors}.`),
  max_warnings: limitOrNone('Maximum number of warnings. Null, the default: no limit.'),
  max_infos: limitOrNone('Maximum number of infos. Null, the default: no limit.'),
  require_regression_pass: Type.Boolean({ description: 'Whether every case must pass. Default: true.' }),
  min_case_count: count(`Minimum number of cases. Default: ${DEFAULT_POLICY.min_case_count}.`),
  require_approved_review: Type.Boolean({
    description: 'Whether a review must approve exactly this content, without a later review that rejects it or requests changes. Default: false.',
  }),
  max_lost_alerts: limitOrNone(
    'Maximum number of rules of which a known event no longer alerts, compared with the content that is active. A rule does not count if a case says so: its event had the rule, and it passes with another result. An approved review of exactly this content accepts them all. A comparison that was not complete is `not_proven`, which does not pass. Null, the default: no limit.',
  ),
  min_rule_coverage: shareOrNone(
    'Minimum share, from 0 to 1, of own rules that at least one case matches: a rule is the final one of an event of the case, or above it. Null, the default: no limit.',
  ),
  require_negative_cases: Type.Boolean({
    description:
      'Whether every own rule that a case matches also needs a negative case: one that passes, does not match the rule, and has an event that comes near it. Such an event matches all rules above the rule, and at most one of its own conditions fails; conditions on earlier events (`frequency`, `if_fts`, `check_diff`) are not counted. Measured in the background. Default: false.',
  }),
  min_mutation_score: shareOrNone(
    'Minimum mutation score of the cases, from 0 to 1. Each own rule and decoder is changed in small ways; a mutant is killed if a case notices it. The score is killed / (killed + survived + unknown); mutants that are proven to be equivalent do not count. Measured in the background. Null, the default: no limit.',
  ),
} satisfies Record<PolicyField, unknown>

export const QualityGatePolicyRecord = Type.Object(
  {
    project_id: projectFields.id('The project.'),
    ...policy,
    max_lost_alerts: Type.Optional(policy.max_lost_alerts),
    min_rule_coverage: Type.Optional(policy.min_rule_coverage),
    require_negative_cases: Type.Optional(policy.require_negative_cases),
    min_mutation_score: Type.Optional(policy.min_mutation_score),
    updated_at: fields.timestamp('When the project was last updated.'),
  },
  { $id: 'QualityGatePolicyRecord', description: 'Requirements for publishing a version.' },
)
export type QualityGatePolicyRecord = Static<typeof QualityGatePolicyRecord>

export const QualityGateUpdateRequest = Type.Partial(Type.Object(policy), { $id: 'QualityGateUpdateRequest', description: 'The fields to update.' })
export type QualityGateUpdateRequest = Static<typeof QualityGateUpdateRequest>

const mutantCount = (description: string) => Type.Integer({ minimum: 0, description })

const MutationResult = Type.Object(
  {
    score: nullable(
      Type.Number({ minimum: 0, maximum: 1, examples: [0.86] }),
      'Mutants that a case kills, divided by those that are killed, survive or are unknown, rounded down; null: cases fail without a mutant.',
    ),
    killed_count: mutantCount('Mutants that a case notices.'),
    survived_count: mutantCount('Mutants that no case notices, although an event tells both apart.'),
    equivalent_count: mutantCount('Mutants that are proven to do the same. They do not count.'),
    unknown_count: mutantCount('Mutants that no case notices, without such an event or proof.'),
    failed_case_count: mutantCount('Cases that fail without a mutant. Nothing is measured then.'),
    untried_count: mutantCount('Rules and decoders that were not tried, because the time was over. The score is not proven then.'),
    survivors: Type.Array(
      Type.Object(
        {
          rule_id: nullable(Type.String({ examples: ['100101'] }), 'The rule; null: it is a decoder.'),
          decoder: nullable(Type.String({ examples: ['vpn-login'] }), 'Name of the decoder; null: it is a rule.'),
          operator: Type.String({ examples: ['drop'], description: 'What the mutant changes.' }),
          file: Type.String({ examples: ['project_rules.xml'], description: 'File.' }),
          line: Type.Integer({ minimum: 1, description: 'Line.' }),
          before: Type.String({ examples: ['<action>failed</action>'], description: 'The text that is changed.' }),
          after: Type.String({ examples: [''], description: 'What it becomes.' }),
          killing_case: nullable(
            Type.Record(Type.String(), Type.Unknown()),
            'A case that passes on this content and fails on the mutant, as `POST …/cases` takes it; null: it is too long.',
          ),
        },
        { description: 'A mutant that no case notices.' },
      ),
      { description: 'Mutants that survive; the first 20.' },
    ),
  },
  { $id: 'QualityGateMutation', description: 'How many small changes of rules and decoders the cases notice.' },
)

export const QualityGateResult = Type.Object(
  {
    passed: Type.Boolean({ description: 'Whether the content meets the policy.' }),
    state: Type.Enum([...GATE_STATES], {
      description:
        'Result in one word. `failed`: a known value does not meet the policy. `not_proven`: none fails, but one cannot be known, because a search had too little time. `pending`: none fails, but one is still being measured. Only `passed` may be published.',
    }),
    failed_rules: Type.Array(
      Type.Object(
        {
          rule: Type.Enum([...POLICY_FIELDS], { description: 'Field of the policy.' }),
          expected: Type.Union([Type.Number(), Type.Boolean()], { description: 'Required value.' }),
          actual: Type.Union([Type.Number(), Type.Boolean(), Type.Null()], { description: 'Actual value; null: not known.' }),
          state: Type.Optional(
            Type.Enum([...UNKNOWN_STATES], {
              description:
                'Why the field is not met although no value fails it. `pending`: it is being measured, ask again. `not_proven`: the search that would prove it was not complete; `actual` is what was found. Absent: the actual value does not meet the policy.',
            }),
          ),
          diagnostics: Type.Optional(
            Type.Array(
              Type.Object(
                {
                  code: Type.String({ examples: ['rule_parent_missing'], description: 'Code.' }),
                  file: Type.String({ examples: ['project_rules.xml'], description: 'File.' }),
                  line: nullable(Type.Integer({ minimum: 1, examples: [7] }), 'Line; null: the whole file.'),
                },
                { description: 'A diagnostic.' },
              ),
              { description: 'The diagnostics that the rule counts, the worst first; at most 20. Absent: it counts none.' },
            ),
          ),
          diagnostic_count: Type.Optional(Type.Integer({ minimum: 0, description: 'Their number.' })),
          cases: Type.Optional(
            Type.Array(
              Type.Object({ id: projectFields.id('The case.'), name: Type.String({ examples: ['Failed login'], description: 'Its name.' }) }, { description: 'A case.' }),
              {
                description: 'The cases that fail, in order of creation; at most 20. Absent: the rule does not depend on them.',
              },
            ),
          ),
          rules: Type.Optional(
            Type.Array(Type.String({ examples: ['100100'] }), {
              description: 'The rules that lose an alert, that no case matches, or that lack a negative case; at most 20. Absent: the field does not depend on rules.',
            }),
          ),
          rule_count: Type.Optional(Type.Integer({ minimum: 0, description: 'Their number.' })),
          case_count: Type.Optional(Type.Integer({ minimum: 0, description: 'Number of failing cases.' })),
        },
        { description: 'A field of the policy that is not met.' },
      ),
      { description: 'All fields of the policy that are not met.' },
    ),
    quality_score: Type.Integer({ minimum: 0, maximum: 100, examples: [92], description: 'Quality score of the content.' }),
    diagnostics_by_severity: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), { description: 'Number of diagnostics in the content, by severity.' }),
    case_count: Type.Integer({ minimum: 0, examples: [24], description: 'Number of cases that ran.' }),
    failed_cases: Type.Integer({ minimum: 0, description: 'Number of cases that failed.' }),
    clock_dependent_cases: Type.Integer({
      minimum: 0,
      description:
        'Number of cases that can have another result at another time: a rule with `time` or `weekday` was evaluated by the clock of the service. `now` of a case sets its clock.',
    }),
    rule_coverage: Type.Number({ minimum: 0, maximum: 1, examples: [0.9], description: 'Share of own rules that at least one case matches, rounded down; 1 without own rules.' }),
    rules_without_negative_case: nullable(
      Type.Integer({ minimum: 0 }),
      'Number of own rules with a positive case and without a negative one; null: not known, or the policy does not ask for it.',
    ),
    mutation: nullable(MutationResult, 'The mutation score of the cases; null: not known, or the policy does not ask for it.'),
  },
  { $id: 'QualityGateResult', description: 'Result of a quality gate for some content.' },
)
export type QualityGateResult = Static<typeof QualityGateResult>
