/** `/platform/audit`, the entries of one project, and those of the instance. */
import Type from 'typebox'
import type { Identities } from '../../auth/identities.js'
import { defineRoute, permission, PLATFORM_ADMIN, projectPermission, type Route } from '../../http/route.js'
import { requireEverKnown } from '../../projects/load.js'
import { ProjectParams } from '../../projects/fields.js'
import { AuditCounts } from './counts.js'
import { listInstanceAudit } from './instance-wide.js'
import { presentAuditEvent, presentInstanceEvent } from './present.js'
import { AuditEventRecord, AuditListQuery, InstanceAuditEventRecord, InstanceAuditListQuery } from './schema.js'
import { auditFilter, listAudit } from './service.js'

export function auditRoutes(identities: Pick<Identities, 'tenancy' | 'organizations' | 'clock'>): readonly Route[] {
  const counts = new AuditCounts(identities.clock)
  return [
    defineRoute({
      id: 'audit.list',
      method: 'GET',
      path: '/platform/audit',
      tag: 'Audit',
      summary: 'List the audit trail',
      description: 'Lists the entries of the active organization, the newest first. An entry is stored together with the action that it describes, and never changes.',
      access: permission('audit:view'),
      query: AuditListQuery,
      responses: { 200: { description: 'The entries.', schema: Type.Array(AuditEventRecord) } },
      handle: async ({ scope, query }) => {
        const { items, total } = await listAudit(scope, counts, auditFilter(query), query)
        return { body: items.map(presentAuditEvent), total }
      },
    }),
    defineRoute({
      id: 'audit.list-project',
      method: 'GET',
      path: '/platform/projects/{project_id}/audit',
      tag: 'Audit',
      summary: 'List the audit trail of a project',
      description: 'Lists the actions on the project, its content, cases, workspaces, reviews, versions and members, the newest first; also of a deleted project.',
      access: projectPermission('audit:view'),
      params: ProjectParams,
      query: AuditListQuery,
      responses: { 200: { description: 'The entries.', schema: Type.Array(AuditEventRecord) } },
      errors: ['resource_missing'],
      handle: async ({ scope, params, query }) => {
        const { project_id } = params
        await requireEverKnown(scope, project_id)
        const { items, total } = await listAudit(scope, counts, { ...auditFilter(query), project_id }, query)
        return { body: items.map(presentAuditEvent), total }
      },
    }),
    defineRoute({
      id: 'platform-admin.list-audit',
      method: 'GET',
      path: '/platform/admin/audit',
      tag: 'Platform administration',
      summary: 'List the audit trail of the instance',
      description:
        'Lists the entries of all organizations, and what platform admins did outside of them, the newest first. Each entry names its organization. `acting_as_platform_admin` is true if the actor used the rights of a platform admin: in an organization without being a member, or with a route of platform administration. A change of a user has an entry of the instance, and one in each organization of the user. Pages with `offset` move when entries are added; send the last entry of a page as `after` to read on exactly.',
      access: PLATFORM_ADMIN,
      query: InstanceAuditListQuery,
      responses: { 200: { description: 'The entries.', schema: Type.Array(InstanceAuditEventRecord) } },
      errors: ['resource_missing'],
      handle: async ({ query, principal }) => {
        const { items, total } = await listInstanceAudit(identities, counts, query, principal)
        const body = items.map(presentInstanceEvent)
        if (total !== null) return { body, total }
        return items.length < query.limit ? { body } : { body, headers: { Link: nextLink(query, items[items.length - 1].entry._id) } }
      },
    }),
  ]
}

/** The header `Link` to the page after an entry. Its target is relative to the address of the request (RFC 8288, 3.1). */
function nextLink({ offset: _, ...query }: InstanceAuditListQuery, after: string): string {
  const parameters = new URLSearchParams(Object.entries({ ...query, after }).map(([name, value]): [string, string] => [name, String(value)]))
  return `<?${parameters}>; rel="next"`
}
