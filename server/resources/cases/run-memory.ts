/** What runs hold of memory, all callers together: a run that would be too much is told to come again, as a process that runs out of it ends all of them. */
import { ApiError } from '../../errors.js'
import type { CaseDocument } from '../../projects/test-case.js'

/** Of all runs under way: cases, and the answers that are gathered of them. */
const RUNS_BYTES = 512 * 1024 * 1024
/** A result beside the texts of its case. */
const RESULT_BYTES = 4 * 1024
/** A case's texts are in the case, in its message to a thread, and twice in its result. */
const COPIES = 4
/** A run takes seconds. */
const RETRY_AFTER_SECONDS = 5

export class RunMemory {
  #held = 0

  /** Does the work when there is place for it; one alone always has. @throws ApiError overloaded */
  async hold<T>(cases: readonly CaseDocument[], work: () => Promise<T>): Promise<T> {
    const bytes = cases.reduce((sum, testCase) => sum + COPIES * testCase.bytes + RESULT_BYTES, 0)
    if (this.#held > 0 && this.#held + bytes > RUNS_BYTES) throw new ApiError('overloaded', { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } })
    this.#held += bytes
    try {
      return await work()
    } finally {
      this.#held -= bytes
    }
  }
}
