/**
 * Tells a word that is mistyped from one that is another word: of a mistyped text both the beginning and the end are in the log, next to each other.
 *
 *     pattern  Failed pasword for root        log  Failed password for root
 *              ^^^^^^^^^^                          ^^^^^^^^^^
 *                       ^^^^^^^^^^^^^^                       ^^^^^^^^^^^^^^
 */
import type { Expression } from '../expressions/expression.js'
import { OsMatchExpression } from '../expressions/osmatch/osmatch.js'
import { longestThat } from './stopped-at.js'

/** Shorter words resemble too many others. */
const MIN_LENGTH = 8
/** Characters that may be missing, or be too many. */
const ERRORS = 2
/** At least so much of either end is in the log. */
const MIN_END = 2
/** Alternatives that are compared: longer lists are generated. */
const WORDS_LIMIT = 8
/** Bytes of the log that are searched, and of a word. */
const TEXT_LIMIT = 2048
const DIGIT = /\d/

/** @param lower the text in lower case */
export function isMistyped(expression: Expression, lower: string): boolean {
  if (!(expression instanceof OsMatchExpression) || expression.negated) return false
  const text = lower.slice(0, TEXT_LIMIT)
  return expression.alternatives.slice(0, WORDS_LIMIT).some(({ literal }) => literal.length <= TEXT_LIMIT && resembles(literal, text))
}

function resembles(word: string, text: string): boolean {
  const { length } = word
  if (length < MIN_LENGTH) return false
  // One end of the two that are searched for below is at least as long as this; hardly any word has it.
  const half = Math.ceil((length - ERRORS) / 2)
  if (!text.includes(word.slice(0, half)) && !text.includes(word.slice(length - half))) return false
  const head = longestThat(length, (count) => text.includes(word.slice(0, count)))
  const tail = longestThat(length, (count) => text.includes(word.slice(length - count)))
  if (head < MIN_END || tail < MIN_END || head === length || head + tail < length - ERRORS) return false
  const headEnd = text.indexOf(word.slice(0, head)) + head
  const tailStart = text.lastIndexOf(word.slice(length - tail))
  const between = text.slice(headEnd, tailStart)
  const absent = word.slice(head, length - tail)
  if (Math.abs(tailStart - headEnd) > ERRORS || DIGIT.test(between + absent)) return false
  // A letter in place of another one makes another name, and so do digits.
  return between.length !== absent.length || between === ''
}
