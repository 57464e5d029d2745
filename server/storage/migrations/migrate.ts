/**
 * Brings what is stored to the format of this version, before anything else reads it:
 *  1. migrations run in order, and each is recorded once it is done; one that a crash has ended runs again
 *  2. one instance runs them: the one with the lease. The others wait until all are recorded. A lease that isn't renewed falls to the next
 *  3. the record and the lease are one commit: whoever has lost the lease records nothing
 */
import { type Collection, platformCollection, type Storage } from '../contract.js'
import { DuplicateKeyError, StaleWriteError, StoreError } from '../errors.js'
import { newId } from '../id.js'
import type { Migration, Warn } from './migration.js'

/** Longer than clocks of instances differ, and than a process may be asleep. */
const LEASE_MS = 60_000
/** How often those that wait look. */
const LOOK_MS = 250
const LEASE_ID = 'lease'

interface LeaseDocument {
  readonly _id: string
  readonly kind: 'lease' | 'applied'
  /** Of the lease: who has it, and until when. */
  readonly owner?: string | null
  readonly until?: Date
  /** Of a migration that is done; its `_id` is `0001`. */
  readonly name?: string
  readonly applied_at?: Date
}

/** To be prepared with all others. */
export const MIGRATIONS_COLLECTION = platformCollection<LeaseDocument>('migrations', [])

/** A newer version has been at work here. */
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
  readonly lookMs?: number
}

/**
 * To be asked before the other collections are prepared: that makes their indexes what this version knows, under the hands of the newer one's instances.
 * @throws DatabaseTooNewError
 */
export async function requireKnown(storage: Storage, migrations: readonly Migration[]): Promise<void> {
  await missing(storage.open(MIGRATIONS_COLLECTION), migrations)
}

/** Resolves when all migrations are done, by whichever instance. @throws DatabaseTooNewError, and what a migration throws */
export async function migrate(storage: Storage, migrations: readonly Migration[], options: MigrateOptions = {}): Promise<void> {
  const { onApplied = () => {}, warn = () => {}, now = () => new Date(), leaseMs = LEASE_MS, lookMs = LOOK_MS } = options
  migrations.forEach(({ number }, index) => {
    if (number !== index + 1) throw new TypeError(`migration ${number} stands at place ${index + 1}`)
  })
  const collection = storage.open(MIGRATIONS_COLLECTION)
  const lease = new Lease(collection, now, leaseMs)
  for (;;) {
    if ((await missing(collection, migrations)).length === 0) return
    if (await lease.take()) break
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
  const renewing = setInterval(() => void lease.renew().catch(() => {}), leaseMs / 3)
  renewing.unref()
  try {
    // Asked again: another may have been at work until the lease was free.
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

  /** For a commit: refused when another has the lease. */
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
