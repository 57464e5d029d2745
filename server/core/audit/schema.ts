/** The audit trail as the API returns it. */
import Type, { type Static } from 'typebox'
import { EXAMPLE_ID, fields } from '../auth/records.js'
import { listQuery } from '../http/request/list-query.js'
import { nullable } from '../nullable.js'
import { AUDIT_ACTIONS } from './actions.js'

/** Filters of every list of entries. */
const FILTERS = {
  action: Type.Optional(Type.Enum(AUDIT_ACTIONS, { description: 'Only entries of this action.' })),
  actor_id: Type.Optional(fields.id('Only actions of this user, API key or token.')),
  resource_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200, examples: [EXAMPLE_ID], description: 'Only actions on this object.' })),
  acting_as_platform_admin: Type.Optional(Type.Boolean({ description: 'True: only actions of operators of the service. False: only those of others.' })),
  from: Type.Optional(fields.timestamp('Only entries at or after this time.')),
  to: Type.Optional(fields.timestamp('Only entries before this time.')),
}

/** Filters of the lists of an organization. */
export const AuditListQuery = listQuery({
  filters: {
    ...FILTERS,
    resource_type: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, examples: ['membership'], description: 'Only actions on objects of this type, for example `member` or `api_key`.' }),
    ),
  },
})
export type AuditListQuery = Static<typeof AuditListQuery>

/** Filters of the list over all organizations. An index has the order of each. */
export const InstanceAuditListQuery = listQuery({
  filters: {
    ...FILTERS,
    organization_id: Type.Optional(fields.id('Only entries of this organization; `instance`: only actions outside of organizations.')),
    after: Type.Optional(fields.id('Only entries that follow this one in the order, so that new entries do not move the pages. The answer then has no total.')),
  },
})
export type InstanceAuditListQuery = Static<typeof InstanceAuditListQuery>

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
    acting_as_platform_admin: Type.Boolean({
      description: 'True: an operator of the service acted, who is not a member of the organization, or used a route of platform administration.',
    }),
    request_id: nullable(Type.String({ examples: [EXAMPLE_ID] }), '`X-Request-Id` of the request; null: the action had no request.'),
    address: nullable(Type.String({ examples: ['198.51.100.7'] }), 'Address of the caller.'),
    created_at: fields.timestamp('Time of the action.'),
  },
  { $id: 'AuditEventRecord', description: 'An entry of the audit trail.' },
)

export const InstanceAuditEventRecord = Type.Object(
  {
    ...AuditEventRecord.properties,
    organization_id: nullable(Type.String({ examples: [EXAMPLE_ID] }), 'The organization of the action; null: the action was outside of organizations.'),
    organization_name: nullable(Type.String({ examples: ['Example SOC'] }), 'Its present name; null: the action was outside of organizations.'),
  },
  { $id: 'InstanceAuditEventRecord', description: 'An entry of the audit trail of any organization, or of the instance.' },
)
