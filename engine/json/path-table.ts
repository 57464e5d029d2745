import { Arena } from '../kernel/arena.js'
import {
  NAME_SLACK,
  NODE_FIRST,
  NODE_HASH,
  NODE_ID,
  NODE_NAME,
  NODE_NEXT,
  NODE_PARENT,
  NODE_SIZE,
  SHAPE_COUNT,
  SHAPE_HASH,
  SHAPE_IDS,
  SHAPE_NUMBER,
} from '../kernel/json-records.js'
import { findShape, nameHash } from '../kernel/kernel.js'
import { JSON_COUNT, JSON_HASH, JSON_IDS, JSON_NODE, JSON_PARENT, JSON_PREVIOUS } from '../kernel/layout.js'
import { BYTES, WORDS } from '../kernel/memory.js'
import { QUOTE } from './grammar.js'
import type { JsonPath } from './paths.js'
import { RecordTable } from './record-table.js'
import { Shape } from './shape.js'

/** Bytes of the kernel that the names of one ruleset take at most: some seven thousand names. */
export const NAMES_ROOM = 512 * 1024
/** The same for shapes: some five hundred with sixty fields each. */
export const SHAPES_ROOM = 128 * 1024
/** Longer names are not compared by the kernel. */
const LONGEST_NAME = 500
/** Chars with which a name differs from its source text, or ends a text. */
const ODD_CHARS = /["\\\0]/

/** The paths of one tree in the memory of the kernel, as far as texts had them: a node for each, found by its name, and the shapes of texts. */
export class PathTable {
  /** The paths, by the number in their nodes. */
  readonly paths: JsonPath[] = []
  readonly #records = new Arena(NAMES_ROOM)
  readonly names = new RecordTable(this.#records, NODE_HASH)
  readonly #shapeRecords = new Arena(SHAPES_ROOM)
  readonly #shapeTable = new RecordTable(this.#shapeRecords, SHAPE_HASH)
  readonly #shapes: Shape[] = []

  /** @param root the empty path */
  constructor(root: JsonPath) {
    if (this.names.slots !== 0) this.#add(root, '', 0)
  }

  /** Returns the node of a path, 0: there is no room. @param parent the node of the object */
  nodeOf(path: JsonPath, parent: number): number {
    if (path.node !== 0) return path.node
    // A path that is not cached would be another one the next time.
    if (!path.isCached) return 0
    const { name } = path
    return this.#add(path, name.length > LONGEST_NAME || ODD_CHARS.test(name) ? null : name, parent)
  }

  /** @param name null: it is never compared */
  #add(path: JsonPath, name: string | null, parent: number): number {
    const size = name === null || parent === 0 ? 0 : name.length + 1
    if (!this.names.reserve()) return 0
    const node = this.#records.take(NODE_NAME + size + NAME_SLACK)
    if (node === 0) return 0
    path.node = node
    WORDS[(node + NODE_SIZE) >> 2] = size
    WORDS[(node + NODE_ID) >> 2] = this.paths.length
    WORDS[(node + NODE_PARENT) >> 2] = parent
    this.paths.push(path)
    if (name === null || size === 0 || nameHash === null) return node
    const at = node + NODE_NAME
    for (let i = 0; i < name.length; i++) BYTES[at + i] = name.charCodeAt(i)
    BYTES[at + name.length] = QUOTE
    WORDS[(node + NODE_HASH) >> 2] = nameHash(parent, at, size)
    this.names.insert(node)
    return node
  }

  /** The path of a node. */
  pathOf(node: number): JsonPath {
    return this.paths[WORDS[(node + NODE_ID) >> 2]]
  }

  /** The number of a path that has a node. */
  idOf({ node }: JsonPath): number {
    return WORDS[(node + NODE_ID) >> 2]
  }

  /** Records the member that the kernel has not found as the likely one at its position. */
  learn(): void {
    const node = WORDS[JSON_NODE >> 2]
    if (WORDS[(node + NODE_SIZE) >> 2] === 0) return
    const previous = WORDS[JSON_PREVIOUS >> 2]
    const guesses = (previous === 0 ? WORDS[JSON_PARENT >> 2] + NODE_FIRST : previous + NODE_NEXT) >> 2
    WORDS[guesses + 1] = WORDS[guesses]
    WORDS[guesses] = node
  }

  /** Returns the shape of the fields that the kernel has read last; null: it is not known, and there is no room. */
  shape(): Shape | null {
    const table = this.#shapeTable
    if (findShape === null || table.slots === 0) return null
    const number = findShape(table.slots, table.mask)
    return number > 0 ? this.#shapes[number - 1] : this.#addShape()
  }

  #addShape(): Shape | null {
    const table = this.#shapeTable
    if (!table.reserve()) return null
    const count = WORDS[JSON_COUNT >> 2]
    const record = this.#shapeRecords.take(SHAPE_IDS + 4 * count)
    if (record === 0) return null
    const ids = JSON_IDS >> 2
    const shape = new Shape(Array.from(WORDS.subarray(ids, ids + count), (id) => this.paths[id]))
    this.#shapes.push(shape)
    WORDS[(record + SHAPE_HASH) >> 2] = WORDS[JSON_HASH >> 2]
    WORDS[(record + SHAPE_COUNT) >> 2] = count
    WORDS[(record + SHAPE_NUMBER) >> 2] = this.#shapes.length
    WORDS.copyWithin((record + SHAPE_IDS) >> 2, ids, ids + count)
    table.insert(record)
    return shape
  }
}
