/** Requests and answers about the sessions of the caller. */
import Type, { type Static } from 'typebox'
import { fields } from '../../../core/auth/records.js'
import { listQuery } from '../../../core/http/request/list-query.js'
import { nullable } from '../../../core/nullable.js'

export const SessionParams = Type.Object({ session_id: fields.id('The session.') })

export const SessionListQuery = listQuery({ sort: ['expires_at'] })
export type SessionListQuery = Static<typeof SessionListQuery>

export const SessionRecord = Type.Object(
  {
    id: Type.String({ examples: ['b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'], description: 'Identifier.' }),
    is_current: Type.Boolean({ description: 'The session of this request.' }),
    opened_by: Type.Enum(['password', 'identity_provider'], { description: 'How the user logged in.' }),
    has_second_factor: Type.Boolean({ description: 'A code of the second factor was checked.' }),
    address: nullable(Type.String({ examples: ['192.0.2.1'], description: 'IP address.' }), 'IP address that opened the session; null: unknown.'),
    client: nullable(Type.String({ examples: ['curl/8.5.0'], description: 'Program.' }), 'The program that opened the session, as its `User-Agent` said; null: unknown.'),
    created_at: fields.timestamp('When it was opened.'),
    expires_at: fields.timestamp('When it ends.'),
  },
  { $id: 'SessionRecord', description: 'A session of the caller.' },
)
