/** Predicts how many requests a second the service answers, from what one of them costs. docker/SCALING.md explains it. */

/** Microseconds of processor time of one request. */
export interface Cost {
  /** Time of the event loop that has the connection. */
  readonly main: number
  /** Time of the analysis thread. */
  readonly threads: number
  /** Time of everything else in the service. */
  readonly rest: number
  /** Time of the load generators on the same cores; 0 if they are on other machines. */
  readonly generators: number
}

export interface Shape {
  readonly cores: number
  readonly processes: number
  /** Analysis threads of all processes. */
  readonly threads: number
}

export interface Prediction {
  /** What is fully used first. */
  readonly limit: 'event loops' | 'threads' | 'cores'
  /** Requests a second. */
  readonly rate: number
}

export function predict({ cores, processes, threads }: Shape, cost: Cost): Prediction {
  const limits: readonly (readonly [Prediction['limit'], number])[] = [
    ['event loops', processes / cost.main],
    ['threads', threads / cost.threads],
    ['cores', cores / sumOf(cost)],
  ]
  const [limit, rate] = limits.reduce((low, each) => (each[1] < low[1] ? each : low))
  return { limit, rate: rate * 1_000_000 }
}

export function sumOf({ main, threads, rest, generators }: Cost): number {
  return main + threads + rest + generators
}
