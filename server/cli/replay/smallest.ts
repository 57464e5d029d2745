/**
 * Samples that do not depend on an order: of all items those with the smallest hashes are kept, so the samples of two parts, joined and cut again, are the sample
 * of the whole. Plain data: a checkpoint contains it.
 */

/** An item with its hash. */
interface Hashed<Item> {
  readonly hash: number
  readonly item: Item
}

/** A heap: no hash is greater than that of its parent. */
export interface Smallest<Item> {
  readonly heap: Hashed<Item>[]
}

/** Factors and shifts of the last step of MurmurHash3, whose bits each depend on all bits of the input. */
const FIRST_FACTOR = 0x85ebca6b
const SECOND_FACTOR = 0xc2b2ae35
const GOLDEN = 0x9e3779b9
const WORD = 2 ** 32
/** A number keeps 53 bits: 32 of one word and 21 of another. */
const LOW_BITS = 21
const LOW_SIZE = 2 ** LOW_BITS
const FNV_START = 0x811c9dc5
const FNV_FACTOR = 0x01000193

export function createSmallest<Item>(): Smallest<Item> {
  return { heap: [] }
}

/** Whether an item of this hash is one of the `limit` smallest so far. */
export function admits({ heap }: Smallest<unknown>, limit: number, hash: number): boolean {
  return heap.length < limit || (heap.length > 0 && hash < heap[0].hash)
}

/** Keeps an item that is admitted, in place of the one with the greatest hash if there are `limit`. */
export function keep<Item>({ heap }: Smallest<Item>, limit: number, hash: number, item: Item): void {
  const entry: Hashed<Item> = { hash, item }
  if (heap.length < limit) {
    let at = heap.length
    heap.push(entry)
    for (let parent = (at - 1) >> 1; at > 0 && heap[parent].hash < hash; parent = (at - 1) >> 1) {
      heap[at] = heap[parent]
      at = parent
    }
    heap[at] = entry
    return
  }
  let at = 0
  for (let child = 1; child < heap.length; child = 2 * at + 1) {
    if (child + 1 < heap.length && heap[child + 1].hash > heap[child].hash) child++
    if (heap[child].hash <= hash) break
    heap[at] = heap[child]
    at = child
  }
  heap[at] = entry
}

/** The items by their hashes, the smallest first. */
export function inHashOrder<Item>({ heap }: Smallest<Item>): readonly Item[] {
  return [...heap].sort((a, b) => a.hash - b.hash).map(({ item }) => item)
}

/** A number for the name of a source, from which `hashOf` begins. */
export function seedOf(name: string): number {
  let hash = FNV_START
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), FNV_FACTOR)
  return mix(hash)
}

/** A hash of 53 bits for a line of a source. @param seed of the source */
export function hashOf(seed: number, line: number): number {
  const high = mix(seed ^ mix(line ^ Math.imul(Math.floor(line / WORD), GOLDEN)))
  return (high >>> 0) * LOW_SIZE + (mix(high ^ seed ^ GOLDEN) >>> (32 - LOW_BITS))
}

function mix(word: number): number {
  let hash = word ^ (word >>> 16)
  hash = Math.imul(hash, FIRST_FACTOR)
  hash ^= hash >>> 13
  hash = Math.imul(hash, SECOND_FACTOR)
  return hash ^ (hash >>> 16)
}
