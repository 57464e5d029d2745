/** The record of a case, and the fields that requests about cases share with it. */
import Type, { type Static } from 'typebox'
import { fields } from '../../core/auth/records.js'
import { nullable } from '../../core/nullable.js'
import { WHOLE_CHARACTERS } from '../../core/patterns.js'
import { projectFields } from '../shared/fields.js'
import { DECODER_NAME_CHARACTERS } from '../shared/source-files.js'

/** CONTRACT.md#limits. */
const FIELDS_LIMIT = 100
const FIELD_NAME_CHARACTERS = 255
const FIELD_VALUE_CHARACTERS = 1024
const RULE_IDS_LIMIT = 200
/** Maximum events of a case. Frequencies of rules in practice are tens. */
export const CASE_EVENTS_LIMIT = 1000
/** Maximum seconds from the first event to the last: a year. Timeframes in practice are hours. */
const LAST_SECOND = 366 * 24 * 60 * 60
export const RULE_ID = '^(?:0|[1-9][0-9]{0,9})$'
const RULE_ID_OR_NONE = '^(?:0|[1-9][0-9]{0,9})?$'

/** RFC 3339 with a zone; seconds can be omitted. Days that a month lacks are refused afterwards (`case-fields.ts`). */
const TIME_OR_NONE = '^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:[0-9]{2}))?$'
const EXAMPLE_TIME = '2026-01-05T22:30:00-03:00'

export const EXAMPLE_EVENT = 'Nov 21 08:15:30 gw1 vpnd[311]: login failed for ana from 203.0.113.7'
const EVENT_EXAMPLE = { event_text: EXAMPLE_EVENT, at: 0, location: null }

const ruleIds = (description: string) => Type.Array(Type.String({ pattern: RULE_ID }), { maxItems: RULE_IDS_LIMIT, examples: [['100100', '100101']], description })

/** Fields of requests. An empty text is accepted wherever null is, with the same meaning: no expectation. */
export const caseFields = {
  description: projectFields.description('What the case tests.'),
  event_text: projectFields.event('The event, at most 8 MB of UTF-8. Cannot be combined with `events`.'),
  events: Type.Array(
    Type.Object({
      event_text: projectFields.event('The event.'),
      at: Type.Optional(
        nullable(
          Type.Integer({ minimum: 0, maximum: LAST_SECOND }),
          'Second of a virtual clock at which the event arrives, not earlier than the previous event. Absent or null: at the same second as the previous event. The first event arrives at 0.',
        ),
      ),
      location: Type.Optional(nullable(projectFields.location('A source.'), 'Source of the event; absent or null: the location of the case.')),
    }),
    {
      maxItems: CASE_EVENTS_LIMIT,
      description: 'Several events of one session, in order, for rules that count events. Expectations apply to the last event. Cannot be combined with `event_text`.',
    },
  ),
  location: nullable(projectFields.location('A source.'), 'Source of the events; null: `stdin`.'),
  session_id: projectFields.sessionId(
    'Cases with the same session id share a session within a run, in order of creation; each starts at the second at which the previous one ended. Every run starts a new session. Empty: the case has a separate session.',
  ),
  now: nullable(
    Type.String({ pattern: TIME_OR_NONE, examples: [EXAMPLE_TIME] }),
    'When the first event arrives, by the clock of the manager: an ISO time with a zone, which is the zone of the manager. Rules with `time` or `weekday` read it. Null: the clock of the service, or the end of the previous case of the session. A case fails if its time is before that end.',
  ),
  expected_decoder: nullable(
    Type.String({ maxLength: DECODER_NAME_CHARACTERS, pattern: WHOLE_CHARACTERS, examples: ['vpn'] }),
    'Expected decoder, with the name that a logtest reports; null: any.',
  ),
  expected_rule: nullable(Type.String({ pattern: RULE_ID_OR_NONE, examples: ['100101'] }), 'Expected id of the final rule; null: any.'),
  expected_level: nullable(Type.Integer({ minimum: 0, maximum: 16 }), 'Expected level of the final rule; null: any.'),
  expected_fields: Type.Record(Type.String(), Type.String({ maxLength: FIELD_VALUE_CHARACTERS, pattern: WHOLE_CHARACTERS }), {
    maxProperties: FIELDS_LIMIT,
    propertyNames: { minLength: 1, maxLength: FIELD_NAME_CHARACTERS, pattern: WHOLE_CHARACTERS },
    examples: [{ srcip: '203.0.113.7' }],
    description: 'Expected fields, with their values.',
  }),
  expected_rule_ids: ruleIds('Ids of rules that must match, as the final rule or as one of its ancestors.'),
  forbidden_rule_ids: ruleIds('Ids of rules that must not match, neither as the final rule nor as one of its ancestors.'),
  expect_no_rule: Type.Boolean({ description: 'Whether no rule may fire: there is no final rule, or its level is 0.' }),
}

export const CaseRecord = Type.Object(
  {
    id: projectFields.id('Identifier.'),
    project_id: projectFields.id('The project.'),
    name: Type.String({ examples: ['Failed login'], description: 'Name of the case.' }),
    description: Type.String({ examples: ['A wrong password on the VPN'], description: 'What the case tests.' }),
    event_text: Type.String({ examples: [EXAMPLE_EVENT], description: 'The event; empty: the case has several `events`.' }),
    events: Type.Array(
      Type.Object({
        event_text: Type.String({ examples: [EXAMPLE_EVENT], description: 'The event.' }),
        at: nullable(Type.Integer({ minimum: 0 }), 'Second of a virtual clock at which the event arrives; null: that of the previous event.'),
        location: nullable(Type.String(), 'Source of the event; null: the location of the case.'),
      }),
      {
        examples: [
          [
            { ...EVENT_EXAMPLE, at: 0 },
            { ...EVENT_EXAMPLE, at: 30 },
          ],
        ],
        description: 'Events of one session, in order; empty: `event_text` is the only event. Expectations apply to the last event.',
      },
    ),
    log_format: projectFields.logFormat('Log format of the events.'),
    location: nullable(Type.String({ examples: ['/var/log/vpn.log'] }), 'Source of the events; null: `stdin`.'),
    session_id: Type.String({ examples: [''], description: 'Cases with the same session id share a session within a run; empty: the case has a separate session.' }),
    now: nullable(Type.String({ examples: [EXAMPLE_TIME] }), 'When the first event arrives, by the clock of the manager; null: by the clock of the service.'),
    expected_decoder: nullable(Type.String({ examples: ['vpn'] }), 'Expected decoder; null: any.'),
    expected_rule: nullable(Type.String({ examples: ['100101'] }), 'Expected id of the final rule; null: any.'),
    expected_level: nullable(Type.Integer({ minimum: 0, maximum: 16, examples: [5] }), 'Expected level of the final rule; null: any.'),
    expected_fields: Type.Record(Type.String(), Type.String(), { examples: [{ srcip: '203.0.113.7' }], description: 'Expected fields, with their values.' }),
    expected_rule_ids: Type.Array(Type.String(), { examples: [['100100', '100101']], description: 'Ids of rules that must match, as the final rule or as one of its ancestors.' }),
    forbidden_rule_ids: Type.Array(Type.String(), { examples: [['100102']], description: 'Ids of rules that must not match.' }),
    expect_no_rule: Type.Boolean({ description: 'Whether no rule may fire: there is no final rule, or its level is 0.' }),
    created_at: fields.timestamp('When it was created.'),
    updated_at: fields.timestamp('When it was last updated.'),
  },
  { $id: 'CaseRecord', description: 'A case: events and their expected results.' },
)
export type CaseRecord = Static<typeof CaseRecord>
