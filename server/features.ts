/** The wings of the service, in the order in which they are opened: a wing may use those before it. */
import { analysis } from './analysis/index.js'
import { PEERS } from './cluster/directory.js'
import { content } from './content/index.js'
import { IDENTITY_COLLECTIONS } from './core/auth/identities.js'
import { NOTICES } from './core/events/notices.js'
import { OUTBOX, SUBSCRIPTIONS } from './core/events/outbox.js'
import { IDEMPOTENCY_KEYS } from './core/http/response/idempotency.js'
import { DAILY_JOBS } from './core/jobs/daily.js'
import { JOB_FAILURES } from './core/jobs/failures.js'
import { JOBS } from './core/jobs/queue.js'
import { SSE_CONNECTIONS } from './core/sse/connections.js'
import { RESTORES } from './core/storage/backup.js'
import type { CollectionDefinition, Storage } from './core/storage/contract.js'
import { MIGRATIONS, MIGRATIONS_COLLECTION, requireKnown } from './core/storage/migrations/index.js'
import { COUNTERS } from './core/tenancy/counters.js'
import { DAILY_COUNTS } from './core/tenancy/daily-counts.js'
import { QUOTA_COLLECTIONS } from './core/tenancy/quotas.js'
import type { Context, OpenWing, Wing } from './core/wing.js'
import { accounts } from './features/accounts/index.js'
import { assistant } from './features/assistant/index.js'
import { billing } from './features/billing/index.js'
import { connections } from './features/connections/index.js'
import { feedback } from './features/feedback/index.js'
import { notifications } from './features/notifications/index.js'
import { platform } from './features/platform/index.js'
import { playground } from './features/playground/index.js'
import { replays } from './features/replays/index.js'
import { scim } from './features/scim/index.js'
import { sso } from './features/sso/index.js'
import { webhooks } from './features/webhooks/index.js'

export const WINGS: readonly Wing[] = [analysis, content, accounts, webhooks, sso, scim, connections, notifications, billing, assistant, feedback, platform, playground, replays]

/** Every collection of the service. */
export const COLLECTIONS: readonly CollectionDefinition[] = [
  MIGRATIONS_COLLECTION,
  ...IDENTITY_COLLECTIONS,
  COUNTERS,
  IDEMPOTENCY_KEYS,
  ...QUOTA_COLLECTIONS,
  DAILY_COUNTS,
  JOBS,
  JOB_FAILURES,
  DAILY_JOBS,
  SUBSCRIPTIONS,
  OUTBOX,
  NOTICES,
  SSE_CONNECTIONS,
  PEERS,
  RESTORES,
  ...WINGS.flatMap(({ collections }) => collections),
]

/** Creates the collections and indexes of this version. Changes nothing in a database that a newer version has migrated. @throws DatabaseTooNewError */
export async function prepareCollections(storage: Storage): Promise<void> {
  await storage.prepare([MIGRATIONS_COLLECTION])
  await requireKnown(storage, MIGRATIONS)
  await storage.prepare(COLLECTIONS)
}

/** Opens wings. @returns them, in their order */
export async function openWings(wings: readonly Wing[], parts: Omit<Context, 'get' | 'opened'>): Promise<readonly OpenWing[]> {
  const opened = new Map<Wing, OpenWing>()
  const context: Context = {
    ...parts,
    get<Opened extends OpenWing>(wing: Wing<Opened>): Opened {
      const found = opened.get(wing)
      if (found === undefined) throw new Error('a wing uses one that is not open: WINGS has them in another order')
      return found as Opened
    },
    opened: () => [...opened.values()],
  }
  for (const wing of wings) opened.set(wing, await wing.open(context))
  return context.opened()
}
