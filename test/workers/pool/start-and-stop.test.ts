/** A pool may be closed, and a thread ended, at any moment of a thread's start; and threads may not start at all. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AnalysisPool } from '#workers'
import { runs } from '../../support/runs.js'
import { BASE, KNOCKS, syslog } from '../support/rulesets.js'
import { logtestAnswer } from '../support/objects.js'

const ruleset = { files: [...BASE, KNOCKS], includeDefaults: false, includeCustom: false }

/** One test waits until it ends. The first task of a thread includes compiling, and takes long on a busy machine. */
const TASK_MS = 4000

function poolOf(workers: number, entry: string): AnalysisPool {
  return new AnalysisPool({ workers, taskTimeoutMs: TASK_MS, defaultRulesetDir: null, threadUrl: new URL(`../support/${entry}.js`, import.meta.url).href })
}

// A thread takes 100 to 200 ms to load its modules; Node aborts the process if `require` loads them and the thread is ended meanwhile.
test('a pool can be closed at any moment of its threads’ start', async () => {
  for (let delayMs = 30; delayMs <= 150; delayMs += runs(10, 3)) {
    const pool = new AnalysisPool({ workers: 2, defaultRulesetDir: null })
    await sleep(delayMs)
    await pool.close()
    assert.equal((await pool.schema()).outcome, 'aborted')
  }
})

test('threads that cannot start fail the waiting tasks each time, and nothing else', async () => {
  const pool = poolOf(2, 'thread-that-throws')
  assert.equal(await pool.ready(), false)
  for (let time = 0; time < 3; time++) assert.equal((await pool.schema()).outcome, 'failed')
  await pool.close()
})

test('threads that exit right after their start are replaced with a pause between them', async () => {
  const pool = poolOf(1, 'thread-that-leaves')
  const began = performance.now()
  while (pool.metrics().replacedThreads < 3) await sleep(20)
  // At least two pauses of a second; the duration of the starts depends on the machine.
  assert.ok(performance.now() - began > 1900)
  await pool.close()
})

test('all tasks sent to threads that exit fail in the end', async () => {
  const pool = poolOf(1, 'thread-that-leaves')
  const first = logtestAnswer(pool, { ruleset, input: syslog('knock') })
  const others = Array.from({ length: 3 }, () => pool.logtest({ ruleset, input: syslog('knock') }))
  for (const { outcome } of await Promise.all([first, ...others])) assert.equal(outcome, 'failed')
  await pool.close()
})

test('bytes that were moved to a thread that exits may be sent again by the caller, and others are sent again by the pool', async () => {
  const pool = poolOf(1, 'thread-that-leaves')
  const read = (isLast: boolean) => pool.read({ of: 'request', schema: '{}', bytes: new Uint8Array(Buffer.from('[1]')), anyName: false }, { isLast })
  assert.deepEqual(await read(true), { outcome: 'busy' })
  assert.equal((await read(false)).outcome, 'failed')
  await pool.close()
})

test('a thread that is lost while it replaces another is replaced in turn', async () => {
  const pool = poolOf(1, 'thread-with-faults')
  assert.equal(await pool.ready(), true)
  await pool.threadPool.workers[0].terminate()
  await pool.threadPool.workers[0].terminate()
  // Waiting tasks may fail with it; they do not wait for half a minute.
  const outcomes: string[] = []
  for (let time = 0; time < 2; time++) outcomes.push((await logtestAnswer(pool, { ruleset, input: syslog('knock') })).outcome)
  assert.equal(outcomes.at(-1), 'ok')
  await pool.close()
})

test('waiting tasks run when a pool is closed, also after a thread was lost', async () => {
  const pool = poolOf(1, 'thread-with-faults')
  await pool.ready()
  const [over, waiting] = ['please-hang', 'knock'].map((event) => logtestAnswer(pool, { ruleset, input: syslog(event) }))
  const closing = pool.close()
  assert.equal((await over).outcome, 'timeout')
  assert.equal((await waiting).outcome, 'ok')
  await closing
  assert.equal(pool.metrics().replacedThreads, 1)
})

test('no thread starts after a pool is closed', async () => {
  // About when the unneeded thread is ended.
  for (let delayMs = 240; delayMs < 288; delayMs += runs(12, 4)) {
    const pool = poolOf(2, 'thread-with-faults')
    await pool.ready()
    const caller = new AbortController()
    const running = logtestAnswer(pool, { ruleset, input: syslog('please-hang') }, { signal: caller.signal })
    await sleep(10)
    caller.abort()
    assert.equal((await running).outcome, 'aborted')
    await sleep(delayMs)
    await pool.threadPool.close(0)
    await sleep(50)
    assert.deepEqual(pool.threadPool.workers, [])
  }
})

test('a task that cannot be sent to a thread is a fault, and the thread continues', async () => {
  const pool = poolOf(1, 'thread-with-faults')
  await pool.ready()
  const input = { ...syslog('knock'), more: () => 1 }
  assert.equal((await logtestAnswer(pool, { ruleset, input })).outcome, 'failed')
  assert.equal((await logtestAnswer(pool, { ruleset, input: syslog('knock') })).outcome, 'ok')
  await pool.close()
})

test('small tasks submitted at once count towards the limit of the queue, also while a thread is free', async () => {
  const pool = new AnalysisPool({ workers: 1, queueLimit: 4, defaultRulesetDir: null })
  await pool.ready()
  const answers = await Promise.all(Array.from({ length: 20 }, () => pool.logtest({ ruleset, input: syslog('knock') })))
  assert.equal(answers.filter(({ outcome }) => outcome === 'ok').length, 5)
  assert.equal(answers.filter(({ outcome }) => outcome === 'busy').length, 15)
  await pool.close()
})
