/**
 * Limits of JSON in requests, for every schema. They are counted in the text before it is parsed: the cost of parsing and checking depends on the number of
 * values, and 8 MB of text may have four million.
 */
import { type FieldIssue, issue } from './issue.js'

/** Levels of objects and arrays. The deepest body of a route has 5. */
export const DEPTH_LIMIT = 64
/** Members of one object. The longest map of a route has 100. */
export const MEMBERS_LIMIT = 1_000
/** Values of a body, not counting names. An import of 10,000 cases with 20 fields each is the longest body of a CI job. */
export const VALUES_LIMIT = 250_000

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const ARRAY_BEGIN = 0x5b
const BACKSLASH = 0x5c
const ARRAY_END = 0x5d
const OBJECT_BEGIN = 0x7b
const OBJECT_END = 0x7d

/** Returns the limit that a text exceeds; null: none, or it is not JSON. */
export function overJsonLimit(text: string): FieldIssue | null {
  // Number of colons in each open object, by depth.
  const members = new Int32Array(DEPTH_LIMIT + 1)
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        if (at < 0) return null
        break
      case OBJECT_BEGIN:
      case ARRAY_BEGIN:
        if (++depth > DEPTH_LIMIT) return issue('', 'too_deep', { depth: DEPTH_LIMIT }, { limit: DEPTH_LIMIT })
        members[depth] = 0
        values++
        break
      case OBJECT_END:
      case ARRAY_END:
        if (--depth < 0) return null
        break
      case COLON:
        if (++members[depth] > MEMBERS_LIMIT) return issue('', 'too_many_members', { members: MEMBERS_LIMIT }, { limit: MEMBERS_LIMIT })
        break
      case COMMA:
        values++
    }
    if (values > VALUES_LIMIT) return issue('', 'too_many_values', { values: VALUES_LIMIT }, { limit: VALUES_LIMIT })
  }
  return null
}

/** Returns the end of the string that begins here; -1: it has no end. */
function endOfString(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return -1
}
