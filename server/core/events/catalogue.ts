/**
 * The table of domain events: names and payloads (CONTRACT.md#webhooks). It types the code that emits events, lists the names that webhooks can select,
 * and creates the section `webhooks` of the interface document. A payload may gain fields and never loses one.
 */
import Type, { type Static, type TObject } from 'typebox'
import { nullable } from '../nullable.js'

const ID = 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'
/** Maximum ids of failed cases in a payload, so that the body stays small. */
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
      total_cases: count('Number of cases that ran.'),
      passed_cases: count('Number of cases that passed.'),
      failed_cases: Type.Integer({ minimum: 0, examples: [1], description: 'Number of cases that failed.' }),
      failed_case_ids: Type.Array(Type.String(), {
        maxItems: FAILED_CASES_SHOWN,
        examples: [[ID]],
        description: `Ids of the first ${FAILED_CASES_SHOWN} cases that failed.`,
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
      status: name(status, 'Status of the review after the change.'),
      workspace_id: id('The reviewed workspace.'),
      actor_id: nullable(id('A user.'), 'The user who made the change; null: an API key or the service.'),
      reviewer_ids: Type.Array(Type.String(), { examples: [[ID]], description: 'Ids of the reviewers.' }),
    },
    { description },
  )

const version = (status: string, description: string) =>
  Type.Object(
    {
      ...project,
      version_id: id('The version.'),
      name: name('2026.1', 'Name of the version.'),
      status: name(status, 'Status of the version after the change.'),
      quality_score: Type.Integer({ minimum: 0, maximum: 100, examples: [92], description: 'Quality score of its content.' }),
      regression_passed: Type.Boolean({ description: 'Whether every case of the project passed with this content.' }),
      content_hash: name('9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', 'SHA-256 of its content, in lower-case hex. The same content has the same hash.'),
    },
    { description },
  )

export const EVENTS = {
  'validation.completed': Type.Object(
    {
      ok: Type.Boolean({ description: 'Whether the content of the caller has no errors.' }),
      diagnostic_count: Type.Integer({ minimum: 0, description: 'Number of diagnostics in the answer, with those that it only counts.' }),
      total_rules: count('Number of rules in the whole ruleset.'),
      total_decoders: count('Number of decoders in the whole ruleset.'),
    },
    { description: 'Content was validated.' },
  ),
  'logtest.completed': Type.Object(
    {
      ok: Type.Boolean({ description: 'Whether the event ran and the content of the caller has no errors.' }),
      matched_rule_id: nullable(Type.String({ examples: ['5712'] }), 'Id of the final rule; null: none.'),
      matched_rules: Type.Array(Type.String(), { examples: [['5700', '5710', '5712']], description: 'Ids of all rules that matched, in evaluation order.' }),
    },
    { description: 'A logtest of an event has ended.' },
  ),
  'regression.completed': regression('All cases of a project have run. `regression.passed` or `regression.failed` follows.'),
  'regression.passed': regression('All cases of a project have run and passed.'),
  'regression.failed': regression('All cases of a project have run, and at least one failed.'),
  'review.created': review('open', 'A review was created.'),
  'review.approved': review('approved', 'A review was approved.'),
  'review.changes_requested': review('changes_requested', 'A reviewer requested changes.'),
  'review.rejected': review('rejected', 'A review was rejected.'),
  'version.created': version('draft', 'A version was created.'),
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
          expected: Type.Unknown({ examples: [70], description: 'The value that the policy requires.' }),
          actual: Type.Unknown({ examples: [61], description: 'The value of the version.' }),
        }),
        { description: 'All rules of the quality gate that the version does not meet.' },
      ),
    },
    { description: 'A version did not pass the quality gate and was not published.' },
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
      name: name('CI', 'Name of the key.'),
      scopes: Type.Array(Type.String(), { examples: [['analysis:run', 'projects:read']], description: 'Scopes of the key.' }),
      expires_at: nullable(Type.String({ format: 'date-time' }), 'When the key expires; null: never.'),
    },
    { description: 'An API key was created.' },
  ),
  'api_key.revoked': Type.Object({ id: id('The key.'), name: name('CI', 'Name of the key.') }, { description: 'An API key was revoked.' }),
  'webhook.test': Type.Object(
    {
      webhook_id: id('The webhook.'),
      message: name('This is a test.', 'A text for people.'),
    },
    { description: 'A test of the webhook was requested. It is sent to this webhook only, also if the webhook does not select the event.' },
  ),
} as const satisfies Record<string, TObject>

export type EventName = keyof typeof EVENTS

export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[]

export type EventPayload<N extends EventName> = Static<(typeof EVENTS)[N]>

/** A domain event before it is stored. */
export type DomainEvent = { readonly [N in EventName]: { readonly name: N; readonly payload: EventPayload<N> } }[EventName]
