/** The threads of a replay find in a block what the thread of the caller finds in it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { compileRuleset } from '#engine'
import { ARRIVAL_START, type Block, type BlockAnswer, blocksInOwnThread, composeRuleset, ReplayThreads } from '#workers'
import { EVENTS, FOUNDATION } from '../../support/rulesets.js'

const CONTENT = { defaults: FOUNDATION, custom: [] }
const DATA = { fields: { event: null, location: null, time: null }, clock: 'arrival', select: null } as const
const THREADS = 3
/** Until each thread has had its turn; by then the others have long compiled the few rules. */
const BLOCKS_LIMIT = 20_000

function blockOf(number: number): Block {
  const lines = [...EVENTS.slice(number % EVENTS.length), '', ...EVENTS]
  return { bytes: Buffer.from(`${lines.join('\n')}\n`).subarray(), lines: lines.length, firstLine: 1 + number, seconds: ARRIVAL_START + number, source: '"made.log"' }
}

/** In the thread of the caller bytes are those of a buffer. */
const told = (answers: readonly BlockAnswer[]): unknown => answers.map((answer) => ({ ...answer, bytes: [...answer.bytes] }))

test('blocks are shared, and have the same answers in each thread', async () => {
  const ruleset = compileRuleset(composeRuleset(FOUNDATION, [], []))
  const runHere = await blocksInOwnThread([ruleset], DATA)
  let here = 0
  const threads = new ReplayThreads({ ...DATA, contents: [CONTENT] }, THREADS)
  threads.join((block) => {
    here++
    return runHere(block)
  })
  try {
    let elsewhere = 0
    for (let first = 0; elsewhere === 0 || here === 0; first += threads.capacity) {
      assert.ok(first < BLOCKS_LIMIT, `${here} blocks of ${first} ran in the thread of the caller`)
      const before = here
      const blocks = Array.from({ length: threads.capacity }, (_, index) => blockOf(first + index))
      const answers = await Promise.all(blocks.map((block) => threads.run(block)))
      elsewhere += blocks.length - (here - before)
      for (const [index, block] of blocks.entries()) assert.deepEqual(told(answers[index]), told(runHere(block)))
    }
  } finally {
    await threads.close()
  }
  await assert.rejects(threads.run(blockOf(0)), /a thread ended before its answer/)
})

test('what a thread cannot compile, and what the thread of the caller cannot run, is the answer of its blocks', async () => {
  const broken = { ...DATA, contents: [{ defaults: null as never, custom: [] }] }
  const threads = new ReplayThreads(broken, 2)
  threads.join(() => {
    throw new Error('not here')
  })
  try {
    await assert.rejects(threads.run(blockOf(0)), /not here/)
    // Blocks that wait, or come later, when the other thread has failed.
    let fault = ''
    for (let number = 0; fault !== 'other' && number < BLOCKS_LIMIT; number++) {
      await threads.run(blockOf(number)).catch((reason: Error) => {
        fault = reason.message === 'not here' ? 'own' : 'other'
      })
      // Blocks that fail take no time, and the other thread needs some until it fails.
      await setTimeout(1)
    }
    assert.equal(fault, 'other')
  } finally {
    await threads.close()
  }
})
