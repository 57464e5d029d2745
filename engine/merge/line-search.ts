/** Finds texts in a text by whole lines, in linear time for any texts. */

const LINE_FEED = 0x0a

/** Numbers lines: equal lines have equal numbers. */
export class LineNumbers {
  readonly #numbers = new Map<string, number>()

  /** Returns the numbers of the lines of a text. A line end at its end begins no line. */
  of(text: string): Int32Array {
    let count = 0
    for (let at = 0; at < text.length; at = nextLine(text, at)) count++
    const numbers = new Int32Array(count)
    let index = 0
    for (let at = 0; at < text.length; ) {
      const next = nextLine(text, at)
      const line = text.slice(at, text.charCodeAt(next - 1) === LINE_FEED ? next - 1 : next)
      let number = this.#numbers.get(line)
      if (number === undefined) this.#numbers.set(line, (number = this.#numbers.size))
      numbers[index++] = number
      at = next
    }
    return numbers
  }
}

/** Returns the offset after the line at an offset, with its line end. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}

/** Whether the lines are at an index. */
export function hasLinesAt(lines: Int32Array, wanted: Int32Array, at: number): boolean {
  if (at + wanted.length > lines.length) return false
  for (let index = 0; index < wanted.length; index++) if (lines[at + index] !== wanted[index]) return false
  return true
}

/** Returns the first index of the lines from an index on; -1: they are not there (Knuth, Morris and Pratt). */
export function findLines(lines: Int32Array, wanted: Int32Array, from: number): number {
  const fallback = new Int32Array(wanted.length)
  for (let index = 1, length = 0; index < wanted.length; index++) {
    while (length > 0 && wanted[index] !== wanted[length]) length = fallback[length - 1]
    if (wanted[index] === wanted[length]) length++
    fallback[index] = length
  }
  for (let at = from, length = 0; at < lines.length; at++) {
    while (length > 0 && lines[at] !== wanted[length]) length = fallback[length - 1]
    if (lines[at] === wanted[length]) length++
    if (length === wanted.length) return at - length + 1
  }
  return -1
}
