/** Makes what the first phase found in a block small: of its lines only those stay that are read again, for events that depend on others. */
import { type BlockAnswer, EVENT } from '#workers'
import type { BlockCut, TakenBlock } from './lane.js'
import type { PartialBlock } from './partial-file.js'

/** What of the lines is read again. */
export interface LineUse {
  /** For each content, whether its decoders take what earlier events captured. */
  readonly inherits: readonly boolean[]
  /** Whether all lines are: two contents are compared, with samples of their differences. */
  readonly all: boolean
}

const READS_CAPTURES = EVENT.keepsCaptures | EVENT.lacksCaptures

/** The blocks of one source, in their order. */
export class BlockStripper {
  readonly #use: LineUse
  /** The latest time so far: an event before it may run late, at another time than its own. */
  #latest = Number.NEGATIVE_INFINITY

  constructor(use: LineUse) {
    this.#use = use
  }

  strip({ cut, answers }: Pick<TakenBlock, 'cut' | 'answers'>): PartialBlock {
    const { lines, firstLine, beforeTooLong, offset, linesRead } = cut
    const kept: BlockCut = { lines, firstLine, beforeTooLong, offset, linesRead }
    if (answers.length === 0) return { cut: kept, answers }
    const needed = this.#neededOf(answers)
    // All contents have the same events at the same places, and share the bytes.
    const [{ bytes, count, starts: from, ends: to }] = answers
    const parts: Uint8Array[] = []
    const starts = new Uint32Array(count)
    const ends = new Uint32Array(count)
    let length = 0
    for (let i = 0; i < count; i++) {
      const size = to[i] - from[i]
      if (needed[i] === 1) {
        parts.push(bytes.subarray(from[i], to[i]))
        starts[i] = length
        length += size
      }
      // Also of a line that is not there, the difference is its length.
      ends[i] = starts[i] + size
    }
    const rest = Buffer.concat(parts, length)
    return { cut: kept, answers: answers.map((answer) => stripped(answer, rest, starts, ends, needed)) }
  }

  /** 1 for each event whose line is read again. */
  #neededOf(answers: readonly BlockAnswer[]): Uint8Array {
    const { inherits, all } = this.#use
    const [{ count, states, seconds }] = answers
    const needed = new Uint8Array(count)
    for (let i = 0; i < count; i++) {
      const isLate = (states[i] & EVENT.timeless) === 0 && seconds[i] < this.#latest
      if ((states[i] & EVENT.timeless) === 0 && !isLate) this.#latest = seconds[i]
      const isRead = ({ states: flags }: BlockAnswer, content: number): boolean => (flags[i] & EVENT.marked) !== 0 || (inherits[content] && (flags[i] & READS_CAPTURES) === 0)
      if (all || isLate || answers.some(isRead)) needed[i] = 1
    }
    return needed
  }
}

function stripped(answer: BlockAnswer, bytes: Uint8Array, starts: Uint32Array, ends: Uint32Array, needed: Uint8Array): BlockAnswer {
  const { count, states, rules, seconds, lines, hostOf, alertEnds, places } = answer
  return {
    ...answer,
    bytes,
    starts,
    ends,
    states: states.slice(0, count).map((flags, i) => (needed[i] === 1 ? flags : flags | EVENT.textless)),
    rules: rules.slice(0, count),
    seconds: seconds.slice(0, count),
    lines: lines.slice(0, count),
    hostOf: hostOf.slice(0, count),
    alertEnds: alertEnds.slice(0, count),
    places: places.slice(0, count),
  }
}
