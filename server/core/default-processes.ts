/** How many processes serve, and how many threads run analyses, when the settings do not say it. */

/**
 * Threads that one event loop can feed: with more of them, it is the limit of small logtests. With fewer, they wait while a large ruleset is compiled, because
 * heavy tasks leave one thread free.
 */
const THREADS_PER_PROCESS = 2
/** Cores up to which one process is enough: the threads use the rest. */
const SINGLE_PROCESS_CORES = 3
/** What a process takes beside its threads, and what a thread takes with the stock ruleset, in megabytes, rounded up (`bench/server/memory.bench.ts`). */
const PROCESS_MB = 110
const THREAD_MB = 80
/** Share of the memory that the service plans with. Analyses, sessions and the system need the rest. */
const PLANNED_SHARE = 0.75

export interface Machine {
  readonly cores: number
  /** Bytes that the service may use. */
  readonly memory: number
  readonly platform: NodeJS.Platform
}

/** The number of threads for so many processes. */
export function defaultWorkers({ cores }: Pick<Machine, 'cores'>, processes: number): number {
  return Math.max(cores, THREADS_PER_PROCESS * processes)
}

/** The number of processes for so many threads and so much memory for rulesets. */
export function defaultProcesses({ cores, memory, platform }: Machine, { workers, rulesetCacheMb }: { readonly workers: number; readonly rulesetCacheMb: number }): number {
  // Sockets can't be given to another process reliably there.
  if (platform === 'win32' || cores <= SINGLE_PROCESS_CORES) return 1
  const free = (memory / 1024 / 1024) * PLANNED_SHARE - rulesetCacheMb - workers * THREAD_MB
  return Math.max(1, Math.min(Math.floor(Math.min(cores, workers) / THREADS_PER_PROCESS), Math.floor(free / PROCESS_MB)))
}
