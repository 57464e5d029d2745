/**
 * Puts events into the order of their times, as far as they are not further apart than a bounded window. Events of one time keep their order. An event that comes
 * later than one that has left the window is late.
 */

/** Events that wait at most, and bytes of them. */
export const WINDOW_EVENTS = 4096
const BYTES_LIMIT = 16 * 1024 * 1024
/** Places of events that have left are given back together. */
const LEFT_LIMIT = 256

export interface Waiting {
  readonly seconds: number
  readonly bytes: number
}

/** Plain data. */
export interface OrderWindow<Item extends Waiting> {
  /** In their order. Most events come in it, so a list is faster than a heap. */
  readonly events: Item[]
  /** How many of them have left. */
  left: number
  bytes: number
}

export function createOrderWindow<Item extends Waiting>(): OrderWindow<Item> {
  return { events: [], left: 0, bytes: 0 }
}

/** Adds an event. It takes a step for each later one that waits. */
export function enterWindow<Item extends Waiting>(window: OrderWindow<Item>, item: Item): void {
  const { events, left } = window
  window.bytes += item.bytes
  let at = events.length
  events.push(item)
  for (; at > left && events[at - 1].seconds > item.seconds; at--) events[at] = events[at - 1]
  events[at] = item
}

/** Whether one has to leave. */
export function isWindowFull({ events, left, bytes }: OrderWindow<Waiting>): boolean {
  return events.length - left > WINDOW_EVENTS || bytes > BYTES_LIMIT
}

/** Takes the earliest event out; undefined: there is none. */
export function leaveWindow<Item extends Waiting>(window: OrderWindow<Item>): Item | undefined {
  const { events, left } = window
  if (left === events.length) return undefined
  const first = events[left]
  window.bytes -= first.bytes
  window.left++
  if (window.left === LEFT_LIMIT) forgetLeft(window)
  return first
}

/** Gives back the places of the events that have left. */
export function forgetLeft(window: OrderWindow<Waiting>): void {
  window.events.splice(0, window.left)
  window.left = 0
}
