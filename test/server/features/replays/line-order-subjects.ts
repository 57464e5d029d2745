/** Corpora whose order could take long to make, for `line-order.test.ts`. */
import assert from 'node:assert/strict'
import type { EventTime } from '#workers'
import { LineOrder } from '../../../../server/features/replays/runs/line-order.js'
import type { Subjects } from '../../../support/steps.js'

/** @param timeOf of the line with that index */
const ordered =
  (timeOf: (index: number, size: number) => EventTime) =>
  (size: number): void => {
    const order = new LineOrder(0)
    const bytes = Buffer.from('a line\n'.repeat(size))
    const times = Array.from({ length: size }, (_, index) => timeOf(index, size))
    let lines = 0
    for (const blocks of [order.take(bytes, times), order.end()]) for (const block of blocks) lines += block.lines.length
    assert.equal(lines, size)
  }

export const SUBJECTS: Subjects = {
  'lines in the order of their times': ordered((index) => index),
  'lines in the other order': ordered((index, size) => size - index),
  'lines in no order': ordered((index) => (index * 7919) % 10_007),
  'lines without times': ordered(() => 'timeless'),
}
