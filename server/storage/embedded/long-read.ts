/**
 * Answers for which very many documents have to be read: in pieces, between which others have their turn, and as of one moment. Documents that are
 * only passed over, as those before a page, aren't read at all where the index says that they match.
 */
import { idOf, INEXACT, rangeOf } from './entries.js'
import type { CompiledFilter } from '../language/filter.js'
import type { Interval } from './key.js'
import { coversFilter, type IndexPlan, type Plan } from './plan.js'
import type { Snapshot } from './snapshot.js'
import { Answer, type Question } from './table.js'
import type { ValueObject } from '../values.js'

/** Up to so many documents are read without a turn for others: an answer of several pieces needs a snapshot, which costs more than they do. */
export const READ_AT_ONCE = 1000
/** Documents of one piece of a longer answer: a few milliseconds. */
const PIECE_DOCUMENTS = 250

/** Whose documents are read. */
export interface Source {
  readonly interval: Interval
  keyOf(id: string): Buffer
}

/** A document that may match; it is read when it is asked for. */
interface Candidate {
  readonly inexact: boolean
  document(): ValueObject
}

export class LongRead {
  readonly #source: Source
  readonly #snapshot: Snapshot

  constructor(source: Source, snapshot: Snapshot) {
    this.#source = source
    this.#snapshot = snapshot
  }

  /** Null: it can't be answered in the order of the index, as a key in it is inexact. */
  async find(question: Question, plan: Plan, sorted: boolean): Promise<ValueObject[] | null> {
    const answer = new Answer(question, sorted)
    const inOrder = sorted && question.sort.length > 0
    const covered = sorted && plan.kind === 'index' && coversFilter(plan, question.filter)
    for await (const piece of this.#pieces(plan)) {
      for (const candidate of piece) {
        if (inOrder && candidate.inexact) return null
        if (covered && answer.passOver()) continue
        if (!answer.offer(candidate.document())) return answer.take()
      }
    }
    return answer.take()
  }

  async count(filter: CompiledFilter, plan: Plan): Promise<number> {
    let count = 0
    for await (const piece of this.#pieces(plan)) for (const candidate of piece) if (filter.test(candidate.document())) count++
    return count
  }

  async *#pieces(plan: Plan): AsyncGenerator<Iterable<Candidate>> {
    let isFirst = true
    for (const piece of this.#candidates(plan)) {
      if (!isFirst) await new Promise(setImmediate)
      isFirst = false
      yield piece
    }
  }

  *#candidates(plan: Plan): Generator<Iterable<Candidate>> {
    if (plan.kind === 'index') yield* this.#indexed(plan)
    else if (plan.kind === 'scan') {
      for (const piece of this.#snapshot.documents(this.#source.interval, PIECE_DOCUMENTS)) yield piece.map(({ value }) => ({ inexact: false, document: () => value }))
    } else {
      for (let at = 0; at < plan.ids.length; at += PIECE_DOCUMENTS) {
        const found = plan.ids.slice(at, at + PIECE_DOCUMENTS).map((id) => this.#snapshot.document(this.#source.keyOf(id)))
        yield found.filter((document) => document !== undefined).map((document) => ({ inexact: false, document: () => document }))
      }
    }
  }

  *#indexed({ index, intervals, reverse }: IndexPlan): Generator<Iterable<Candidate>> {
    const seen = index.multikey ? new Set<string>() : null
    for (const interval of intervals) {
      for (const piece of this.#snapshot.entries(rangeOf(interval, reverse), PIECE_DOCUMENTS)) {
        const candidates: Candidate[] = []
        for (const { value } of piece) {
          const id = idOf(value, 1)
          if (seen?.has(id) === true) continue
          seen?.add(id)
          candidates.push({ inexact: value[0] === INEXACT, document: () => this.#read(id) })
        }
        yield candidates
      }
    }
  }

  #read(id: string): ValueObject {
    const document = this.#snapshot.document(this.#source.keyOf(id))
    if (document === undefined) throw new Error(`an index has the id of a document that is not there: ${id}`)
    return document
  }
}
