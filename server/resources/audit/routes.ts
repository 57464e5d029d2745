/** `/platform/audit`. */
import Type from 'typebox'
import { defineRoute, permission, type Route } from '../../http/route.js'
import { findOptions } from '../../tenancy/page.js'
import { presentAuditEvent } from './present.js'
import { AuditEventRecord, AuditListQuery } from './schema.js'
import { auditFilter, listAudit } from './service.js'

export function auditRoutes(): readonly Route[] {
  return [
    defineRoute({
      id: 'audit.list',
      method: 'GET',
      path: '/platform/audit',
      tag: 'Audit',
      summary: 'List the audit trail',
      description: 'Of the active organization, the newest first. An entry is written together with what it tells of, and never changed.',
      access: permission('audit:view'),
      query: AuditListQuery,
      responses: { 200: { description: 'The entries.', schema: Type.Array(AuditEventRecord) } },
      handle: async ({ scope, query }) => {
        const { items, total } = await listAudit(scope, auditFilter(query), findOptions(query))
        return { body: items.map(presentAuditEvent), total }
      },
    }),
  ]
}
