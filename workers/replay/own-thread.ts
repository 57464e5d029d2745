/** Runs blocks of a replay in the thread of the caller. What runs events is loaded with the first call: the service has no use for it in its event loop. */
import type { CompiledRuleset } from '#engine'
import type { ReplayThreadData, RunHere } from './block.js'

/** Alerts are those of the first ruleset. */
export async function blocksInOwnThread(rulesets: readonly CompiledRuleset[], data: Omit<ReplayThreadData, 'contents'>): Promise<RunHere> {
  const { BlockRunner } = await import('./run-block.js')
  const runners = rulesets.map((ruleset, index) => new BlockRunner(ruleset, data, index === 0))
  return (block) => runners.map((runner) => runner.run(block))
}
