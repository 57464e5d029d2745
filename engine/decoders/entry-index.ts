/**
 * Finds the children of a root at which an event can enter, by the first byte that their prematches read. It omits only children that cannot
 * match, and the members that `DecoderMatcher` skips after each of them.
 */
import type { PrefilterList, PrefilterScanner } from '../expressions/prefilter-table.js'
import { byteAt, canBeginWith, LEADING_BYTES } from '../expressions/leading-byte.js'
import type { CompiledDecoder } from '../event/decoder.js'

/** Roots with fewer children are scanned. */
export const MIN_INDEXED_CHILDREN = 4
/**
 * Maximum number of cached lists per root. The cache is cleared when it is full. Real logs need a few lists; hostile logs can fill some megabytes
 * over all roots.
 */
const LISTS_REMEMBERED = 256

/** Decoders to try, in order, with the prefilters of their prematches. */
export interface DecoderList extends PrefilterList {
  readonly decoders: readonly CompiledDecoder[]
}

/** Children to try. */
export interface Entries extends DecoderList {
  /** Their positions in the root's list. */
  readonly positions: readonly number[]
}

export class EntryIndex {
  readonly #children: readonly CompiledDecoder[]
  readonly #lists = new Map<number, Entries>()

  constructor(children: readonly CompiledDecoder[]) {
    this.#children = children
  }

  /** @param afterParent offset at which prematches with `offset="after_parent"` start @param scanner of a ruleset with these decoders */
  find(log: string, afterParent: number, scanner: PrefilterScanner): Entries {
    const atStart = byteAt(log, 0)
    const atAfterParent = byteAt(log, afterParent)
    const key = atStart * LEADING_BYTES + atAfterParent
    let list = this.#lists.get(key)
    if (list === undefined) {
      if (this.#lists.size >= LISTS_REMEMBERED) this.#lists.clear()
      list = this.#walk(atStart, atAfterParent, scanner)
      this.#lists.set(key, list)
    }
    return list
  }

  #walk(atStart: number, atAfterParent: number, scanner: PrefilterScanner): Entries {
    const positions: number[] = []
    for (let at = 0; at >= 0; at = nextEntry(this.#children, at)) {
      const { prematch, definition } = this.#children[at]
      const byte = definition.prematch?.offset === 'after_parent' ? atAfterParent : atStart
      if (canBeginWith(prematch, byte)) positions.push(at)
      if (prematch === null) break
    }
    const decoders = positions.map((at) => this.#children[at])
    return { positions, decoders, ...scanner.listOf(decoders.map(({ prematchPrefilter }) => prematchPrefilter)) }
  }
}

/** The child to try after the one at `at` was rejected, -1 = none. Its family is skipped as a whole: all members that continue, and one more. */
export function nextEntry(children: readonly CompiledDecoder[], at: number): number {
  let next = at
  if (children[at].continues) {
    while (next < children.length && children[next].continues) next++
    if (next >= children.length) return -1
  }
  return next + 1 < children.length ? next + 1 : -1
}
