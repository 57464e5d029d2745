/** Runs blocks of a replay in the thread of the caller. What runs events is loaded with the first call: the service has no use for it in its event loop. */
import type { CompiledRuleset } from '#engine'
import type { Block, BlockAnswer, ReplayThreadData } from './block.js'

/** @returns a function that runs a block, with an answer for each ruleset; alerts are those of the first one */
export async function blocksInOwnThread(rulesets: readonly CompiledRuleset[], data: Omit<ReplayThreadData, 'contents'>): Promise<(block: Block) => readonly BlockAnswer[]> {
  const { BlockRunner } = await import('./run-block.js')
  const runners = rulesets.map((ruleset, index) => new BlockRunner(ruleset, data, index === 0))
  return (block) => runners.map((runner) => runner.run(block))
}
