/**
 * A collection on disk. Keys of documents: number of the collection | id. Keys of indexes: see `index-keys.ts`; their values are a byte that says
 * whether the key is inexact, and the id. A document and its index entries change in the same transaction, always.
 */
import { DuplicateKeyError } from '../errors.js'
import type { Documents, Entries, Environment } from './environment.js'
import { ID_BYTES } from '../values.js'
import type { CompiledFilter } from '../language/filter.js'
import type { Index, IndexKey } from './index-keys.js'
import { ABOVE, type Interval } from './key.js'
import { entryValue, idOf, INEXACT, rangeOf } from './entries.js'
import { LongRead, READ_AT_ONCE } from './long-read.js'
import { choosePlan, coversFilter, type IndexPlan, type Plan } from './plan.js'
import { Answer, type Question, type Table } from './table.js'
import type { ValueObject } from '../values.js'

/** How a question was answered, for tests that watch over plans. */
export interface PlanReport {
  readonly collection: string
  /** Fields of the index, `['_id']` for a look-up by id; null: the whole collection was read. */
  readonly index: readonly string[] | null
  /** No order was asked for, or it came from the index. */
  readonly sorted: boolean
  /** Documents that were read; infinity: very many, in pieces. */
  readonly examined: number
}

export class DurableTable implements Table {
  readonly #environment: Environment
  readonly #prefix = Buffer.alloc(4)
  readonly #onPlan: ((report: PlanReport) => void) | undefined
  /** Called in the transaction in which an index gets its first array. */
  readonly #onMultikey: () => void

  constructor(
    environment: Environment,
    readonly name: string,
    readonly number: number,
    public indexes: readonly Index[],
    options: { readonly onPlan: ((report: PlanReport) => void) | undefined; readonly onMultikey: () => void },
  ) {
    this.#environment = environment
    this.#prefix.writeUInt32BE(number)
    this.#onPlan = options.onPlan
    this.#onMultikey = options.onMultikey
  }

  /** Where all documents of the collection lie. */
  get interval(): Interval {
    return { start: this.#prefix, end: Buffer.concat([this.#prefix, ABOVE]) }
  }

  get(id: string): ValueObject | undefined {
    return Buffer.byteLength(id) > ID_BYTES ? undefined : this.#documents.get(this.keyOf(id))
  }

  find(question: Question): ValueObject[] {
    if (question.limit === 0) return []
    return this.#answerAtOnce(question, this.#planOf(question), Number.POSITIVE_INFINITY) as ValueObject[]
  }

  read(question: Question): ValueObject[] | Promise<ValueObject[]> {
    if (question.limit === 0) return []
    const found = question.skip > READ_AT_ONCE ? TOO_LONG : this.#answerAtOnce(question, this.#planOf(question), READ_AT_ONCE)
    if (found !== TOO_LONG) return found
    return this.#environment.reading(async (snapshot) => {
      // Planned anew: an index may have got its first array since.
      const { plan, sorted } = this.#planOf(question)
      const read = new LongRead(this, snapshot)
      const answer = (await read.find(question, plan, sorted)) ?? (await read.find(question, plan, false))!
      this.#report(plan, sorted, Number.POSITIVE_INFINITY)
      return answer
    })
  }

  count(filter: CompiledFilter): number | Promise<number> {
    const plan = choosePlan(filter, [], this.indexes)
    if (plan.kind === 'index' && coversFilter(plan, filter)) {
      this.#report(plan, true, 0)
      return plan.intervals.reduce((sum, { start, end }) => sum + this.#entries.getKeysCount({ start, end }), 0)
    }
    let count = 0
    const examined = this.#walk(
      plan,
      (document) => {
        if (filter.test(document)) count++
        return true
      },
      READ_AT_ONCE,
    )
    if (examined > READ_AT_ONCE) return this.#environment.reading((snapshot) => new LongRead(this, snapshot).count(filter, choosePlan(filter, [], this.indexes)))
    this.#report(plan, true, examined)
    return count
  }

  /** Ids of all that may match, for reading in pieces. */
  candidates(filter: CompiledFilter): string[] {
    const plan = choosePlan(filter, [], this.indexes)
    if (plan.kind === 'ids') return [...plan.ids]
    const ids: string[] = []
    if (plan.kind === 'scan') for (const key of this.#documents.getKeys(this.interval)) ids.push(idOf(key, this.#prefix.length))
    else for (const { id } of this.#entriesOf(plan)) ids.push(id)
    return ids
  }

  stage(before: ValueObject | null, after: ValueObject | null): () => void {
    const changes = this.indexes.map((index) => differenceOf(index, before, after))
    this.#refuseDuplicates(before, after, changes)
    return () => {
      this.#markLists(after)
      this.#write(before, after, changes)
    }
  }

  restore(before: ValueObject | null, after: ValueObject | null): void {
    // All keys anew, as it is not known which of them were written.
    this.#write(
      after,
      before,
      this.indexes.map((index) => ({ index, removed: after === null ? [] : index.keysOf(after), added: before === null ? [] : index.keysOf(before) })),
    )
  }

  /** Ids of documents with keys of an index there, some of them. */
  idsIn(interval: Interval, limit: number): string[] {
    const ids = new Set<string>()
    for (const { value } of this.#entries.getRange({ ...interval, limit })) ids.add(idOf(value, 1))
    return [...ids]
  }

  keyOf(id: string): Buffer {
    const key = Buffer.allocUnsafe(this.#prefix.length + Buffer.byteLength(id))
    key.set(this.#prefix)
    key.write(id, this.#prefix.length)
    return key
  }

  get #documents(): Documents {
    return this.#environment.documents
  }

  get #entries(): Entries {
    return this.#environment.entries
  }

  #planOf(question: Question): Planned {
    const plan = choosePlan(question.filter, question.sort, this.indexes)
    return { plan, sorted: question.sort.length === 0 || (plan.kind === 'index' && plan.sorted) }
  }

  #answerAtOnce(question: Question, { plan, sorted }: Planned, most: number): ValueObject[] | typeof TOO_LONG {
    return this.#answer(question, plan, sorted, most) ?? this.#answer(question, plan, false, most)!
  }

  /** Null: it can't be answered in the order of the index, as a key in it is inexact. */
  #answer(question: Question, plan: Plan, sorted: boolean, most: number): ValueObject[] | typeof TOO_LONG | null {
    const answer = new Answer(question, sorted)
    let inexact = false
    const examined = this.#walk(
      plan,
      (document, isInexact) => {
        if (isInexact && sorted && question.sort.length > 0) {
          inexact = true
          return false
        }
        return answer.offer(document)
      },
      most,
    )
    if (inexact) return null
    if (examined > most) return TOO_LONG
    this.#report(plan, sorted, examined)
    return answer.take()
  }

  /** Visits documents until one says false, or there were more than so many. */
  #walk(plan: Plan, visit: (document: ValueObject, inexact: boolean) => boolean, most: number): number {
    let examined = 0
    if (plan.kind === 'scan') {
      for (const { value } of this.#documents.getRange(this.interval)) if (++examined > most || !visit(value, false)) break
      return examined
    }
    if (plan.kind === 'ids') {
      for (const id of plan.ids) {
        const document = this.get(id)
        if (document !== undefined && (++examined > most || !visit(document, false))) break
      }
      return examined
    }
    for (const { id, inexact } of this.#entriesOf(plan)) {
      const document = this.get(id)
      if (document === undefined) throw new Error(`an index of ${this.name} has the id of a document that is not there`)
      if (++examined > most || !visit(document, inexact)) break
    }
    return examined
  }

  *#entriesOf({ index, intervals, reverse, isWhole }: IndexPlan): Generator<{ id: string; inexact: boolean }> {
    if (isWhole) {
      // A cursor costs more than such a look-up.
      for (const { start } of intervals) {
        const value = this.#entries.get(start)
        if (value !== undefined) yield { id: idOf(value, 1), inexact: value[0] === INEXACT }
      }
      return
    }
    const seen = index.multikey ? new Set<string>() : null
    for (const interval of intervals) {
      for (const { value } of this.#entries.getRange(rangeOf(interval, reverse))) {
        const id = idOf(value, 1)
        if (seen !== null) {
          if (seen.has(id)) continue
          seen.add(id)
        }
        yield { id, inexact: value[0] === INEXACT }
      }
    }
  }

  #refuseDuplicates(before: ValueObject | null, after: ValueObject | null, changes: readonly Difference[]): void {
    if (before === null && after !== null && this.#documents.doesExist(this.keyOf(after._id as string))) throw new DuplicateKeyError(this.name, ['_id'])
    for (const { index, added } of changes) {
      if (!index.unique) continue
      for (const { key } of added) {
        const holder = this.#entries.get(key)
        if (holder !== undefined && idOf(holder, 1) !== after?._id) throw new DuplicateKeyError(this.name, index.fieldNames)
      }
    }
  }

  #markLists(after: ValueObject | null): void {
    if (after === null) return
    const grown = this.indexes.filter((index) => !index.multikey && index.isListed(after))
    if (grown.length === 0) return
    for (const index of grown) index.multikey = true
    this.#onMultikey()
  }

  #write(before: ValueObject | null, after: ValueObject | null, changes: readonly Difference[]): void {
    const id = (after ?? before)?._id as string
    const documentKey = this.keyOf(id)
    if (after === null) this.#documents.removeSync(documentKey)
    else this.#documents.putSync(documentKey, after)
    for (const { removed, added } of changes) {
      for (const { key } of removed) this.#entries.removeSync(key)
      for (const entry of added) this.#entries.putSync(entry.key, entryValue(entry, id))
    }
  }

  #report(plan: Plan, sorted: boolean, examined: number): void {
    if (this.#onPlan === undefined) return
    const index = plan.kind === 'scan' ? null : plan.kind === 'ids' ? ['_id'] : plan.index.fieldNames
    this.#onPlan({ collection: this.name, index, sorted, examined })
  }
}

interface Planned {
  readonly plan: Plan
  readonly sorted: boolean
}

/** More documents have to be read than may be in one go. */
const TOO_LONG = Symbol('too long')

interface Difference {
  readonly index: Index
  readonly removed: readonly IndexKey[]
  readonly added: readonly IndexKey[]
}

function differenceOf(index: Index, before: ValueObject | null, after: ValueObject | null): Difference {
  const old = before === null ? [] : index.keysOf(before)
  const young = after === null ? [] : index.keysOf(after)
  if (old.length === 1 && young.length === 1) return old[0].key.equals(young[0].key) ? { index, removed: [], added: [] } : { index, removed: old, added: young }
  if (old.length === 0 || young.length === 0) return { index, removed: old, added: young }
  const had = new Set(old.map(({ key }) => key.toString('latin1')))
  const has = new Set(young.map(({ key }) => key.toString('latin1')))
  return { index, removed: old.filter(({ key }) => !has.has(key.toString('latin1'))), added: young.filter(({ key }) => !had.has(key.toString('latin1'))) }
}
