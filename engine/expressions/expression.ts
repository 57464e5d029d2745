/**
 * The contract that the three pattern dialects share.
 *
 * All texts are *byte strings* (source/byte-string.ts), so offsets are byte offsets, as in the reference engine
 * (BEHAVIOUR.md#byte-strings, #expression-types).
 */
import type { SearchedText } from '../kernel/searched-text.js'

export const DIALECTS = ['osregex', 'osmatch', 'pcre2'] as const

export type Dialect = (typeof DIALECTS)[number]

/** The result of a search. One object is reused by many searches, so that a search allocates nothing. */
export interface MatchResult {
  /** Absolute offset of the last matched byte *as the reference engine reports it* (BEHAVIOUR.md#text-after-a-match); `from - 1` for "-1". */
  end: number
  /** Number of reported groups. */
  count: number
  /** Set, and never cleared, by an OSRegex search that stopped because a group ends before it begins; the reference engine may crash there. */
  unsound: boolean
  /** Absolute start and end of group i at 2i and 2i+1. A group that took no part but precedes one that did is an empty slice. */
  bounds: number[]
}

/**
 * A necessary condition for a pattern to match a case-folded text, cheap enough to be indexed. `exact`: the text equals one of the values.
 * `contains`: one of the values occurs in it. All values are folded byte strings.
 */
export type Prefilter = { readonly kind: 'exact'; readonly values: readonly string[] } | { readonly kind: 'contains'; readonly values: readonly string[] }

/** Runs a pattern, any number of times. */
export interface Matcher {
  readonly dialect: Dialect
  /** The pattern as written, as a byte string. */
  readonly pattern: string
  /** Returns whether the pattern matches a text from offset `from` on (`^` means `from`). */
  matches(subject: SearchedText, from: number): boolean
  /** Like `matches`, and fills `result`. On false the content of `result` is undefined. */
  find(subject: SearchedText, from: number, result: MatchResult): boolean
}

/** A compiled pattern. Immutable, and safe to use for any number of events. */
export interface Expression extends Matcher {
  /** Null: the pattern must always run. */
  readonly prefilter: Prefilter | null
  /** 1 for each byte that can begin a text that the pattern matches from its start; null: any byte. An empty text is not excluded. */
  readonly firstBytes: Uint8Array | null
  /**
   * What rules and decoders run that events try, always the same object. It is created at the first use: all these are then side by side in memory, where the
   * patterns of a ruleset are apart, each between what compiling it left.
   */
  readonly tried: Matcher
  /**
   * Returns the same as `matches`, for a text that is a string.
   * @param lower `text` with ASCII letters folded to lower case; callers fold once for each text
   */
  test(text: string, lower: string, from: number): boolean
  /** The same for `find`. */
  search(text: string, lower: string, from: number, result: MatchResult): boolean
}

/** Why a pattern does not compile. */
export interface ExpressionError {
  readonly code: 'bad_escape' | 'bad_parentheses' | 'pattern_too_long' | 'pcre2_syntax' | 'pcre2_too_complex'
  /** Byte offset in the pattern. */
  readonly offset: number
  /** English, lower case, no final full stop; used as {reason} of `regex_invalid`. */
  readonly message: string
}

export type CompileOutcome<E extends Expression = Expression> = { readonly ok: true; readonly expression: E } | { readonly ok: false; readonly error: ExpressionError }

/** The reference engine refuses longer OSRegex and OSMatch patterns (BEHAVIOUR.md#pattern-length). */
export const PATTERN_LIMIT = 20_480

/** Returns an empty result object. */
export function createMatchResult(): MatchResult {
  return { end: 0, count: 0, unsound: false, bounds: [] }
}
