/** The table of limits as an instance of two threads has it, with some rows made small. */
import { Limits } from '../../server/core/limits/limits.js'
import { type Limit, limitTable, type Resource } from '../../server/core/limits/table.js'

export function testLimits(smaller: Partial<Record<Resource, Partial<Limit>>> = {}): Limits {
  const table: Record<string, Limit> = { ...limitTable({ workers: 2, maxRequestBytes: 8 * 1024 * 1024 }) }
  for (const [resource, limit] of Object.entries(smaller)) table[resource] = { ...table[resource], ...limit }
  return new Limits(table as Record<Resource, Limit>)
}
