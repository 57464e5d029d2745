/** Ends requests that take too long: aborts the signal of the handler and drops its late response. */
import { ApiError } from '../../errors.js'
import type { Middleware } from '../request-state.js'

/** Longer than a task including its wait (`TASK_TIMEOUT_MS`, 10 s); shorter than the usual timeout of load balancers (60 s). */
export const HANDLER_TIMEOUT_MS = 30_000

export function timeout(ms: number): Middleware {
  return ({ state }, next) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        // Reading a body has its own limits; afterwards `restart` sets a new deadline.
        if (state.isReading) return
        reject(new ApiError('handler_timeout', { params: { seconds: Math.round(ms / 1000) } }))
        state.abort('timeout')
      }, ms)
      // The timer must not keep a stopping process alive.
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
