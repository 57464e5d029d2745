/**
 * Finds where a pattern stopped matching: the longest prefix of one of its alternatives that matches the text. A prefix of a pattern matches wherever the
 * pattern does, except for a few quirks of OSRegex, so binary search finds it.
 *
 *     pattern  ^Failed \S+ for root        text  Failed password for bob
 *              ^^^^^^^^^^^^^^^ matches           ^^^^^^^^^^^^^^^^^^^^
 */
import { compileExpression } from '../expressions/compile.js'
import type { Dialect, MatchResult } from '../expressions/expression.js'
import { createMatchResult } from '../expressions/expression.js'
import { compileOsMatch } from '../expressions/osmatch/osmatch.js'
import { MARK, parseOsRegex } from '../expressions/osregex/parse.js'
import type { Explanation } from '../records/records.js'
import { foldCase, fromByteString } from '../source/byte-string.js'
import { splitPcre2 } from './pcre2-pieces.js'

export type StoppedAt = NonNullable<NonNullable<Explanation['failed_condition']>['stopped_at']>

/** Limit of examined words of an OSMatch: generated lists have thousands. */
const WORDS_LIMIT = 256
/** Alternatives of other dialects, each searched about six times. With SUBJECT_LIMIT even hostile patterns end within a second. */
const ALTERNATIVES_LIMIT = 32
/** Limit of searched bytes: most logs are shorter, and a failed search may take quadratic time. */
const SUBJECT_LIMIT = 2048
/** A shorter match inside the text is accidental; at the start of the text it is not. */
const MIN_MATCH = 3
/** Shown bytes of the expected text. */
const EXPECTED_LIMIT = 120

/** How far one alternative matched. Offsets are bytes. */
interface Progress {
  readonly patternAt: number
  readonly textFrom: number
  readonly textTo: number
  readonly expected: string
}

/** An alternative in parts: `end[i]` is the offset in the pattern after part i, `text[i]` its text. */
interface Pieces {
  readonly prefix: string
  readonly texts: readonly string[]
  readonly ends: readonly number[]
  readonly end: number
}

/** Null: no part matched, the pattern matches, or the result is unknown. @param pattern,text byte strings; @param from where the search begins */
export function findStop(dialect: Dialect | 'exact', pattern: string, text: string, from = 0): StoppedAt | null {
  const subject = text.slice(from, from + SUBJECT_LIMIT)
  let best: Progress | null = null
  for (const progress of alternativesOf(dialect, pattern, subject)) {
    if (best === null || progress.textTo - progress.textFrom > best.textTo - best.textFrom) best = progress
  }
  if (best === null || best.textTo === best.textFrom || (best.textFrom > 0 && best.textTo - best.textFrom < MIN_MATCH)) return null
  const { patternAt, textFrom, textTo, expected } = best
  return {
    pattern_offset: fromByteString(pattern.slice(0, patternAt)).length,
    text_offset: fromByteString(text.slice(0, from + textTo)).length,
    matched_part: fromByteString(subject.slice(textFrom, textTo)),
    expected: fromByteString(expected.slice(0, EXPECTED_LIMIT)),
  }
}

function* alternativesOf(dialect: Dialect | 'exact', pattern: string, text: string): Generator<Progress> {
  if (dialect === 'exact') yield compareLiteral(pattern, pattern, 0, text, text)
  else if (dialect === 'osmatch') yield* osMatchProgress(pattern, text)
  else {
    const alternatives = dialect === 'osregex' ? osRegexPieces(pattern) : pcre2Pieces(pattern)
    for (const pieces of alternatives.slice(0, ALTERNATIVES_LIMIT)) {
      const progress = longestBeginning(dialect, pieces, pattern, text)
      if (progress !== null) yield progress
    }
  }
}

/** A literal compared from the start of the text. */
function compareLiteral(literal: string, pattern: string, patternAt: number, text: string, shown: string): Progress {
  let same = 0
  while (same < literal.length && literal[same] === text[same]) same++
  return { patternAt: patternAt + same, textFrom: 0, textTo: same, expected: same < literal.length ? pattern.slice(patternAt + same) : shown.length > same ? '$' : '' }
}

function* osMatchProgress(pattern: string, text: string): Generator<Progress> {
  const outcome = compileOsMatch(pattern)
  if (!outcome.ok || outcome.expression.negated) return
  const lower = foldCase(text)
  let at = 0
  const written = pattern.split('|')
  for (const [index, { form, literal }] of outcome.expression.alternatives.slice(0, WORDS_LIMIT).entries()) {
    const start = at + (form === 'starts' || form === 'equals' ? 1 : 0)
    at += written[index].length + 1
    const rest = written[index].slice(start - (at - written[index].length - 1))
    if (form === 'starts' || form === 'equals') {
      const { textTo } = compareLiteral(literal, literal, 0, lower, lower)
      yield { patternAt: start + textTo, textFrom: 0, textTo, expected: textTo < literal.length ? rest.slice(textTo) : '$' }
    } else if (form === 'contains' || form === 'ends') {
      const length = longestThat(literal.length, (count) => lower.includes(literal.slice(0, count)))
      const found = lower.lastIndexOf(literal.slice(0, length))
      yield { patternAt: start + length, textFrom: found, textTo: found + length, expected: rest.slice(length) }
    }
  }
}

/** Returns the largest count from 0 to `limit` that passes, if every smaller one passes too. */
export function longestThat(limit: number, passes: (count: number) => boolean): number {
  let low = 0
  let high = limit
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (passes(middle)) low = middle
    else high = middle - 1
  }
  return low
}

function longestBeginning(dialect: Dialect, pieces: Pieces, pattern: string, text: string): Progress | null {
  const lower = foldCase(text)
  const result = createMatchResult()
  const count = longestThat(pieces.texts.length, (length) => length === 0 || searchBeginning(dialect, pieces, length, text, lower, result))
  if (count === 0) return null
  searchBeginning(dialect, pieces, count, text, lower, result)
  const [textFrom, textTo] = result.bounds
  if (result.count === 0) return null
  const patternAt = pieces.ends[count - 1]
  return { patternAt, textFrom, textTo, expected: pattern.slice(patternAt, pieces.end) }
}

/** The prefix as a group, so that the match has a start and an end. */
function searchBeginning(dialect: Dialect, { prefix, texts }: Pieces, count: number, text: string, lower: string, result: MatchResult): boolean {
  const outcome = compileExpression(dialect, `${prefix}(${texts.slice(0, count).join('')})`, true)
  return outcome.ok && outcome.expression.search(text, lower, 0, result)
}

function osRegexPieces(pattern: string): Pieces[] {
  const parsed = parseOsRegex(pattern, false)
  if (!parsed.ok) return []
  return parsed.pattern.alternatives.map(({ kinds, offsets, anchoredStart, anchoredEnd }) => {
    const texts: string[] = []
    const ends: number[] = []
    for (let i = 0; i + 1 < kinds.length; i++) {
      texts.push(kinds[i] === MARK ? '' : pattern.slice(offsets[i], offsets[i + 1]))
      ends.push(offsets[i + 1])
    }
    const last = offsets[offsets.length - 1]
    return { prefix: anchoredStart ? '^' : '', texts, ends, end: anchoredEnd ? last + 1 : last }
  })
}

function pcre2Pieces(pattern: string): Pieces[] {
  return splitPcre2(pattern).map((pieces) => {
    const ends: number[] = []
    let at = pieces.start
    for (const text of pieces.texts) {
      at += text.length
      ends.push(at)
    }
    return { prefix: pieces.options, texts: pieces.texts, ends, end: at }
  })
}
