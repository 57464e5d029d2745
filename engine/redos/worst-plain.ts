/**
 * What an event costs in the worst case with a pattern of Wazuh's own dialects. OSMatch compares each alternative at each place, so that no text is worse than its length. OSRegex
 * begins again one byte after a failed attempt: texts are made of the beginnings of a pattern, and the bytes that the machine reads are measured on two lengths.
 */
import type { Dialect, ExpressionError } from '../expressions/expression.js'
import { compileOsMatch } from '../expressions/osmatch/osmatch.js'
import { BYTE_CLASSES } from '../expressions/osregex/classes.js'
import { compileOsRegex, type OsRegexExpression } from '../expressions/osregex/osregex.js'
import { LIT, MARK, ONE, type OsRegexAlternative, STAR } from '../expressions/osregex/parse.js'
import { foldCase, fromByteString, toByteString } from '../source/byte-string.js'
import { EVENT_BYTES } from './attack.js'

/** Bytes of the texts that are compared, and of those that are measured. */
const COMPARED_BYTES = 400
const MEASURED_BYTES: readonly [number, number] = [2_000, 4_000]
/** Texts of one pattern. */
const TEXTS_LIMIT = 600
/** Items of an alternative that a text begins with. */
const HEAD_LIMIT = 24
/** What may follow so that an attempt fails before the end of the text. */
const SUFFIXES: readonly string[] = ['', '!', ' ', '0', 'a', '\n', '\x01']
/** Bytes that stand for those of a class, readable ones first. */
const READABLE = 'a0 -_A.:/\t\n\x01'
/** A byte takes the machine here about this long; Wazuh's is not measured. */
const BYTE_NS = 2

export interface PlainWorst {
  /** Unicode strings: the text is `prefix`, `pump` as often as `copies` says, and `suffix`. */
  readonly prefix: string
  readonly pump: string
  readonly suffix: string
  readonly copies: number
  readonly bytes: number
  /** Bytes that are read, those that are read again included. */
  readonly reads: number
  /** Degree by which they grow with the length. */
  readonly degree: number
  readonly ms: number
}

export interface PlainSearch {
  readonly error: ExpressionError | null
  readonly worst: PlainWorst | null
}

/** The worst event of 65,536 bytes for a pattern of OSRegex or OSMatch. @param pattern a Unicode string */
export function worstPlain(dialect: Exclude<Dialect, 'pcre2'>, pattern: string): PlainSearch {
  const bytes = toByteString(pattern)
  if (dialect === 'osregex') {
    const outcome = compileOsRegex(bytes)
    return outcome.ok ? { error: null, worst: worstOsRegex(outcome.expression) } : { error: outcome.error, worst: null }
  }
  const outcome = compileOsMatch(bytes)
  if (!outcome.ok) return { error: outcome.error, worst: null }
  const sought = outcome.expression.alternatives.filter(({ form }) => form === 'contains').length
  return { error: null, worst: worstOf({ prefix: '', pump: '\x01', suffix: '' }, EVENT_BYTES * Math.max(1, sought), 1) }
}

interface Parts {
  readonly prefix: string
  readonly pump: string
  readonly suffix: string
}

function worstOf(parts: Parts, reads: number, degree: number): PlainWorst {
  const copies = copiesIn(parts, EVENT_BYTES)
  const { prefix, pump, suffix } = parts
  return {
    prefix: fromByteString(prefix),
    pump: fromByteString(pump),
    suffix: fromByteString(suffix),
    copies,
    bytes: prefix.length + pump.length * copies + suffix.length,
    reads,
    degree,
    ms: Math.round((reads * BYTE_NS) / 1e6),
  }
}

function copiesIn({ prefix, pump, suffix }: Parts, bytes: number): number {
  return Math.max(1, Math.floor((bytes - prefix.length - suffix.length) / pump.length))
}

function worstOsRegex(expression: OsRegexExpression): PlainWorst {
  let worst: Parts = { prefix: '', pump: '\x01', suffix: '' }
  let most = readsOf(expression, worst, COMPARED_BYTES)
  let left = TEXTS_LIMIT
  for (const parts of textsFor(expression.alternatives)) {
    if (--left < 0) break
    const reads = readsOf(expression, parts, COMPARED_BYTES)
    if (reads > most) [worst, most] = [parts, reads]
  }
  const [fewer, more] = MEASURED_BYTES.map((bytes) => readsOf(expression, worst, bytes))
  const growth = Math.log2(more / fewer)
  return worstOf(worst, Math.round(more * (EVENT_BYTES / MEASURED_BYTES[1]) ** growth), Math.round(growth))
}

function readsOf(expression: OsRegexExpression, parts: Parts, bytes: number): number {
  return expression.tried.readsOf(foldCase(parts.prefix + parts.pump.repeat(copiesIn(parts, bytes)) + parts.suffix))
}

/** Beginnings of an alternative, once or repeated, with more bytes of what they end with. */
function* textsFor(alternatives: readonly OsRegexAlternative[]): Generator<Parts> {
  for (const { kinds, values } of alternatives) {
    let head = ''
    for (let at = 0; at < kinds.length && head.length < HEAD_LIMIT; at++) {
      const kind = kinds[at]
      if (kind === MARK) continue
      if (kind !== LIT && (kind < ONE || kind > STAR)) break
      for (const byte of kind === LIT ? [String.fromCharCode(values[at])] : bytesOf(values[at])) {
        for (const suffix of SUFFIXES) {
          if (kind !== LIT) yield { prefix: head, pump: byte, suffix }
          yield { prefix: '', pump: head + byte, suffix }
        }
        if (kind !== LIT) yield { prefix: '', pump: head.slice(-1) + byte, suffix: '' }
      }
      head += kind === LIT ? String.fromCharCode(values[at]) : (bytesOf(values[at])[0] ?? '')
    }
  }
}

function bytesOf(bit: number): string[] {
  return [...READABLE].filter((char) => (BYTE_CLASSES[char.charCodeAt(0)] & bit) !== 0).slice(0, 3)
}
