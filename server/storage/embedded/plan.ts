/**
 * Chooses how a query finds its documents: by ids, by one index, or by reading the whole collection. A plan may find too many documents, never
 * too few: what it finds is tested with the whole filter.
 */
import type { Scalar } from '../contract.js'
import type { Conjunction, FieldCondition } from '../language/filter.js'
import type { Index } from './index-keys.js'
import { ABOVE, type Bound, encodeRange, encodeValue, type Interval } from './key.js'
import { compareValues, RANK, rankOf, type SortField } from '../language/order.js'

/** Intervals of one plan: `$in` lists multiply. Beyond it the later field is left to the filter. */
const INTERVAL_LIMIT = 1000

export type Plan = { readonly kind: 'ids'; readonly ids: readonly string[] } | IndexPlan | { readonly kind: 'scan' }

export interface IndexPlan {
  readonly kind: 'index'
  readonly index: Index
  readonly intervals: readonly Interval[]
  readonly reverse: boolean
  readonly sorted: boolean
  /** Each interval begins with the only key of a unique index that can be in it. */
  readonly isWhole: boolean
  /** Fields, from the first on, that have certain values. */
  readonly pinned: number
}

/** What is known of one field. Not all of it: no two conditions are merged, as each may hold for another element of an array. */
interface Bounds {
  points?: readonly Scalar[]
  lower?: Bound
  upper?: Bound
  /** A text is there. */
  text?: boolean
}

export function choosePlan(filter: Conjunction, sort: readonly SortField[], indexes: readonly Index[]): Plan {
  const bounds = boundsOf(filter)
  const ids = bounds.get('_id')?.points
  if (ids !== undefined) return { kind: 'ids', ids: [...new Set(ids.filter((id) => typeof id === 'string'))] }
  let best: Plan = { kind: 'scan' }
  let bestScore = 0
  for (const index of indexes) {
    // The common case, before anything is made of it.
    if (!bounds.has(index.fields[0].name) && sort.length === 0) continue
    const { plan, score } = useIndex(index, bounds, sort)
    if (score > bestScore) {
      best = plan
      bestScore = score
    }
  }
  return best
}

/** Whether the keys of a plan are those of the documents that match, one each, so that they can be counted unread. */
export function coversFilter({ index, pinned }: IndexPlan, { conditions, choices }: Conjunction): boolean {
  if (index.multikey || choices.length > 0) return false
  const names = index.fieldNames.slice(0, pinned)
  const ranged = index.fields.at(pinned)?.name
  let lower = 0
  let upper = 0
  let points = 0
  for (const { field, operation } of conditions) {
    if (names.includes(field)) {
      if (operation.kind !== '$eq' && operation.kind !== '$in') return false
      points++
      // Of dates a range of keys says all; it takes in texts that only begin alike, and the number that is none.
    } else if (field !== ranged || !('value' in operation) || !(operation.value instanceof Date)) return false
    else if (operation.kind === '$gt' || operation.kind === '$gte') lower++
    else if (operation.kind === '$lt' || operation.kind === '$lte') upper++
    else return false
  }
  return points === pinned && names.every((name) => conditions.some(({ field }) => field === name)) && lower <= 1 && upper <= 1
}

/** A field that is pinned tells most; then the order, which saves reading all for a page; then a range. Of two indexes that tell as much, the shorter. */
const SCORE = { pinned: 40, sorted: 30, range: 10, secondBound: 5, wholeUnique: 1000, field: -1 }

function useIndex(index: Index, bounds: ReadonlyMap<string, Bounds>, sort: readonly SortField[]): { plan: Plan; score: number } {
  let prefixes: Buffer[] = [index.prefix]
  let pinned = 0
  let score = 0
  let intervals: Interval[] | null = null
  for (const { name, direction } of index.fields) {
    const known = bounds.get(name)
    if (known === undefined) break
    if (known.points !== undefined && known.points.length * prefixes.length <= INTERVAL_LIMIT) {
      const points = known.points.map((point) => encodeValue(point, direction).bytes)
      prefixes = prefixes.flatMap((prefix) => points.map((point) => Buffer.concat([prefix, point])))
      pinned++
      score += SCORE.pinned
      continue
    }
    const lower = known.lower
    const upper = index.multikey && lower !== undefined ? undefined : known.upper
    if (lower === undefined && upper === undefined) break
    const range = encodeRange(lower, upper, direction)
    intervals = prefixes.map((prefix) => ({ start: Buffer.concat([prefix, range.start]), end: Buffer.concat([prefix, range.end]) }))
    score += lower !== undefined && upper !== undefined ? SCORE.range + SCORE.secondBound : SCORE.range
    break
  }
  intervals ??= prefixes.map((prefix) => ({ start: prefix, end: Buffer.concat([prefix, ABOVE]) }))
  if (intervals.length > 1) intervals = distinct(intervals)
  const order = sort.length === 0 || index.multikey || intervals.length !== 1 ? null : orderOf(index, pinned, sort)
  if (order !== null) score += SCORE.sorted
  const isWhole = index.unique && pinned === index.fields.length
  if (isWhole) score += SCORE.wholeUnique
  if (score > 0) score += SCORE.field * index.fields.length
  return { plan: { kind: 'index', index, intervals, reverse: order === -1, sorted: order !== null, isWhole: isWhole && !index.multikey, pinned }, score }
}

/** Points of `$in` may be said twice, and 0 is -0. */
function distinct(intervals: readonly Interval[]): Interval[] {
  return [...new Map(intervals.map((interval) => [interval.start.toString('latin1'), interval])).values()]
}

/** Whether the index gives the order that is asked for: 1 as it stands, -1 from its end, null not at all. Its first `pinned` fields have one value each. */
function orderOf(index: Index, pinned: number, sort: readonly SortField[]): 1 | -1 | null {
  const constant = new Set(index.fieldNames.slice(0, pinned))
  const given = index.fields.slice(pinned).map(({ name, direction }): SortField => [name, direction])
  if (!index.unique && !index.fieldNames.includes('_id')) given.push(['_id', 1])
  const asked = sort.filter(([field]) => !constant.has(field))
  let sense: 1 | -1 | null = null
  for (let at = 0; at < asked.length; at++) {
    // Behind all fields of a unique index there is nothing left to order.
    if (at === given.length) return index.unique ? (sense ?? 1) : null
    if (given[at][0] !== asked[at][0]) return null
    const same = given[at][1] === asked[at][1] ? 1 : -1
    if (sense !== null && sense !== same) return null
    sense = same
  }
  return sense ?? 1
}

function boundsOf({ conditions, choices }: Conjunction): Map<string, Bounds> {
  const bounds = new Map<string, Bounds>()
  for (const condition of conditions) learn(bounds, condition)
  for (const branches of choices) {
    const [first, ...others] = branches.map(boundsOf)
    for (const [field, known] of first) {
      let all: Bounds | null = known
      for (const other of others) all = all === null ? null : eitherOf(all, other.get(field))
      if (all !== null) add(bounds, field, all)
    }
  }
  return bounds
}

function learn(bounds: Map<string, Bounds>, { field, operation }: FieldCondition): void {
  switch (operation.kind) {
    case '$eq':
      return add(bounds, field, { points: [operation.value], text: typeof operation.value === 'string' })
    case '$in':
      return add(bounds, field, { points: operation.values, text: operation.values.every((value) => typeof value === 'string') })
    case '$gt':
    case '$gte':
      return add(bounds, field, beyond('lower', operation.value, operation.kind === '$gte'))
    case '$lt':
    case '$lte':
      return add(bounds, field, beyond('upper', operation.value, operation.kind === '$lte'))
    case '$regex':
      return add(bounds, field, { text: true })
    default:
  }
}

function beyond(side: 'lower' | 'upper', value: Scalar, inclusive: boolean): Bounds {
  if (value === null) return { points: inclusive ? [null] : [] }
  return { [side]: { value, inclusive }, text: typeof value === 'string' }
}

function add(bounds: Map<string, Bounds>, field: string, more: Bounds): void {
  const known = bounds.get(field)
  if (known === undefined) {
    bounds.set(field, { ...more })
    return
  }
  known.points ??= more.points as readonly Scalar[]
  if (known.points === undefined) delete known.points
  // Bounds of two types exclude one another, which is left to the filter.
  if (known.lower === undefined && more.lower !== undefined && sameType(more.lower, known.upper)) known.lower = more.lower
  if (known.upper === undefined && more.upper !== undefined && sameType(more.upper, known.lower)) known.upper = more.upper
  if (more.text === true) known.text = true
}

const sameType = (a: Bound, b: Bound | undefined): boolean => b === undefined || rankOf(a.value) === rankOf(b.value)

/** What holds when one of two does: of a page's `{ at: { $lt } }` or `{ at, _id: { $lt } }`, that `at` is at most that. */
function eitherOf(a: Bounds, b: Bounds | undefined): Bounds | null {
  if (b === undefined) return null
  const text = a.text === true && b.text === true
  if (a.points !== undefined && b.points !== undefined) return { points: [...a.points, ...b.points], text }
  const one = asRange(a)
  const other = asRange(b)
  if (one === null || other === null || one.rank !== other.rank) return { text }
  const lower = one.lower === undefined || other.lower === undefined ? undefined : wider(one.lower, other.lower, -1)
  const upper = one.upper === undefined || other.upper === undefined ? undefined : wider(one.upper, other.upper, 1)
  return { ...(lower === undefined ? {} : { lower }), ...(upper === undefined ? {} : { upper }), text }
}

function asRange(bounds: Bounds): { lower?: Bound; upper?: Bound; rank: number } | null {
  if (bounds.points === undefined) {
    const either = bounds.lower ?? bounds.upper
    return either === undefined ? null : { ...bounds, rank: rankOf(either.value) }
  }
  const points = [...bounds.points].sort(compareValues)
  if (points.length === 0 || rankOf(points[0]) === RANK.null || rankOf(points[0]) !== rankOf(points[points.length - 1])) return null
  return { lower: { value: points[0], inclusive: true }, upper: { value: points[points.length - 1], inclusive: true }, rank: rankOf(points[0]) }
}

function wider(a: Bound, b: Bound, sign: 1 | -1): Bound {
  const difference = compareValues(a.value, b.value) * sign
  if (difference === 0) return a.inclusive ? a : b
  return difference > 0 ? a : b
}
