/** Finds the header of a text that is not received as an event. */
import { findHeader as findInKernel } from '../kernel/kernel.js'
import { ASL_TAIL, NO_HEADER, SYSLOG_TAIL } from '../kernel/headers.js'
import { addressOf } from '../kernel/last-bytes.js'
import { LOG_START, TIME_END } from '../kernel/layout.js'
import { WORDS } from '../kernel/memory.js'

export interface HeaderMatch {
  /** Column where the timestamp ends; 0 if there is none. */
  readonly to: number
  /** Column where the log text starts. */
  readonly log: number
  /** What follows the timestamp: a host and a program, the entries of macOS' asl, or nothing. */
  readonly tail: 'syslog' | 'asl' | 'none'
}

/** Returns the header at the start of a text, or null. @param text a byte string, or its beginning @param length of the whole text */
export function findHeader(text: string, length = text.length): HeaderMatch | null {
  const tail = findInKernel(addressOf(text), length)
  if (tail === NO_HEADER) return null
  return { to: WORDS[TIME_END >> 2], log: WORDS[LOG_START >> 2], tail: tail === SYSLOG_TAIL ? 'syslog' : tail === ASL_TAIL ? 'asl' : 'none' }
}
