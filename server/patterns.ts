/**
 * Patterns of texts in requests that not every engine can read, and the form in which the interface document shows each.
 * Validation runs on V8 with the flag `u`. Readers of the document have other engines (Python's `re`, Rust, RE2, Java, ECMA-262 without flags), so what it shows
 *  1. is written in the syntax that all of these read alike: literals, classes of literals and ranges, `\xhh`, `(?:…)`, `|`, quantifiers, `^` and `$`
 *  2. repeats nothing more than 1,000 times, which is the most that RE2 takes
  3. takes every text that validation takes; it may take more
 */

/** No half of a surrogate pair: it is no character, and UTF-8 cannot write it. */
export const WHOLE_CHARACTERS = '^[^\\p{Cs}]*$'
/** The same without the null character; line breaks are allowed. */
export const SOME_LINES = '^[^\\p{Cs}\\u0000]*$'
/** As `SOME_LINES`, and at least one character. */
export const LINES = '^[^\\p{Cs}\\u0000]+$'
/** At least one visible character; no control characters, line separators or characters that turn the direction of what follows. */
export const ONE_LINE = '^(?=.*[^\\s\\p{Cf}])[^\\p{Cc}\\p{Cs}\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]+$'
/** Ids of rules in one request: as many as a page of a list holds. */
export const RULE_IDS_LIMIT = 200
/** Ids of rules with commas between them. */
export const RULE_ID_LIST = `^[0-9]{1,6}(?:,[0-9]{1,6}){0,${RULE_IDS_LIMIT - 1}}$`

/** How the document shows each of them. Null: not at all, as a text that reached the reader is one. */
export const PORTABLE_FORMS: ReadonlyMap<string, string | null> = new Map([
  [WHOLE_CHARACTERS, null],
  [SOME_LINES, '^[^\\x00]*$'],
  [LINES, '^[^\\x00]+$'],
  [RULE_ID_LIST, '^[0-9]{1,6}(?:,[0-9]{1,6})*$'],
  // Beyond Latin-1, no escape is read alike by all engines, and the characters themselves would be invisible: those few are refused by validation alone.
  [ONE_LINE, '^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\x00-\\x20\\x7f-\\xa0\\xad][^\\x00-\\x1f\\x7f-\\x9f]*$'],
])
