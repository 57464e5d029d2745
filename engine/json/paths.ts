import { latin1Bytes } from '#platform'
import { copyOf, foldCase } from '../source/byte-string.js'
import { QUOTE } from './grammar.js'
import type { PathTable } from './path-table.js'

/** Limit of cached paths of one ruleset. Further paths are built each time, so hostile keys cost time but no memory. */
const PATH_LIMIT = 20_000

/** What the paths of one tree share. */
interface PathTree {
  /** Number of paths that may still be cached. */
  left: number
  readonly meaning: PathMeaning
  /** The paths in the memory of the kernel, which is free again when the tree is collected. Null: there was no JSON yet. */
  table: PathTable | null
}

/** The last two members seen at one position, the most recent first. */
interface Guesses {
  likely: JsonPath | null
  other: JsonPath | null
}

/** The meaning of names in a ruleset. */
export interface PathMeaning {
  /** The number of a folded name that rules use, or -1. */
  find(lower: string): number
  /** Static field of a whole name. */
  readonly statics: ReadonlyMap<string, number>
}

/**
 * A node in the tree of member names, cached between events: the joined name, the field it sets, and the members that recently
 * followed it.
 */
export class JsonPath {
  /** The member's own name. */
  readonly name: string
  /** Names joined by dots. */
  readonly full: string
  /** Position in `Event.statics`, -1 for dynamic. */
  readonly staticIndex: number
  /** `user` at top level: dstuser if that is empty, otherwise dynamic. */
  readonly isUser: boolean
  /** Number of the full name, -1 if no rule uses it. */
  readonly key: number
  /** The last two first members of this object, and the last two members that followed this one. */
  readonly #first: Guesses = { likely: null, other: null }
  readonly #next: Guesses = { likely: null, other: null }
  readonly #bytes: Uint8Array
  readonly #children = new Map<string, JsonPath>()
  readonly tree: PathTree
  readonly #isRoot: boolean
  /** The node in the table of the tree, 0: none. */
  node = 0
  /** Whether the same name of the same object has this path again. */
  isCached: boolean

  private constructor(name: string, full: string, isRoot: boolean, tree: PathTree) {
    this.name = name
    this.#bytes = latin1Bytes(name)
    this.full = full
    this.#isRoot = isRoot
    this.tree = tree
    this.isCached = isRoot
    this.staticIndex = isRoot ? -1 : (tree.meaning.statics.get(full) ?? -1)
    this.isUser = !isRoot && full === 'user'
    this.key = isRoot ? -1 : tree.meaning.find(foldCase(full))
  }

  /** The empty path. The meaning of names must not change after the first event. */
  static root(meaning: PathMeaning): JsonPath {
    return new JsonPath('', '', true, { left: PATH_LIMIT, meaning, table: null })
  }

  /**
   * Guesses the member whose name is at `at`: events of one source have the same members in the same order. Null: the name must be read.
   * @param previous the previous member, null: it is the first
   */
  guess(previous: JsonPath | null, bytes: Uint8Array, at: number): JsonPath | null {
    const guesses = previous === null ? this.#first : previous.#next
    const { likely, other } = guesses
    if (likely !== null && isNameAt(likely.#bytes, bytes, at)) return likely
    if (other === null || !isNameAt(other.#bytes, bytes, at)) return null
    guesses.likely = other
    guesses.other = likely
    return other
  }

  /** Records a member for later guesses. @param path a member of this object whose name has no escapes */
  learn(previous: JsonPath | null, path: JsonPath): void {
    // The byte after the end of a text is a NUL.
    if (path.name.includes('\0')) return
    const guesses = previous === null ? this.#first : previous.#next
    guesses.other = guesses.likely
    guesses.likely = path
  }

  /** Returns the path of a member. */
  child(name: string): JsonPath {
    const known = this.#children.get(name)
    if (known !== undefined) return known
    // A path that is not cached here is copied too: `logtest/fields-json.ts` caches the names of fields.
    const own = copyOf(name)
    const path = new JsonPath(own, this.#isRoot ? own : copyOf(`${this.full}.${own}`), false, this.tree)
    if (this.tree.left > 0) {
      this.tree.left--
      path.isCached = true
      this.#children.set(own, path)
    }
    return path
  }
}

/** Whether exactly this name is at the offset. */
function isNameAt(name: Uint8Array, bytes: Uint8Array, at: number): boolean {
  const { length } = name
  if (bytes[at + length] !== QUOTE) return false
  for (let i = 0; i < length; i++) if (bytes[at + i] !== name[i]) return false
  return true
}
