import { foldCase } from '../source/byte-string.js'
import { QUOTE } from './grammar.js'

/** Paths that are remembered for one ruleset; further ones are made anew each time, so hostile keys cost time but no memory. */
const PATH_LIMIT = 20_000

/** Shared count of the remembered paths of one tree. */
interface PathBudget {
  left: number
  readonly meaning: PathMeaning
}

/** The last two members at one place, the one that came last first. */
interface Guesses {
  likely: JsonPath | null
  other: JsonPath | null
}

/** What names mean to the ruleset that asks. */
export interface PathMeaning {
  /** The number of a folded name that rules ask for, or -1. */
  find(lower: string): number
  /** Static field of a whole name. */
  readonly statics: ReadonlyMap<string, number>
}

/**
 * A member name on its way down a JSON object, remembered from event to event: the joined name, the field it stands for, and the
 * members that came next the last times.
 */
export class JsonPath {
  /** The member's own name. */
  readonly name: string
  /** Names joined by dots. */
  readonly full: string
  /** Position in `Event.statics`, -1 for dynamic. */
  readonly staticIndex: number
  /** `user` at top level: dstuser when that is empty, else dynamic. */
  readonly isUser: boolean
  /** Interned number of the full name, -1 when nothing asks for it. */
  readonly key: number
  /** The members that came first in this object, and those that came after this one, the last two times. */
  readonly #first: Guesses = { likely: null, other: null }
  readonly #next: Guesses = { likely: null, other: null }
  readonly #bytes: Uint8Array
  readonly #children = new Map<string, JsonPath>()
  readonly #budget: PathBudget
  readonly #isRoot: boolean

  private constructor(name: string, full: string, isRoot: boolean, budget: PathBudget) {
    this.name = name
    this.#bytes = Buffer.from(name, 'latin1')
    this.full = full
    this.#isRoot = isRoot
    this.#budget = budget
    this.staticIndex = isRoot ? -1 : (budget.meaning.statics.get(full) ?? -1)
    this.isUser = !isRoot && full === 'user'
    this.key = isRoot ? -1 : budget.meaning.find(foldCase(full))
  }

  /** The empty path. No name may change its meaning after the first event. */
  static root(meaning: PathMeaning): JsonPath {
    return new JsonPath('', '', true, { left: PATH_LIMIT, meaning })
  }

  /**
   * The member of this object whose name stands at `at`, as far as it can be guessed: events of one source have the same members in the same
   * order. Null: it must be read.
   * @param previous the member before it, null = it is the first
   */
  guess(previous: JsonPath | null, bytes: Uint8Array, at: number): JsonPath | null {
    const guesses = previous === null ? this.#first : previous.#next
    const { likely, other } = guesses
    if (likely !== null && standsAt(likely.#bytes, bytes, at)) return likely
    if (other === null || !standsAt(other.#bytes, bytes, at)) return null
    guesses.likely = other
    guesses.other = likely
    return other
  }

  /** Remembers for guesses what came. @param path a member of this object, whose name has no escapes */
  learn(previous: JsonPath | null, path: JsonPath): void {
    // A NUL also stands behind the end of a text.
    if (path.name.includes('\0')) return
    const guesses = previous === null ? this.#first : previous.#next
    guesses.other = guesses.likely
    guesses.likely = path
  }

  /** The path of a member. */
  child(name: string): JsonPath {
    const known = this.#children.get(name)
    if (known !== undefined) return known
    const path = new JsonPath(name, this.#isRoot ? name : `${this.full}.${name}`, false, this.#budget)
    if (this.#budget.left > 0) {
      this.#budget.left--
      this.#children.set(name, path)
    }
    return path
  }
}

/** Does this name stand there, and end? */
function standsAt(name: Uint8Array, bytes: Uint8Array, at: number): boolean {
  const { length } = name
  if (bytes[at + length] !== QUOTE) return false
  for (let i = 0; i < length; i++) if (bytes[at + i] !== name[i]) return false
  return true
}
