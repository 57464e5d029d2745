import { fromByteString } from '../source/byte-string.js'

/** Bytes of a text or pattern in a trace: several terminal lines; 600 entries stay below half a megabyte. */
export const TRACE_TEXT_LIMIT = 512

/** Returns a byte string as Unicode, cut to so many bytes; a cut is marked. */
export function cutText(bytes: string, limit = TRACE_TEXT_LIMIT): string {
  if (bytes.length <= limit) return fromByteString(bytes)
  let end = limit
  // Never cuts inside a character.
  while (end > 0 && (bytes.charCodeAt(end) & 0xc0) === 0x80) end--
  return `${fromByteString(bytes.slice(0, end))}…`
}

/** Returns the number of characters (UTF-16, as callers count) before a byte. */
export function charactersBefore(bytes: string, at: number): number {
  return at <= 0 ? 0 : fromByteString(bytes.slice(0, at)).length
}
