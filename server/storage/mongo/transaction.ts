/** A commit where MongoDB has transactions. */
import { type ClientSession, MongoError } from 'mongodb'
import type { StoredDocument, Write } from '../contract.js'
import { DOCUMENT_BYTES, DocumentTooLargeError, StaleWriteError } from '../errors.js'
import { WRITE_CONFLICT } from './failures.js'
import { documentOf, filterOf, updateOf } from './questions.js'
import { bytesOf, type Native, type Stored, strip } from './stored.js'

/** Others who write to the same documents are tried again for this long. Commits take milliseconds; a request waits no longer. */
const PATIENCE_MS = 15_000
const PAUSE_MS = 5
const LONGEST_PAUSE_MS = 250

/** Made anew for every attempt: the driver's sessions don't outlive some errors. */
export type StartSession = () => ClientSession

/** @throws what the driver throws; StaleWriteError */
export async function commitInTransaction(start: StartSession, native: (collection: string) => Native, writes: readonly Write[]): Promise<(StoredDocument | null)[]> {
  const prepared = writes.map(prepare)
  const until = performance.now() + PATIENCE_MS
  for (let attempt = 0; ; attempt++) {
    const session = start()
    try {
      session.startTransaction({ readConcern: { level: 'snapshot' } })
      const results = await writeAll(session, native, prepared)
      await commit(session, until)
      return results
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction().catch(() => {})
      if (!isTransient(error) || performance.now() > until) throw error
    } finally {
      await session.endSession().catch(() => {})
    }
    await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** attempt)))
  }
}

type Prepared = (session: ClientSession, native: (collection: string) => Native) => Promise<Stored | null>
interface PreparedWrite {
  readonly collection: string
  readonly insert: Stored | null
  readonly run: Prepared
}

/** Checks once, before anything is written. */
function prepare(write: Write, index: number): PreparedWrite {
  const { collection, operation } = write
  if (operation.kind === 'insert') {
    const document = documentOf(collection, operation.document)
    return { collection, insert: document, run: () => Promise.resolve(null) }
  }
  const { many, optional } = operation
  const filter = filterOf(operation.filter)
  const required = <R>(found: R | null): R | null => {
    if (found === null && !optional) throw new StaleWriteError(collection, index)
    return found
  }
  if (operation.kind === 'delete') {
    const run: Prepared = async (session, native) => {
      if (many) await native(collection).deleteMany(filter, { session })
      else required(await native(collection).findOneAndDelete(filter, { session, projection: { _id: 1 } }))
      return null
    }
    return { collection, insert: null, run }
  }
  const update = updateOf(collection, operation.update)
  const run: Prepared = async (session, native) => {
    if (many) {
      await native(collection).updateMany(filter, update, { session })
      return null
    }
    const after = required(await native(collection).findOneAndUpdate(filter, update, { session, returnDocument: 'after' }))
    // MongoDB itself takes a megabyte more, which neither a restore nor the other store would.
    if (after !== null && bytesOf(after) > DOCUMENT_BYTES) throw new DocumentTooLargeError(collection)
    return after
  }
  return { collection, insert: null, run }
}

async function writeAll(session: ClientSession, native: (collection: string) => Native, writes: readonly PreparedWrite[]): Promise<(StoredDocument | null)[]> {
  const results: (StoredDocument | null)[] = []
  for (let at = 0; at < writes.length; ) {
    const { collection, insert, run } = writes[at]
    if (insert === null) {
      const stored = await run(session, native)
      results.push(stored === null ? null : strip<StoredDocument>(stored))
      at++
      continue
    }
    // Inserts in a row go together.
    let end = at + 1
    while (end < writes.length && writes[end].insert !== null && writes[end].collection === collection) end++
    const documents = writes.slice(at, end).map((write) => write.insert as Stored)
    if (documents.length === 1) await native(collection).insertOne(documents[0], { session })
    else await native(collection).insertMany(documents, { session })
    for (; at < end; at++) results.push(null)
  }
  return results
}

async function commit(session: ClientSession, until: number): Promise<void> {
  for (;;) {
    try {
      return await session.commitTransaction()
    } catch (error) {
      if (!(error instanceof MongoError) || !error.hasErrorLabel('UnknownTransactionCommitResult') || performance.now() > until) throw error
    }
  }
}

/** A MongoDB that is away is no reason to try again: the driver has waited for it already. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof MongoError) || error.name === 'MongoServerSelectionError') return false
  return error.hasErrorLabel('TransientTransactionError') || error.code === WRITE_CONFLICT
}
