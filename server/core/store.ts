/** The store of the service: its collections, and how it is opened and prepared. */
import { join } from 'node:path'
import { IDENTITY_COLLECTIONS } from './auth/identities.js'
import type { Config } from './config.js'
import { NOTICES } from './events/notices.js'
import { OUTBOX, SUBSCRIPTIONS } from './events/outbox.js'
import { MOCK_SUBSCRIPTIONS } from '../features/billing/gateways/mock/store.js'
import { IDEMPOTENCY_KEYS } from './http/response/idempotency.js'
import { DAILY_JOBS } from './jobs/daily.js'
import { JOB_FAILURES } from './jobs/failures.js'
import { JOBS } from './jobs/queue.js'
import type { Log } from './observability/log.js'
import { PEERS } from '../cluster/directory.js'
import { RESOURCE_COLLECTIONS } from '../resources/index.js'
import { SSE_CONNECTIONS } from './sse/connections.js'
import { RESTORES } from './storage/backup.js'
import type { CollectionDefinition, Storage } from './storage/contract.js'
import { MIGRATIONS, MIGRATIONS_COLLECTION, requireKnown } from './storage/migrations/index.js'
import { COUNTERS } from './tenancy/counters.js'
import { DAILY_COUNTS } from './tenancy/daily-counts.js'
import { QUOTA_COLLECTIONS } from './tenancy/quotas.js'

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
  MOCK_SUBSCRIPTIONS,
  ...RESOURCE_COLLECTIONS,
]

type StoreSettings = Pick<Config, 'mongodbUrl' | 'dataDir'> & Partial<Pick<Config, 'processes'>>

/** Opens the store that the settings name, without preparing collections. Only the library of that store is loaded. */
export async function openStorage({ mongodbUrl, dataDir, processes = 1 }: StoreSettings, log?: Pick<Log, 'info' | 'warn' | 'error'>): Promise<Storage> {
  if (mongodbUrl !== null) {
    const { openMongoStorage } = await import('./storage/mongo/index.js')
    return openMongoStorage({ url: mongodbUrl })
  }
  const { openEmbeddedStorage } = await import('./storage/embedded/index.js')
  const directory = join(dataDir, 'store')
  return openEmbeddedStorage({
    directory,
    isShared: processes > 1,
    onSweepFault: (fault) => log?.warn({ err: fault }, 'expired documents could not be removed'),
    onPresence: (state) => {
      if (state === 'present') log?.info({ directory }, 'the store is available again: writes are accepted')
      else log?.error({ directory }, STORE_ABSENT[state])
    },
  })
}

/** Log messages for a store that is no longer in its folder; they say what the operator can do. */
const STORE_ABSENT = {
  missing: 'the store is missing from its folder: writes are refused. Put the same folder back, or restore a backup and restart the service',
  replaced: 'the folder has another store than the one in use: writes are refused. Put the former one back, or restart the service to use this one',
} as const

/** Creates the collections and indexes of this version. Changes nothing in a database that a newer version has migrated. @throws DatabaseTooNewError */
export async function prepareCollections(storage: Storage): Promise<void> {
  await storage.prepare([MIGRATIONS_COLLECTION])
  await requireKnown(storage, MIGRATIONS)
  await storage.prepare(COLLECTIONS)
}
