/** Events that were run, and what happens to them, as several reports answer them. */
import Type from 'typebox'
import { nullable } from '../../core/nullable.js'

/** @param description of the sequence */
export const runEvents = (description: string) =>
  Type.Array(
    Type.Object(
      {
        event: Type.String({ examples: ['Nov 23 10:11:12 web1 vpn: login failed'], description: 'The event.' }),
        log_format: Type.String({ examples: ['syslog'], description: 'Its format.' }),
        location: Type.Optional(Type.String({ examples: ['/var/log/vpn.log'], description: 'Where it comes from.' })),
        advance: Type.Optional(Type.Integer({ minimum: 0, description: 'Seconds before the event; 1 when absent. The session begins at 1700000000 UTC.' })),
      },
      { description: 'An event.' },
    ),
    { description },
  )

export const EventAnswer = Type.Object(
  {
    rule_id: nullable(Type.String({ examples: ['100100'] }), 'Final rule; null: none, and none in the other content.'),
    level: nullable(Type.Integer({ minimum: 0, examples: [5] }), 'Its level.'),
    decoder: nullable(Type.String({ examples: ['vpn'] }), 'Decoder; null: none.'),
    fields: Type.Record(Type.String(), Type.String(), { description: 'Decoded fields.' }),
  },
  { $id: 'SemanticDiffAnswer', description: 'The result of an event.' },
)
