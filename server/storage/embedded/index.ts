/** The door to the embedded store: `lmdb` underneath, MongoDB's language of filters and updates above. */
import { type EmbeddedOptions, EmbeddedStorage } from './storage.js'

export { NewerFormatError } from './catalog.js'
export { DirectoryInUseError } from './directory-lock.js'
export type { PlanReport } from './durable-table.js'
export type { EmbeddedOptions, EmbeddedStorage } from './storage.js'

/** @throws DirectoryInUseError, NewerFormatError */
export function openEmbeddedStorage(options: EmbeddedOptions): Promise<EmbeddedStorage> {
  return EmbeddedStorage.at(options)
}
