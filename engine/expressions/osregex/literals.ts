/** The literals that every match of an OSRegex alternative holds. */
import { SHORTEST_SCANNED } from '../window-scan.js'
import { BYTE_CLASSES } from './classes.js'
import type { OsRegexAlternative } from './parse.js'
import { END, LIT, MARK, NO_BYTE, ONE, PLUS, STAR } from './parse.js'

/** The literals of an alternative; empty: none. */
export interface AlternativeLiterals {
  /** At `leadOffset` bytes from the beginning of every match. */
  readonly lead: string
  readonly leadOffset: number
  readonly runs: readonly RequiredRun[]
  /** The rarest of the runs, unless the lead contains it. */
  readonly required: string
}

/** Returns the literals of an alternative. */
export function literalsOf(alternative: OsRegexAlternative): AlternativeLiterals {
  const { lead, leadOffset } = leadOf(alternative)
  const runs = requiredRuns(alternative)
  const rarest = runs.reduce((best, run) => (run.weight > best.weight ? run : best), NO_RUN).text
  return { lead, leadOffset, runs, required: lead.includes(rarest) ? '' : rarest }
}

/** Returns the rarest literals besides the two that are tested first. */
export function othersOf({ anchoredStart }: OsRegexAlternative, { runs, lead, required }: AlternativeLiterals): string[] {
  if (anchoredStart) return []
  const others = runs.filter(({ text }) => text.length >= SHORTEST_SCANNED && !lead.includes(text) && !required.includes(text)).sort((a, b) => b.weight - a.weight)
  return [...new Set(others.map(({ text }) => text))].slice(0, OTHERS_TESTED)
}

/** With the rarest literal they exclude most patterns that would be tried in vain. A pattern with an anchor has one attempt, which costs less. */
const OTHERS_TESTED = 2

/** Returns the rarest run of literals among the items before the first quantifier, each of which is one byte. */
function leadOf({ kinds, values }: OsRegexAlternative): { lead: string; leadOffset: number } {
  let lead = ''
  let leadOffset = 0
  let leadWeight = 0
  let run = ''
  let weight = 0
  let bytes = 0
  for (let i = 0; ; i++) {
    const kind = kinds[i]
    // A mark takes no byte, but the second of two marks is treated as a character.
    if (kind === MARK && kinds[i + 1] !== MARK) continue
    if (kind === LIT && values[i] !== NO_BYTE) {
      run += String.fromCharCode(values[i])
      weight += weightOf(values[i])
      bytes++
      if (weight > leadWeight) {
        lead = run
        leadOffset = bytes - run.length
        leadWeight = weight
      }
    } else if (kind === ONE) {
      run = ''
      weight = 0
      bytes++
    } else break
  }
  return { lead, leadOffset }
}

/** A run of bytes that every match needs. */
interface RequiredRun {
  readonly text: string
  readonly weight: number
}

const NO_RUN: RequiredRun = { text: '', weight: 0 }

/**
 * The runs of bytes that every match needs, in their order. Literals count, and so does a ONE of a single byte, except near the end, where the machine can skip
 * them (C6a, E2). Before the last such item, a PLUS of a single byte counts too, which is at least one of it, provided that the machine cannot reach it while hot
 * (C6b).
 */
function requiredRuns(alternative: OsRegexAlternative): RequiredRun[] {
  const { kinds, values } = alternative
  let last = kinds.length - 1
  while (last >= 0 && !isFirm(alternative, last)) last--
  const cold = isNeverHot(alternative)
  const runs: RequiredRun[] = []
  let text = ''
  let weight = 0
  /** Length of the part that belongs to the run before as well. */
  let shared = 0
  const start = (from: string): void => {
    if (text.length > shared) runs.push({ text, weight })
    text = from
    weight = from === '' ? 0 : weightOf(from.charCodeAt(0))
    shared = from.length
  }
  for (let i = 0; i <= last; i++) {
    const kind = kinds[i]
    if (kind === MARK) {
      // The second of two marks is treated as a character.
      if (kinds[i + 1] === MARK) start('')
      continue
    }
    const byte = kind === LIT ? values[i] : kind === ONE || (kind === PLUS && cold) ? singleByteOf(values[i]) : -1
    if (byte < 0) {
      start('')
      continue
    }
    text += String.fromCharCode(byte)
    weight += weightOf(byte)
    if (kind === PLUS || text.length >= LONGEST_REQUIRED) start(kind === PLUS ? String.fromCharCode(byte) : '')
  }
  start('')
  return runs
}

/** Whether an item is one certain byte, which the machine cannot skip at the end of a pattern. */
function isFirm({ kinds, values }: OsRegexAlternative, at: number): boolean {
  const next = kinds[at + 1]
  if (kinds[at] === LIT) return !(next === END && at > 0 && kinds[at - 1] === ONE)
  if (kinds[at] !== ONE || next === END || next === STAR) return false
  return !((next === LIT || next === MARK) && kinds[at + 2] === END) && singleByteOf(values[at]) >= 0
}

/** Whether no ONE follows a quantifier with common bytes. A quantifier is left while hot only in that case (C5 "class"). */
export function isNeverHot({ kinds, values }: OsRegexAlternative): boolean {
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] !== PLUS && kinds[i] !== STAR) continue
    const next = kinds[i + 1] === MARK ? i + 2 : i + 1
    if (kinds[next] !== ONE) continue
    for (let byte = 0; byte < 256; byte++) if ((BYTE_CLASSES[byte] & values[i]) !== 0 && (BYTE_CLASSES[byte] & values[next]) !== 0) return false
  }
  return true
}

/** The only byte of a class, or -1. @param bit of the class */
function singleByteOf(bit: number): number {
  return SINGLE_BYTES[31 - Math.clz32(bit)]
}

/** The only byte of a class, by the number of the class; -1: it has several bytes or none. */
const SINGLE_BYTES = Array.from({ length: 16 }, (_, index) => {
  const bytes = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => (BYTE_CLASSES[byte] & (1 << index)) !== 0)
  return bytes.length === 1 ? bytes[0] : -1
})

/** Bytes of this rank or below are in nearly every log line. */
const COMMON_BYTES = ' :=.,-/0123456789'
const COMMON_WEIGHT = 1
const RARE_WEIGHT = 3

/** A longer run excludes hardly more texts. */
const LONGEST_REQUIRED = 128

function weightOf(byte: number): number {
  return COMMON_BYTES.includes(String.fromCharCode(byte)) ? COMMON_WEIGHT : RARE_WEIGHT
}
