/** `/platform/audit`, and the entries of one project. */
import Type from 'typebox'
import { defineRoute, permission, projectPermission, type Route } from '../../http/route.js'
import { loadProject } from '../../projects/load.js'
import { ProjectParams } from '../../projects/fields.js'
import { AuditCounts } from './counts.js'
import { presentAuditEvent } from './present.js'
import { AuditEventRecord, AuditListQuery } from './schema.js'
import { auditFilter, listAudit } from './service.js'

/** @param clock milliseconds since the epoch */
export function auditRoutes(clock: () => number): readonly Route[] {
  const counts = new AuditCounts(clock)
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
      description: 'Lists the actions on the project, its content, cases, workspaces, reviews, versions and members, the newest first.',
      access: projectPermission('audit:view'),
      params: ProjectParams,
      query: AuditListQuery,
      responses: { 200: { description: 'The entries.', schema: Type.Array(AuditEventRecord) } },
      errors: ['resource_missing'],
      handle: async ({ scope, params, query }) => {
        const { _id: project_id } = await loadProject(scope, params.project_id)
        const { items, total } = await listAudit(scope, counts, { ...auditFilter(query), project_id }, query)
        return { body: items.map(presentAuditEvent), total }
      },
    }),
  ]
}
