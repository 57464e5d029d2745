/** `/platform/audit`, the entries of one project, and those of the instance. */
import Type, { type TObject } from 'typebox'
import type { Identities } from '../../core/auth/identities.js'
import { defineRoute, permission, PLATFORM_ADMIN, projectPermission, type Route } from '../../core/http/route.js'
import { requireEverKnown } from '../shared/load.js'
import { ProjectParams } from '../shared/fields.js'
import { AuditCounts } from '../../core/audit/counts.js'
import { listInstanceAudit } from '../../core/audit/instance-wide.js'
import { auditCsv, presentAuditEvent, presentInstanceEvent } from '../../core/audit/present.js'
import { AuditEventRecord, AuditListQuery, InstanceAuditEventRecord, InstanceAuditListQuery } from '../../core/audit/schema.js'
import { auditFilter, listAudit } from '../../core/audit/service.js'
import type { AuditDocument } from '../../core/audit/store.js'

const CSV = 'text/csv'
const CSV_NOTE =
  'With `Accept: text/csv` the page is CSV (RFC 4180), with the fields of the record as columns and `diff` as JSON. A cell that begins with `=`, `+`, `-` or `@` has an apostrophe before it, so that no spreadsheet runs it as a formula. The header `Link` has the next page. Another type is 406.'
const ENTRIES = answerOf(AuditEventRecord, 'The entries.')
const INSTANCE_ENTRIES = answerOf(InstanceAuditEventRecord, 'The entries.')

function answerOf<R extends TObject>(record: R, description: string) {
  const header = `${Object.keys(record.properties).join(',')}\r\n`
  const alternatives = [
    { mediaType: `${CSV}; charset=utf-8; header=present`, schema: Type.String({ description: 'A header, and a line for each entry.' }), examples: { none: header } },
  ]
  return { 200: { description, schema: Type.Array(record), alternatives, isStrict: true } } as const
}

export function auditRoutes(identities: Pick<Identities, 'tenancy' | 'organizations' | 'clock'>): readonly Route[] {
  const counts = new AuditCounts(identities.clock)
  return [
    defineRoute({
      id: 'audit.list',
      method: 'GET',
      path: '/platform/audit',
      tag: 'Audit',
      summary: 'List the audit trail',
      description: `Lists the entries of the active organization, the newest first. An entry is stored together with the action that it describes, and never changes. ${CSV_NOTE}`,
      access: permission('audit:view'),
      query: AuditListQuery,
      responses: ENTRIES,
      handle: async ({ scope, query, mediaType }) => {
        const { items, total } = await listAudit(scope, counts, auditFilter(query), query)
        return { body: present(items, mediaType), total }
      },
    }),
    defineRoute({
      id: 'audit.list-project',
      method: 'GET',
      path: '/platform/projects/{project_id}/audit',
      tag: 'Audit',
      summary: 'List the audit trail of a project',
      description: `Lists the actions on the project, its content, cases, workspaces, reviews, versions and members, the newest first; also of a deleted project. ${CSV_NOTE}`,
      access: projectPermission('audit:view'),
      params: ProjectParams,
      query: AuditListQuery,
      responses: ENTRIES,
      errors: ['resource_missing'],
      handle: async ({ scope, params, query, mediaType }) => {
        const { project_id } = params
        await requireEverKnown(scope, project_id)
        const { items, total } = await listAudit(scope, counts, { ...auditFilter(query), project_id }, query)
        return { body: present(items, mediaType), total }
      },
    }),
    defineRoute({
      id: 'platform-admin.list-audit',
      method: 'GET',
      path: '/platform/admin/audit',
      tag: 'Platform administration',
      summary: 'List the audit trail of the instance',
      description: `Lists the entries of all organizations, and what platform admins did outside of them, the newest first. Each entry names its organization. \`acting_as_platform_admin\` is true if the actor used the rights of a platform admin: in an organization without being a member, or with a route of platform administration. A change of a user has an entry of the instance, and one in each organization of the user. Pages with \`offset\` move when entries are added; send the last entry of a page as \`after\` to read on exactly. ${CSV_NOTE}`,
      access: PLATFORM_ADMIN,
      query: InstanceAuditListQuery,
      responses: INSTANCE_ENTRIES,
      errors: ['resource_missing'],
      handle: async ({ query, principal, mediaType }) => {
        const { items, total } = await listInstanceAudit(identities, counts, query, principal)
        const records = items.map(presentInstanceEvent)
        const body = mediaType === CSV ? auditCsv(InstanceAuditEventRecord, records) : records
        if (total !== null) return { body, total }
        return items.length < query.limit ? { body } : { body, headers: { Link: nextLink(query, items[items.length - 1].entry._id) } }
      },
    }),
  ]
}

function present(items: readonly AuditDocument[], mediaType: string) {
  const records = items.map(presentAuditEvent)
  return mediaType === CSV ? auditCsv(AuditEventRecord, records) : records
}

/** The header `Link` to the page after an entry. Its target is relative to the address of the request (RFC 8288, 3.1). */
function nextLink({ offset: _, ...query }: InstanceAuditListQuery, after: string): string {
  const parameters = new URLSearchParams(Object.entries({ ...query, after }).map(([name, value]): [string, string] => [name, String(value)]))
  return `<?${parameters}>; rel="next"`
}
