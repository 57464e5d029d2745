import assert from 'node:assert/strict'
import test, { afterEach, beforeEach, mock } from 'node:test'
import { createLog } from '../../../server/observability/log.js'
import { type LeftOut, RepeatedFailures } from '../../../server/observability/repeated-failures.js'
import { StorageUnavailableError } from '../../../server/storage/errors.js'

const MINUTE = 60_000
const ERROR = 50
let told: LeftOut[]
let failures: RepeatedFailures

beforeEach(() => {
  mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.parse('2026-01-02T03:04:05Z') })
  told = []
  failures = new RepeatedFailures((leftOut) => told.push(leftOut))
})
afterEach(() => mock.timers.reset())

/** The same error as often as it is asked for, from one place. */
const fault = (name = 'Error'): Error => Object.assign(new Error('x'), { name })
const elsewhere = (): Error => new Error('x')

test('of one cause the first failure is written, and every minute the others are counted', () => {
  const admitted = Array.from({ length: 5 }, () => failures.admit({ err: fault() }, ERROR))
  assert.deepEqual(admitted, [true, false, false, false, false])
  mock.timers.tick(MINUTE)
  assert.deepEqual(
    told.map(({ left_out, since }) => [left_out, since]),
    [[4, '2026-01-02T03:04:05.000Z']],
  )
  assert.match(told[0].cause, /^Error fault .*repeated-failures\.test/)
  assert.equal(failures.admit({ err: fault() }, ERROR), false)
  mock.timers.tick(MINUTE)
  assert.deepEqual(told.at(-1)?.left_out, 1)
  // A minute without one, and the next is the first again.
  mock.timers.tick(MINUTE)
  assert.equal(told.length, 2)
  assert.equal(failures.admit({ err: fault() }, ERROR), true)
})

test('another place, another kind of error, and another fault of an analysis are other causes', () => {
  const analysis = (reason: string, task = 'logtest') => ({ fault: { debugId: 'id', task, reason, error: null } })
  for (const fields of [{ err: fault() }, { err: elsewhere() }, { err: fault('TypeError') }, analysis('timeout'), analysis('memory'), analysis('timeout', 'validate')]) {
    assert.equal(failures.admit(fields, ERROR), true)
    assert.equal(failures.admit(fields, ERROR), false)
  }
})

test('a store that is away is one cause, wherever it shows', () => {
  const wrapped = new Error('a job failed', { cause: new StorageUnavailableError() })
  assert.equal(failures.admit({ err: new StorageUnavailableError(), kind: 'a' }, ERROR), true)
  for (const err of [new StorageUnavailableError({ cause: elsewhere() }), wrapped]) assert.equal(failures.admit({ err }, ERROR), false)
  mock.timers.tick(MINUTE)
  assert.deepEqual([told[0].cause, told[0].left_out], ['StorageUnavailableError', 2])
})

test('what is no failure is always written', () => {
  for (const fields of ['text', undefined, null, { kind: 'a' }, { err: 'no error' }, { fault: 'no fault' }]) {
    for (let time = 0; time < 3; time++) assert.equal(failures.admit(fields, ERROR), true)
  }
})

test('who asks for a failure that was left out finds its id, of the first ones', () => {
  for (let at = 0; at < 20; at++) failures.admit({ err: fault(), request_id: `request-${at}` }, ERROR)
  failures.admit({ fault: { debugId: 'first', task: 'logtest', reason: 'fault', error: null } }, ERROR)
  failures.admit({ fault: { debugId: 'second', task: 'logtest', reason: 'fault', error: null } }, ERROR)
  failures.flush()
  assert.deepEqual(
    told.map(({ left_out, references }) => [left_out, references.length, references[0]]),
    [
      [19, 10, 'request-1'],
      [1, 1, 'second'],
    ],
  )
  failures.flush()
  assert.equal(told.length, 2)
})

test('very many causes are told together', () => {
  const one = (at: number): Error => Object.assign(new Error('x'), { name: `Error${at}` })
  const written = Array.from({ length: 1000 }, (_, at) => failures.admit({ err: one(at) }, ERROR)).filter((admitted) => admitted).length
  assert.equal(written, 201)
  failures.flush()
  assert.deepEqual(
    told.map(({ cause, left_out }) => [cause, left_out]),
    [['other causes', 799]],
  )
})

test('the log leaves repeated failures out, counts all of them, and tells the rest when it ends', async () => {
  const lines: string[] = []
  const log = createLog({ logLevel: 'info' }, { write: (line) => void lines.push(line) })
  for (let at = 0; at < 100; at++) log.error({ err: new StorageUnavailableError() }, 'due jobs could not be read')
  log.warn({ err: new StorageUnavailableError() }, 'a place could not be renewed')
  log.warn('something else')
  log.info({ err: fault() }, 'not counted')
  log.info({ err: fault() }, 'not counted')
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
      msg: 'failures of the same cause were left out',
    },
  )
  log.error({ err: new StorageUnavailableError() }, 'due jobs could not be read')
  await log.flush()
  assert.equal(JSON.parse(lines[5]).left_out, 1)
  assert.deepEqual(log.counts, { warn: 2, error: 101, fatal: 0 })
})
