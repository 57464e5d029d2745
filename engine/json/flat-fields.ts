import { JSON_ENDS, JSON_IDS, JSON_STARTS } from '../kernel/layout.js'
import { WORDS } from '../kernel/memory.js'
import { unescapeJson } from './escapes.js'
import { OPEN_BRACKET } from './grammar.js'
import { fieldNumber, readNumber } from './number.js'
import type { PathTable } from './path-table.js'
import type { JsonPath } from './paths.js'
import { ArrayPrinter } from './print-array.js'
import { JsonReader } from './reader.js'
import type { Shape } from './shape.js'

/** Values of fields in the memory of the kernel that are searched for in a list. */
const MOST_PRINTED = 16

/**
 * The fields of one JSON text, in source order. Most values are never read, so a value is stored as its offsets, and cut out or printed when it is read. The
 * object is reused for the next text.
 */
export class FlatFields {
  count = 0
  /** Not null: the fields lie in the memory of the kernel until the next text is read, and the lists have them only after `fill`. */
  shape: Shape | null = null
  #table: PathTable | null = null
  /** Values of such fields that are no part of the text. */
  readonly printed: { readonly place: number; readonly text: string }[] = []
  readonly paths: JsonPath[] = []
  /** Joined names and their numbers. */
  readonly names: string[] = []
  readonly keys: number[] = []
  /** Offsets of the value. The end is negative if the value has (valid) escapes. The start is inverted if it is an array or number that has to be printed. */
  readonly starts: number[] = []
  readonly ends: number[] = []
  /** The value; null = cut it out of the text. */
  readonly texts: (string | null)[] = []

  clear(): void {
    this.count = 0
    this.shape = null
    this.#table = null
    if (this.printed.length > 0) this.printed.length = 0
  }

  /** Takes the fields that the kernel has read. */
  take(count: number, table: PathTable): void {
    this.count = count
    this.#table = table
    const shape = table.shape()
    if (shape === null || shape.hasUser || this.printed.length > MOST_PRINTED) this.fill()
    else this.shape = shape
  }

  /** Copies the fields from the memory of the kernel into the lists. */
  fill(): void {
    const table = this.#table
    if (table === null) return
    for (let i = 0; i < this.count; i++) this.#set(i, table.paths[WORDS[(JSON_IDS >> 2) + i]], WORDS[(JSON_STARTS >> 2) + i], WORDS[(JSON_ENDS >> 2) + i], null)
    for (const { place, text } of this.printed) this.texts[place] = text
    this.shape = null
    this.#table = null
  }

  /** Copies the values of the first dynamic fields of a shape, whose lists have this length. */
  copyValues({ places }: Shape, texts: (string | null)[], starts: number[], ends: number[]): void {
    const words = WORDS
    const count = texts.length
    for (let i = 0; i < count; i++) {
      const place = places === null ? i : places[i]
      starts[i] = words[(JSON_STARTS >> 2) + place]
      ends[i] = words[(JSON_ENDS >> 2) + place]
    }
    for (const { place, text } of this.printed) {
      const at = places === null ? place : places.indexOf(place)
      if (at >= 0 && at < count) texts[at] = text
    }
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
    if (this.shape !== null) return this.printed.find(({ place }) => place === at)?.text ?? cutValue(source, WORDS[(JSON_STARTS >> 2) + at], WORDS[(JSON_ENDS >> 2) + at])
    return this.texts[at] ?? cutValue(source, this.starts[at], this.ends[at])
  }
}

/** @param start as in `FlatFields.starts` @param end as in `FlatFields.ends` */
export function cutValue(source: string, start: number, end: number): string {
  if (start < 0) return printValue(source, ~start)
  return end < 0 ? unescapeJson(source, start, -end) : source.slice(start, end)
}

function printValue(source: string, at: number): string {
  if (source.charCodeAt(at) !== OPEN_BRACKET) return fieldNumber(readNumber(source, at)?.value ?? 0)
  const printer = new ArrayPrinter(new JsonReader(source))
  printer.readArray(at, 1, 1)
  return printer.output
}
