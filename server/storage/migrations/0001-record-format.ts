/** Nothing to change: says that the store has the first format, so that a later version knows where it begins. */
import type { Migration } from './migration.js'

export const recordFormat: Migration = { number: 1, name: 'record-format', apply: async () => {} }
