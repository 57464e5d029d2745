/** Files that are being imported. */
import type { ImportFault, Imported } from '../model/import.js'

export interface Reading {
  readonly imported: Imported | null
  readonly fault: ImportFault | null
}

export const NOTHING_READ: Reading = { imported: null, fault: null }
