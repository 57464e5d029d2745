/** A document on its way into a store: what every store asks of it. */
import { DOCUMENT_BYTES, DocumentTooLargeError } from '../errors.js'
import { copyDocument, type ValueObject } from './values.js'

/** UTF-8 bytes of a document's id. */
export const ID_BYTES = 256

/** A copy, and its bytes of BSON. @throws TypeError for what can't be stored, DocumentTooLargeError */
export function measureDocument(collection: string, document: object): { value: ValueObject; bytes: number } {
  const measured = copyDocument(document)
  const { _id } = measured.value
  if (typeof _id !== 'string' || Buffer.byteLength(_id) > ID_BYTES) throw new TypeError(`a document of ${collection} has no id of at most ${ID_BYTES} bytes`)
  if (measured.bytes > DOCUMENT_BYTES) throw new DocumentTooLargeError(collection)
  return measured
}
