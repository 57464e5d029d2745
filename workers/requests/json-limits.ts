/**
 * Limits of JSON from outside, for every schema. They are counted in the text before it is parsed: the cost of parsing and checking depends on the number of
 * values, and 8 MB of text may have four million. It depends on distinct names as well: V8 describes objects by their names, and parses objects with a name of
 * their own at 11 MB a second, others at some hundred.
 */
import { type FieldIssue, issue } from './issue.js'

/** Levels of objects and arrays. The deepest body of a route has 5. */
export const DEPTH_LIMIT = 64
/** Members of one object. The longest map of a route has 100. */
export const MEMBERS_LIMIT = 1_000
/** Values of a body, not counting names. An import of 10,000 cases with 20 fields each is the longest body of a CI job. */
export const VALUES_LIMIT = 250_000
/**
 * Distinct names of members. Windows events, the richest that cases name fields of, have less than a thousand, an answer of a forge some hundred. Text within
 * `SMALL_JSON_BYTES` has at most twice this number.
 */
export const NAMES_LIMIT = 4_096
/** JSON up to this size is parsed where it arrives, on an event loop too: 64 KB of objects with a name each take 4 ms. Larger JSON is parsed in a pooled thread. */
export const SMALL_JSON_BYTES = 64 * 1024

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const ARRAY_BEGIN = 0x5b
const BACKSLASH = 0x5c
const ARRAY_END = 0x5d
const OBJECT_BEGIN = 0x7b
const OBJECT_END = 0x7d

/** Returns the limit that a text exceeds; null: none. A text that is not JSON is measured up to the place where a parser stops. @param valuesLimit for JSON whose form needs more values than others */
export function overJsonLimit(text: string, valuesLimit = VALUES_LIMIT): FieldIssue | null {
  // Number of colons in each open object, by depth.
  const members = new Int32Array(DEPTH_LIMIT + 1)
  let depth = 0
  let values = 1
  let named = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case OBJECT_BEGIN:
      case ARRAY_BEGIN:
        if (++depth > DEPTH_LIMIT) return issue('', 'too_deep', { depth: DEPTH_LIMIT }, { limit: DEPTH_LIMIT })
        members[depth] = 0
        values++
        break
      case OBJECT_END:
      case ARRAY_END:
        if (--depth < 0) at = text.length
        break
      case COLON:
        named++
        if (++members[depth] > MEMBERS_LIMIT) return issue('', 'too_many_members', { members: MEMBERS_LIMIT }, { limit: MEMBERS_LIMIT })
        break
      case COMMA:
        values++
    }
    if (values > valuesLimit) return issue('', 'too_many_values', { values: valuesLimit }, { limit: valuesLimit })
  }
  return named > NAMES_LIMIT && hasManyNames(text) ? issue('', 'too_many_names', { names: NAMES_LIMIT }, { limit: NAMES_LIMIT }) : null
}

/** Whether the members have more than `NAMES_LIMIT` names, by how they are written. Most texts have fewer members, and are not read again for this. */
function hasManyNames(text: string): boolean {
  const names = new Set<string>()
  let begin = 0
  let end = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      begin = at + 1
      end = at = endOfString(text, at)
    } else if (code === COLON && names.add(text.slice(begin, end)).size > NAMES_LIMIT) return true
  }
  return false
}

/** Returns the end of the string that begins here, or that of the text. */
function endOfString(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}
