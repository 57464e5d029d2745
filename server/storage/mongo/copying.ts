/** All documents out of MongoDB, and into an empty one. */
import { type ClientSession, MongoServerError } from 'mongodb'
import type { StoredRecord } from '../contract.js'
import type { Backing } from './collection.js'
import type { Connection } from './client.js'
import { documentOf } from './questions.js'
import { bytesOf, type Native, type Stored, strip } from './stored.js'

/** What goes into one write: few enough to be in memory, many enough that the way to MongoDB doesn't count. */
const BATCH = 1_000
const BATCH_BYTES = 8 * 1024 * 1024
/** Snapshots aren't to be had at the moment, or not of this server. */
const NO_SNAPSHOT: ReadonlySet<number> = new Set([72, 115, 246])

export async function* dump(
  backing: Backing,
  { client, transactions }: Connection,
  collections: readonly string[],
  native: (collection: string) => Native,
): AsyncGenerator<StoredRecord> {
  const session = transactions && collections.length > 0 ? await snapshotSession(backing, client.startSession({ snapshot: true }), native(collections[0])) : null
  try {
    for (const collection of collections) {
      await backing.settling?.settleMatching(collection, {})
      const cursor = native(collection).find({}, session === null ? {} : { session })
      try {
        for (;;) {
          const stored = await backing.ask(collection, () => cursor.next())
          if (stored === null) break
          // What a commit has made ahead of its time, or is about to delete.
          if (stored._pending?.anchor === undefined && stored._pending?.gone !== true) yield { collection, document: strip(stored) }
        }
      } finally {
        await cursor.close().catch(() => {})
      }
    }
  } finally {
    await session?.endSession()
  }
}

/** Reads of one moment, if MongoDB gives them: its moment is that of the first read. */
async function snapshotSession(backing: Backing, session: ClientSession, first: Native): Promise<ClientSession | null> {
  try {
    await first.findOne({}, { session, projection: { _id: 1 } })
    return session
  } catch (error) {
    await session.endSession()
    if (error instanceof MongoServerError && NO_SNAPSHOT.has(Number(error.code))) return null
    throw backing.translate('', error)
  }
}

export async function load(backing: Backing, collections: ReadonlySet<string>, native: (collection: string) => Native, records: AsyncIterable<StoredRecord>): Promise<number> {
  let loaded = 0
  let batch: Stored[] = []
  let bytes = 0
  let current = ''
  const write = async (): Promise<void> => {
    const documents = batch
    batch = []
    bytes = 0
    if (documents.length > 0) await backing.ask(current, () => native(current).insertMany(documents))
    loaded += documents.length
  }
  for await (const { collection, document } of records) {
    if (!collections.has(collection)) throw new TypeError(`there is no collection ${collection}`)
    if (collection !== current || batch.length >= BATCH || bytes >= BATCH_BYTES) await write()
    current = collection
    const stored = documentOf(collection, document)
    batch.push(stored)
    bytes += bytesOf(stored)
  }
  await write()
  return loaded
}
