/** The audit trail of the instance: the entries of all organizations, and actions of platform admins outside organizations. Only platform admins read it. */
import type { Identities } from '../auth/identities.js'
import type { UserPrincipal } from '../auth/principal.js'
import { required } from '../errors.js'
import type { Conditions } from '../storage/contract.js'
import { findOptions, findPage } from '../tenancy/page.js'
import { organizationOf } from '../tenancy/scope.js'
import type { AuditCounts, AuditFilter } from './counts.js'
import type { InstanceAuditListQuery } from './schema.js'
import { auditFilter, listAudit } from './service.js'
import { AUDIT, type AuditDocument } from './store.js'

/** The filter that selects the entries of the instance itself. */
const INSTANCE = 'instance'

/** An entry with the present name of its organization. */
export interface InstanceEntry {
  readonly entry: AuditDocument
  readonly organizationName: string | null
}

export interface InstancePage {
  readonly items: readonly InstanceEntry[]
  /** Null for a page after an entry: counting all entries for every page of an export would take longer than the export. */
  readonly total: number | null
}

/** @throws ApiError platform_admin_required, resource_missing if the entry `after` does not exist */
export async function listInstanceAudit(
  { tenancy, organizations }: Pick<Identities, 'tenancy' | 'organizations'>,
  counts: AuditCounts,
  query: InstanceAuditListQuery,
  principal: UserPrincipal,
): Promise<InstancePage> {
  const all = tenancy.allOrganizations(principal)
  const entries = all.collection(AUDIT)
  const { after, organization_id, order } = query
  const scope = organization_id === undefined ? null : organization_id === INSTANCE ? tenancy.instance : tenancy.of(organization_id)
  const find = (filter: AuditFilter): Promise<AuditDocument[]> => (scope === null ? entries : scope.collection(AUDIT)).find(filter, findOptions(query))
  const named = async (items: readonly AuditDocument[]): Promise<InstanceEntry[]> => {
    const ids = new Set(items.map(organizationOf).filter((id) => id !== null))
    const found = await organizations.byIds([...ids])
    return items.map((entry) => ({ entry, organizationName: found.get(entry.organization_id)?.name ?? null }))
  }
  const filter = auditFilter(query)
  if (after === undefined) {
    const page =
      scope === null ? await findPage({ find, count: (asked) => counts.countAll(all, asked) }, filter, findOptions(query)) : await listAudit(scope, counts, filter, query)
    return { items: await named(page.items), total: page.total }
  }
  const anchor = required(await entries.findOne({ _id: after }))
  return { items: await named(await find(following(filter, anchor, order))), total: null }
}

/** Adds that entries follow one in the order of time and id. The bound by time alone lets an index skip what is before it. */
function following(filter: AuditFilter, { _id, created_at }: AuditDocument, order: 'asc' | 'desc'): AuditFilter {
  const period = (filter.created_at ?? {}) as { readonly gte?: Date; readonly lt?: Date }
  const beyond: Conditions<AuditDocument> = { created_at: order === 'asc' ? { gt: created_at } : { lt: created_at } }
  const beside: Conditions<AuditDocument> = { created_at, _id: order === 'asc' ? { gt: _id } : { lt: _id } }
  const bound = order === 'asc' ? { ...period, gte: later(period.gte, created_at) } : { ...period, lte: created_at }
  return { ...filter, created_at: bound, anyOf: [beyond, beside] }
}

function later(one: Date | undefined, other: Date): Date {
  return one !== undefined && one > other ? one : other
}
