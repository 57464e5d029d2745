/** Requests and answers about replays. */
import Type, { type Static } from 'typebox'
import { EXAMPLE_ID, fields } from '../../../core/auth/records.js'
import { listQuery } from '../../../core/http/request/list-query.js'
import { nullable } from '../../../core/nullable.js'
import { contentChoice } from '../../../content/shared/chosen-content.js'
import { REPLAY_DAYS, RULES_LISTED, SAMPLES_LIMIT } from './limits.js'
import { REPLAY_CLOCKS, REPLAY_FAILURES, REPLAY_STATUSES } from './store.js'

export const ReplaysParams = Type.Object({ project_id: fields.id('The project.') })
export const ReplayParams = Type.Object({ project_id: fields.id('The project.'), replay_id: fields.id('The replay.') })

export const ReplayListQuery = listQuery({ filters: { status: Type.Optional(Type.Enum([...REPLAY_STATUSES], { description: 'Only replays with this status.' })) } })
export type ReplayListQuery = Static<typeof ReplayListQuery>

const CHOICE = Type.Object(contentChoice, { description: 'A version or a workspace of the project; neither: the content of the project.' })

/** Characters of the name of a member. */
const NAME_LIMIT = 256
const NAME = (whose: string) => Type.String({ minLength: 1, maxLength: NAME_LIMIT, description: `The member ${whose}.` })

export const ReplayCreateRequest = Type.Object(
  {
    corpus_id: fields.id('The corpus, which is uploaded in full.'),
    content: Type.Optional(CHOICE),
    compare: Type.Optional(nullable(CHOICE, 'Another content, as the state before: rules are counted on both. Absent or null: none.')),
    clock: Type.Optional(
      Type.Enum([...REPLAY_CLOCKS], {
        description:
          '`arrival`, the default: the first event is received at a fixed time, and each further one a second later. `event`, the default with `fields.time`: events are received at the times that records of Wazuh, or that member, have, in their order.',
      }),
    ),
    fields: Type.Optional(
      nullable(
        Type.Object({
          event: NAME('with the event'),
          location: Type.Optional(nullable(NAME('with its location'), 'Absent or null: all events have the same location.')),
          time: Type.Optional(nullable(NAME('with its time'), 'Absent or null: events have no times.')),
        }),
        'Names of members, if each line is a JSON object that is no record of Wazuh. A name with dots is also that of a member of a member. Absent or null: lines are logs, or records of Wazuh.',
      ),
    ),
  },
  { $id: 'ReplayCreateRequest', description: 'A replay to run.' },
)
export type ReplayCreateRequest = Static<typeof ReplayCreateRequest>

const count = (description: string) => Type.Integer({ minimum: 0, examples: [12], description })
const countOrNull = (description: string) => nullable(Type.Integer({ minimum: 0, examples: [10] }), description)
const CONTENT = Type.Object(
  {
    version_id: nullable(Type.String({ examples: [EXAMPLE_ID] }), 'The version.'),
    workspace_id: nullable(Type.String({ examples: [EXAMPLE_ID] }), 'The workspace. With neither it is the content of the project.'),
  },
  { description: 'A content of the project.' },
)
const moment = (description: string) => nullable(Type.String({ format: 'date-time' }), description)
const samples = (description: string) => Type.Array(Type.String(), { maxItems: SAMPLES_LIMIT, examples: [[]], description })

export const ReplayRecord = Type.Object(
  {
    id: Type.String({ examples: [EXAMPLE_ID], description: 'Identifier.' }),
    project_id: Type.String({ examples: [EXAMPLE_ID], description: 'The project.' }),
    corpus_id: Type.String({ examples: [EXAMPLE_ID], description: 'The corpus.' }),
    corpus_name: Type.String({ examples: ['Perimeter, October'], description: 'Its name.' }),
    content: CONTENT,
    compare: nullable(CONTENT, 'The content before; null: there is none.'),
    clock: Type.Enum([...REPLAY_CLOCKS], { description: 'Whether events are received at the times that they have (`event`), or each a second after the one before (`arrival`).' }),
    fields: nullable(
      Type.Object({
        event: Type.String({ examples: ['message'], description: 'The member with the event.' }),
        location: nullable(Type.String({ examples: ['host'] }), 'The member with its location; null: none.'),
        time: nullable(Type.String({ examples: ['@timestamp'] }), 'The member with its time; null: none.'),
      }),
      'Members of the lines, which are JSON objects. Null: lines are logs, or records of Wazuh.',
    ),
    status: Type.Enum([...REPLAY_STATUSES], { description: 'Status.' }),
    failure: nullable(
      Type.Enum([...REPLAY_FAILURES]),
      'Why it failed: the corpus or a content was deleted, the run took longer than 45 minutes, or the analysis failed. Null: it did not fail.',
    ),
    progress: Type.Number({ minimum: 0, maximum: 1, examples: [0.4], description: 'Share of the bytes of the corpus that was run.' }),
    events: count('Lines that were run.'),
    created_by: Type.String({ examples: [EXAMPLE_ID], description: 'User or API key that created it.' }),
    created_by_name: Type.String({ examples: ['ana@example.com'], description: 'Name of that user or key at the time.' }),
    created_at: fields.timestamp(`When it was created. It is kept for ${REPLAY_DAYS} days.`),
    started_at: moment('When it began to run; null: it waits.'),
    finished_at: moment('When it ended; null: it has not.'),
  },
  { $id: 'ReplayRecord', description: 'A replay.' },
)
export type ReplayRecord = Static<typeof ReplayRecord>

export const ReplayRule = Type.Object({
  rule_id: Type.String({ examples: ['100100'], description: 'Id of the rule.' }),
  level: Type.Integer({ minimum: 0, examples: [7], description: 'Its level, in the content.' }),
  description: Type.String({ examples: ['VPN: login failed'], description: 'Description of its first alert.' }),
  before_count: countOrNull('Alerts before; null: nothing is compared.'),
  after_count: count('Alerts with the content.'),
  new_count: countOrNull('Events with an alert of this rule only with the content; null: nothing is compared.'),
  lost_count: countOrNull('Events with an alert of this rule only before; null: nothing is compared.'),
  new_samples: samples('First logs of new alerts, or of all alerts if nothing is compared. Long ones are cut.'),
  lost_samples: samples('First logs of lost alerts.'),
})
export type ReplayRule = Static<typeof ReplayRule>

export const ReplayResult = Type.Object(
  {
    lines: count('Lines of the corpus that are not blank.'),
    wrong_lines: count('Lines that are no event: records without a log, and lines that are too long.'),
    not_run_count: count('Events that were not run: Wazuh drops them, they were stopped, or a ruleset does not load.'),
    late_events: count('By the clock `event`: events that came later than their order could wait for, and were run where they arrived.'),
    events_without_time: count('By the clock `event`: events without a time of their own, which got that of the event before them.'),
    before_alerts: countOrNull('Alerts before; null: nothing is compared.'),
    after_alerts: count('Alerts with the content.'),
    new_alerts: countOrNull('Events that alert only with the content, or with another rule; null: nothing is compared.'),
    lost_alerts: countOrNull('Events that alerted only before, or with another rule; null: nothing is compared.'),
    rules: Type.Array(ReplayRule, { maxItems: RULES_LISTED, description: 'Rules that alerted, those with the most differences first, then those with the most alerts.' }),
  },
  { $id: 'ReplayResult', description: 'What a replay has found.' },
)
export type ReplayResult = Static<typeof ReplayResult>

export const ReplayReport = Type.Object({ replay: ReplayRecord, result: ReplayResult }, { $id: 'ReplayReport', description: 'A replay that has succeeded, and what it has found.' })
export type ReplayReport = Static<typeof ReplayReport>
