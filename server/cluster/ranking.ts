/**
 * Which of several processes has a session: rendezvous hashing. Every process computes the same without asking anyone, and one that comes or goes moves only the
 * sessions that it gets or had.
 */
import { createHash } from 'node:crypto'
import type { SessionName } from '#workers'

/** The first four bytes of a SHA-256. */
function wordOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32LE()
}

/** The number by which processes are ranked for a session, independent of its ruleset. */
export function sessionWord({ organization, caller, id }: Omit<SessionName, 'rulesetKey'>): number {
  return wordOf(JSON.stringify([organization, caller, id]))
}

/** The finalizer of MurmurHash3: each bit of the input changes each bit of the result with the same probability. */
function mix(word: number): number {
  let mixed = word
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

const NONE: ReadonlySet<string> = new Set()

export class Ranking {
  /** In a fixed order. */
  readonly names: readonly string[]
  readonly #words: readonly number[]

  constructor(names: Iterable<string>) {
    this.names = [...new Set(names)].sort()
    this.#words = this.names.map(wordOf)
  }

  /** The first in rank; null: there are no processes. @param word of `sessionWord` @param without names that are passed over */
  firstOf(word: number, without: ReadonlySet<string> = NONE): string | null {
    let first: string | null = null
    let most = -1
    for (const [index, name] of this.names.entries()) {
      const score = mix(this.#words[index] ^ word)
      if (score <= most || without.has(name)) continue
      most = score
      first = name
    }
    return first
  }

  has(name: string): boolean {
    return this.names.includes(name)
  }

  with(name: string): Ranking {
    return new Ranking([...this.names, name])
  }

  without(name: string): Ranking {
    return new Ranking(this.names.filter((each) => each !== name))
  }
}
