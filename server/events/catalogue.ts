/**
 * THE table of domain events: name, and payload (CONTRACT.md#webhooks). Whoever emits one is typed by it,
 * subscribers may name what stands here, and the interface document shows each with its fields. A payload may gain fields, never lose one.
 */
import Type, { type Static, type TObject } from 'typebox'
import { nullable } from '../nullable.js'

const ID = 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'
/** Ids of failed cases in a payload: enough to go and look, and a body that stays small. */
export const FAILED_CASES_SHOWN = 200

const id = (description: string) => Type.String({ examples: [ID], description })
const count = (description: string) => Type.Integer({ minimum: 0, examples: [12], description })
const name = (example: string, description: string) => Type.String({ examples: [example], description })

const project = {
  project_id: id('The project.'),
  project_name: name('Perimeter', 'Name of the project.'),
}

const regression = (description: string) =>
  Type.Object(
    {
      ...project,
      total_cases: count('Cases that were run.'),
      passed_cases: count('Of them: as expected.'),
      failed_cases: Type.Integer({ minimum: 0, examples: [1], description: 'Of them: otherwise than expected.' }),
      failed_case_ids: Type.Array(Type.String(), {
        maxItems: FAILED_CASES_SHOWN,
        examples: [[ID]],
        description: `Cases that failed, the first ${FAILED_CASES_SHOWN}.`,
      }),
    },
    { description },
  )

const review = (status: string, description: string) =>
  Type.Object(
    {
      ...project,
      review_id: id('The review.'),
      title: name('Brute force on the VPN', 'Title of the review.'),
      status: name(status, 'Status of the review, after the change.'),
      workspace_id: id('The workspace that is reviewed.'),
      actor_id: nullable(id('A user.'), 'The user who did it; null: an API key, or the service itself.'),
      reviewer_ids: Type.Array(Type.String(), { examples: [[ID]], description: 'Users who are asked for their opinion.' }),
    },
    { description },
  )

const version = (status: string, description: string) =>
  Type.Object(
    {
      ...project,
      version_id: id('The version.'),
      name: name('2026.1', 'Name of the version.'),
      status: name(status, 'Status of the version, after the change.'),
      quality_score: Type.Integer({ minimum: 0, maximum: 100, examples: [92], description: 'Quality score of its content.' }),
      regression_passed: Type.Boolean({ description: 'Every case of the project was as expected with its content.' }),
      content_hash: name('9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', 'SHA-256 of its content, lower-case hex: same content, same hash.'),
    },
    { description },
  )

export const EVENTS = {
  'validation.completed': Type.Object(
    {
      ok: Type.Boolean({ description: 'No error in the content of the caller.' }),
      diagnostic_count: Type.Integer({ minimum: 0, description: 'Findings that were answered.' }),
      total_rules: count('Rules of the whole ruleset.'),
      total_decoders: count('Decoders of the whole ruleset.'),
    },
    { description: 'Content was validated.' },
  ),
  'logtest.completed': Type.Object(
    {
      ok: Type.Boolean({ description: 'The event ran, on a ruleset without errors of the caller.' }),
      matched_rule_id: nullable(Type.String({ examples: ['5712'] }), 'The final rule; null: none.'),
      matched_rules: Type.Array(Type.String(), { examples: [['5700', '5710', '5712']], description: 'Ids of all rules that matched, in evaluation order.' }),
    },
    { description: 'An event was run through a ruleset.' },
  ),
  'regression.completed': regression('All cases of a project were run. One of `regression.passed` and `regression.failed` follows.'),
  'regression.passed': regression('All cases of a project were run, and each was as expected.'),
  'regression.failed': regression('All cases of a project were run, and at least one was otherwise than expected.'),
  'review.created': review('open', 'A review was opened.'),
  'review.approved': review('approved', 'A review was approved.'),
  'review.changes_requested': review('changes_requested', 'A reviewer asked for changes.'),
  'review.rejected': review('rejected', 'A review was rejected.'),
  'version.created': version('draft', 'A version was made.'),
  'version.published': version('published', 'A version passed the quality gate and was published.'),
  'publish.failed': Type.Object(
    {
      ...project,
      version_id: id('The version.'),
      name: name('2026.1', 'Name of the version.'),
      quality_score: Type.Integer({ minimum: 0, maximum: 100, examples: [61], description: 'Quality score of its content.' }),
      failed_rules: Type.Array(
        Type.Object({
          rule: name('min_quality_score', 'Field of the quality gate policy.'),
          expected: Type.Unknown({ examples: [70], description: 'What the policy asks for.' }),
          actual: Type.Unknown({ examples: [61], description: 'What the version has.' }),
        }),
        { description: 'Every rule of the quality gate that it does not pass.' },
      ),
    },
    { description: 'A version did not pass the quality gate, and was not published.' },
  ),
  'feedback.created': Type.Object(
    {
      report_id: id('The report.'),
      kind: name('bug', 'Kind of the report.'),
      title: name('The preview does not scroll', 'Title of the report.'),
    },
    { description: 'A member reported something.' },
  ),
  'api_key.created': Type.Object(
    {
      id: id('The key.'),
      name: name('CI', 'What it is for.'),
      scopes: Type.Array(Type.String(), { examples: [['analysis:run', 'projects:read']], description: 'What it may do.' }),
      expires_at: nullable(Type.String({ format: 'date-time' }), 'From when on it is refused; null: never.'),
    },
    { description: 'An API key was made.' },
  ),
  'api_key.revoked': Type.Object({ id: id('The key.'), name: name('CI', 'What it was for.') }, { description: 'An API key was revoked.' }),
  'webhook.test': Type.Object(
    {
      webhook_id: id('The webhook.'),
      message: name('This is a test.', 'A sentence for people.'),
    },
    { description: 'Someone asked for a test of the webhook. It is sent to that webhook, whatever it has subscribed to.' },
  ),
} as const satisfies Record<string, TObject>

export type EventName = keyof typeof EVENTS

export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[]

export type EventPayload<N extends EventName> = Static<(typeof EVENTS)[N]>

/** An event as code passes it on, before it is stored. */
export type DomainEvent = { readonly [N in EventName]: { readonly name: N; readonly payload: EventPayload<N> } }[EventName]
