/** KeyedMutex: work of one name is done one after the other, work of others beside it. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { KeyedMutex } from '../../../../server/core/tenancy/keyed-mutex.js'

test('what has one name is done in the order in which it was asked for, also after a failure', async () => {
  const mutex = new KeyedMutex()
  const done: number[] = []
  const all = Array.from({ length: 5 }, (_, n) =>
    mutex.run('one', async () => {
      await sleep(5 - n)
      done.push(n)
      if (n === 2) throw new Error('no')
      return n
    }),
  )
  const settled = await Promise.allSettled(all)
  assert.deepEqual(done, [0, 1, 2, 3, 4])
  assert.deepEqual(
    settled.map((one) => (one.status === 'fulfilled' ? one.value : 'failed')),
    [0, 1, 'failed', 3, 4],
  )
})

test('what has several names waits for each, and nobody for ever', async () => {
  const mutex = new KeyedMutex()
  const atWork = new Set<string>()
  const work = (names: readonly string[]) =>
    mutex.runAll(names, async () => {
      for (const name of names) assert.ok(!atWork.has(name), name)
      for (const name of names) atWork.add(name)
      await sleep(1)
      for (const name of names) atWork.delete(name)
    })
  const names = ['a', 'b', 'c', 'd']
  await Promise.all(Array.from({ length: 60 }, (_, n) => work([names[n % 4], names[(n * 3 + 1) % 4]].filter((name, at, all) => all.indexOf(name) === at))))
})

test('others don’t wait', async () => {
  const mutex = new KeyedMutex()
  let end = (): void => {}
  const slow = mutex.run('slow', () => new Promise<void>((resolve) => (end = resolve)))
  await mutex.run('quick', async () => {})
  end()
  await slow
})
