/**
 * What one walk over a text tells about the literals in it.
 *
 * The walk takes two bytes a step, and notes for the slot to which each window of four bytes hashes where such a window stands first. A literal that is
 * in the text stands there at an even or at an odd offset, so either all its windows at even offsets have been met or all at odd ones, and
 * none of them behind its place in the literal's first occurrence. Windows may share slots: what is told may err towards "is there", and
 * "further ahead", never the other way.
 *
 * There is one walk to remember per thread, that of the text scanned last.
 */
import { bytesOf } from '../source/last-bytes.js'
import { RARITY } from './byte-rarity.js'

/** Bytes of a window. */
const WINDOW = 4
/** Bytes between two windows of a text. */
const STEP = 2
/** Shorter literals have no window at one of the two offsets. */
export const SHORTEST_SCANNED = WINDOW + STEP - 1
/** Two tables of 32 KB, of which a log line touches little. */
const SLOT_BITS = 14
const MULTIPLIER = 0x9e3779b1
/** Walks are numbered in 16 bits; then the marks are cleared. */
const LAST_NUMBER = 0xffff
/** In shorter texts a literal is found as fast without its place. */
const MIN_PLACED = 192
/** Places behind this one are noted as this one. */
const LAST_PLACE = 0xffff
/** A place that no text has. */
export const NOWHERE = 0x3fffffff

/** By slot: number of the walk that last met a window with this hash, and where such a window stands first. */
const marks = new Uint16Array(1 << SLOT_BITS)
const places = new Uint16Array(1 << SLOT_BITS)
let number = 0
let scannedText = ''
let placedText = ''

/** Is this the text that was scanned last? Only then the functions below speak of it. */
export function isScanned(text: string): boolean {
  return text === scannedText
}

/** Is this the text that was scanned last, and long enough for places? */
export function isPlaced(text: string): boolean {
  return text === placedText
}

/** @param text a byte string */
export function scan(text: string): void {
  if (number === LAST_NUMBER) {
    marks.fill(0)
    number = 0
  }
  number++
  scannedText = text
  placedText = ''
  if (text.length < WINDOW) return
  if (text.length < MIN_PLACED) mark(text)
  else {
    place(text)
    placedText = text
  }
}

function mark(text: string): void {
  const walk = number
  const bytes = bytesOf(text)
  const { length } = text
  let window = (bytes[0] << 16) | (bytes[1] << 24)
  for (let at = STEP; at + 1 < length; at += STEP) {
    window = (window >>> 16) | (bytes[at] << 16) | (bytes[at + 1] << 24)
    marks[slotOf(window)] = walk
  }
}

/** As `mark`, but backwards, so that first places are written last. */
function place(text: string): void {
  const walk = number
  const bytes = bytesOf(text)
  const last = text.length - WINDOW
  const from = last - (last % STEP)
  let window = bytes[from + 2] | (bytes[from + 3] << 8)
  for (let at = from; at >= 0; at -= STEP) {
    window = (window << 16) | bytes[at] | (bytes[at + 1] << 8)
    const slot = slotOf(window)
    marks[slot] = walk
    places[slot] = at < LAST_PLACE ? at : LAST_PLACE
  }
}

/** Has the last walk met a window of this slot? */
export function isMet(slot: number): boolean {
  return marks[slot] === number
}

/** Where the last walk met a window of this slot first, if it noted places. */
export function firstPlace(slot: number): number {
  return marks[slot] === number ? places[slot] : NOWHERE
}

/** A window of a literal. */
export interface LiteralWindow {
  readonly slot: number
  /** Where it begins in the literal. */
  readonly offset: number
}

/** Windows of a literal at an offset and every second byte on, those first that fewest texts hold. */
export function windowsOf(literal: string, first: number): LiteralWindow[] {
  const windows: (LiteralWindow & { rarity: number })[] = []
  for (let at = first; at + WINDOW <= literal.length; at += STEP) {
    const slot = slotOf(literal.charCodeAt(at) | (literal.charCodeAt(at + 1) << 8) | (literal.charCodeAt(at + 2) << 16) | (literal.charCodeAt(at + 3) << 24))
    windows.push({ slot, offset: at, rarity: rarityOf(literal, at) })
  }
  return windows.sort((a, b) => b.rarity - a.rarity)
}

function rarityOf(literal: string, from: number): number {
  let rarity = 0
  for (let at = from; at < from + WINDOW; at++) rarity += RARITY[literal.charCodeAt(at)]
  return rarity
}

/** @param window its first byte in the lowest bits */
function slotOf(window: number): number {
  return Math.imul(window, MULTIPLIER) >>> (32 - SLOT_BITS)
}
