/** The audit trail as the interface shows it. */
import Type, { type Static } from 'typebox'
import { EXAMPLE_ID, fields } from '../../auth/records.js'
import { listQuery } from '../../http/request/list-query.js'
import { nullable } from '../../nullable.js'
import { AUDIT_ACTIONS, type AuditAction } from './actions.js'

const ACTIONS = Object.keys(AUDIT_ACTIONS) as [AuditAction, ...AuditAction[]]

/** Filters that every list of entries has. */
export const AuditListQuery = listQuery({
  filters: {
    action: Type.Optional(Type.Enum(ACTIONS, { description: 'Only entries of this action.' })),
    actor_id: Type.Optional(fields.id('Only what this user or API key did.')),
    resource_type: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, examples: ['membership'], description: 'Only what was done to objects of this type: `member`, `api_key`…' }),
    ),
    resource_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200, examples: [EXAMPLE_ID], description: 'Only what was done to this object.' })),
    from: Type.Optional(fields.timestamp('Only entries of this moment or later.')),
    to: Type.Optional(fields.timestamp('Only entries before this moment.')),
  },
})
export type AuditListQuery = Static<typeof AuditListQuery>

export const AuditEventRecord = Type.Object(
  {
    id: Type.String({ examples: [EXAMPLE_ID], description: 'Identifier.' }),
    organization_id: Type.String({ examples: [EXAMPLE_ID], description: 'The organization in which it was done.' }),
    project_id: nullable(Type.String({ examples: [EXAMPLE_ID] }), 'The project that it is about; null: none.'),
    actor_type: Type.Enum(['user', 'api_key', 'system'], { description: 'What acted.' }),
    actor_id: nullable(Type.String({ examples: [EXAMPLE_ID] }), 'Identifier of the user or API key; null for the system.'),
    actor_name: Type.String({ examples: ['ana@example.com'], description: 'E-mail of the user, name of the API key, or name of the part of the system.' }),
    action: Type.String({ examples: ['member.updated'], description: 'What was done, as `resource.verb`.' }),
    resource_type: Type.String({ examples: ['membership'], description: 'Type of the object.' }),
    resource_id: Type.String({ examples: [EXAMPLE_ID], description: 'Identifier of the object.' }),
    resource_name: Type.String({ examples: ['rui@example.com'], description: 'Name of the object at that time.' }),
    diff: Type.Record(
      Type.String(),
      Type.Object({ before: Type.Unknown({ description: 'What it was.' }), after: Type.Unknown({ description: 'What it is.' }) }, { description: 'A field that changed.' }),
      { examples: [{ role: { before: 'engineer', after: 'reviewer' } }], description: 'What changed, by field; no secrets.' },
    ),
    request_id: nullable(Type.String({ examples: [EXAMPLE_ID] }), '`X-Request-Id` of the request; null: there was none.'),
    address: nullable(Type.String({ examples: ['198.51.100.7'] }), 'Address of the caller.'),
    created_at: fields.timestamp('When it was done.'),
  },
  { $id: 'AuditEventRecord', description: 'An entry of the audit trail.' },
)
