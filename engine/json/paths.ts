import { foldCase } from '../source/byte-string.js'

/** Paths that are remembered for one ruleset; further ones are made anew each time, so hostile keys cost time but no memory. */
export const PATH_LIMIT = 20_000

/** Shared count of the remembered paths of one tree. */
interface PathBudget {
  left: number
  readonly meaning: PathMeaning
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
 * member that came next the last time.
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
  /** The member that came first in this object, and the one that came after this one: a guess, checked before use. */
  firstChild: JsonPath | null = null
  next: JsonPath | null = null
  readonly #children = new Map<string, JsonPath>()
  readonly #budget: PathBudget
  readonly #isRoot: boolean

  private constructor(name: string, full: string, isRoot: boolean, budget: PathBudget) {
    this.name = name
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
