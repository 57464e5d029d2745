/**
 * Patterns for texts in requests, and the form in which the OpenAPI document shows each.
 * Validation runs on V8 with the flag `u`. Readers of the document use other engines (Python's `re`, Rust, RE2, Java, ECMA-262 without flags), so each
 * published form
 *  1. uses only syntax that all of these read alike: literals, classes of literals and ranges, `\xhh`, `(?:…)`, `|`, quantifiers, `^` and `$`
 *  2. repeats nothing more than 1,000 times, the maximum of RE2
 *  3. accepts every text that validation accepts; it may accept more
 */

/** No unpaired surrogates: they are not characters, and UTF-8 can't encode them. */
export const WHOLE_CHARACTERS = '^[^\\p{Cs}]*$'
/** The same without U+0000; line breaks are allowed. */
export const SOME_LINES = '^[^\\p{Cs}\\u0000]*$'
/** As `SOME_LINES`, and at least one character. */
export const LINES = '^[^\\p{Cs}\\u0000]+$'
/** At least one visible character; no control characters, line separators or bidirectional controls. */
export const ONE_LINE = '^(?=.*[^\\s\\p{Cf}])[^\\p{Cc}\\p{Cs}\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]+$'
/** Rule ids in one request: as many as the largest page of a list. */
export const RULE_IDS_LIMIT = 200
/** Rule ids separated by commas. */
export const RULE_ID_LIST = `^[0-9]{1,6}(?:,[0-9]{1,6}){0,${RULE_IDS_LIMIT - 1}}$`

/** The published form of each pattern. Null: none is needed, because every decoded text matches. */
export const PORTABLE_FORMS: ReadonlyMap<string, string | null> = new Map([
  [WHOLE_CHARACTERS, null],
  [SOME_LINES, '^[^\\x00]*$'],
  [LINES, '^[^\\x00]+$'],
  [RULE_ID_LIST, '^[0-9]{1,6}(?:,[0-9]{1,6})*$'],
  // Beyond Latin-1 no escape is read alike by all engines, and literal characters would be invisible. Only validation refuses those.
  [ONE_LINE, '^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\x00-\\x20\\x7f-\\xa0\\xad][^\\x00-\\x1f\\x7f-\\x9f]*$'],
])
