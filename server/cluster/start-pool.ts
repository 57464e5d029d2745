/** Starts the threads. It is apart from `app.ts`, so that they compile and check the default content while the main thread loads the libraries of the service, which takes as long. */
import { type AnalysisPool, createAnalysisPool } from '#workers'
import type { Config } from '../core/config.js'
import type { Log } from '../core/observability/log.js'
import type { OwnProcess } from './own-process.js'

export function startPool(config: Config, log: Log, ownProcess: OwnProcess | null): AnalysisPool {
  const { defaultRulesetDir, customContentDir, workers, rulesetCacheMb, taskTimeoutMs } = config
  const pool = createAnalysisPool({
    ...(defaultRulesetDir === null ? {} : { defaultRulesetDir }),
    customContentDir,
    workers,
    rulesetCacheMb,
    taskTimeoutMs,
    ...(ownProcess === null ? {} : { processes: config.processes, sessionFile: ownProcess.sessionFile }),
    onFault: (fault) => log.error({ fault }, 'an analysis task failed'),
  })
  // Nobody waits for it yet, but the checks begin.
  void pool.ready()
  return pool
}
