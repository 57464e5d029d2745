/** The audit trail as the API returns it. */
import Type, { type Static } from 'typebox'
import { EXAMPLE_ID, fields } from '../../auth/records.js'
import { listQuery } from '../../http/request/list-query.js'
import { nullable } from '../../nullable.js'
import { AUDIT_ACTIONS, type AuditAction } from './actions.js'

const ACTIONS = Object.keys(AUDIT_ACTIONS) as [AuditAction, ...AuditAction[]]

/** Filters of both lists of entries. */
export const AuditListQuery = listQuery({
  filters: {
    action: Type.Optional(Type.Enum(ACTIONS, { description: 'Only entries of this action.' })),
    actor_id: Type.Optional(fields.id('Only actions of this user, API key or token.')),
    resource_type: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, examples: ['membership'], description: 'Only actions on objects of this type, for example `member` or `api_key`.' }),
    ),
    resource_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200, examples: [EXAMPLE_ID], description: 'Only actions on this object.' })),
    from: Type.Optional(fields.timestamp('Only entries at or after this time.')),
    to: Type.Optional(fields.timestamp('Only entries before this time.')),
  },
})
export type AuditListQuery = Static<typeof AuditListQuery>

export const AuditEventRecord = Type.Object(
  {
    id: Type.String({ examples: [EXAMPLE_ID], description: 'Identifier.' }),
    organization_id: Type.String({ examples: [EXAMPLE_ID], description: 'The organization of the action.' }),
    project_id: nullable(Type.String({ examples: [EXAMPLE_ID] }), 'The project of the action; null: none.'),
    actor_type: Type.Enum(['user', 'api_key', 'scim_token', 'system'], { description: 'Type of the actor.' }),
    actor_id: nullable(Type.String({ examples: [EXAMPLE_ID] }), 'Identifier of the user, API key or token; null for the system.'),
    actor_name: Type.String({ examples: ['ana@example.com'], description: 'E-mail of the user, name of the API key or token, or name of the component of the service.' }),
    action: Type.String({ examples: ['member.updated'], description: 'The action, as `resource.verb`.' }),
    resource_type: Type.String({ examples: ['membership'], description: 'Type of the object.' }),
    resource_id: Type.String({ examples: [EXAMPLE_ID], description: 'Identifier of the object.' }),
    resource_name: Type.String({ examples: ['rui@example.com'], description: 'Name of the object at the time of the action.' }),
    diff: Type.Record(
      Type.String(),
      Type.Object(
        { before: Type.Unknown({ description: 'The value before the action.' }), after: Type.Unknown({ description: 'The value after the action.' }) },
        { description: 'A field that changed.' },
      ),
      { examples: [{ role: { before: 'engineer', after: 'reviewer' } }], description: 'The changed fields. Secrets are never included.' },
    ),
    request_id: nullable(Type.String({ examples: [EXAMPLE_ID] }), '`X-Request-Id` of the request; null: the action had no request.'),
    address: nullable(Type.String({ examples: ['198.51.100.7'] }), 'Address of the caller.'),
    created_at: fields.timestamp('Time of the action.'),
  },
  { $id: 'AuditEventRecord', description: 'An entry of the audit trail.' },
)
