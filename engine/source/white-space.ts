/**
 * White space in byte strings. JavaScript's own `\s` and `trim` also take the byte A0, which is the no-break space of Latin-1, and here the last byte of letters
 * such as `à`.
 */

/** A character that is white space, for a test. */
export const BLANK = /[\t-\r ]/

/** Returns a byte string without the white space at its ends. */
export function trimBytes(bytes: string): string {
  let start = 0
  let end = bytes.length
  while (start < end && isBlankByte(bytes.charCodeAt(start))) start++
  while (end > start && isBlankByte(bytes.charCodeAt(end - 1))) end--
  return bytes.slice(start, end)
}

/** Whether a byte is white space: a blank, or one of the bytes from tab to carriage return. */
export function isBlankByte(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}
