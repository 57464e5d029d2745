/** Audit entries as the API returns them. */
import type { Static, TObject } from 'typebox'
import { csvTable } from '../http/text/csv.js'
import { organizationOf } from '../tenancy/scope.js'
import type { InstanceEntry } from './instance-wide.js'
import type { AuditEventRecord, InstanceAuditEventRecord } from './schema.js'
import type { AuditDocument } from './store.js'

export function presentAuditEvent(entry: AuditDocument): Static<typeof AuditEventRecord> {
  return {
    id: entry._id,
    organization_id: entry.organization_id,
    project_id: entry.project_id,
    actor_type: entry.actor_type,
    actor_id: entry.actor_id,
    actor_name: entry.actor_name,
    action: entry.action,
    resource_type: entry.resource_type,
    resource_id: entry.resource_id,
    resource_name: entry.resource_name,
    diff: entry.diff,
    acting_as_platform_admin: entry.acting_as_platform_admin === true,
    request_id: entry.request_id,
    address: entry.address,
    created_at: entry.created_at.toISOString(),
  }
}

export function presentInstanceEvent({ entry, organizationName }: InstanceEntry): Static<typeof InstanceAuditEventRecord> {
  return { ...presentAuditEvent(entry), organization_id: organizationOf(entry), organization_name: organizationName }
}

/** A page of entries as CSV, with the fields of the record as columns. */
export function auditCsv<R extends Readonly<Record<string, unknown>>>({ properties }: Pick<TObject, 'properties'>, records: readonly R[]): Buffer {
  return Buffer.from(csvTable(Object.keys(properties), records))
}
