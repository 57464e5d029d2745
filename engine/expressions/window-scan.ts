/**
 * One scan of a text that finds which literals it may contain.
 *
 * The scan advances two bytes a step. It hashes each window of four bytes to a slot and records the first offset of each slot. A literal of the text begins at
 * an even or an odd offset, so either all its windows at even offsets or all at odd ones were found, and none of them after its place in the first occurrence.
 * Windows may share a slot, so a scan may report a literal that is absent or an offset that is too small, but never misses one.
 *
 * A thread keeps only the scan of the last text.
 */
import { wordsOf } from '../source/last-bytes.js'
import { RARITY } from './byte-rarity.js'

/** Bytes of a window. */
const WINDOW = 4
/** Bytes between two windows of a text. */
const STEP = 2
/** Shorter literals have no window at one of the two offsets. */
export const SHORTEST_SCANNED = WINDOW + STEP - 1
/** Two tables of 32 KB; a log line touches a small part of them. */
const SLOT_BITS = 14
const MULTIPLIER = 0x9e3779b1
/** Scans are numbered in 16 bits; after the last number the marks are cleared. */
const LAST_NUMBER = 0xffff
/** In shorter texts a literal is found as fast without an offset. */
const MIN_PLACED = 192
/** Larger offsets are recorded as this one. */
const LAST_PLACE = 0xffff
/** Larger than every offset of a text. */
export const NOWHERE = 0x3fffffff

/** For each slot the number of the last scan that saw a window with this hash, and the first offset of such a window. */
const marks = new Uint16Array(1 << SLOT_BITS)
const places = new Uint16Array(1 << SLOT_BITS)
let number = 0
let scannedFor: object | null = null
let placedText = ''

/** Whether the last scan was one for this caller. The functions below are about the text of the last scan. */
export function isLastScanOf(caller: object): boolean {
  return caller === scannedFor
}

/** Whether this is the text that was scanned last, with recorded offsets. */
export function isPlaced(text: string): boolean {
  return text === placedText
}

/** @param text a byte string */
export function scan(text: string, caller: object | null = null): void {
  if (number === LAST_NUMBER) {
    marks.fill(0)
    number = 0
  }
  number++
  scannedFor = caller
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
  const words = wordsOf(text)
  const count = text.length >>> 2
  let word = words[0]
  marks[slotOf(word)] = walk
  for (let i = 1; i < count; i++) {
    const next = words[i]
    marks[slotOf((word >>> 16) | (next << 16))] = walk
    marks[slotOf(next)] = walk
    word = next
  }
  if ((text.length & 3) >= STEP) marks[slotOf((word >>> 16) | (words[count] << 16))] = walk
}

/** Like `mark`, but backwards, so that the first offset of a slot is written last. */
function place(text: string): void {
  const words = wordsOf(text)
  const count = text.length >>> 2
  let next = words[count]
  if ((text.length & 3) >= STEP) placeWindow((words[count - 1] >>> 16) | (next << 16), count * 4 - STEP)
  next = words[count - 1]
  placeWindow(next, count * 4 - WINDOW)
  for (let i = count - 2; i >= 0; i--) {
    const word = words[i]
    placeWindow((word >>> 16) | (next << 16), i * 4 + STEP)
    placeWindow(word, i * 4)
    next = word
  }
}

function placeWindow(window: number, at: number): void {
  const slot = slotOf(window)
  marks[slot] = number
  places[slot] = at < LAST_PLACE ? at : LAST_PLACE
}

/** Whether the last scan found a window of this slot. */
export function isMet(slot: number): boolean {
  return marks[slot] === number
}

/** Returns the first offset of a window of this slot in the last scan, if it recorded offsets. */
export function firstPlace(slot: number): number {
  return marks[slot] === number ? places[slot] : NOWHERE
}

/** A window of a literal. */
export interface LiteralWindow {
  readonly slot: number
  /** Its offset in the literal. */
  readonly offset: number
}

/** Returns the windows of a literal from an offset on, every two bytes; the rarest first. */
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

/** @param window four bytes, the first in the lowest bits */
function slotOf(window: number): number {
  return Math.imul(window, MULTIPLIER) >>> (32 - SLOT_BITS)
}
