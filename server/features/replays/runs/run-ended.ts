/** The end of a run without a result. */
import type { ReplayFailure } from './store.js'

export class RunEnded extends Error {
  constructor(readonly failure: ReplayFailure) {
    super(failure)
  }
}
