import { unescapeJson } from './escapes.js'
import type { JsonPath } from './paths.js'

/**
 * The fields of one JSON text, in source order. Most values are never read, so a value without escapes is stored as its offsets and cut out when it is
 * read. The object is reused for the next text.
 */
export class FlatFields {
  count = 0
  readonly paths: JsonPath[] = []
  /** Joined names and their numbers. */
  readonly names: string[] = []
  readonly keys: number[] = []
  /** Offsets of the value. The end is negative if the value has (valid) escapes. */
  readonly starts: number[] = []
  readonly ends: number[] = []
  /** The value; null = cut it out of the text. */
  readonly texts: (string | null)[] = []

  clear(): void {
    this.count = 0
  }

  /** Adds a value by its offsets in the text. */
  addSpan(path: JsonPath, start: number, end: number, escaped: boolean): void {
    this.#add(path, start, escaped ? -end : end, null)
  }

  /** The same before the field at an index. */
  insertSpan(at: number, path: JsonPath, start: number, end: number, escaped: boolean): void {
    this.addSpan(path, start, end, escaped)
    const last = this.count - 1
    if (at === last) return
    for (let i = last; i > at; i--) this.move(i - 1, i)
    this.#set(at, path, start, escaped ? -end : end, null)
  }

  addText(path: JsonPath, text: string): void {
    this.#add(path, 0, 0, text)
  }

  #add(path: JsonPath, start: number, end: number, text: string | null): void {
    this.#set(this.count++, path, start, end, text)
  }

  #set(at: number, path: JsonPath, start: number, end: number, text: string | null): void {
    this.paths[at] = path
    this.names[at] = path.full
    this.keys[at] = path.key
    this.starts[at] = start
    this.ends[at] = end
    this.texts[at] = text
  }

  /** Moves the field at `from` to an earlier index. */
  move(from: number, to: number): void {
    this.paths[to] = this.paths[from]
    this.names[to] = this.names[from]
    this.keys[to] = this.keys[from]
    this.starts[to] = this.starts[from]
    this.ends[to] = this.ends[from]
    this.texts[to] = this.texts[from]
  }

  /** @param source the text that was flattened */
  valueAt(at: number, source: string): string {
    return this.texts[at] ?? cutValue(source, this.starts[at], this.ends[at])
  }
}

/** @param end as in `FlatFields.ends` */
export function cutValue(source: string, start: number, end: number): string {
  return end < 0 ? unescapeJson(source, start, -end) : source.slice(start, end)
}
