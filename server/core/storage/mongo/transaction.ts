/** Executes a commit as one transaction, which the driver repeats after a conflict with another one. */
import { BSON, type ClientSession, type MongoClient } from 'mongodb'
import type { StoredDocument, Write } from '../contract.js'
import { DocumentTooLargeError, StaleWriteError, StorageUnavailableError } from '../errors.js'
import { DOCUMENT_BYTES } from '../values.js'
import { type Native, nativeDocument, nativeFilter, nativeUpdate, type Stored } from './native.js'

/** Maximum time of a commit with all its repetitions. Commits take milliseconds; conflicts make them wait. */
const TIMEOUT_MS = 15_000

/** Executes the writes in order, or none of them. @throws TypeError, DocumentTooLargeError, StaleWriteError, and errors of the driver */
export async function commitInTransaction(client: MongoClient, native: (collection: string) => Native, writes: readonly Write[]): Promise<(StoredDocument | null)[]> {
  // Checked before anything is written.
  const prepared = writes.map(prepare)
  return client.withSession((session) =>
    session.withTransaction(
      async () => {
        try {
          return await writeAll(session, native, prepared)
        } catch (error) {
          // The driver has already waited for a server, and would otherwise repeat the transaction.
          throw (error as Error).name === 'MongoServerSelectionError' ? new StorageUnavailableError({ cause: error }) : error
        }
      },
      { readConcern: { level: 'snapshot' }, timeoutMS: TIMEOUT_MS },
    ),
  )
}

interface PreparedWrite {
  readonly collection: string
  /** The document of an insert; null: another operation. */
  readonly insert: Stored | null
  run(session: ClientSession, native: Native): Promise<StoredDocument | null>
}

function prepare({ collection, operation }: Write, index: number): PreparedWrite {
  if (operation.kind === 'insert') {
    const document = nativeDocument(collection, operation.document)
    return { collection, insert: document, run: async () => null }
  }
  const { many, optional } = operation
  const filter = nativeFilter(operation.filter)
  const require = (isFound: boolean): void => {
    if (!isFound && !optional) throw new StaleWriteError(collection, index)
  }
  if (operation.kind === 'delete') {
    return {
      collection,
      insert: null,
      async run(session, native) {
        const { deletedCount } = many ? await native.deleteMany(filter, { session }) : await native.deleteOne(filter, { session })
        require(deletedCount > 0)
        return null
      },
    }
  }
  const update = nativeUpdate(collection, operation.update)
  return {
    collection,
    insert: null,
    async run(session, native) {
      if (many) {
        await native.updateMany(filter, update, { session })
        return null
      }
      const changed = await native.findOneAndUpdate(filter, update, { session, returnDocument: 'after' })
      require(changed !== null)
      // MongoDB accepts one megabyte more, but a restore and the embedded store do not.
      if (changed !== null && BSON.calculateObjectSize(changed) > DOCUMENT_BYTES) throw new DocumentTooLargeError(collection)
      return changed
    },
  }
}

async function writeAll(session: ClientSession, native: (collection: string) => Native, writes: readonly PreparedWrite[]): Promise<(StoredDocument | null)[]> {
  const results: (StoredDocument | null)[] = []
  while (results.length < writes.length) {
    const { collection, run } = writes[results.length]
    const inserts = insertsFrom(writes, results.length)
    if (inserts.length === 0) results.push(await run(session, native(collection)))
    else {
      await native(collection).insertMany(inserts, { session })
      results.push(...inserts.map(() => null))
    }
  }
  return results
}

/** Returns consecutive inserts into one collection, which are sent in one call. */
function insertsFrom(writes: readonly PreparedWrite[], start: number): Stored[] {
  const inserts: Stored[] = []
  for (const { collection, insert } of writes.slice(start)) {
    if (insert === null || collection !== writes[start].collection) break
    inserts.push(insert)
  }
  return inserts
}
