/** Checks a document before it is stored. It is separate from `values.ts`, because threads load that module without the texts of errors. */
import { DocumentTooLargeError } from './errors.js'
import { copyDocument, DOCUMENT_BYTES, type ValueObject } from './values.js'

/** Maximum length of a document's id in UTF-8 bytes, because index keys are limited. */
export const ID_BYTES = 256

/** Returns a copy of a whole document and its size as BSON. @throws TypeError for values that cannot be stored, DocumentTooLargeError */
export function measureDocument(collection: string, document: object): { value: ValueObject; bytes: number } {
  const measured = copyDocument(document)
  const { _id } = measured.value
  if (typeof _id !== 'string' || Buffer.byteLength(_id) > ID_BYTES) throw new TypeError(`a document of ${collection} has no id of at most ${ID_BYTES} bytes`)
  if (measured.bytes > DOCUMENT_BYTES) throw new DocumentTooLargeError(collection)
  return measured
}
