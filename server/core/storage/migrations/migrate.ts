/**
 * Migrates stored documents to the format of this version, before anything else reads them:
 *  1. migrations run in order, and each is recorded when it is done; a migration that a crash interrupted runs again
 *  2. only the instance with the lease runs them. The others wait until all are recorded. If a lease is not renewed, another instance takes it
 *  3. the record of a migration and the renewal of the lease are one commit, so an instance that has lost the lease records nothing
 */
import { type Collection, platformCollection, type Storage } from '../contract.js'
import { DuplicateKeyError, StaleWriteError, StoreError } from '../errors.js'
import { newId } from '../id.js'
import type { Migration, Warn } from './migration.js'

/** Longer than the clocks of instances differ, and longer than a process is usually suspended. */
const LEASE_MS = 60_000
/** Interval at which waiting instances check the records. */
const POLL_MS = 250
const LEASE_ID = 'lease'

interface LeaseDocument {
  readonly _id: string
  readonly kind: 'lease' | 'applied'
  /** Only in the lease: the instance that has it, and the end of the lease. */
  readonly owner?: string | null
  readonly until?: Date
  /** Only in a finished migration: its name, and when it was finished. Its `_id` is for example `0001`. */
  readonly name?: string
  readonly applied_at?: Date
}

/** It must be prepared with all other collections. */
export const MIGRATIONS_COLLECTION = platformCollection<LeaseDocument>('migrations', [])

/** A newer version of the service has migrated this store. */
export class DatabaseTooNewError extends StoreError<'newer_migration'> {
  override readonly name = 'DatabaseTooNewError'
  constructor(readonly migration: string) {
    super('newer_migration', { migration })
  }
}

export interface MigrateOptions {
  readonly onApplied?: (migration: Migration) => void
  readonly warn?: Warn
  readonly now?: () => Date
  readonly leaseMs?: number
  readonly pollMs?: number
}

/**
 * Requires that this version knows all recorded migrations. It must be called before the other collections are prepared, because preparing them replaces indexes
 * that instances of a newer version use.
 * @throws DatabaseTooNewError
 */
export async function requireKnown(storage: Storage, migrations: readonly Migration[]): Promise<void> {
  await missing(storage.open(MIGRATIONS_COLLECTION), migrations)
}

/** Runs the missing migrations, or waits until another instance has run them. @throws DatabaseTooNewError, and errors of a migration */
export async function migrate(storage: Storage, migrations: readonly Migration[], options: MigrateOptions = {}): Promise<void> {
  const { onApplied = () => {}, warn = () => {}, now = () => new Date(), leaseMs = LEASE_MS, pollMs = POLL_MS } = options
  migrations.forEach(({ number }, index) => {
    if (number !== index + 1) throw new TypeError(`migration ${number} is at position ${index + 1}`)
  })
  const collection = storage.open(MIGRATIONS_COLLECTION)
  const lease = new Lease(collection, now, leaseMs)
  for (;;) {
    if ((await missing(collection, migrations)).length === 0) return
    if (await lease.take()) break
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  const renewing = setInterval(() => void lease.renew().catch(() => {}), leaseMs / 3)
  renewing.unref()
  try {
    // Read again, because another instance may have run some until the lease was free.
    for (const migration of await missing(collection, migrations)) {
      await migration.apply(storage, warn)
      const done: LeaseDocument = { _id: idOf(migration), kind: 'applied', name: migration.name, applied_at: now() }
      try {
        await storage.commit([lease.renewing(), collection.inserting(done)])
      } catch (error) {
        if (error instanceof StaleWriteError) throw new Error(`the lease was lost during migration ${idOf(migration)}`, { cause: error })
        throw error
      }
      onApplied(migration)
    }
  } finally {
    clearInterval(renewing)
    await lease.release().catch(() => {})
  }
}

async function missing(collection: Collection<LeaseDocument>, migrations: readonly Migration[]): Promise<Migration[]> {
  const applied = new Set((await collection.find({ kind: 'applied' }, { sort: { _id: 1 } })).map(({ _id }) => _id))
  const left = migrations.filter((migration) => !applied.delete(idOf(migration)))
  const [unknown] = applied
  if (unknown !== undefined) throw new DatabaseTooNewError(unknown)
  return left
}

const idOf = ({ number }: Migration): string => String(number).padStart(4, '0')

class Lease {
  readonly #collection: Collection<LeaseDocument>
  readonly #now: () => Date
  readonly #ms: number
  readonly #owner = newId()

  constructor(collection: Collection<LeaseDocument>, now: () => Date, ms: number) {
    this.#collection = collection
    this.#now = now
    this.#ms = ms
  }

  async take(): Promise<boolean> {
    const taken = { owner: this.#owner, until: this.#end() }
    if ((await this.#collection.update({ _id: LEASE_ID, until: { lte: this.#now() } }, { set: taken })) !== null) return true
    try {
      await this.#collection.insert({ _id: LEASE_ID, kind: 'lease', ...taken })
      return true
    } catch (error) {
      if (error instanceof DuplicateKeyError) return false
      throw error
    }
  }

  async renew(): Promise<void> {
    await this.#collection.update({ _id: LEASE_ID, owner: this.#owner }, { set: { until: this.#end() } })
  }

  /** Returns a write that makes a commit fail when another instance has the lease. */
  renewing(): ReturnType<Collection<LeaseDocument>['updating']> {
    return this.#collection.updating({ _id: LEASE_ID, owner: this.#owner }, { set: { until: this.#end() } })
  }

  async release(): Promise<void> {
    await this.#collection.update({ _id: LEASE_ID, owner: this.#owner }, { set: { owner: null, until: new Date(0) } })
  }

  #end(): Date {
    return new Date(this.#now().getTime() + this.#ms)
  }
}
