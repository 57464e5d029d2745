/**
 * Which children of a root an event can enter at, told by the first bytes that their prematches read. Leaves out only children that cannot
 * match, and what the walk of `DecoderMatcher` passes over after each of them.
 */
import type { PrefilterList, PrefilterScanner } from '../expressions/prefilter-table.js'
import { byteAt, canBeginWith, LEADING_BYTES } from '../expressions/leading-byte.js'
import type { CompiledDecoder } from '../event/decoder.js'

/** Roots with fewer children are walked. */
export const MIN_INDEXED_CHILDREN = 4
/**
 * Lists of one root that are remembered; above it all are forgotten and made anew. Real logs need a few; hostile ones, of all roots together, fill
 * some megabytes.
 */
const LISTS_REMEMBERED = 256

/** Decoders to try, in order, with their prematches' prefilters. */
export interface DecoderList {
  readonly decoders: readonly CompiledDecoder[]
  readonly prefilters: PrefilterList
}

/** Children to try. */
export interface Entries extends DecoderList {
  /** Their positions in the root's list. */
  readonly positions: readonly number[]
}

export class EntryIndex {
  readonly #children: readonly CompiledDecoder[]
  readonly #lists = new Map<number, Entries>()
  readonly #scanner: PrefilterScanner

  constructor(children: readonly CompiledDecoder[], scanner: PrefilterScanner) {
    this.#children = children
    this.#scanner = scanner
  }

  /** @param afterParent where prematches with `offset="after_parent"` read */
  entries(log: string, afterParent: number): Entries {
    const atStart = byteAt(log, 0)
    const atAfterParent = byteAt(log, afterParent)
    const key = atStart * LEADING_BYTES + atAfterParent
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
      if (canBeginWith(prematch, byte)) positions.push(at)
      if (prematch === null) break
    }
    const decoders = positions.map((at) => this.#children[at])
    return { positions, decoders, prefilters: this.#scanner.listOf(Int32Array.from(decoders, ({ prematchPrefilter }) => prematchPrefilter)) }
  }
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
