/** What all connections do in one iteration of the event loop, and in which order: counted in pieces of work, never in time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as iteration } from 'node:timers/promises'
import { DiscardPace } from '../../../../../server/core/http/connection/discard-pace.js'
import { type BudgetedConnection, ITERATION_BYTES, REQUEST_BYTES, WorkBudget } from '../../../../../server/core/http/connection/work-budget.js'

const SLICE = 4096

/** A connection with so many pieces of work, which notes when it does each. */
class Connection implements BudgetedConnection {
  readonly isShort: boolean

  constructor(
    readonly name: string,
    readonly budget: WorkBudget,
    readonly done: string[],
    public pieces: number,
    readonly bytes = SLICE,
  ) {
    this.isShort = pieces === 1
  }

  proceed(): void {
    while (this.pieces > 0 && this.budget.take(this, this.bytes)) {
      this.pieces--
      this.done.push(this.name)
    }
  }
}

test('however many connections have work, an iteration does a limited part of it, in turns', async () => {
  const [budget, done] = [new WorkBudget(), [] as string[]]
  const most = ITERATION_BYTES / SLICE
  new Connection('first', budget, done, most).proceed()
  for (let index = 0; index < 50; index++) new Connection(`${index}`, budget, done, 3).proceed()
  let before = 0
  while (done.length < most + 150) {
    assert.ok(done.length - before <= most + 1 && done.length > before, `${done.length - before} pieces`)
    before = done.length
    await iteration()
  }
  // None is served twice while another one waits.
  for (let turn = 0; turn < 3; turn++) assert.equal(new Set(done.slice(most + turn * 50, most + (turn + 1) * 50)).size, 50)
})

test('a connection with little to do waits for one of the others, not for all', async () => {
  const [budget, done] = [new WorkBudget(), [] as string[]]
  for (let index = 0; index < 50; index++) new Connection('long', budget, done, 1000).proceed()
  new Connection('short', budget, done, 1).proceed()
  const before = done.length
  await iteration()
  assert.ok(done.indexOf('short') - before <= 1, `${done.indexOf('short')}`)
})

test('connections with little to do do not keep those with more from theirs', async () => {
  const [budget, done] = [new WorkBudget(), [] as string[]]
  const long = new Connection('long', budget, done, 1000)
  long.proceed()
  for (let count = 0; count < 20; count++) {
    for (let index = 0; index < 100; index++) new Connection('short', budget, done, 1).proceed()
    const before = long.pieces
    await iteration()
    assert.ok(long.pieces < before)
  }
})

test('a request counts more than its bytes, because it is answered', async () => {
  const [budget, done] = [new WorkBudget(), [] as string[]]
  for (let index = 0; index < 200; index++) new Connection('one', budget, done, 1, 33).proceed()
  assert.equal(done.length, ITERATION_BYTES / REQUEST_BYTES)
  await iteration()
  assert.ok(done.length <= (2 * ITERATION_BYTES) / REQUEST_BYTES + 1)
})

test('a connection that is alone does all it has to do, a part in each iteration', async () => {
  const [budget, done] = [new WorkBudget(), [] as string[]]
  const alone = new Connection('alone', budget, done, 100)
  alone.proceed()
  let iterations = 0
  for (; alone.pieces > 0; iterations++) await iteration()
  assert.ok(iterations <= (100 * SLICE) / ITERATION_BYTES, `${iterations} iterations`)
})

test('bytes of refused requests are dropped at a limited rate, and those of one sender without delay', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const pace = new DiscardPace()
  let reads = 0
  pace.add(() => void reads++)
  t.mock.timers.tick(5)
  assert.equal(reads, 1)
  for (let index = 0; index < 40; index++) pace.add(() => void reads++)
  const counts: number[] = []
  for (let interval = 0; interval < 6; interval++) {
    reads = 0
    t.mock.timers.tick(5)
    counts.push(reads)
  }
  assert.deepEqual(counts, [8, 8, 8, 8, 8, 0])
})
