/** Events that differ a little from others: the places where two rulesets may part. All lists have an order, so that the same rulesets have the same answers. */
import { ADDRESSES } from '../generate/usual-values.js'
import { USUAL_ADVANCE } from '../generate/witnesses.js'
import type { BehaviourEvent } from './side.js'

/** Tokens of an event that are changed. */
const TOKENS_CHANGED = 48
/** Words that are put in place of each token. */
const WORDS_TRIED = 8
/** Events that are left out at the beginning of a sequence, or repeated at its end. */
const COUNTS_TRIED = 12
const TOKEN = /[A-Za-z_][\w-]*|\d+(?:\.\d+){3}|\d+|[^\w\s]/g
/** The header of syslog, up to the log. */
export const HEADER = /^[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d \S+ [^:]*: ?/
const ADDRESS = /^\d+(?:\.\d+){3}$/
const MINUTE = 60
const HALF_HOUR = 30 * MINUTE
const DAY = 24 * 60 * MINUTE
const WEEK = 7 * DAY

/** @param words texts that the compared patterns look for */
export function* nearTexts(text: string, words: readonly string[]): Generator<string> {
  const header = HEADER.exec(text)?.[0] ?? ''
  const log = text.slice(header.length)
  for (const word of words) {
    yield `${text} ${word}`
    yield `${header}${word} ${log}`
    yield header + word
    yield text + word
    yield header + word + log
  }
  for (const word of words) yield word
  yield log
  const tokens = [...text.matchAll(TOKEN)].slice(0, TOKENS_CHANGED)
  for (const { 0: token, index } of tokens) {
    const [before, after] = [text.slice(0, index), text.slice(index + token.length)]
    yield before + after
    yield `${before}x${after}`
    if (/^\d+$/.test(token)) {
      yield `${before}${Number(token) + 1}${after}`
      yield `${before}0${after}`
    }
    if (ADDRESS.test(token)) for (const address of ADDRESSES) yield before + address + after
    if (/^[A-Za-z]/.test(token)) yield before + (token === token.toLowerCase() ? token.toUpperCase() : token.toLowerCase()) + after
    for (const word of words.slice(0, WORDS_TRIED)) yield before + word + after
  }
  for (const { index } of tokens) yield text.slice(0, index).trimEnd()
}

/** Sequences with other numbers of events, other times, and other values of what they have in common. @param timeframes of the compared rules */
export function* nearSequences(events: readonly BehaviourEvent[], values: readonly string[], timeframes: readonly number[]): Generator<readonly BehaviourEvent[]> {
  const last = events[events.length - 1]
  const many = events.length > 1 ? events : Array.from({ length: 3 }, () => last)
  if (many !== events) yield many
  for (let count = 1; count <= Math.min(COUNTS_TRIED, many.length - 1); count++) yield many.slice(count)
  for (let count = 1; count <= COUNTS_TRIED; count++) yield [...many, ...Array.from({ length: count }, () => last)]
  const longest = many.length + COUNTS_TRIED
  for (const timeframe of timeframes) {
    for (const length of new Set([many.length, longest])) {
      const sequence = length === many.length ? many : [...many, ...Array.from({ length: COUNTS_TRIED }, () => last)]
      // As long as the time frame, and a second longer: together, and from event to event.
      for (const total of [timeframe, timeframe + 1]) {
        yield spread(sequence, total)
        yield sequence.map((event, at) => (at === 0 ? event : { ...event, advance: total }))
      }
    }
  }
  yield [...Array.from({ length: many.length - 1 }, () => last), last]
  for (const value of values)
    if (value.length > 1 && last.event.includes(value)) {
      yield many.map((event, at) => ({ ...event, event: event.event.replaceAll(value, otherValue(value, at)) }))
      yield many.map((event) => ({ ...event, event: last.event }))
    }
}

/** The same events within that many seconds, at even distances but the last one. */
function spread(events: readonly BehaviourEvent[], seconds: number): readonly BehaviourEvent[] {
  const gaps = Math.max(1, events.length - 1)
  const advance = Math.floor(seconds / gaps)
  return events.map((event, at) => (at === 0 ? event : { ...event, advance: at === gaps ? seconds - advance * (gaps - 1) : advance }))
}

/** The same events with another value in place of one that they have. */
export function* withValues(events: readonly BehaviourEvent[], value: string | undefined, others: readonly string[]): Generator<readonly BehaviourEvent[]> {
  if (value === undefined || value === '') return
  for (const other of others) yield events.map((event) => ({ ...event, event: event.event.replaceAll(value, other) }))
}

/** Another value of the same kind. */
export function otherValue(value: string, at: number): string {
  if (ADDRESS.test(value)) return `198.51.100.${10 + (at % 200)}`
  return /^\d+$/.test(value) ? String(Number(value) + at) : `${value}${at}`
}

/** Addresses at and beside the edges of the networks that a text names, those that only smaller parts of a network lack first. */
export function nearAddresses(text: string): string[] {
  const found = new Set<string>()
  for (const [, address, bits = '32'] of text.matchAll(/(\d{1,3}(?:\.\d{1,3}){3})(?:\/(\d{1,2}))?/g)) {
    const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
    const size = 2 ** Math.max(0, 32 - Number(bits))
    const first = number - (number % size)
    for (const other of [first + size - 1, first, first + size / 2, first + size, first - 1, first + Math.floor(size / 4)])
      if (other >= 0 && other < 2 ** 32) found.add([24, 16, 8, 0].map((shift) => Math.floor(other / 2 ** shift) % 256).join('.'))
  }
  return [...found]
}

/** The same events at other times of the week. @param minutes times of day that rules name, in minutes */
export function* otherTimes(events: readonly BehaviourEvent[], minutes: readonly number[]): Generator<readonly BehaviourEvent[]> {
  const [first, ...rest] = events
  const at = (seconds: number): readonly BehaviourEvent[] => [{ ...first, advance: USUAL_ADVANCE + seconds }, ...rest]
  // 1,700,000,000 is 22:13:20.
  const midnight = DAY - ((22 * 60 + 13) * MINUTE + 20)
  for (const minute of minutes) for (const near of [minute - 1, minute, minute + 1]) yield at(midnight + near * MINUTE)
  for (let seconds = HALF_HOUR; seconds < WEEK; seconds += HALF_HOUR) yield at(seconds)
}
