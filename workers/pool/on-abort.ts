/**
 * One listener of a signal for all tasks that it cancels. A batch has three tasks for each thread at once: with a listener for each, Node warns of a leak from
 * the eleventh on.
 */
interface Cancels {
  readonly all: Set<() => void>
  readonly listener: () => void
}

const CANCELS = new WeakMap<AbortSignal, Cancels>()

/** Calls `cancel` when the signal is aborted. @returns a function that undoes it */
export function onAbort(signal: AbortSignal, cancel: () => void): () => void {
  let cancels = CANCELS.get(signal)
  if (cancels === undefined) {
    const all = new Set<() => void>()
    const listener = (): void => {
      for (const each of [...all]) each()
    }
    signal.addEventListener('abort', listener, { once: true })
    CANCELS.set(signal, (cancels = { all, listener }))
  }
  const { all, listener } = cancels
  all.add(cancel)
  return () => {
    if (!all.delete(cancel) || all.size > 0) return
    // A signal that outlives its tasks is not kept in memory by them.
    signal.removeEventListener('abort', listener)
    CANCELS.delete(signal)
  }
}
