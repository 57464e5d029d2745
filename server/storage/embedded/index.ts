/** The entry point of the embedded store: SQLite, by the package `libsql`. */
import { type EmbeddedOptions, EmbeddedStorage } from './storage.js'

export { DamagedStoreError, NewerFormatError } from './faults.js'
export type { EmbeddedOptions, EmbeddedStorage } from './storage.js'

/** @throws DamagedStoreError, NewerFormatError */
export function openEmbeddedStorage(options: EmbeddedOptions): Promise<EmbeddedStorage> {
  return EmbeddedStorage.at(options)
}
