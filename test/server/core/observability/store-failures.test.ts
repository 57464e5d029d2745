import assert from 'node:assert/strict'
import test, { afterEach, beforeEach, mock } from 'node:test'
import { createLog } from '../../../../server/core/observability/log.js'
import { type SuppressedFailures, StoreFailures } from '../../../../server/core/observability/store-failures.js'
import { StorageFullError, StorageUnavailableError } from '../../../../server/core/storage/errors.js'

const MINUTE = 60_000
const ERROR = 50
let summaries: SuppressedFailures[]
let failures: StoreFailures

beforeEach(() => {
  mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.parse('2026-01-02T03:04:05Z') })
  summaries = []
  failures = new StoreFailures((suppressed) => summaries.push(suppressed))
})
afterEach(() => mock.timers.reset())

const away = (): Error => new StorageUnavailableError()

test('the first failure of a cause is written, and the others are counted once a minute', () => {
  const admitted = Array.from({ length: 5 }, () => failures.admit({ err: away() }, ERROR))
  assert.deepEqual(admitted, [true, false, false, false, false])
  mock.timers.tick(MINUTE)
  assert.deepEqual(summaries, [{ cause: 'StorageUnavailableError', left_out: 4, since: '2026-01-02T03:04:05.000Z', references: [] }])
  assert.equal(failures.admit({ err: away() }, ERROR), false)
  mock.timers.tick(MINUTE)
  assert.deepEqual(summaries.at(-1)?.left_out, 1)
  // After a minute without a failure the next one counts as the first again.
  mock.timers.tick(MINUTE)
  assert.equal(summaries.length, 2)
  assert.equal(failures.admit({ err: away() }, ERROR), true)
})

test('an unavailable store is one cause, and a full one another', () => {
  const wrapped = new Error('a job failed', { cause: away() })
  assert.equal(failures.admit({ err: away(), kind: 'a' }, ERROR), true)
  for (const err of [new StorageUnavailableError({ cause: new Error('x') }), wrapped]) assert.equal(failures.admit({ err }, ERROR), false)
  assert.equal(failures.admit({ err: new StorageFullError() }, ERROR), true)
  mock.timers.tick(MINUTE)
  assert.deepEqual(
    summaries.map(({ cause, left_out }) => [cause, left_out]),
    [['StorageUnavailableError', 2]],
  )
})

test('other errors are always written', () => {
  const fault = { debugId: 'id', task: 'logtest', reason: 'timeout', error: null }
  for (const fields of ['text', undefined, null, { kind: 'a' }, { err: 'no error' }, { err: new Error('x') }, { fault }]) {
    for (let time = 0; time < 3; time++) assert.equal(failures.admit(fields, ERROR), true)
  }
})

test('the ids of the first suppressed failures are listed', () => {
  for (let at = 0; at < 20; at++) failures.admit({ err: away(), request_id: `request-${at}` }, ERROR)
  failures.admit({ err: new StorageFullError() }, ERROR)
  failures.admit({ err: new StorageFullError(), job: 'job' }, ERROR)
  failures.flush()
  assert.deepEqual(
    summaries.map(({ left_out, references }) => [left_out, references.length, references[0]]),
    [
      [19, 10, 'request-1'],
      [1, 1, 'job'],
    ],
  )
  failures.flush()
  assert.equal(summaries.length, 2)
})

test('the log suppresses failures of the store, counts all of them, and reports the rest at its end', async () => {
  const lines: string[] = []
  const log = createLog({ logLevel: 'info' }, { write: (line) => void lines.push(line) })
  for (let at = 0; at < 100; at++) log.error({ err: new StorageUnavailableError() }, 'due jobs could not be read')
  log.warn({ err: new StorageUnavailableError() }, 'a place could not be renewed')
  log.warn('something else')
  log.info({ err: away() }, 'not counted')
  log.info({ err: away() }, 'not counted')
  assert.equal(lines.length, 4)
  assert.deepEqual(log.counts, { warn: 2, error: 100, fatal: 0 })
  mock.timers.tick(MINUTE)
  assert.deepEqual(
    { ...JSON.parse(lines[4]), time: '' },
    {
      level: 'error',
      time: '',
      cause: 'StorageUnavailableError',
      left_out: 100,
      since: '2026-01-02T03:04:05.000Z',
      references: [],
      msg: 'failures of the store were left out',
    },
  )
  log.error({ err: new StorageUnavailableError() }, 'due jobs could not be read')
  await log.flush()
  assert.equal(JSON.parse(lines[5]).left_out, 1)
  assert.deepEqual(log.counts, { warn: 2, error: 101, fatal: 0 })
})
