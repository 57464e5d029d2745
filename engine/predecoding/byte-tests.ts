/** Compares parts of bytes with names and with each other. */

/** Whether exactly this name is between the offsets. */
export function isName(name: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  const { length } = name
  if (end - start !== length) return false
  for (let i = 0; i < length; i++) if (bytes[start + i] !== name[i]) return false
  return true
}

/** Whether this text begins at the offset. */
export function isAt(text: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false
  return true
}

/** Whether both parts have the same bytes. */
export function isSame(bytes: Uint8Array, start: number, end: number, otherStart: number, otherEnd: number): boolean {
  if (end - start !== otherEnd - otherStart) return false
  for (let i = 0; i < end - start; i++) if (bytes[start + i] !== bytes[otherStart + i]) return false
  return true
}
