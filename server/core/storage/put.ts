/** Documents of which one process is the only writer. */
import type { Collection, Fields, Filter, StoredDocument } from './contract.js'
import { DuplicateKeyError } from './errors.js'

/** Writes the fields of such a document, and inserts it if it is not there. Rejects when the store fails. */
export async function put<T extends StoredDocument>(documents: Collection<T>, document: T): Promise<void> {
  const { _id, ...fields } = document
  if ((await documents.update({ _id } as Filter<T>, { set: fields as unknown as Fields<T> })) !== null) return
  await documents.insert(document).catch((error: unknown) => {
    // An earlier write of it was slow.
    if (!(error instanceof DuplicateKeyError)) throw error
  })
}
