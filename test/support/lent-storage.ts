/**
 * Opened stores with all collections, which the services of a test process use one after the other: to open one and to create its collections is most of the
 * processor time that the start of a service takes.
 *  1. a service gets a store without documents
 *  2. when a service is closed, its operations have ended and later ones fail, as on a closed store, so that no test sees the work of another one
 *  3. a store that could not be emptied is not lent again
 */
import { openStorage } from '../../server/core/storage/open.js'
import { readConfig } from '../../server/core/config.js'
import { type Collection, type CollectionDefinition, platformCollection, type Storage, type StoredDocument } from '../../server/core/storage/contract.js'
import { StorageUnavailableError } from '../../server/core/storage/errors.js'
import { atEnd } from './at-end.js'
import { dataDir, EMBEDDED, type FreshStore, REPLICA_SET, type TestStore } from './stores.js'

export interface LentStorage extends FreshStore {
  /** One for each instance of the service. */
  readonly storages: readonly Storage[]
}

interface Connection {
  readonly storage: Storage
  readonly prepared: Set<CollectionDefinition>
}

/** A store that stays open. */
interface OpenStore {
  readonly fresh: FreshStore
  readonly connections: Connection[]
}

const idle = new Map<TestStore, OpenStore[]>([EMBEDDED, REPLICA_SET].map((store) => [store, []]))

/** Null: the store is one that a test has made, and is not lent. @param instances how many connections it is to have, for services on the same database */
export async function lendStorage(store: TestStore, instances = 1): Promise<LentStorage | null> {
  const waiting = idle.get(store)
  if (waiting === undefined) return null
  const open = waiting.pop() ?? (await openStore(store))
  while (open.connections.length < instances) open.connections.push(await connect(open.fresh))
  const leases = open.connections.slice(0, instances).map((connection) => new Lease(connection))
  // The folder also has the generated secret, and files of the mail outbox.
  const folder = dataDir()
  return {
    env: { ...open.fresh.env, NATIVE_SERVICE_DATA_DIR: folder.path },
    storages: leases,
    async remove() {
      await Promise.all(leases.map((lease) => lease.end()))
      folder.remove()
      const [{ storage, prepared }] = open.connections
      await Promise.all([...prepared].map(({ name }) => storage.open(platformCollection(name, [])).deleteMany({})))
      waiting.push(open)
    },
  }
}

async function openStore(store: TestStore): Promise<OpenStore> {
  const fresh = await store.fresh()
  const connections: Connection[] = []
  atEnd(async () => {
    for (const { storage } of connections) await storage.close()
    await fresh.remove()
  })
  return { fresh, connections }
}

async function connect({ env }: FreshStore): Promise<Connection> {
  return { storage: await openStorage(readConfig(env)), prepared: new Set() }
}

/** The store as one service sees it. A test may replace its methods. */
class Lease implements Storage {
  readonly kind: Storage['kind']
  readonly version: string
  readonly #connection: Connection
  readonly #running = new Set<Promise<unknown>>()
  #isOver = false

  constructor(connection: Connection) {
    this.#connection = connection
    this.kind = connection.storage.kind
    this.version = connection.storage.version
  }

  /** Refuses later operations, and waits for the running ones. */
  async end(): Promise<void> {
    this.#isOver = true
    await Promise.allSettled(this.#running)
  }

  prepare(definitions: readonly CollectionDefinition[]): Promise<void> {
    const { storage, prepared } = this.#connection
    return this.#run(async () => {
      const missing = definitions.filter((definition) => !prepared.has(definition))
      if (missing.length > 0) await storage.prepare(missing)
      for (const definition of missing) prepared.add(definition)
    })
  }

  readonly open: Storage['open'] = (definition) => this.#collection(this.#connection.storage.open(definition))

  readonly openTenant: Storage['openTenant'] = (definition) => this.#collection(this.#connection.storage.openTenant(definition))

  readonly windows: Storage['windows'] = (definition) => {
    const windows = this.#connection.storage.windows(definition)
    return { add: (...units) => this.#run(() => windows.add(...units)) }
  }

  commit(...writes: Parameters<Storage['commit']>): ReturnType<Storage['commit']> {
    return this.#run(() => this.#connection.storage.commit(...writes))
  }

  dump(): ReturnType<Storage['dump']> {
    return this.#connection.storage.dump()
  }

  load(...records: Parameters<Storage['load']>): Promise<number> {
    return this.#run(() => this.#connection.storage.load(...records))
  }

  ping(): Promise<void> {
    return this.#run(() => this.#connection.storage.ping())
  }

  /** The store stays open for the next service. */
  close(): Promise<void> {
    return this.end()
  }

  #run<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#isOver) return Promise.reject(new StorageUnavailableError())
    const running = operation()
    this.#running.add(running)
    const forget = (): void => void this.#running.delete(running)
    running.then(forget, forget)
    return running
  }

  /** Only operations return promises; `iterate` and the writes for `commit` do not. */
  #collection<T extends StoredDocument>(collection: Collection<T>): Collection<T> {
    const operation =
      <A extends unknown[], R>(run: (...args: A) => Promise<R>) =>
      (...args: A): Promise<R> =>
        this.#run(() => run.apply(collection, args))
    const { findOne, find, count, insert, update, updateMany, delete: deleteOne, deleteMany } = collection
    return {
      findOne: operation(findOne),
      find: operation(find),
      iterate: (filter) => collection.iterate(filter),
      count: operation(count),
      insert: operation(insert),
      update: operation(update),
      updateMany: operation(updateMany),
      delete: operation(deleteOne),
      deleteMany: operation(deleteMany),
      inserting: (document) => collection.inserting(document),
      updating: (filter, change, options) => collection.updating(filter, change, options),
      updatingMany: (filter, change) => collection.updatingMany(filter, change),
      deleting: (filter, options) => collection.deleting(filter, options),
      deletingMany: (filter) => collection.deletingMany(filter),
    }
  }
}
