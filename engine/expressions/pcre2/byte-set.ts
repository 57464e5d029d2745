/**
 * Sets of bytes with one flag per byte: what an item that consumes one byte accepts.
 *
 * The named sets are those of the C locale, which PCRE2 uses without UCP: no byte above 0x7F is a letter.
 */
export type ByteSet = Uint8Array

export const BYTES = 256

/** The set of the bytes that pass the test. */
export function setOf(wanted: (byte: number) => boolean): ByteSet {
  const set = new Uint8Array(BYTES)
  for (let byte = 0; byte < BYTES; byte++) if (wanted(byte)) set[byte] = 1
  return set
}

/** The set of the bytes in inclusive ranges. Parts of a range above the last byte have no effect. */
export function setOfRanges(ranges: readonly (readonly [low: number, high: number])[]): ByteSet {
  const set = new Uint8Array(BYTES)
  for (const [low, high] of ranges) set.fill(1, low, high + 1)
  return set
}

/** Cached sets of single bytes and of letters in both cases, which most items use. Sets are immutable. */
const SINGLE: (ByteSet | undefined)[] = new Array(BYTES)
const EITHER_CASE: (ByteSet | undefined)[] = new Array(BYTES)

/** Returns the same object for the same byte. */
export function singleByte(byte: number): ByteSet {
  SINGLE[byte] ??= setOf((other) => other === byte)
  return SINGLE[byte]
}

/** A byte, and the other case of an ASCII letter. */
export function eitherCase(byte: number): ByteSet {
  EITHER_CASE[byte] ??= setOf((other) => other === byte || other === otherCase(byte))
  return EITHER_CASE[byte]
}

/** The complement of a set. */
export function negated(set: ByteSet): ByteSet {
  return setOf((byte) => set[byte] === 0)
}

/** Whether the sets have a byte in common. */
export function intersects(a: ByteSet, b: ByteSet): boolean {
  for (let byte = 0; byte < BYTES; byte++) if (a[byte] && b[byte]) return true
  return false
}

/** The union of two sets. */
export function unionOf(a: ByteSet, b: ByteSet): ByteSet {
  return setOf((byte) => a[byte] === 1 || b[byte] === 1)
}

/** The class of each byte: bytes that no set tells apart have the same one. There are never more classes than bytes, however many sets there are. */
export function classesOf(sets: Iterable<ByteSet>): { readonly classes: Uint16Array; readonly count: number } {
  const classes = new Uint16Array(BYTES)
  let count = 1
  const sizes = new Uint16Array(BYTES)
  sizes[0] = BYTES
  /** By class: its bytes that are in the set, and the new class of these; 0: none yet. */
  const inside = new Uint16Array(BYTES)
  const split = new Uint16Array(BYTES)
  for (const set of sets) {
    // Most sets have a byte or two, which the platform finds at once.
    const first = set.indexOf(1)
    const last = set.lastIndexOf(1)
    if (first < 0) continue
    for (let byte = first; byte <= last; byte++) if (set[byte] === 1) inside[classes[byte]]++
    const known = count
    for (let byte = first; byte <= last; byte++) {
      if (set[byte] === 0) continue
      const from = classes[byte]
      // A class of which all bytes are in the set stays.
      if (inside[from] === sizes[from]) continue
      if (split[from] === 0) split[from] = count++
      classes[byte] = split[from]
    }
    for (let from = 0; from < known; from++) {
      if (split[from] !== 0) {
        sizes[from] -= inside[from]
        sizes[split[from]] = inside[from]
        split[from] = 0
      }
      inside[from] = 0
    }
  }
  return { classes, count }
}

const SIZES = new WeakMap<ByteSet, number>()

/** The number of bytes in a set. Cached, because sets are immutable. */
export function sizeOf(set: ByteSet): number {
  let size = SIZES.get(set)
  if (size === undefined) {
    size = 0
    for (let byte = 0; byte < BYTES; byte++) size += set[byte]
    SIZES.set(set, size)
  }
  return size
}

/** The first byte of a set, or -1. */
export function firstByte(set: ByteSet): number {
  return set.indexOf(1)
}

const isLower = (byte: number): boolean => byte >= 0x61 && byte <= 0x7a
const isUpper = (byte: number): boolean => byte >= 0x41 && byte <= 0x5a

/** The other case of an ASCII letter; any other byte itself. */
export function otherCase(byte: number): number {
  return isLower(byte) || isUpper(byte) ? byte ^ 0x20 : byte
}

const DIGIT = setOf((b) => b >= 0x30 && b <= 0x39)
const SPACE = setOf((b) => b === 0x20 || (b >= 0x09 && b <= 0x0d))
const ALPHA = setOf((b) => isLower(b) || isUpper(b))
const ALNUM = unionOf(ALPHA, DIGIT)
export const WORD = setOf((b) => ALNUM[b] === 1 || b === 0x5f)
const GRAPH = setOf((b) => b > 0x20 && b < 0x7f)

/** `\d \s \w \h \v` by letter. */
export const TYPE_SETS: ReadonlyMap<string, ByteSet> = new Map([
  ['d', DIGIT],
  ['s', SPACE],
  ['w', WORD],
  ['h', setOf((b) => b === 0x09 || b === 0x20 || b === 0xa0)],
  ['v', setOf((b) => (b >= 0x0a && b <= 0x0d) || b === 0x85)],
])

export const POSIX_SETS: ReadonlyMap<string, ByteSet> = new Map([
  ['alpha', ALPHA],
  ['lower', setOf(isLower)],
  ['upper', setOf(isUpper)],
  ['alnum', ALNUM],
  ['ascii', setOf((b) => b < 0x80)],
  ['blank', setOf((b) => b === 0x09 || b === 0x20)],
  ['cntrl', setOf((b) => b < 0x20 || b === 0x7f)],
  ['digit', DIGIT],
  ['graph', GRAPH],
  ['print', setOf((b) => GRAPH[b] === 1 || b === 0x20)],
  ['punct', setOf((b) => GRAPH[b] === 1 && ALNUM[b] === 0)],
  ['space', SPACE],
  ['word', WORD],
  ['xdigit', setOf((b) => DIGIT[b] === 1 || (b >= 0x41 && b <= 0x46) || (b >= 0x61 && b <= 0x66))],
])
