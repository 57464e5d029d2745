/**
 * The fifteen escapes of OSRegex as bit sets over the 256 bytes (BEHAVIOUR.md#osregex-classes). A byte is in a class if
 * `BYTE_CLASSES[byte] & bit` is not 0. No class distinguishes letter case, so the machine may run on the folded text.
 */
import { CLASSES } from '../../kernel/layout.js'
import { HALVES } from '../../kernel/memory.js'

export { ANY_BYTE } from '../../kernel/osregex.js'

const inDigits = (byte: number): boolean => byte >= 0x30 && byte <= 0x39
const inWord = (byte: number): boolean => inDigits(byte) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x5f || byte === 0x2d || byte === 0x40
const inPunctuation = (byte: number): boolean =>
  (byte >= 0x21 && byte <= 0x2e) || (byte >= 0x3a && byte <= 0x3f) || byte === 0x5b || byte === 0x5d || byte === 0x7b || byte === 0x7c || byte === 0x7d
const only =
  (code: number) =>
  (byte: number): boolean =>
    byte === code

/** Escape letters and their bytes. Any other escape is a compile error. */
const ESCAPES: readonly (readonly [letter: string, contains: (byte: number) => boolean])[] = [
  ['d', inDigits],
  ['w', inWord],
  ['s', only(0x20)],
  ['p', inPunctuation],
  ['D', (byte) => !inDigits(byte)],
  ['W', (byte) => !inWord(byte)],
  ['S', (byte) => byte !== 0x20],
  ['.', () => true],
  ['t', only(0x09)],
  ['(', only(0x28)],
  [')', only(0x29)],
  ['\\', only(0x5c)],
  ['$', only(0x24)],
  ['|', only(0x7c)],
  ['<', only(0x3c)],
]

/** Bit of an escape letter by its char code; 0 = not an escape. */
export const CLASS_BIT: Uint16Array = new Uint16Array(256)
/** Classes that contain a byte. */
export const BYTE_CLASSES: Uint16Array = new Uint16Array(256)

ESCAPES.forEach(([letter, contains], index) => {
  CLASS_BIT[letter.charCodeAt(0)] = 1 << index
  for (let byte = 0; byte < 256; byte++) if (contains(byte)) BYTE_CLASSES[byte] |= 1 << index
})
// The kernel reads them in its memory.
HALVES.set(BYTE_CLASSES, CLASSES >> 1)
