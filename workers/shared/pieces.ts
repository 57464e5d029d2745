/**
 * Values that a thread has parsed, on their way to the main thread: JSON in pieces, each of which the event loop parses in less than a millisecond, with pauses
 * between them, and long texts as they are. (JSON takes a fifth of the time of structured clone: 30,000 entries of a tree 20 ms instead of 100.)
 */
import { randomUUID } from 'node:crypto'

/** Characters of JSON that are parsed at once. */
export const PIECE_CHARACTERS = 64 * 1024
/** What a number, a literal or the marks of an object or array are counted as. */
const SCALAR_CHARACTERS = 8

/** A value. A text in `list` is the JSON of consecutive entries, one in `members` that of an object with consecutive members. */
export type Pieces =
  | { readonly json: string }
  | { readonly text: string }
  | { readonly list: readonly (string | { readonly entry: Pieces })[] }
  | { readonly members: readonly (string | readonly [name: string, value: Pieces])[] }

type Container = readonly unknown[] | Readonly<Record<string, unknown>>

/** @param value of `JSON.parse`, nested no deeper than `DEPTH_LIMIT` @param characters of JSON that are parsed at once; tests cut smaller pieces */
export function toPieces(value: unknown, characters = PIECE_CHARACTERS): Pieces {
  const long = new Set<unknown>()
  let isWritten = true
  const weigh = (part: unknown): number => {
    if (typeof part === 'string') return part.length
    if (typeof part === 'number' && unwritten(part) !== null) isWritten = false
    if (typeof part !== 'object' || part === null) return SCALAR_CHARACTERS
    let weight = SCALAR_CHARACTERS
    if (Array.isArray(part)) for (const entry of part) weight += weigh(entry)
    else for (const name of Object.keys(part)) weight += name.length + SCALAR_CHARACTERS + weigh((part as Readonly<Record<string, unknown>>)[name])
    if (weight > characters) long.add(part)
    return weight
  }
  const jsonOf = (part: unknown): string => (isWritten ? JSON.stringify(part) : exactJson(part))
  const isLong = (part: unknown): boolean => (typeof part === 'string' ? part.length > characters : long.has(part))
  const cut = (part: unknown): Pieces => {
    if (!isLong(part)) return { json: jsonOf(part) }
    if (typeof part === 'string') return { text: part }
    if (Array.isArray(part))
      return {
        list: grouped(part, characters, isLong, weigh, jsonOf, (entry) => ({ entry: cut(entry) })),
      }
    return {
      members: grouped(
        Object.entries(part as Container),
        characters,
        ([, member]) => isLong(member),
        ([name, member]) => name.length + weigh(member),
        (some) => jsonOf(Object.fromEntries(some)),
        ([name, member]) => [name, cut(member)] as const,
      ),
    }
  }
  weigh(value)
  return cut(value)
}

/** Groups consecutive short items to texts of about as many characters; long ones stay apart. */
function grouped<T, Long>(
  items: readonly T[],
  characters: number,
  isLong: (item: T) => boolean,
  weigh: (item: T) => number,
  textOf: (items: readonly T[]) => string,
  longOf: (item: T) => Long,
): (string | Long)[] {
  const parts: (string | Long)[] = []
  let group: T[] = []
  let weight = 0
  const end = (): void => {
    if (group.length > 0) parts.push(textOf(group))
    group = []
    weight = 0
  }
  for (const item of items) {
    if (isLong(item)) {
      end()
      parts.push(longOf(item))
      continue
    }
    group.push(item)
    weight += weigh(item)
    if (weight > characters) end()
  }
  end()
  return parts
}

/** JSON that makes a number which `JSON.parse` makes and `JSON.stringify` writes as another value; null: it writes the number. */
function unwritten(number: number): string | null {
  if (number === 0) return Object.is(number, -0) ? '-0' : null
  return Number.isFinite(number) ? null : number > 0 ? '1e999' : '-1e999'
}

/** JSON with all numbers as they are. */
function exactJson(value: unknown): string {
  // A mark that nobody knows before.
  const mark = randomUUID()
  const marked = JSON.stringify(value, (_, part: unknown) => (typeof part === 'number' && unwritten(part) !== null ? mark + unwritten(part) : part))
  return marked.replaceAll(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1')
}

/** Puts a value together again. Other work of the event loop runs between the pieces. */
export async function fromPieces(pieces: Pieces): Promise<unknown> {
  if ('text' in pieces) return pieces.text
  if ('json' in pieces) return JSON.parse(pieces.json)
  const entries: unknown[] = []
  if ('list' in pieces) {
    for (const part of pieces.list) {
      if (typeof part !== 'string') entries.push(await fromPieces(part.entry))
      else for (const entry of JSON.parse(part) as unknown[]) entries.push(entry)
      await pause()
    }
    return entries
  }
  for (const part of pieces.members) {
    if (typeof part === 'string') for (const member of Object.entries(JSON.parse(part) as object)) entries.push(member)
    else entries.push([part[0], await fromPieces(part[1])])
    await pause()
  }
  // Names are data: an assignment to `__proto__` would set the prototype.
  return Object.fromEntries(entries as [string, unknown][])
}

function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
