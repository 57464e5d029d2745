/**
 * Deletes the entries of the audit log that the plan of their organization no longer keeps, once a day. Invariants:
 *  1. each deletion is in the audit log itself, with the number of entries, in the commit of the deletion. These entries are kept
 *  2. after a change of the plan nothing is deleted for `GRACE_MS`: a payment that fails does not cost a year of entries
 *  3. what is kept as long as the entries, such as versions of deleted projects, is deleted by the same rule
 */
import type { Identities } from '../auth/identities.js'
import type { JobKind } from '../jobs/runner.js'
import { DAILY_PAUSE_MS } from '../jobs/daily.js'
import type { Quotas } from '../tenancy/quotas.js'
import type { Scope } from '../tenancy/scope.js'
import type { AuditAction } from './actions.js'
import { auditing } from './service.js'
import { AUDIT } from './store.js'

export const AUDIT_RETENTION = 'audit.retention'

/** Entries of a commit. */
const BATCH = 1000
const DAY_MS = 24 * 60 * 60 * 1000
/** Time after a change of the plan in which nothing is deleted. */
const GRACE_MS = 30 * DAY_MS
/** Actions that change the plan of an organization. */
const PLAN_CHANGES: readonly AuditAction[] = ['subscription.plan_changed', 'organization.plan_set', 'organization.plan_removed', 'organization.plan_expired']
/** Maximum time of a run. The next attempt continues it, because deleted entries stay deleted. */
const LEASE_MS = 10 * 60 * 1000

export interface RetentionParts {
  readonly identities: Pick<Identities, 'clock'>
  readonly quotas: Pick<Quotas, 'planOf'>
  /** Deletes what else is kept as long as the entries of the audit log, if it is older than `before`. */
  readonly deleteRemains: (scope: Scope, before: Date, signal: AbortSignal) => Promise<void>
}

/** The job that deletes expired entries in all organizations. */
export function retentionJob(parts: RetentionParts & { readonly identities: Pick<Identities, 'organizations' | 'tenancy'> }): JobKind {
  const { organizations, tenancy, clock } = parts.identities
  return {
    kind: AUDIT_RETENTION,
    concurrency: 1,
    perOrganization: 1,
    leaseMs: LEASE_MS,
    async run(_job, _scope, signal) {
      for await (const id of organizations.ids()) await deleteExpired(parts, tenancy.of(id), signal)
      return { again: new Date(clock() + DAILY_PAUSE_MS) }
    },
  }
}

/** @returns the number of deleted entries */
export async function deleteExpired({ identities, quotas, deleteRemains }: RetentionParts, scope: Scope, signal: AbortSignal): Promise<number> {
  const { audit_log_retention_days: days } = (await quotas.planOf(scope)).features
  if (days === null) return 0
  const entries = scope.collection(AUDIT)
  const now = identities.clock()
  const [recent] = await entries.find({ action: { in: [...PLAN_CHANGES] }, created_at: { gte: new Date(now - GRACE_MS) } }, { limit: 1 })
  if (recent !== undefined) return 0
  const before = new Date(now - days * DAY_MS)
  await deleteRemains(scope, before, signal)
  const expired = { created_at: { lt: before }, action: { not: 'audit.expired' as const } }
  for (let deleted = 0; ; ) {
    signal.throwIfAborted()
    const batch = await entries.find(expired, { sort: { created_at: 1, _id: 1 }, limit: BATCH })
    if (batch.length === 0) return deleted
    const range = { entries: batch.length, oldest: batch[0].created_at, newest: batch[batch.length - 1].created_at }
    const diff = Object.fromEntries(Object.entries(range).map(([field, value]) => [field, { before: value instanceof Date ? value.toISOString() : value, after: null }]))
    const context = { actor: { kind: 'system', name: 'audit retention' }, requestId: null, address: null } as const
    const entry = { action: 'audit.expired', resource: { type: 'organization', id: scope.organizationId, name: `${days} days` }, diff } as const
    await scope.commit([entries.deletingMany({ _id: { in: batch.map(({ _id }) => _id) } }), auditing(scope, context, entry, new Date(identities.clock()))])
    deleted += batch.length
  }
}
