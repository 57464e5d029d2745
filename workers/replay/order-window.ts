/**
 * Puts events into the order of their times, as far as they are not further apart than a bounded window. Events of one time keep their order. An event that comes
 * later than one that has left the window is late.
 */

/** Events that wait at most, and bytes of them. */
export const WINDOW_EVENTS = 4096
const BYTES_LIMIT = 16 * 1024 * 1024

export interface Waiting {
  readonly seconds: number
  /** Number of the event in the input. */
  readonly order: number
  readonly bytes: number
}

/** A heap: no event is before its parent. Plain data. */
export interface OrderWindow<Item extends Waiting> {
  readonly heap: Item[]
  bytes: number
}

export function createOrderWindow<Item extends Waiting>(): OrderWindow<Item> {
  return { heap: [], bytes: 0 }
}

/** Adds an event. */
export function enterWindow<Item extends Waiting>(window: OrderWindow<Item>, item: Item): void {
  const { heap } = window
  window.bytes += item.bytes
  let at = heap.length
  heap.push(item)
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!isBefore(item, heap[parent])) break
    heap[at] = heap[parent]
    at = parent
  }
  heap[at] = item
}

/** Whether one has to leave. */
export function isWindowFull({ heap, bytes }: OrderWindow<Waiting>): boolean {
  return heap.length > WINDOW_EVENTS || bytes > BYTES_LIMIT
}

/** Takes the earliest event out; undefined: there is none. */
export function leaveWindow<Item extends Waiting>(window: OrderWindow<Item>): Item | undefined {
  const { heap } = window
  const first = heap[0]
  const last = heap.pop()
  if (last === undefined) return undefined
  window.bytes -= first.bytes
  if (heap.length === 0) return first
  let at = 0
  for (let child = 1; child < heap.length; child = 2 * at + 1) {
    if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++
    if (!isBefore(heap[child], last)) break
    heap[at] = heap[child]
    at = child
  }
  heap[at] = last
  return first
}

function isBefore(a: Waiting, b: Waiting): boolean {
  return a.seconds < b.seconds || (a.seconds === b.seconds && a.order < b.order)
}
