import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runInChunks, STOPS_LIMIT } from '../../../workers/runs/run-in-chunks.js'

/** Runs items that are numbers; a negative one stops the thread. At most `turn` are answered at once. */
async function run(items: readonly number[], turn = 100) {
  const log: string[] = []
  const submit = async (some: readonly number[]) => {
    const bad = some.findIndex((item) => item < 0)
    if (bad >= 0 && bad < turn) return { outcome: 'timeout' as const, timeoutMs: 1, at: { index: bad, ruleId: null, decoder: null } }
    return { outcome: 'ok' as const, part: { count: Math.min(turn, some.length), items: some.slice(0, turn) } }
  }
  for await (const outcome of runInChunks(items, 0, { stops: 0 }, submit)) {
    if (outcome.outcome === 'ok') log.push(...outcome.part.items.map(String))
    else log.push(outcome.outcome === 'stopped' ? `stopped ${outcome.index}${outcome.abandoned ? ' abandoned' : ''}` : outcome.by.outcome)
  }
  return log
}

describe('runInChunks', () => {
  it('continues where a thread left off', async () => {
    assert.deepEqual(await run([1, 2, 3, 4, 5], 2), ['1', '2', '3', '4', '5'])
  })

  it('loses only the item that stopped the thread, and runs those before it again', async () => {
    assert.deepEqual(await run([1, 2, -1, 4]), ['1', '2', 'stopped 2', '4'])
    assert.deepEqual(await run([-1, 2]), ['stopped 0', '2'])
    assert.deepEqual(await run([1, -1]), ['1', 'stopped 1'])
    assert.deepEqual(await run([1, 2, 3, -1, 5], 2), ['1', '2', '3', 'stopped 3', '5'])
  })

  it('loses with an item those that continue from it', async () => {
    const items = [1, 2, -1, 4, 5, 6]
    const told: unknown[] = []
    const submit = async (some: readonly number[]) => {
      const bad = some.findIndex((item) => item < 0)
      if (bad >= 0) return { outcome: 'timeout' as const, timeoutMs: 1, at: { index: bad, ruleId: null, decoder: null } }
      return { outcome: 'ok' as const, part: { count: some.length, items: some } }
    }
    for await (const outcome of runInChunks(items, 10, { stops: 0 }, submit, (item) => item === 4 || item === 5))
      told.push(outcome.outcome === 'ok' ? outcome.part.items : outcome.outcome === 'stopped' ? [outcome.index, outcome.count] : outcome)
    assert.deepEqual(told, [[1, 2], [12, 3], [6]])
  })

  it('runs nothing again before an item that was stopped before it began', async () => {
    const items = [1, 2, 3, 4, 5, 6]
    const asked: (readonly number[])[] = []
    const told: unknown[] = []
    const stop = { outcome: 'timeout' as const, timeoutMs: 1, at: { index: 2, ruleId: null, decoder: null } }
    const submit = async (some: readonly number[]) => {
      asked.push(some)
      return { outcome: 'ok' as const, part: some[0] === 1 ? { count: 2, stop } : { count: some.length, stop: null } }
    }
    for await (const outcome of runInChunks(items, 10, { stops: 0 }, submit, (item) => item > 1 && item < 5))
      told.push(outcome.outcome === 'ok' ? outcome.part.count : outcome.outcome === 'stopped' ? [outcome.index, outcome.count, outcome.stop] : outcome)
    assert.deepEqual(told, [2, [12, 2, stop], 2])
    assert.deepEqual(asked, [items, [5, 6]])
  })

  it('gives up after too many stops', async () => {
    const items = new Array<number>(STOPS_LIMIT + 2).fill(-1)
    assert.deepEqual(await run(items), ['stopped 0', 'stopped 1', 'stopped 2 abandoned'])
  })

  it('ends when the whole run is refused', async () => {
    const outcomes = []
    for await (const outcome of runInChunks([1], 0, { stops: 0 }, async () => ({ outcome: 'busy' as const }))) outcomes.push(outcome)
    assert.deepEqual(outcomes, [{ outcome: 'ended', by: { outcome: 'busy' } }])
  })
})
