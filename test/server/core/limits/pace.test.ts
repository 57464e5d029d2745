/** How fast a holder may send. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { Pace } from '../../../../server/core/limits/pace.js'

function pace(): { take(holder: string, bytes: number): number; pass(ms: number): void } {
  let now = 50
  const measured = new Pace(1_000, 100, () => now)
  return {
    take: (holder, bytes) => measured.take(holder, bytes),
    pass: (ms) => {
      now += ms
    },
  }
}

test('a first rush comes without waiting, and what is more at the pace', () => {
  const { take, pass } = pace()
  assert.equal(take('a', 100), 0)
  assert.equal(take('a', 30), 30)
  assert.equal(take('a', 30), 60)
  pass(60)
  assert.equal(take('a', 10), 10)
})

test('who has sent nothing for a while may rush again, and no more than that', () => {
  const { take, pass } = pace()
  take('a', 150)
  pass(50)
  assert.equal(take('a', 1), 1)
  pass(10_000)
  assert.equal(take('a', 100), 0)
  assert.equal(take('a', 1), 1)
})

test('a holder waits for what it sent itself only', () => {
  const { take } = pace()
  assert.equal(take('a', 1_000), 900)
  assert.equal(take('b', 100), 0)
})

test('of many holders those are forgotten that may rush again', () => {
  const { take, pass } = pace()
  for (let i = 0; i < 9_999; i++) take(`${i}`, 1)
  pass(200)
  take('busy', 1_000)
  assert.equal(take('one more', 100), 0)
  assert.equal(take('busy', 1), 901)
})
