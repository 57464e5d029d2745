/**
 * One scan of a text that finds which literals it may contain.
 *
 * The scan advances two bytes a step, hashes each window of four bytes to a slot and marks the slot (`kernel/scan.ts`). A literal of the text begins at an even
 * or an odd offset, so either all its windows at even offsets or all at odd ones were found. Windows may share a slot, so a scan may report a literal where there
 * is none, but never misses one.
 *
 * A thread keeps only the scan of the last text.
 */
import { scan as scanBytes } from '../kernel/kernel.js'
import { STEP, slotOf, WINDOW } from '../kernel/scan.js'
import type { SearchedText } from '../kernel/searched-text.js'
import { RARITY } from './byte-rarity.js'

/** Shorter literals have no window at one of the two offsets. */
export const SHORTEST_SCANNED = WINDOW + STEP - 1
/** In shorter texts a literal is found as fast without the scan. */
const MIN_SEARCHED = 192

let scannedFor: object | null = null
/** The scanned text, if literals are searched by means of the scan. */
let scanned: SearchedText | null = null

/** Whether the last scan was one for this caller. What the kernel says of a scan is about the text of the last one. */
export function isLastScanOf(caller: object): boolean {
  return caller === scannedFor
}

export function scan(subject: SearchedText, caller: object | null = null): void {
  scannedFor = caller
  if (scanned !== null) scanned.isScanned = false
  scanBytes(subject.address, subject.length)
  subject.isScanned = subject.length >= MIN_SEARCHED
  scanned = subject
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
