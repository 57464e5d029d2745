/** The entry point of the embedded store: SQLite, by the package `libsql`. */
import { type EmbeddedOptions, EmbeddedStorage } from './storage.js'

export { DamagedStoreError, LmdbStoreError, NewerFormatError } from './faults.js'
export type { EmbeddedOptions, EmbeddedStorage } from './storage.js'

/** @throws DamagedStoreError, LmdbStoreError, NewerFormatError */
export function openEmbeddedStorage(options: EmbeddedOptions): Promise<EmbeddedStorage> {
  return EmbeddedStorage.at(options)
}
