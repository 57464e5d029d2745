/** Updates of the contract, on a copy of a document. */
import type { StoredDocument, Update } from '../contract.js'
import { readUpdate } from '../questions.js'
import { copyDocument, type ValueObject } from '../values.js'

/** @throws TypeError for what the contract doesn't name; the result, for an increment of what is no number */
export function compileUpdate(update: Update<StoredDocument>): (document: ValueObject) => ValueObject {
  const { set, increment } = readUpdate(update)
  return (document) => {
    const changed = copyDocument({ ...document, ...set }).value
    for (const [field, step] of Object.entries(increment)) {
      const before = Object.hasOwn(changed, field) ? changed[field] : 0
      if (typeof before !== 'number') throw new TypeError(`increment of ${field}, which is no number`)
      changed[field] = before + step
    }
    return changed
  }
}
