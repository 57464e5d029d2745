/** Watches until the threads have started. */
import type { AnalysisPool } from '#workers'
import type { OwnProcess } from './own-process.js'

/** Interval between two checks whether the threads have started, for `/readyz`. */
const POOL_LOOK_MS = 1000

/** @param ownProcess is told */
export function watchPoolReadiness(pool: AnalysisPool, ownProcess: OwnProcess | null): { readonly isReady: boolean; stop(): void } {
  let [isReady, isStopped] = [false, false]
  const look = async (): Promise<void> => {
    isReady = await pool.ready()
    if (isReady) ownProcess?.ready()
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
