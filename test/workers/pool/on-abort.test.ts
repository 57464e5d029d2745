/** One listener for all tasks of a signal. */
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import test from 'node:test'
import { onAbort } from '../../../workers/pool/on-abort.js'

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

test('an abort calls each of many functions once, through one listener', () => {
  const controller = new AbortController()
  const calls = Array.from({ length: 40 }, () => 0)
  const undos = calls.map((_, index) => onAbort(controller.signal, () => void calls[index]++))
  assert.equal(listeners(controller.signal), 1)
  undos[3]()
  controller.abort()
  assert.deepEqual(
    calls,
    calls.map((_, index) => (index === 3 ? 0 : 1)),
  )
  for (const undo of undos) undo()
})

test('a function may undo itself and others while the abort is told', () => {
  const controller = new AbortController()
  const called: number[] = []
  const undos = [0, 1, 2].map((index) =>
    onAbort(controller.signal, () => {
      called.push(index)
      for (const undo of undos) undo()
    }),
  )
  controller.abort()
  assert.deepEqual(called, [0, 1, 2])
})

test('the listener is removed with the last function, and comes back with the next', () => {
  const { signal } = new AbortController()
  const [first, second] = [onAbort(signal, () => {}), onAbort(signal, () => {})]
  first()
  first()
  assert.equal(listeners(signal), 1)
  second()
  assert.equal(listeners(signal), 0)
  onAbort(signal, () => {})
  assert.equal(listeners(signal), 1)
})
