/** The module of a thread of a replay: it compiles the contents once, says so, and answers each block for each of them. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Block, ReplayThreadData } from './block.js'
import { compileContents } from './compile-contents.js'
import { BlockRunner } from './run-block.js'

const data = workerData as ReplayThreadData
const runners = compileContents(data.contents).map((ruleset, index) => new BlockRunner(ruleset, data, index === 0))

parentPort?.on('message', (block: Block) => {
  const answers = runners.map((runner) => runner.run(block))
  const memory = answers.flatMap(({ states, rules, seconds, lines, starts, ends, hostOf, alertEnds, places, alerts }) =>
    [states, rules, seconds, lines, starts, ends, hostOf, alertEnds, places, alerts].map(({ buffer }) => buffer as ArrayBuffer),
  )
  parentPort?.postMessage(answers, memory)
})
parentPort?.postMessage(null)
