/** Many documents at once, for tests that need a full collection. */
import type { StoredDocument, Write } from '../../server/core/storage/contract.js'

/** A transaction of more is more than a small MongoDB holds in its cache. */
const AT_ONCE = 1_000

/** In commits of `AT_ONCE` documents. */
export async function insertAll<T>(
  storage: { commit(writes: readonly Write[]): Promise<(StoredDocument | null)[]> },
  collection: { inserting(document: T): Write },
  documents: readonly T[],
): Promise<void> {
  for (let from = 0; from < documents.length; from += AT_ONCE) await storage.commit(documents.slice(from, from + AT_ONCE).map((document) => collection.inserting(document)))
}
