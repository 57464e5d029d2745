/** Reads all documents of MongoDB, and inserts documents into an empty one, for backups. */
import { BSON, type ClientSession, type MongoClient, MongoServerError } from 'mongodb'
import type { StoredRecord } from '../contract.js'
import type { Call } from './collection.js'
import { type Native, nativeDocument, type Stored } from './native.js'

/** Limits of one write: a batch fits into memory, and is large enough that the round trip does not matter. */
const BATCH = 1_000
const BATCH_BYTES = 8 * 1024 * 1024
/** InvalidOptions, CommandNotSupported, SnapshotUnavailable: the server does not support snapshots. */
const NO_SNAPSHOT: ReadonlySet<unknown> = new Set([72, 115, 246])

type Natives = (collection: string) => Native

/** Yields all documents of the collections, from one snapshot if the server supports it. */
export async function* dump(client: MongoClient, collections: readonly string[], native: Natives, call: Call): AsyncGenerator<StoredRecord> {
  if (collections.length === 0) return
  const session = await call('', () => startSnapshot(client, native(collections[0])))
  try {
    for (const collection of collections) {
      const cursor = native(collection).find({}, session === null ? {} : { session })
      try {
        for (;;) {
          const document = await call(collection, () => cursor.next())
          if (document === null) break
          yield { collection, document }
        }
      } finally {
        await cursor.close().catch(() => {})
      }
    }
  } finally {
    await session?.endSession()
  }
}

/** Starts a session that reads the snapshot of its first read; null: the server does not support snapshots. */
async function startSnapshot(client: MongoClient, first: Native): Promise<ClientSession | null> {
  const session = client.startSession({ snapshot: true })
  try {
    await first.findOne({}, { session, projection: { _id: 1 } })
    return session
  } catch (error) {
    await session.endSession()
    if (error instanceof MongoServerError && NO_SNAPSHOT.has(error.code)) return null
    throw error
  }
}

/** Inserts documents in batches. @returns their number */
export async function load(records: AsyncIterable<StoredRecord>, native: Natives, call: Call): Promise<number> {
  let loaded = 0
  let current = ''
  let batch: Stored[] = []
  let bytes = 0
  const write = async (): Promise<void> => {
    if (batch.length > 0) await call(current, () => native(current).insertMany(batch))
    loaded += batch.length
    batch = []
    bytes = 0
  }
  for await (const { collection, document } of records) {
    if (collection !== current || batch.length >= BATCH || bytes >= BATCH_BYTES) await write()
    current = collection
    const stored = nativeDocument(collection, document)
    batch.push(stored)
    bytes += BSON.calculateObjectSize(stored)
  }
  await write()
  return loaded
}
