/** Gives up requests that take too long. What they were at is told by the signal, and its late answer is thrown away. */
import { ApiError } from '../../errors.js'
import type { Middleware } from '../exchange.js'

/** Beyond what a task may take (`TASK_TIMEOUT_MS`, 10 s) with its time in the queue; below what load balancers wait (60 s). */
export const HANDLER_TIMEOUT_MS = 30_000

export function timeout(ms: number): Middleware {
  return ({ state }, next) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        // A body that is under way has limits of its own; once it is here, `restart` begins anew.
        if (state.isReading) return
        reject(new ApiError('handler_timeout', { params: { seconds: Math.round(ms / 1000) } }))
        state.abort('timeout')
      }, ms)
      // A handler that never ends must not keep a stopped process.
      timer.unref()
      state.restartDeadline = () => void timer.refresh()
      next().then(
        (value) => {
          clearTimeout(timer)
          resolve(value)
        },
        (error) => {
          clearTimeout(timer)
          reject(error)
        },
      )
    })
}
