/** Watches until the threads have started. */
import type { AnalysisPool } from '#workers'
import type { Member } from './membership.js'

/** Interval between two checks whether the threads have started, for `/readyz`. */
const POOL_LOOK_MS = 1000

/** @param membership is told */
export function watchPoolStart(pool: AnalysisPool, membership: Member | null): { readonly isReady: boolean; stop(): void } {
  let [isReady, isStopped] = [false, false]
  const look = async (): Promise<void> => {
    isReady = await pool.ready()
    if (isReady) membership?.ready()
    else if (!isStopped) setTimeout(look, POOL_LOOK_MS).unref()
  }
  void look()
  return {
    get isReady() {
      return isReady
    },
    stop() {
      isStopped = true
    },
  }
}
