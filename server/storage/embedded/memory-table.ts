/** A collection that is kept in memory only: counts of the last minutes. Small, so that everything but ids is found by reading it all. */
import type { IndexDefinition } from '../contract.js'
import { DuplicateKeyError } from '../errors.js'
import type { CompiledFilter } from '../language/filter.js'
import { Index } from './index-keys.js'
import { choosePlan } from './plan.js'
import { Answer, type Question, type Table } from './table.js'
import { copyDocument, type ValueObject } from '../values.js'

/** Documents of a few hundred bytes each. When there are more, the oldest go: they count what would soon be forgotten. */
const VOLATILE_DOCUMENT_LIMIT = 100_000

export class MemoryTable implements Table {
  readonly #documents = new Map<string, ValueObject>()
  /** Of each unique index: key to id. */
  readonly #unique: readonly { readonly index: Index; readonly holders: Map<string, string> }[]
  readonly #expiring: readonly { readonly field: string; readonly afterMs: number }[]
  readonly #limit: number

  constructor(
    readonly name: string,
    indexes: readonly IndexDefinition[],
    limit = VOLATILE_DOCUMENT_LIMIT,
  ) {
    this.#limit = limit
    this.#unique = indexes.filter((index) => index.unique).map((index) => ({ index: new Index(index, 0, false), holders: new Map() }))
    this.#expiring = indexes.flatMap(({ keys, expireAfterSeconds }) =>
      expireAfterSeconds === undefined ? [] : [{ field: Object.keys(keys)[0], afterMs: expireAfterSeconds * 1000 }],
    )
  }

  get size(): number {
    return this.#documents.size
  }

  get(id: string): ValueObject | undefined {
    const document = this.#documents.get(id)
    return document === undefined ? undefined : copyDocument(document).value
  }

  find(question: Question): ValueObject[] {
    if (question.limit === 0) return []
    const answer = new Answer(question, false)
    for (const document of this.#candidates(question.filter)) if (!answer.offer(document)) break
    return answer.take().map((document) => copyDocument(document).value)
  }

  /** There are too few of them to be long. */
  read(question: Question): ValueObject[] {
    return this.find(question)
  }

  count(filter: CompiledFilter): number {
    let count = 0
    for (const document of this.#candidates(filter)) if (filter.test(document)) count++
    return count
  }

  stage(before: ValueObject | null, after: ValueObject | null): () => void {
    if (before === null && after !== null && this.#documents.has(after._id as string)) throw new DuplicateKeyError(this.name, ['_id'])
    for (const { index, holders } of this.#unique) {
      for (const key of keysOf(index, after)) {
        const holder = holders.get(key)
        if (holder !== undefined && holder !== after?._id) throw new DuplicateKeyError(this.name, index.fieldNames)
      }
    }
    return () => {
      if (before === null && this.#documents.size >= this.#limit) this.#forgetOldest()
      this.restore(after, before)
    }
  }

  restore(before: ValueObject | null, after: ValueObject | null): void {
    for (const { index, holders } of this.#unique) {
      for (const key of keysOf(index, after)) holders.delete(key)
      for (const key of keysOf(index, before)) holders.set(key, before?._id as string)
    }
    if (before === null) this.#documents.delete(after?._id as string)
    else this.#documents.set(before._id as string, copyDocument(before).value)
  }

  sweep(now: number): void {
    for (const document of this.#documents.values()) {
      const isOver = this.#expiring.some(({ field, afterMs }) => {
        const date = document[field]
        return date instanceof Date && date.getTime() + afterMs <= now
      })
      if (isOver) this.restore(null, document)
    }
  }

  #candidates(filter: CompiledFilter): Iterable<ValueObject> {
    const plan = choosePlan(filter, [], [])
    if (plan.kind !== 'ids') return this.#documents.values()
    return plan.ids.map((id) => this.#documents.get(id)).filter((document) => document !== undefined)
  }

  #forgetOldest(): void {
    for (const document of this.#documents.values()) {
      this.restore(null, document)
      return
    }
  }
}

function keysOf(index: Index, document: ValueObject | null): string[] {
  return document === null ? [] : index.keysOf(document).map(({ key }) => key.toString('latin1'))
}
