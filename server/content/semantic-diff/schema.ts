/** The differences in behaviour between two contents of a project, as the API returns them. */
import Type, { type Static } from 'typebox'
import { LOG_FORMATS } from '#workers'
import { fields } from '../../core/auth/records.js'
import { nullable } from '../../core/nullable.js'
import { contentChoice } from '../shared/chosen-content.js'
import { EventAnswer, runEvents } from '../shared/run-events.js'
import { LINES, WHOLE_CHARACTERS } from '../../core/patterns.js'

/** Most items of an answer; those that differ are first. Counts include all. */
export const ITEMS_LISTED = 1_000
/** The same of a summary, which is part of other answers. */
export const SUMMARY_ITEMS = 100
/** Most rules that are listed for each change of alerts. Counts include all. */
export const SUMMARY_ALERTS = 100

export const SemanticDiffParams = Type.Object({ project_id: fields.id('The project.') })

const ContentChoice = Type.Object(contentChoice, { $id: 'SemanticDiffContent', description: 'A version or a workspace; with neither the content of the project.' })

export const SemanticDiffRequest = Type.Object({ before: ContentChoice, after: ContentChoice }, { $id: 'SemanticDiffRequest', description: 'Two contents of a project.' })
export type SemanticDiffRequest = Static<typeof SemanticDiffRequest>

const item = {
  rule_id: Type.Optional(Type.String({ examples: ['100100'], description: 'Id of the rule; absent: it is a decoder.' })),
  decoder: Type.Optional(Type.String({ examples: ['vpn-login'], description: 'Name of the decoder; absent: it is a rule.' })),
}
const alert = (description: string) => Type.Boolean({ description })
const count = (description: string) => Type.Integer({ minimum: 0, description })

const Witness = Type.Object(
  {
    events: runEvents('Events of one session.'),
  },
  { description: 'Events that show the difference, with the last one. They were run with both contents.' },
)
const Alerts = Type.Object({ old: alert('Before.'), new: alert('After.') }, { description: 'Whether the last event alerts.' })
const LostFields = Type.Array(
  Type.Object(
    {
      name: Type.String({ examples: ['status'], description: 'Name of the field.' }),
      renamed: nullable(Type.String({ examples: ['code'] }), 'A new field with the same value; null: none.'),
      readers: Type.Array(Type.String({ examples: ['100100'] }), { description: 'Rules that read the field.' }),
    },
    { description: 'A field.' },
  ),
  { description: 'Fields that the last event no longer has.' },
)
const before = nullable(EventAnswer, 'What became of the last event before; null: no rule.')
const after = nullable(EventAnswer, 'What becomes of it after; null: no rule.')

const DiffItem = Type.Object(
  {
    item: Type.Object(item, { description: 'The rule or decoder.' }),
    result: Type.Enum(['equal', 'differs', 'unknown'], { description: 'Whether its behaviour differs. `unknown`: no event reached it, or the time was over.' }),
    proven: Type.Boolean({ description: 'Whether the result is certain; an `equal` that is not was only searched for.' }),
    witness: nullable(Witness, 'Events that show the difference; null: there is none.'),
    old: before,
    new: after,
    alert: nullable(Alerts, 'Whether the last event alerts; null: there is none.'),
    lost_fields: LostFields,
    more: Type.Array(Type.Object({ witness: Witness, old: before, new: after, alert: Alerts, lost_fields: LostFields }, { description: 'Another difference.' }), {
      description: 'Differences of other kinds in the same item, such as an event that a rule gains where `witness` shows one that it loses; not all that there are.',
    }),
    reason: nullable(
      Type.Enum(['labels', 'same_texts', 'never_matches', 'searched', 'not_passed_on', 'not_reached', 'deadline'], { description: 'Why.' }),
      'Why it is equal or unknown; null: it differs.',
    ),
    how: Type.Enum(['added', 'removed', 'changed', 'touched'], { description: 'Whether it was changed itself, or is touched through another item.' }),
    changes: Type.Array(Type.String({ examples: ['match'] }), { description: 'Tags and attributes that were changed, and what else is different.' }),
    cause: Type.Array(
      Type.Object(
        {
          ...item,
          link: Type.Enum(['changed', 'below', 'sibling', 'counts', 'list', 'decoded_as', 'field', 'child_decoder', 'decoder_order', 'observed'], {
            description: 'How it is touched by the one before it.',
          }),
        },
        { description: 'An item of the chain.' },
      ),
      { description: 'From the change to the item.' },
    ),
  },
  { $id: 'SemanticDiffItem', description: 'A rule or decoder that was changed, or that is touched through a change.' },
)

const rules = (description: string) => Type.Array(Type.String({ examples: ['100100'] }), { description: `${description}; the first ${SUMMARY_ALERTS}.` })
const compared = {
  is_complete: Type.Boolean({ description: 'Whether there was time for the whole search. If not, the items with the reason `deadline` may differ.' }),
  differing_count: count('Items that differ.'),
  proven_count: count('Items that are proven to be equal.'),
  searched_count: count('Items in which no difference was found.'),
  unknown_count: count('Items of which nothing is known.'),
  beyond_count: count('Items that are touched and were not looked at.'),
  alerts: Type.Object(
    {
      lost_count: count('Rules of which a known event no longer alerts.'),
      gained_count: count('Rules that alert for a known event that did not alert before.'),
      changed_count: count('Rules of which a known event alerts otherwise.'),
      lost: rules('Rules of which a known event no longer alerts'),
      gained: rules('Rules that alert for a known event that did not alert before'),
      changed: rules('Rules of which a known event alerts otherwise: with another rule, level, decoder or other fields'),
    },
    { $id: 'SemanticDiffAlerts', description: 'The alerts that are lost, gained or changed, by the events that were found.' },
  ),
}

export const SemanticDiffResponse = Type.Object(
  {
    before_loads: Type.Boolean({ description: 'Whether Wazuh would start with the content before. Nothing is compared unless it would with both.' }),
    after_loads: Type.Boolean({ description: 'Whether Wazuh would start with the content after.' }),
    ...compared,
    items: Type.Array(DiffItem, { description: `Items, those that differ first; the first ${ITEMS_LISTED}.` }),
  },
  { $id: 'SemanticDiffResponse', description: 'What changes for detection between two contents.' },
)
export type SemanticDiffResponse = Static<typeof SemanticDiffResponse>

export const BehaviourSummary = Type.Object(
  { ...compared, items: Type.Array(DiffItem, { description: `The first items, those that differ before the others; at most ${SUMMARY_ITEMS}.` }) },
  { $id: 'BehaviourSummary', description: 'What a change does with events, as `semantic-diff` answers it.' },
)
export type BehaviourSummary = Static<typeof BehaviourSummary>

/** Most events of a sequence whose last event is bisected. */
const EVENTS_BISECTED = 60
/** Characters of an event: Wazuh cuts it at 65,535 bytes. */
const EVENT_CHARACTERS = 65_535

export const BisectRequest = Type.Object(
  {
    rule_id: Type.String({ pattern: '^[0-9]{1,6}$', examples: ['60122'], description: 'The rule that the last event should have.' }),
    log_format: Type.Optional(Type.Enum([...LOG_FORMATS], { description: 'Format of the events. Default: `auto`.' })),
    events: Type.Array(
      Type.Object(
        {
          event: Type.String({ minLength: 1, maxLength: EVENT_CHARACTERS, pattern: WHOLE_CHARACTERS, description: 'The event.' }),
          location: Type.Optional(Type.String({ minLength: 1, maxLength: 4096, pattern: LINES, description: 'Where it comes from.' })),
          advance: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Seconds after the event before; 1 when absent.' })),
        },
        { description: 'An event.' },
      ),
      { minItems: 1, maxItems: EVENTS_BISECTED, description: 'Events of one session, in order. What is asked for is about the last one.' },
    ),
  },
  { $id: 'VersionBisectRequest', description: 'An event, and the rule that it should have.' },
)
export type BisectRequest = Static<typeof BisectRequest>

const bisected = {
  rule_id: nullable(Type.String({ examples: ['100100'] }), 'Final rule; null: none.'),
  level: nullable(Type.Integer({ minimum: 0, examples: [5] }), 'Its level.'),
  decoder: nullable(Type.String({ examples: ['vpn'] }), 'Decoder; null: none.'),
}
const VersionName = Type.Object(
  {
    version_id: nullable(fields.id('A version.'), 'The version; null: the content of the project, which was edited after its last publication.'),
    name: nullable(Type.String({ examples: ['2026.11'] }), 'Its name.'),
  },
  { $id: 'BisectedVersion', description: 'A version that was published, or the content of the project.' },
)

export const BisectResponse = Type.Object(
  {
    holds: nullable(
      Type.Boolean(),
      'Whether the last event has the rule in the content of the project, or in the newest version that Wazuh would start with; null: there is none.',
    ),
    answer: nullable(Type.Object(bisected, { description: 'The result of the event.' }), 'The result of the last event there.'),
    since: nullable(VersionName, 'The first version that is like the newest; null: all are.'),
    before: nullable(VersionName, 'The last version that is not; null: none is.'),
    before_answer: nullable(Type.Object(bisected, { description: 'What became of the event.' }), 'What became of the last event in that version.'),
    is_unsure: Type.Boolean({ description: 'Whether versions between both could not be looked at, so that one of them may have made the change.' }),
    is_complete: Type.Boolean({ description: 'Whether there was time for the whole search.' }),
    skipped_count: count('Versions that were not looked at: Wazuh would not start with them, or the time was over.'),
    changes: nullable(SemanticDiffResponse, 'What the change did: both versions compared; null: there was none.'),
  },
  { $id: 'VersionBisectResponse', description: 'Since when an event has a rule, or no longer has it.' },
)
export type BisectResponse = Static<typeof BisectResponse>
