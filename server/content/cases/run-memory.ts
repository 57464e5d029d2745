/** Limits the memory of runs (`run_bytes` in the table of limits). */
import type { Limits } from '../../core/limits/limits.js'
import type { Scope } from '../../core/tenancy/scope.js'
import type { CaseDocument } from '../shared/test-case.js'

/** Bytes of a result without the texts of its case. */
const RESULT_BYTES = 4 * 1024
/** Copies of a case's texts: the case, its message to a thread, and two in its result. */
const COPIES = 4

export class RunMemory {
  readonly #limits: Pick<Limits, 'acquire'>

  constructor(limits: Pick<Limits, 'acquire'>) {
    this.#limits = limits
  }

  /** Does the work while its memory counts against the limit. @throws ApiError limit_reached */
  async reserve<T>({ organizationId }: Scope, cases: readonly CaseDocument[], work: () => Promise<T>): Promise<T> {
    const bytes = cases.reduce((sum, testCase) => sum + COPIES * testCase.bytes + RESULT_BYTES, 0)
    const permit = this.#limits.acquire('run_bytes', { organization: organizationId }, bytes)
    try {
      return await work()
    } finally {
      permit.release()
    }
  }
}
