/** Blank lines of batches. The main thread counts lines too, and does not load what reads them. */

/** Whether a line has only JSON white space. Such a line is not answered. */
export function isBlankAt(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false
  }
  return true
}
