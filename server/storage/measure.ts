/** A document on its way into a store. Apart from `values.ts`, which threads load that need no texts of errors. */
import { DocumentTooLargeError } from './errors.js'
import { copyDocument, DOCUMENT_BYTES, type ValueObject } from './values.js'

/** UTF-8 bytes of a document's id: the key of an index has a limit. */
export const ID_BYTES = 256

/** A copy of a whole document, and its bytes of BSON. @throws TypeError for what can't be stored, DocumentTooLargeError */
export function measureDocument(collection: string, document: object): { value: ValueObject; bytes: number } {
  const measured = copyDocument(document)
  const { _id } = measured.value
  if (typeof _id !== 'string' || Buffer.byteLength(_id) > ID_BYTES) throw new TypeError(`a document of ${collection} has no id of at most ${ID_BYTES} bytes`)
  if (measured.bytes > DOCUMENT_BYTES) throw new DocumentTooLargeError(collection)
  return measured
}
