/** Parses a pattern to items (BEHAVIOUR.md#osregex-syntax). */
import type { ExpressionError } from '../expression.js'
import { PATTERN_LIMIT } from '../expression.js'
import { characterAt } from '../../source/byte-string.js'
import { END, LIT, MARK, ONE, OPEN_PARENTHESIS, PLUS, STAR } from '../../kernel/osregex.js'
import { CLASS_BIT } from './classes.js'

export { END, LIT, MARK, ONE, PLUS, STAR }

/** A literal that equals no byte: the reference engine compares bytes from 0x80 on as negative numbers. */
export const NO_BYTE = -1
/** One alternative as parallel arrays that end with END. */
export interface OsRegexAlternative {
  readonly kinds: Uint8Array
  /** LIT: folded byte or NO_BYTE. ONE, PLUS, STAR: class bit. MARK: its number. */
  readonly values: Int16Array
  /** Offset in the pattern of each item, for explanations. */
  readonly offsets: Uint16Array
  readonly anchoredStart: boolean
  readonly anchoredEnd: boolean
}

export interface OsRegexPattern {
  readonly alternatives: readonly OsRegexAlternative[]
  /** Number of groups in the whole pattern. */
  readonly groupCount: number
}

export type ParseOutcome = { readonly ok: true; readonly pattern: OsRegexPattern } | { readonly ok: false; readonly error: ExpressionError }

/** @param caseSensitive the flag OS_CASE_SENSITIVE: literals are not folded, so capitals never match the folded text */
export function parseOsRegex(pattern: string, caseSensitive: boolean): ParseOutcome {
  const alternatives: OsRegexAlternative[] = []
  const checked = checkOsRegex(pattern, (from, to) => void alternatives.push(parseAlternative(pattern, caseSensitive, from, to)))
  return checked.ok ? { ok: true, pattern: { alternatives, groupCount: checked.groupCount } } : checked
}

export type CheckOutcome = { readonly ok: true; readonly groupCount: number } | { readonly ok: false; readonly error: ExpressionError }

const BACKSLASH = 0x5c
const CLOSE_PARENTHESIS = 0x29
const BAR = 0x7c

/** Reads a pattern only as far as it decides whether the pattern is correct. @param onAlternative receives the bounds of each alternative before the first error */
export function checkOsRegex(pattern: string, onAlternative: (from: number, to: number) => void = () => {}): CheckOutcome {
  const { length } = pattern
  if (length > PATTERN_LIMIT) return failure('pattern_too_long', PATTERN_LIMIT, `the pattern is longer than ${PATTERN_LIMIT} bytes`)
  let start = 0
  let open = -1
  let groupCount = 0
  for (let at = 0; at <= length; at++) {
    const code = at < length ? pattern.charCodeAt(at) : BAR
    if (code === BACKSLASH) {
      if (at + 1 >= length) return failure('bad_escape', at, 'a backslash ends the pattern')
      const next = pattern.charCodeAt(at + 1)
      if (CLASS_BIT[next] === 0 || next > 0xff) return failure('bad_escape', at, `"\\${characterAt(pattern, at + 1)}" is no escape of OS_Regex`)
      at++
    } else if (code === OPEN_PARENTHESIS) {
      if (open >= 0) return failure('bad_parentheses', at, 'groups must not be nested')
      open = at
    } else if (code === CLOSE_PARENTHESIS) {
      if (open < 0) return failure('bad_parentheses', at, '")" without "("')
      open = -1
      groupCount++
    } else if (code === BAR) {
      if (open >= 0) return at === length ? failure('bad_parentheses', open, '"(" is not closed') : failure('bad_parentheses', at, '"|" inside a group')
      onAlternative(start, at)
      start = at + 1
    }
  }
  return { ok: true, groupCount }
}

function failure(code: ExpressionError['code'], offset: number, message: string): { ok: false; error: ExpressionError } {
  return { ok: false, error: { code, offset, message } }
}

/** Parses the text between two bars, which is already checked. */
function parseAlternative(pattern: string, caseSensitive: boolean, from: number, to: number): OsRegexAlternative {
  let start = from
  let end = to
  const anchoredStart = pattern[start] === '^' && start < end
  if (anchoredStart) start++
  const anchoredEnd = end > start && pattern[end - 1] === '$' && !escapedAt(pattern, start, end - 1)
  if (anchoredEnd) end--
  const kinds = new Uint8Array(end - start + 1)
  const values = new Int16Array(kinds.length)
  const offsets = new Uint16Array(kinds.length)
  let count = 0
  let marks = 0
  const add = (kind: number, value: number, offset: number): void => {
    kinds[count] = kind
    values[count] = value
    offsets[count++] = offset
  }
  for (let at = start; at < end; at++) {
    const code = pattern.charCodeAt(at)
    if (code === 0x5c) {
      const bit = CLASS_BIT[pattern.charCodeAt(at + 1)]
      const quantifier = at + 2 < end ? pattern[at + 2] : ''
      const kind = quantifier === '+' ? PLUS : quantifier === '*' ? STAR : ONE
      add(kind, bit, at)
      at += kind === ONE ? 1 : 2
    } else if (code === 0x28 || code === 0x29) add(MARK, marks++, at)
    else {
      const folded = !caseSensitive && code >= 0x41 && code <= 0x5a ? code + 0x20 : code
      add(LIT, code >= 0x80 || (caseSensitive && code >= 0x41 && code <= 0x5a) ? NO_BYTE : folded, at)
    }
  }
  add(END, 0, end)
  if (count === kinds.length) return { kinds, values, offsets, anchoredStart, anchoredEnd }
  return { kinds: kinds.slice(0, count), values: values.slice(0, count), offsets: offsets.slice(0, count), anchoredStart, anchoredEnd }
}

/** Whether the byte at `at` is escaped by an odd run of backslashes that begins at or after `start`. */
function escapedAt(pattern: string, start: number, at: number): boolean {
  let run = 0
  while (at - 1 - run >= start && pattern[at - 1 - run] === '\\') run++
  return run % 2 === 1
}
