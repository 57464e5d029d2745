/** CDB lists (BEHAVIOUR.md#cdb-lists): parsing of keys and values, and the six look-ups. */
import { foldCase } from '../source/byte-string.js'
import type { OsMatchExpression } from '../expressions/osmatch/osmatch.js'

export const LOOKUPS = ['match_key', 'not_match_key', 'match_key_value', 'address_match_key', 'not_address_match_key', 'address_match_key_value'] as const
export type Lookup = (typeof LOOKUPS)[number]

/** Longest line of a list. */
const LINE_LIMIT = 65_535

/** A compiled list: the first value of each key. */
export interface CdbList {
  readonly path: string
  readonly entries: ReadonlyMap<string, string>
  /** Lengths of the keys that end in a dot. Only prefixes of these lengths are looked up for an address. */
  readonly prefixLengths: ReadonlySet<number>
}

/** @param path the name that rules use, such as `etc/lists/audit-keys` @param bytes the text of the file; both are byte strings */
export function compileList(path: string, bytes: string): CdbList {
  const entries = new Map<string, string>()
  const prefixLengths = new Set<number>()
  for (const { start, end } of listLines(bytes)) {
    const entry = parseListLine(bytes.slice(start, end))
    if (entry === null || entries.has(entry.key)) continue
    entries.set(entry.key, entry.value)
    if (entry.key.endsWith('.')) prefixLengths.add(entry.key.length)
  }
  return { path, entries, prefixLengths }
}

/** Yields the offsets of the lines that are not empty; CR and LF end a line. It is a generator because a list may have millions of lines. */
export function* listLines(bytes: string): Generator<{ readonly start: number; readonly end: number }, void, undefined> {
  const breaks = /[\r\n]+/g
  for (let start = 0; start < bytes.length; ) {
    const end = breaks.exec(bytes)?.index ?? bytes.length
    if (end > start) yield { start, end }
    start = end === bytes.length ? end : breaks.lastIndex
  }
}

/** Parses one line; null if the reference engine skips it (BEHAVIOUR.md#list-lines). */
export function parseListLine(line: string): { key: string; value: string } | null {
  if (line.length > LINE_LIMIT) return null
  const quote = line.indexOf('"')
  const colon = line.indexOf(':')
  let key: string
  let rest: string
  if (quote >= 0 && (colon < 0 || quote < colon)) {
    const close = line.indexOf('"', quote + 1)
    if (close < 0) return null
    const after = line.indexOf(':', close + 1)
    if (after < 0) return null
    key = line.slice(quote + 1, close)
    rest = line.slice(after + 1)
  } else {
    if (colon < 0) return null
    key = line.slice(0, colon)
    rest = line.slice(colon + 1)
  }
  const open = rest.indexOf('"')
  if (open < 0) return { key, value: rest }
  const close = rest.indexOf('"', open + 1)
  return close < 0 ? null : { key, value: rest.slice(open + 1, close) }
}

/** Whether the value passes (BEHAVIOUR.md#list-look-ups). @param value a byte string */
export function lookUp(list: CdbList, lookup: Lookup, value: string, check: OsMatchExpression | null): boolean {
  switch (lookup) {
    case 'match_key':
      return list.entries.has(value)
    case 'not_match_key':
      return !list.entries.has(value)
    case 'match_key_value': {
      const found = list.entries.get(value)
      return found !== undefined && check?.test(found, foldCase(found), 0) === true
    }
    case 'address_match_key':
      return findAddress(list, value) !== undefined
    case 'not_address_match_key':
      return findAddress(list, value) === undefined
    case 'address_match_key_value': {
      // Quirk: inverted. It passes when nothing is found, or when the value does not match.
      const found = findAddress(list, value)
      return found === undefined || check === null || !check.test(found, foldCase(found), 0)
    }
  }
}

/** Returns the value of the key, or of its longest prefix that ends in a dot. */
function findAddress(list: CdbList, value: string): string | undefined {
  const whole = list.entries.get(value)
  if (whole !== undefined) return whole
  for (let dot = value.lastIndexOf('.', value.length - 2); dot >= 0; dot = value.lastIndexOf('.', dot - 1)) {
    const found = list.prefixLengths.has(dot + 1) ? list.entries.get(value.slice(0, dot + 1)) : undefined
    if (found !== undefined) return found
    if (dot === 0) break
  }
  return undefined
}
