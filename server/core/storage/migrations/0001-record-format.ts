/** Changes nothing. It records that the store has the first format, so that later versions can continue from it. */
import type { Migration } from './migration.js'

export const recordFormat: Migration = { number: 1, name: 'record-format', apply: async () => {} }
