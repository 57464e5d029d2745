/** Which task is next, counted in running time that the test sets. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FairQueue, SLOW_BUDGET_MS, SLOW_MS } from '../../../workers/pool/fair-queue.js'

interface Task {
  readonly organization: string
  readonly isHeavy: boolean
  readonly isSlice: boolean
  readonly isBackground?: boolean
  readonly name: string
}

const MINUTE = 60_000

function queueOf(threads: number) {
  const clock = { now: 0 }
  const queue = new FairQueue<Task>(threads, () => clock.now)
  const task = (organization: string, name = '', isHeavy = false): Task => ({ organization, isHeavy, isSlice: false, name })
  const slice = (organization: string, name = ''): Task => ({ organization, isHeavy: false, isSlice: true, name })
  const start = (): Task | undefined => {
    const [next] = queue.inOrder(64)
    if (next === undefined) return undefined
    queue.remove(next)
    queue.chosen(next)
    queue.started(next)
    return next
  }
  /** Runs the next task on one thread. */
  const run = (ms: number): Task | undefined => {
    const next = start()
    if (next !== undefined) queue.ended(next, ms)
    return next
  }
  /** Two organizations have had a task, so that neither is alone. */
  const share = (): void => {
    for (const organization of ['x', 'y']) {
      queue.push(task(organization))
      run(0)
    }
  }
  return { queue, clock, task, slice, start, run, share }
}

test('the tasks of one organization run in their order', () => {
  const { queue, task, run } = queueOf(2)
  for (const name of ['1', '2', '3']) queue.push(task('a', name))
  assert.deepEqual([run(5)?.name, run(5)?.name, run(5)?.name, run(5)], ['1', '2', '3', undefined])
})

test('work in the background gets a seventeenth of the time beside others, all of it alone, and owes nothing for that', () => {
  const { queue, slice, run } = queueOf(1)
  const background = { ...slice('a (background)'), isBackground: true }
  // Alone for a minute.
  for (let i = 0; i < 3000; i++) {
    queue.push(background)
    assert.equal(run(20), background)
  }
  const shares = { a: 0, background: 0 }
  queue.push(background)
  queue.push(slice('a'))
  for (let i = 0; i < 1700; i++) {
    const next = run(20)
    if (next === undefined) assert.fail('a task waits')
    shares[next === background ? 'background' : 'a']++
    queue.push(next === background ? background : slice('a'))
  }
  assert.ok(shares.background >= 90 && shares.background <= 110, JSON.stringify(shares))
  // Another organization that begins now is first, and at the level of those that were there.
  queue.push(slice('b'))
  assert.equal(run(20)?.organization, 'b')
})

test('a logtest of an organization waits for one slice of its batches, and both share its time', () => {
  const { queue, task, slice, run } = queueOf(2)
  for (const name of ['1', '2', '3', '4']) queue.push(slice('a', name))
  assert.equal(run(20)?.name, '1')
  queue.push(task('a', 'first'))
  queue.push(task('a', 'second'))
  assert.deepEqual(
    [...queue.inOrder(64)].map(({ name }) => name),
    ['first', '2', 'second', '3', '4'],
  )
  assert.equal(run(1)?.name, 'first')
  // It has used 1 ms of the time that the next slice may use before the next logtest.
  assert.deepEqual([run(20)?.name, run(1)?.name, run(20)?.name], ['2', 'second', '3'])

  const used = { slice: 0, logtest: 0 }
  for (let count = 0; count < 3_000; count++) {
    queue.push(task('a'))
    if (count % 10 === 0) queue.push(slice('a'))
    const [{ isSlice }] = queue.inOrder(1)
    const ms = isSlice ? 20 : 1
    used[isSlice ? 'slice' : 'logtest'] += ms
    run(ms)
  }
  assert.ok(Math.abs(used.slice - used.logtest) <= 40, JSON.stringify(used))
})

test('after a long task of an organization, its slices are not preferred to its logtests for as long', () => {
  const { queue, task, slice, run } = queueOf(2)
  for (let count = 0; count < 50; count++) queue.push(slice('a', 'slice'))
  run(20)
  queue.push(task('a', 'validation'))
  run(3_000)
  queue.push(task('a', 'logtest'))
  let slices = 0
  while (run(20)?.name === 'slice') slices++
  assert.ok(slices <= 6, String(slices))
})

test('a task that joins one of another organization does not raise the level of those that return', () => {
  const { queue, task, slice, run } = queueOf(2)
  queue.push(task('ahead'))
  queue.push(task('behind'))
  run(5_000)
  run(1)
  const [chosen, joins] = [task('behind'), task('ahead')]
  queue.chosen(chosen)
  for (const one of [chosen, joins]) queue.started(one)
  for (const one of [chosen, joins]) queue.ended(one, 1)
  for (let count = 0; count < 10; count++) queue.push(slice('behind'))
  queue.push(task('new'))
  assert.deepEqual([run(20)?.organization, run(1)?.organization].sort(), ['behind', 'new'])
})

test('slices of two organizations share the time of both, whatever else one of them submits', () => {
  const { queue, task, slice, run } = queueOf(2)
  const used: Record<string, number> = { a: 0, b: 0 }
  for (let count = 0; count < 1_000; count++) {
    queue.push(task('a'))
    queue.push(slice('a'))
    queue.push(slice('b'))
    const organization = run(10)?.organization as string
    used[organization] += 10
  }
  assert.ok(Math.abs(used.a - used.b) <= 20, JSON.stringify(used))
})

test('an organization with many tasks delays another one by one task only', () => {
  const { queue, task, run } = queueOf(2)
  for (let count = 0; count < 500; count++) queue.push(task('busy'))
  run(10)
  run(10)
  queue.push(task('rare'))
  assert.equal(run(1)?.organization, 'rare')
})

test('running time is shared, not the number of tasks', () => {
  const { queue, task, run } = queueOf(2)
  const used: Record<string, number> = { slow: 0, quick: 0 }
  for (let count = 0; count < 3000; count++) {
    for (const organization of ['slow', 'quick']) if (queue.lengthOf(organization) === 0) queue.push(task(organization))
    const [{ organization }] = queue.inOrder(1)
    const ms = organization === 'slow' ? 40 : 1
    used[organization] += ms
    run(ms)
  }
  assert.ok(Math.abs(used.slow - used.quick) <= 40, JSON.stringify(used))
})

test('unused time gives no credit, and causes no debt', () => {
  const { queue, task, run } = queueOf(2)
  queue.push(task('late'))
  run(1)
  for (let count = 0; count < 100; count++) {
    queue.push(task('early'))
    run(30)
  }
  const order: string[] = []
  for (let count = 0; count < 10; count++) for (const organization of ['early', 'late']) queue.push(task(organization))
  for (let count = 0; count < 20; count++) order.push((run(30) as Task).organization)
  // They alternate, whatever either of them used before; the one that returns may have one more at first.
  const late = order.slice(0, 10).filter((organization) => organization === 'late').length
  assert.ok(late === 5 || late === 6, order.join(' '))
})

test('heavy tasks of one organization use half of the threads, and all heavy tasks together leave one', () => {
  const { queue, task, start, share } = queueOf(4)
  share()
  for (let count = 0; count < 5; count++) for (const organization of ['a', 'b', 'c']) queue.push(task(organization, '', true))
  const started = [start(), start(), start(), start()].map((one) => one?.organization)
  assert.deepEqual(started, ['a', 'b', 'c', undefined])
  queue.push(task('d'))
  assert.equal(start()?.organization, 'd')

  const alone = queueOf(4)
  alone.share()
  for (let count = 0; count < 5; count++) alone.queue.push(alone.task('a', '', true))
  assert.deepEqual(
    [alone.start(), alone.start(), alone.start()].map((one) => one?.organization),
    ['a', 'a', undefined],
  )
})

test('a single thread runs heavy tasks too, and an organization that is alone uses all threads', () => {
  const single = queueOf(1)
  single.share()
  single.queue.push(single.task('a', '', true))
  assert.equal(single.start()?.organization, 'a')

  const alone = queueOf(2)
  for (let count = 0; count < 2; count++) alone.queue.push(alone.task('a', '', true))
  assert.deepEqual([alone.start()?.organization, alone.start()?.organization], ['a', 'a'])

  const again = queueOf(2)
  again.share()
  for (let count = 0; count < 3; count++) again.queue.push(again.task('y', '', true))
  assert.deepEqual([again.start()?.organization, again.start()], ['y', undefined])
  again.clock.now += 11 * MINUTE
  assert.equal(again.start()?.organization, 'y')
})

test('the instance itself is not an organization: it takes nothing from others, and is never heavy for long', () => {
  const { queue, task, start, run } = queueOf(2)
  queue.push(task(''))
  run(5000)
  queue.push(task('a', '', true))
  queue.push(task('a', '', true))
  assert.deepEqual([start()?.organization, start()?.organization], ['a', 'a'])
})

test('an organization whose short tasks take long has only its share of threads, for longer each time', () => {
  const { queue, clock, task, start, run, share } = queueOf(2)
  const isHeavy = (): boolean => {
    const two = [task('a'), task('a')]
    for (const one of two) queue.push(one)
    const started = [start(), start()].filter((one) => one !== undefined)
    for (const one of started) queue.ended(one, 0)
    for (const one of two) queue.remove(one)
    return started.length === 1
  }
  const offend = (): void => {
    queue.push(task('a'))
    run(SLOW_BUDGET_MS)
  }
  share()
  assert.equal(isHeavy(), false)
  offend()
  assert.equal(isHeavy(), true)
  clock.now += 9_999
  assert.equal(isHeavy(), true)
  clock.now += 1
  assert.equal(isHeavy(), false)
  for (const seconds of [20, 40, 80, 160, 320, 600, 600]) {
    share()
    offend()
    clock.now += seconds * 1000 - 1
    share()
    assert.equal(isHeavy(), true, `${seconds} s`)
    clock.now += 1
    assert.equal(isHeavy(), false)
  }
  clock.now += 21 * MINUTE
  share()
  offend()
  clock.now += 10_000
  assert.equal(isHeavy(), false)
})

test('an occasional slow task has no effect', () => {
  const { queue, clock, task, start, run, share } = queueOf(2)
  for (let count = 0; count < 50; count++) {
    share()
    queue.push(task('a'))
    run(SLOW_BUDGET_MS / 3)
    clock.now += 10_000
  }
  for (let count = 0; count < 10_000; count++) {
    queue.push(task('a'))
    run(SLOW_MS - 1)
  }
  for (let count = 0; count < 2; count++) queue.push(task('a'))
  assert.deepEqual([start()?.organization, start()?.organization], ['a', 'a'])
})

test('a task that was expected to be short and does not end counts as heavy while it runs', () => {
  const { queue, task, start, share } = queueOf(2)
  share()
  for (let count = 0; count < 3; count++) queue.push(task('a'))
  const first = start() as Task
  queue.lasts(first, SLOW_BUDGET_MS - 1)
  queue.lasts(first, SLOW_BUDGET_MS)
  queue.lasts(first, SLOW_BUDGET_MS + 20)
  assert.equal(start(), undefined)
  queue.ended(first, SLOW_BUDGET_MS + 30)
  assert.equal(start()?.organization, 'a')
})

test('returned tasks are before all others of their organization', () => {
  const { queue, task, run } = queueOf(2)
  for (const name of ['3', '4']) queue.push(task('a', name))
  queue.putBack([task('a', '1'), task('a', '2')])
  assert.deepEqual([run(1)?.name, run(1)?.name, run(1)?.name, run(1)?.name, queue.length], ['1', '2', '3', '4', 0])
})

test('organizations that submit once are forgotten', () => {
  const { queue, task, run } = queueOf(2)
  for (let count = 0; count < 20_000; count++) {
    queue.push(task(`o${count}`))
    run(1)
  }
  assert.ok(queue.accounts <= 4096 + 1, `${queue.accounts}`)
})

test('for any sequence all tasks run, no organization starves, and counts return to zero', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('push' as const), organization: fc.constantFrom('a', 'b', 'c', ''), isHeavy: fc.boolean(), isSlice: fc.boolean() }),
    fc.record({ kind: fc.constant('end' as const), which: fc.nat(7), ms: fc.nat(300) }),
    fc.record({ kind: fc.constant('back' as const), which: fc.nat(7) }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(30_000) }),
  )
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 120 }), (threads, steps) => {
      const { queue, clock, task, start } = queueOf(threads)
      const running: Task[] = []
      let pushed = 0
      let ended = 0
      const fill = (): void => {
        for (let next = running.length < threads ? start() : undefined; next !== undefined; next = running.length < threads ? start() : undefined) running.push(next)
      }
      for (const one of steps) {
        if (one.kind === 'push') {
          queue.push({ ...task(one.organization, String(pushed++), one.isHeavy), isSlice: one.isSlice })
        } else if (one.kind === 'wait') clock.now += one.ms
        else if (running.length > 0) {
          const [task] = running.splice(one.which % running.length, 1)
          queue.ended(task, one.kind === 'end' ? one.ms : 0)
          if (one.kind === 'end') ended++
          else queue.putBack([task])
        }
        fill()
        // If a thread is free, no waiting task may start.
        if (running.length < threads) assert.ok([...queue].every((waiting) => !queue.mayStart(waiting)))
      }
      while (running.length > 0) {
        queue.ended(running.pop() as Task, 1)
        ended++
        fill()
      }
      assert.deepEqual([ended, queue.length, [...queue].length], [pushed, 0, 0])
    }),
    { numRuns: 500 },
  )
})
