/** A collection inside the store, on disk (`durable-table.ts`) or in memory (`memory-table.ts`). Writes run in one go; reads that take long let others have their turn. */
import type { CompiledFilter } from '../language/filter.js'
import { compareBy, type SortField } from '../language/order.js'
import { measureDocument } from '../values.js'
import type { ValueObject } from '../values.js'

export interface Question {
  readonly filter: CompiledFilter
  readonly sort: readonly SortField[]
  readonly skip: number
  /** Infinity: all. */
  readonly limit: number
}

export interface Table {
  readonly name: string
  get(id: string): ValueObject | undefined
  /** In one go, however long it takes: for writes. */
  find(question: Question): ValueObject[]
  read(question: Question): ValueObject[] | Promise<ValueObject[]>
  count(filter: CompiledFilter): number | Promise<number>
  /**
   * Looks whether `after` can stand in the place of `before`; null is nothing. Nothing changes before the step that is returned is made.
   * @throws DuplicateKeyError
   */
  stage(before: ValueObject | null, after: ValueObject | null): () => void
  /** The opposite of a step that may have been made in part. */
  restore(before: ValueObject | null, after: ValueObject | null): void
}

/** Changes of one write, to take them back. */
export class Journal {
  readonly #changes: { readonly table: Table; readonly before: ValueObject | null; readonly after: ValueObject | null }[] = []

  change(table: Table, before: ValueObject | null, after: ValueObject | null): void {
    const step = table.stage(before, after)
    this.#changes.push({ table, before, after })
    step()
  }

  undo(): void {
    for (const { table, before, after } of this.#changes.reverse()) table.restore(before, after)
  }
}

/** A document as it is stored. @throws DocumentTooLargeError, TypeError */
export function takeDocument(collection: string, document: object): ValueObject {
  return measureDocument(collection, document).value
}

/** Collects what a question asks for. What comes `sorted` is not kept beyond the page. */
export class Answer {
  readonly #question: Question
  readonly #sorted: boolean
  readonly #compare: (a: ValueObject, b: ValueObject) => number
  #found: ValueObject[] = []
  #skipped = 0

  constructor(question: Question, sorted: boolean) {
    this.#question = question
    this.#sorted = sorted || question.sort.length === 0
    this.#compare = compareBy(question.sort)
  }

  /** @returns whether more is wanted */
  offer(document: ValueObject): boolean {
    const { filter, skip, limit } = this.#question
    if (!filter.test(document)) return true
    if (!this.#sorted) {
      this.#found.push(document)
      // Only the first of them can be part of the page.
      if (this.#found.length > 2 * (skip + limit) + PAGE_SLACK) this.#found = this.#found.sort(this.#compare).slice(0, skip + limit)
      return true
    }
    if (this.#skipped < skip) {
      this.#skipped++
      return true
    }
    this.#found.push(document)
    return this.#found.length < limit
  }

  /** Whether the next document that matches lies before the page, and need not be read. */
  passOver(): boolean {
    if (this.#skipped >= this.#question.skip) return false
    this.#skipped++
    return true
  }

  take(): ValueObject[] {
    const { skip, limit } = this.#question
    if (this.#sorted) return this.#found
    return this.#found.sort(this.#compare).slice(skip, skip + limit)
  }
}

/** Documents that are found before the first sorting: sorting again and again for small pages would cost more than keeping some. */
const PAGE_SLACK = 200
