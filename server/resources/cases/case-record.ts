/** The record of a case, and the fields that requests about cases share with it. */
import Type, { type Static } from 'typebox'
import { fields } from '../../auth/records.js'
import { nullable } from '../../nullable.js'
import { WHOLE_CHARACTERS } from '../../patterns.js'
import { projectFields } from '../../projects/fields.js'
import { DECODER_NAME_CHARACTERS } from '../../projects/source-files.js'

/** CONTRACT.md#limits. */
const FIELDS_LIMIT = 100
const FIELD_NAME_CHARACTERS = 255
const FIELD_VALUE_CHARACTERS = 1024
const RULE_IDS_LIMIT = 200
/** Events of a case. Frequencies of rules in the field are tens. */
export const CASE_EVENTS_LIMIT = 1000
/** Seconds from the first event to the last: a year. Timeframes in the field are hours. */
const LAST_SECOND = 366 * 24 * 60 * 60
export const RULE_ID = '^(?:0|[1-9][0-9]{0,9})$'
const RULE_ID_OR_NONE = '^(?:0|[1-9][0-9]{0,9})?$'

export const EXAMPLE_EVENT = 'Nov 21 08:15:30 gw1 vpnd[311]: login failed for ana from 203.0.113.7'
const EVENT_EXAMPLE = { event_text: EXAMPLE_EVENT, at: 0, location: null }

const ruleIds = (description: string) => Type.Array(Type.String({ pattern: RULE_ID }), { maxItems: RULE_IDS_LIMIT, examples: [['100100', '100101']], description })

/** Of requests. Where null is taken, an empty text is as well: both ask nothing. */
export const caseFields = {
  description: projectFields.description('What it shows.'),
  event_text: projectFields.event('The event; at most 8 MB of UTF-8. Not beside `events`.'),
  events: Type.Array(
    Type.Object({
      event_text: projectFields.event('The event.'),
      at: Type.Optional(
        nullable(
          Type.Integer({ minimum: 0, maximum: LAST_SECOND }),
          'Second of a virtual clock at which it comes, never before that of the event above it; absent or null: with that one. The first comes at 0.',
        ),
      ),
      location: Type.Optional(nullable(projectFields.location('Its source.'), 'Where it comes from; absent or null: as the case says.')),
    }),
    {
      maxItems: CASE_EVENTS_LIMIT,
      description: 'Several events in one session, in order, for rules that count. What is expected is expected of the last. Not beside `event_text`.',
    },
  ),
  location: nullable(projectFields.location('Its source.'), 'Where the event comes from; null: `stdin`.'),
  session_id: projectFields.sessionId(
    'Cases with the same one share a session within a run, in the order in which they were made, each going on at the second where the one before it ended; the next run starts fresh. Empty: a session of its own.',
  ),
  expected_decoder: nullable(
    Type.String({ maxLength: DECODER_NAME_CHARACTERS, pattern: WHOLE_CHARACTERS, examples: ['vpn'] }),
    'Name of the decoder, as a logtest tells it; null: any.',
  ),
  expected_rule: nullable(Type.String({ pattern: RULE_ID_OR_NONE, examples: ['100101'] }), 'Id of the final rule; null: any.'),
  expected_level: nullable(Type.Integer({ minimum: 0, maximum: 16 }), 'Level of the final rule; null: any.'),
  expected_fields: Type.Record(Type.String(), Type.String({ maxLength: FIELD_VALUE_CHARACTERS, pattern: WHOLE_CHARACTERS }), {
    maxProperties: FIELDS_LIMIT,
    propertyNames: { minLength: 1, maxLength: FIELD_NAME_CHARACTERS, pattern: WHOLE_CHARACTERS },
    examples: [{ srcip: '203.0.113.7' }],
    description: 'Fields that must be extracted, with their values.',
  }),
  expected_rule_ids: ruleIds('Rules that must match, finally or on the way.'),
  forbidden_rule_ids: ruleIds('Rules that must not match, neither finally nor on the way.'),
  expect_no_rule: Type.Boolean({ description: 'No rule may fire: none is final, or one of level 0.' }),
}

export const CaseRecord = Type.Object(
  {
    id: projectFields.id('Identifier.'),
    project_id: projectFields.id('The project.'),
    name: Type.String({ examples: ['Failed login'], description: 'Name.' }),
    description: Type.String({ examples: ['A wrong password on the VPN'], description: 'What it shows.' }),
    event_text: Type.String({ examples: [EXAMPLE_EVENT], description: 'The event; empty: `events` has several.' }),
    events: Type.Array(
      Type.Object({
        event_text: Type.String({ examples: [EXAMPLE_EVENT], description: 'The event.' }),
        at: nullable(Type.Integer({ minimum: 0 }), 'Second of a virtual clock at which it comes; null: with the event above it.'),
        location: nullable(Type.String(), 'Where it comes from; null: as the case says.'),
      }),
      {
        examples: [
          [
            { ...EVENT_EXAMPLE, at: 0 },
            { ...EVENT_EXAMPLE, at: 30 },
          ],
        ],
        description: 'Events of one session, in order; empty: `event_text` is the only one. What is expected is expected of the last.',
      },
    ),
    log_format: projectFields.logFormat('Of its events.'),
    location: nullable(Type.String({ examples: ['/var/log/vpn.log'] }), 'Where the events come from; null: `stdin`.'),
    session_id: Type.String({ examples: [''], description: 'Cases with the same one share a session within a run; empty: one of its own.' }),
    expected_decoder: nullable(Type.String({ examples: ['vpn'] }), 'Name of the decoder; null: any.'),
    expected_rule: nullable(Type.String({ examples: ['100101'] }), 'Id of the final rule; null: any.'),
    expected_level: nullable(Type.Integer({ minimum: 0, maximum: 16, examples: [5] }), 'Level of the final rule; null: any.'),
    expected_fields: Type.Record(Type.String(), Type.String(), { examples: [{ srcip: '203.0.113.7' }], description: 'Fields that must be extracted, with their values.' }),
    expected_rule_ids: Type.Array(Type.String(), { examples: [['100100', '100101']], description: 'Rules that must match, finally or on the way.' }),
    forbidden_rule_ids: Type.Array(Type.String(), { examples: [['100102']], description: 'Rules that must not match.' }),
    expect_no_rule: Type.Boolean({ description: 'No rule may fire: none is final, or one of level 0.' }),
    created_at: fields.timestamp('When it was made.'),
    updated_at: fields.timestamp('When it was last changed.'),
  },
  { $id: 'CaseRecord', description: 'A case: events, and what they must give.' },
)
export type CaseRecord = Static<typeof CaseRecord>
