/** The module of a thread of a replay: it compiles the ruleset once, and answers each block. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Block, ReplayThreadData } from './block.js'
import { BlockRunner } from './run-block.js'

const runner = new BlockRunner(workerData as ReplayThreadData)

parentPort?.on('message', (block: Block) => {
  const answer = runner.run(block)
  const { bytes, states, rules, seconds, lines, starts, ends, hostOf, alertEnds, places, alerts } = answer
  parentPort?.postMessage(
    answer,
    [bytes, states, rules, seconds, lines, starts, ends, hostOf, alertEnds, places, alerts].map(({ buffer }) => buffer as ArrayBuffer),
  )
})
