/** What a process knows of the sessions of the process before. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { SessionMarks } from '../../../workers/sessions/session-marks.js'

const HOUR = 60 * 60 * 1000
const MINUTE = 60 * 1000
const folder = mkdtempSync(join(tmpdir(), 'marks-'))
after(() => rmSync(folder, { recursive: true }))

/** A clock, and processes that follow each other. */
function life(name: string, limit = 4) {
  const file = join(folder, name)
  let now = 1_700_000_000_000
  return {
    file,
    pass: (ms: number) => {
      now += ms
    },
    start: () => new SessionMarks({ file, limit, ttlMs: HOUR, clock: () => now }),
  }
}

test('a session is lost once, also if several processes ended since', () => {
  const { start } = life('once')
  const first = start()
  for (const key of ['told', 'not told']) first.note(key, 0)
  const second = start()
  assert.deepEqual([second.take('told'), second.take('told'), second.take('never')], [true, false, false])
  const third = start()
  assert.equal(third.take('not told'), true)
})

test('a session that has expired is not lost, and one that was used again is', () => {
  const { start, pass } = life('expired')
  const first = start()
  const marked = first.note('used', 0)?.at ?? 0
  first.note('unused', 0)
  pass(MINUTE)
  assert.equal(first.note('used', marked), null, 'each use writes a mark')
  pass(50 * MINUTE)
  assert.equal(first.note('used', marked)?.at, marked + 51 * MINUTE)
  pass(20 * MINUTE)
  const second = start()
  assert.deepEqual([second.take('used'), second.take('unused')], [true, false])
  const third = start()
  pass(2 * HOUR)
  assert.equal(third.take('used'), false)
})

test('the file keeps the newest marks, and names nobody', () => {
  const { start, file } = life('ring', 3)
  const first = start()
  for (const key of ['["organization","caller"]', 'b', 'c', 'd']) first.note(key, 0)
  assert.equal(statSync(file).size, 3 * 24)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.ok(!readFileSync(file).includes('organization'))
  const second = start()
  assert.deepEqual(
    ['["organization","caller"]', 'b', 'c', 'd'].map((key) => second.take(key)),
    [false, true, true, true],
  )
})

test('what a process knows of the sessions of others is handed on with its time', () => {
  let now = 1_700_000_000_000
  const process = () => new SessionMarks({ file: null, limit: 4, ttlMs: HOUR, clock: () => now })
  const [home, next, last] = [process(), process(), process()]
  for (const key of ['a', 'b']) next.add(home.note(key, 0)!.bytes)
  now += 50 * MINUTE
  next.add(home.note('c', 0)!.bytes)
  last.add(next.others())
  assert.equal(last.take('a'), true)
  now += 20 * MINUTE
  assert.deepEqual([last.take('b'), last.take('c'), last.take('c')], [false, true, false])
})
