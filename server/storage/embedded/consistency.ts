/** Whether indexes and documents agree: every document has its keys, and there are no others. */
import type { DurableTable } from './durable-table.js'
import { entryValue, idOf } from './entries.js'
import type { Environment } from './environment.js'
import { ABOVE } from './key.js'

/** Faults beyond these say nothing new. */
const FAULT_LIMIT = 100

export function findFaults(environment: Environment, tables: readonly DurableTable[]): string[] {
  const faults: string[] = []
  const numbers = new Set<number>()
  for (const table of tables) {
    for (const index of table.indexes) numbers.add(index.number)
    const keys = new Map(table.indexes.map((index) => [index, 0]))
    for (const { key, value: document } of environment.documents.getRange(table.interval)) {
      const id = idOf(key, 4)
      if (document._id !== id) faults.push(`${table.name}: ${String(document._id)} is stored as ${id}`)
      for (const index of table.indexes) {
        if (!index.multikey && index.isListed(document)) faults.push(`${table.name} ${index.fieldNames}: not known to hold the array of ${id}`)
        for (const entry of index.keysOf(document)) {
          keys.set(index, keys.get(index)! + 1)
          const found = environment.entries.get(entry.key)
          if (found === undefined || Buffer.compare(found, entryValue(entry, id)) !== 0) faults.push(`${table.name} ${index.fieldNames}: ${id} is not in it`)
        }
      }
    }
    for (const [index, expected] of keys) {
      const found = environment.entries.getKeysCount({ start: index.prefix, end: Buffer.concat([index.prefix, ABOVE]) })
      if (found !== expected) faults.push(`${table.name} ${index.fieldNames}: ${found} keys, but documents have ${expected}`)
    }
  }
  return faults.slice(0, FAULT_LIMIT)
}
