/** A slice of a long task ends soon when another organization waits for its thread. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { diskContent } from '../../../workers/content/content.js'
import { ThreadPool } from '../../../workers/pool/pool.js'
import { Progress } from '../../../workers/shared/progress.js'
import { PROTOCOL_VERSION } from '../../../workers/shared/protocol.js'
import { beginSlice, SHORT_SLICE_MS, SLICE_MS } from '../../../workers/thread/tasks/context.js'
import type { Task } from '../../../workers/thread/tasks/index.js'

/** Longer than any machine takes to pass a message. */
const LONG_MS = 20_000
const SHORT_MS = 100

const disk = diskContent([], [])
const head = {
  version: PROTOCOL_VERSION,
  locale: 'en-US',
  prepareMs: 0,
  ruleset: { key: '', organization: '', diskId: disk.id, includeDefaults: false, includeCustom: false, source: { files: [] }, disk: null },
} as const
const cases = (chainMs: number): Task => ({ kind: 'cases', ...head, cases: [], chainMs, seconds: 0, trace: false, withDiagnostics: false })
const validate: Task = { kind: 'validate', ...head, body: null, includeBaseline: false }

let pool: ThreadPool

before(async () => {
  pool = new ThreadPool({
    threads: 1,
    queueLimit: 10,
    organizationLimit: 10,
    taskTimeoutMs: 2 * LONG_MS,
    cacheBytesPerThread: 1024,
    disk,
    onFault: (fault) => assert.fail(JSON.stringify(fault)),
    threadUrl: new URL('../support/thread-that-waits.js', import.meta.url).href,
  })
  assert.ok(await pool.started())
})

after(() => pool.close(0))

async function run(task: Task, organization: string): Promise<unknown> {
  const submitted = await pool.submit(task, { organization, supplies: { source: { files: [] }, disk, session: null } })
  assert.ok(submitted.outcome === 'ok')
  return submitted.value
}

test('a task of another organization asks for the thread, and the next slice is not asked any more', async () => {
  const slice = run(cases(LONG_MS), 'a')
  assert.equal(await run(validate, 'b'), false)
  assert.equal(await slice, true)
  assert.equal(await run(cases(SHORT_MS), 'a'), false)
})

test('a task of the same organization waits', async () => {
  const slice = run(cases(SHORT_MS), 'a')
  await run(validate, 'a')
  assert.equal(await slice, false)
})

test('a slice that is asked has a minimum, and others their whole time', () => {
  const progress = new Progress()
  const isOver = beginSlice({ progress }, 100)
  assert.equal(isOver(100 + SLICE_MS - 1), false)
  assert.equal(isOver(100 + SLICE_MS), true)
  progress.ask()
  assert.equal(isOver(100 + SHORT_SLICE_MS - 1), false)
  assert.equal(isOver(100 + SHORT_SLICE_MS), true)
  progress.clear()
  assert.equal(isOver(100 + SHORT_SLICE_MS), false)
})
