/** The processor time of a service by what its threads do. Linux only. */
import { readdirSync, readFileSync } from 'node:fs'

/** The service counts as quiet when each of its processes uses less than this in one look, in microseconds. */
const QUIET_US = 20_000
const LOOK_MS = 300
/** A service with many processes starts within this. */
const QUIET_LIMIT_MS = 60_000

export interface ThreadTimes {
  /** Microseconds of the event loops of the processes that serve. */
  readonly main: number
  /** Microseconds of the analysis threads. */
  readonly threads: number
  /** Microseconds of all other threads: collection, compilation of code, the pool of libuv, the supervisor. */
  readonly rest: number
}

/**
 * Waits until a service has started completely, and returns a function that reads its times since then. The analysis threads are those with the most processor
 * time after the start, because each of them has compiled the rulesets.
 * @param pid of the service, or of its supervisor
 * @param threads how many analysis threads it has
 */
export async function threadTimesOf(pid: number, threads: number): Promise<() => ThreadTimes> {
  for (let last = totalOf(pid), looks = 0; ; looks++) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    const now = totalOf(pid)
    if (now - last < QUIET_US * (1 + childrenOf(pid).length)) break
    if (looks * LOOK_MS > QUIET_LIMIT_MS) throw new Error('the service does not get quiet')
    last = now
  }
  const children = childrenOf(pid)
  const serving = children.length === 0 ? [pid] : children
  const loops = new Set(serving)
  const others = serving.flatMap((each) => tasksOf(each)).filter(({ id }) => !loops.has(id))
  const analysing = new Set(
    others
      .sort((a, b) => b.us - a.us)
      .slice(0, threads)
      .map(({ id }) => id),
  )
  const read = (): ThreadTimes => {
    const times = { main: 0, threads: 0, rest: 0 }
    for (const { id, us } of [...new Set([pid, ...serving])].flatMap(tasksOf)) times[loops.has(id) ? 'main' : analysing.has(id) ? 'threads' : 'rest'] += us
    return times
  }
  const start = read()
  return () => {
    const { main, threads, rest } = read()
    return { main: main - start.main, threads: threads - start.threads, rest: rest - start.rest }
  }
}

/** The threads of a process, with their processor time. */
function tasksOf(pid: number): { readonly id: number; readonly us: number }[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((id) => {
    try {
      return [{ id: Number(id), us: Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'latin1').split(' ')[0]) / 1000 }]
    } catch {
      // It has ended.
      return []
    }
  })
}

/** The processes that the process has started. */
export function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((id) =>
    readFileSync(`/proc/${pid}/task/${id}/children`, 'latin1')
      .split(' ')
      .filter((child) => child.trim() !== '')
      .map(Number),
  )
}

/** Processor time of a process and its children since their start, in microseconds. */
export function totalOf(pid: number): number {
  return [pid, ...childrenOf(pid)].flatMap(tasksOf).reduce((sum, { us }) => sum + us, 0)
}
