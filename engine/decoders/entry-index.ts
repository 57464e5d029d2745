/**
 * Which children of a root an event can enter at, told by the first bytes that their prematches read. Leaves out only children that cannot
 * match, and what the walk of `DecoderMatcher` passes over after each of them.
 */
import type { GateList, GateScanner } from '../expressions/gate-table.js'
import type { CompiledDecoder } from './decoder.js'

/** Roots with fewer children are walked. */
export const LEAST_INDEXED_CHILDREN = 4
/** Lists of one root that are remembered; above it all are forgotten and made anew. */
const LISTS_REMEMBERED = 1024
/** Stands for the first byte where the text is at its end: no pattern is ruled out by it. */
const NO_BYTE = 256
const BYTES = 257

/** Decoders to try, in order, with their prematches' gates. */
export interface DecoderList {
  readonly decoders: readonly CompiledDecoder[]
  readonly gates: GateList
}

/** Children to try. */
export interface Entries extends DecoderList {
  /** Their positions in the root's list. */
  readonly positions: readonly number[]
}

export class EntryIndex {
  readonly #children: readonly CompiledDecoder[]
  readonly #lists = new Map<number, Entries>()
  readonly #scanner: GateScanner

  constructor(children: readonly CompiledDecoder[], scanner: GateScanner) {
    this.#children = children
    this.#scanner = scanner
  }

  /** @param afterParent where prematches with `offset="after_parent"` read */
  entries(log: string, afterParent: number): Entries {
    const atStart = byteAt(log, 0)
    const atAfterParent = byteAt(log, afterParent)
    const key = atStart * BYTES + atAfterParent
    let list = this.#lists.get(key)
    if (list === undefined) {
      if (this.#lists.size >= LISTS_REMEMBERED) this.#lists.clear()
      list = this.#walk(atStart, atAfterParent)
      this.#lists.set(key, list)
    }
    return list
  }

  #walk(atStart: number, atAfterParent: number): Entries {
    const positions: number[] = []
    for (let at = 0; at >= 0; at = nextEntry(this.#children, at)) {
      const { prematch, definition } = this.#children[at]
      const byte = definition.prematch?.offset === 'after_parent' ? atAfterParent : atStart
      const possible = prematch?.firstBytes ?? null
      if (possible === null || byte === NO_BYTE || possible[byte] === 1) positions.push(at)
      if (prematch === null) break
    }
    const decoders = positions.map((at) => this.#children[at])
    return { positions, decoders, gates: this.#scanner.listOf(Int32Array.from(decoders, ({ prematchGate }) => prematchGate)) }
  }
}

function byteAt(log: string, at: number): number {
  return at < log.length ? log.charCodeAt(at) : NO_BYTE
}

/** The child to try after the one at `at` was rejected, -1 = none. A family is left as a whole: all that continue, and one more. */
export function nextEntry(children: readonly CompiledDecoder[], at: number): number {
  let next = at
  if (children[at].continues) {
    while (next < children.length && children[next].continues) next++
    if (next >= children.length) return -1
  }
  return next + 1 < children.length ? next + 1 : -1
}
