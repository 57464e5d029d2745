/** Latencies by kind of request, and their table. */
import type { Table } from '../report.js'

export interface Samples {
  /** Milliseconds by kind. */
  readonly kinds: ReadonlyMap<string, readonly number[]>
  /** Milliseconds of all kinds. */
  readonly all: readonly number[]
  readonly count: number
  /** Number of 4xx and 5xx responses, which are not in the latencies. */
  readonly refused: number
  add(kind: string, ms: number, status: number): void
}

export function samplesOf(): Samples {
  const kinds = new Map<string, number[]>()
  const all: number[] = []
  let refused = 0
  return {
    kinds,
    all,
    get count() {
      return all.length + refused
    },
    get refused() {
      return refused
    },
    add(kind, ms, status) {
      if (status >= 400) {
        refused++
        return
      }
      const own = kinds.get(kind)
      if (own === undefined) kinds.set(kind, [ms])
      else own.push(ms)
      all.push(ms)
    },
  }
}

/** The smallest value that the given percentage of values does not exceed. NaN: there are none. */
export function percentile(values: readonly number[], percent: number): number {
  if (values.length === 0) return Number.NaN
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil((percent / 100) * sorted.length) - 1)]
}

/** Columns and rows of a table: one row for each kind, and one for all. */
export function latencyRows(alone: Samples, together: Samples): Pick<Table, 'columns' | 'rows'> {
  const kinds = [...new Set([...alone.kinds.keys(), ...together.kinds.keys()])].sort()
  const row = (name: string, one: readonly number[], many: readonly number[]): (string | number)[] => {
    const [a50, a95, b50, b95] = [percentile(one, 50), percentile(one, 95), percentile(many, 50), percentile(many, 95)]
    return [name, one.length, a50, a95, many.length, b50, b95, b95 / a95]
  }
  return {
    columns: ['request', 'alone', 'p50 ms', 'p95 ms', 'together', 'p50 ms', 'p95 ms', 'ratio of p95'],
    rows: [...kinds.map((kind) => row(kind, alone.kinds.get(kind) ?? [], together.kinds.get(kind) ?? [])), row('all', alone.all, together.all)],
  }
}
