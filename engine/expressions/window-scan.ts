/**
 * One scan of a text that finds which literals it may contain.
 *
 * The scan advances two bytes a step, hashes each window of four bytes to a slot and marks the slot. A literal of the text begins at an even or an odd offset,
 * so either all its windows at even offsets or all at odd ones were found. If many literals are searched in one text, a second pass records the first offset of
 * each slot, and after each offset the next one: the offsets of one window then lead to every occurrence of a literal. Windows may share a slot, so a scan may
 * report a literal or an offset where there is none, but never misses one.
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
/** The marks take 16 KB, half of the first cache of a core. With half as many slots, long texts meet too many literals that they lack. */
const SLOT_BITS = 14
const MULTIPLIER = 0x9e3779b1
/** Scans are numbered in 8 bits; after the last number the marks are cleared. */
const LAST_NUMBER = 0xff
/** Number of literals that are searched in one text before its offsets are recorded, which costs about as much. */
const SEARCHES_BEFORE_PLACES = 4
/** In shorter texts a literal is found as fast without the scan. */
const MIN_SEARCHED = 192
/** Offsets have 16 bits. A log has at most 65,535 bytes. */
const MAX_SEARCHED = 0xffff
/** The end of the offsets of a slot; no window begins there. */
export const NOWHERE = 0xffff

/** For each slot the number of the last text with a window of this hash. */
class Marks {
  readonly of = new Uint8Array(1 << SLOT_BITS)
  number = 0

  begin(): void {
    if (this.number === LAST_NUMBER) {
      this.of.fill(0)
      this.number = 0
    }
    this.number++
  }
}

const scanned = new Marks()
let scannedFor: object | null = null
/** The scanned text, if literals are searched by means of the scan. */
let searchedText = ''
/** Number of literals that were searched in it. */
let searches = 0

const placed = new Marks()
/** For each slot the first offset of such a window. */
const places = new Uint16Array(1 << SLOT_BITS)
/** For each offset, halved, the next offset with a window of the same slot. */
const nexts = new Uint16Array((MAX_SEARCHED >> 1) + 1)
let isPlaced = false

/** Whether the last scan was one for this caller. The functions below are about the text of the last scan. */
export function isLastScanOf(caller: object): boolean {
  return caller === scannedFor
}

/** Whether this is the text that was scanned last, and literals are searched in it by means of the scan. */
export function isSearched(text: string): boolean {
  return text === searchedText
}

/** @param text a byte string */
export function scan(text: string, caller: object | null = null): void {
  scanned.begin()
  scannedFor = caller
  searchedText = text.length < MIN_SEARCHED || text.length > MAX_SEARCHED ? '' : text
  searches = 0
  isPlaced = false
  if (text.length < WINDOW) return
  const marks = scanned.of
  const { number } = scanned
  const words = wordsOf(text)
  const count = text.length >>> 2
  let word = words[0]
  marks[slotOf(word)] = number
  for (let i = 1; i < count; i++) {
    const next = words[i]
    marks[slotOf((word >>> 16) | (next << 16))] = number
    marks[slotOf(next)] = number
    word = next
  }
  if ((text.length & 3) >= STEP) marks[slotOf((word >>> 16) | (words[count] << 16))] = number
}

/** Counts a search in the scanned text, and records the offsets at the fifth. @returns whether they are recorded */
export function countSearch(): boolean {
  if (isPlaced) return true
  if (++searches <= SEARCHES_BEFORE_PLACES) return false
  place(searchedText)
  isPlaced = true
  return true
}

/** Records the offsets from the last one to the first, so that the first offset of a slot is written last. */
function place(text: string): void {
  placed.begin()
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
  nexts[at >> 1] = placed.of[slot] === placed.number ? places[slot] : NOWHERE
  placed.of[slot] = placed.number
  places[slot] = at
}

/** Whether the last scan found a window of this slot. */
export function isMet(slot: number): boolean {
  return scanned.of[slot] === scanned.number
}

/** Returns the first offset of a window of this slot, NOWHERE: none. The text must have places. */
export function firstPlace(slot: number): number {
  return placed.of[slot] === placed.number ? places[slot] : NOWHERE
}

/** Returns the next offset of a window of the same slot; NOWHERE: none. @param place from `firstPlace` or `nextPlace` */
export function nextPlace(place: number): number {
  return nexts[place >> 1]
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
