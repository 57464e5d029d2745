/** The order of the lines of a corpus: what it comes to, what waits for it at most, and what it costs. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { type EventTime, WINDOW_EVENTS } from '#workers'
import { LineOrder, type OrderedBlock } from '../../../../server/features/replays/runs/line-order.js'
import { StepCounter } from '../../../support/steps.js'
import { SUBJECTS } from './line-order-subjects.js'

const runOf = (blocks: readonly OrderedBlock[]): (readonly [string, number])[] => blocks.flatMap(({ lines, seconds }) => lines.map((line, at) => [line, seconds[at]] as const))

describe('the lines of a corpus', () => {
  it('run in the order of their times, over the blocks in which they are read, and late ones where they arrive', () => {
    const order = new LineOrder(50)
    const times: readonly EventTime[] = ['timeless', 60, 40, 'none', 'timeless', 60]
    const blocks = [...order.take(Buffer.from('a\nb\r\nc\n\nd\ne\n'), times)]
    blocks.push(...order.take(Buffer.from(Array.from({ length: WINDOW_EVENTS }, (_, index) => `n${index}\n`).join('')), Array<EventTime>(WINDOW_EVENTS).fill(70)))
    // The window is full: five have left it, the last of them at 60.
    blocks.push(...order.take(Buffer.from('late\nbeside it\nin time'), [59, 'timeless', 60]), ...order.end())
    const ran = runOf(blocks)
    const waited = ran.findIndex(([line]) => line === 'in time')
    assert.deepEqual(ran.slice(0, 8), [
      ['', 40],
      ['c', 40],
      ['d', 40],
      ['a', 50],
      ['b', 60],
      ['e', 60],
      ['late', 60],
      ['beside it', 60],
    ])
    assert.deepEqual([ran[waited], ran.length, order.late, order.timeless], [['in time', 60], WINDOW_EVENTS + 9, 2, 3])
    assert.ok(blocks.every(({ lines }) => lines.length <= 1024))
  })

  it('wait in bounded memory', () => {
    const order = new LineOrder(0)
    const line = Buffer.from(`${'x'.repeat(1024 * 1024)}\n`)
    let out = 0
    for (let at = 0; at < 40; at++) for (const { lines } of order.take(line, [at])) out += lines.length
    assert.ok(out >= 40 - 17, `${40 - out} lines of a megabyte wait`)
  })

  describe('take work that grows with them', () => {
    const counter = new StepCounter(new URL('./line-order-subjects.js', import.meta.url), { folders: ['server', 'workers'] })
    after(() => counter.close())
    for (const name of Object.keys(SUBJECTS)) it(name, () => counter.assertGrowth(name, { size: WINDOW_EVENTS }))
  })
})
