/** How the processes of several instances find one another, and notice that one is gone. */
import assert from 'node:assert/strict'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import test from 'node:test'
import { KnownPeers } from '../../../server/cluster/known-peers.js'
import { sessionWord } from '../../../server/cluster/ranking.js'

const TTL_MS = 60 * 60 * 1000
const MINUTE_MS = 60_000
const SILENT_MS = 10_000
const REPORT_MS = 2_000
const WORDS = Array.from({ length: 200 }, (_, index) => sessionWord({ organization: 'a', caller: 'b', id: String(index) }))

/** Instances of one process each, and their store, in one process. */
class World {
  now = 1_000
  isStoreDown = false
  readonly reports = new Map<string, number>()
  readonly known = new Map<string, KnownPeers>()
  /** Processes that answer nobody. */
  readonly unreachable = new Set<string>()
  /** Called when one of them is not reached. */
  onUnreached: (name: string) => void = () => {}
  readonly changes: string[] = []
  readonly errors: (string | null)[] = []

  start(self: string, instance: readonly string[] = [self]): KnownPeers {
    const reach = async (name: string): Promise<KnownPeers> => {
      const other = this.known.get(name)
      if (other !== undefined && !this.unreachable.has(name) && !this.unreachable.has(self)) return other
      this.onUnreached(name)
      throw new Error('not reached')
    }
    const requireStore = async (): Promise<void> => {
      if (this.isStoreDown) throw new Error('no store')
    }
    const known = new KnownPeers({
      self,
      instance,
      directory: {
        report: async () => {
          await requireStore()
          this.reports.set(self, this.now)
        },
        peers: async () => {
          await requireStore()
          return new Map([...this.reports].filter(([name]) => name !== self))
        },
        remove: async () => {
          await requireStore()
          this.reports.delete(self)
        },
      },
      tell: async (name, news) => {
        const other = await reach(name)
        if (news === 'join') other.meet(self)
        else if (news === 'leave') other.drop(self)
        else if (news === 'end') other.setEnded(self)
      },
      sessionTtlMs: TTL_MS,
      onChange: (change, name) => this.changes.push(`${self}: ${name} ${change}`),
      onLapse: () => this.changes.push(`${self}: lapse`),
      onError: (_, name) => this.errors.push(name),
      clock: () => this.now,
      silentMs: SILENT_MS,
    })
    this.known.set(self, known)
    return known
  }

  /** Lets time pass, with the looks of each process in it. */
  async pass(ms: number, standing: readonly KnownPeers[] = []): Promise<void> {
    for (const end = this.now + ms; this.now < end; ) {
      this.now += REPORT_MS
      for (const each of this.known.values()) if (!standing.includes(each)) await each.look()
      await turn()
    }
  }
}

test('instances that join know one another, and agree where sessions are', async () => {
  const world = new World()
  const all = ['a:1', 'b:1', 'c:1'].map((name) => world.start(name))
  await all[0].join()
  await Promise.all([all[1].join(), all[2].join()])
  for (const known of all) assert.equal(known.names.length, 2)
  for (const word of WORDS) assert.equal(new Set(all.map((known) => known.homeOf(word))).size, 1)
  await Promise.all(all.map((known) => known.leave()))
})

test('a process that leaves is known to have left at once, and is asked for its sessions for a while', async () => {
  const world = new World()
  const [a, b] = ['a:1', 'b:1'].map((name) => world.start(name))
  await a.join()
  await b.join()
  const ofB = WORDS.filter((word) => a.homeOf(word) === 'b:1')
  assert.ok(ofB.length > 0)
  await b.leave()
  assert.deepEqual(a.names, [])
  assert.equal(world.reports.has('b:1'), false)
  for (const word of ofB) {
    assert.equal(a.homeOf(word), 'a:1')
    assert.equal(b.homeOf(word), 'a:1')
    assert.deepEqual(a.formerHomesOf(word), ['b:1'])
  }
  world.known.delete('b:1')
  world.now += MINUTE_MS
  for (const word of WORDS) assert.deepEqual(a.formerHomesOf(word), [])
  await a.leave()
})

test('a process that has handed over its sessions is asked no more', async () => {
  const world = new World()
  const [a, b] = ['a:1', 'b:1'].map((name) => world.start(name))
  await a.join()
  await b.join()
  await b.leave()
  await b.end()
  for (const word of WORDS) assert.deepEqual(a.formerHomesOf(word), [])
  // Another process that does not know that it has left must not bring it back.
  a.hear('b:1')
  assert.deepEqual(a.names, [])
  await a.leave()
})

test('a process that takes long to join has not stood still', async () => {
  const world = new World()
  const a = world.start('a:1')
  await a.join()
  const b = world.start('b:1')
  world.now += 2 * SILENT_MS
  await b.join()
  await b.look()
  assert.deepEqual(world.changes, ['a:1: b:1 joined', 'b:1: a:1 joined'])
  await Promise.all([a, b].map((known) => known.leave()))
})

test('for a while after a change any process may have a session; a process that was started asks the next in rank for an hour', async () => {
  const world = new World()
  const all = ['a:1', 'b:1', 'c:1'].map((name) => world.start(name))
  for (const known of all) await known.join()
  for (const known of all) for (const word of WORDS) assert.deepEqual([...known.formerHomesOf(word)].sort(), known.names)
  world.now += MINUTE_MS
  for (const known of all) for (const word of WORDS) assert.deepEqual(known.formerHomesOf(word), [known.successorOf(word)])
  world.now += TTL_MS
  for (const known of all) for (const word of WORDS) assert.deepEqual(known.formerHomesOf(word), [])
  await Promise.all(all.map((known) => known.leave()))
})

test('a process that neither reports nor answers is gone after a while; none is while it answers or the store fails', async () => {
  const world = new World()
  const [a, b, c] = ['a:1', 'b:1', 'c:1'].map((name) => world.start(name))
  for (const each of [a, b, c]) await each.join()
  world.known.delete('c:1')
  world.isStoreDown = true
  await world.pass(5 * SILENT_MS)
  assert.deepEqual(a.names, ['b:1', 'c:1'])
  assert.ok(world.errors.every((name) => name === null) && world.errors.length > 0)
  world.isStoreDown = false
  await world.pass(SILENT_MS - REPORT_MS)
  assert.deepEqual(a.names, ['b:1', 'c:1'])
  await world.pass(2 * REPORT_MS)
  assert.deepEqual([a.names, b.names], [['b:1'], ['a:1']])
  assert.ok(world.changes.includes('a:1: c:1 gone'))
  // It does not report any more, but answers.
  await world.pass(3 * SILENT_MS, [b])
  assert.deepEqual(a.names, ['b:1'])
  await Promise.all([a, b].map((known) => known.leave()))
})

test('a process that has reported while it did not answer is not gone: the one that asked stood still', async () => {
  const world = new World()
  const [a, b] = ['a:1', 'b:1'].map((name) => world.start(name))
  await a.join()
  await b.join()
  world.unreachable.add('b:1')
  let isAsked = false
  world.onUnreached = (name) => {
    isAsked = true
    world.reports.set(name, world.now)
  }
  await world.pass(SILENT_MS + REPORT_MS, [b])
  assert.equal(isAsked, true)
  assert.deepEqual(a.names, ['b:1'])
  await Promise.all([a, b].map((known) => known.leave()))
})

test('the successor of a process is of another instance, if there is one', async () => {
  const world = new World()
  const instance = ['a:1', 'a:2']
  const [first, second] = instance.map((name) => world.start(name, instance))
  await first.join()
  await second.join()
  for (const word of WORDS) assert.equal(first.successorOf(word), 'a:2')
  const other = world.start('b:1')
  await other.join()
  for (const word of WORDS) assert.deepEqual([first.successorOf(word), second.successorOf(word)], ['b:1', 'b:1'])
  assert.equal(new Set(WORDS.map((word) => other.successorOf(word))).size, 2)
  await Promise.all([first, second, other].map((known) => known.leave()))
})

test('a process that was gone is found again when it reports', async () => {
  const world = new World()
  const [a, b] = ['a:1', 'b:1'].map((name) => world.start(name))
  await a.join()
  await b.join()
  world.unreachable.add('b:1')
  await world.pass(2 * SILENT_MS, [b])
  assert.deepEqual(a.names, [])
  // Another process that has not noticed yet must not bring it back.
  a.hear('b:1')
  assert.deepEqual(a.names, [])
  world.unreachable.delete('b:1')
  await world.pass(REPORT_MS)
  assert.deepEqual([a.names, b.names], [['b:1'], ['a:1']])
  assert.ok(world.changes.includes('b:1: lapse'), 'it stood still, and its sessions were given away')
  await Promise.all([a, b].map((known) => known.leave()))
})

test('a process that cannot be reached is left out, and reported once', async () => {
  const world = new World()
  const [a, b] = ['a:1', 'b:1'].map((name) => world.start(name))
  await a.join()
  world.unreachable.add('b:1')
  await b.join()
  await world.pass(4 * REPORT_MS)
  assert.deepEqual([a.names, b.names], [[], []])
  assert.deepEqual(world.errors.sort(), ['a:1', 'b:1'])
  await Promise.all([a, b].map((known) => known.leave()))
})

test('the processes of an instance with others join as all do, and one that is started again soon has never been away', async () => {
  const world = new World()
  const instance = ['a:1', 'a:2']
  const first = world.start('a:1', instance)
  await first.join()
  assert.deepEqual(first.names, [])
  await world.start('a:2', instance).join()
  assert.deepEqual(first.names, ['a:2'])
  world.known.delete('a:2')
  await world.pass(SILENT_MS - REPORT_MS)
  assert.deepEqual(first.names, ['a:2'])
  const again = world.start('a:2', instance)
  await again.join()
  assert.deepEqual([first.names, again.names], [['a:2'], ['a:1']])
  assert.ok(!world.changes.includes('a:1: a:2 gone'))
  await Promise.all([first, again].map((known) => known.leave()))
})

test('without other instances nothing moves', async () => {
  const known = new KnownPeers({
    self: '1',
    instance: ['1', '2'],
    directory: null,
    tell: () => assert.fail(),
    sessionTtlMs: TTL_MS,
    onChange: () => assert.fail(),
    onLapse: () => assert.fail(),
    onError: () => assert.fail(),
  })
  await known.join()
  await known.leave()
  assert.deepEqual(known.names, ['2'])
  for (const word of WORDS) assert.deepEqual(known.formerHomesOf(word), [])
})

test('a store that hangs delays the end of a process by one look', async () => {
  let looks = 0
  let answer = (): void => {}
  const known = new KnownPeers({
    self: 'a:1',
    instance: ['a:1'],
    directory: {
      report: () => (looks++ === 0 ? Promise.resolve() : new Promise((resolve) => (answer = resolve))),
      peers: async () => new Map(),
      remove: async () => {},
    },
    tell: async () => {},
    sessionTtlMs: TTL_MS,
    onChange: () => {},
    onLapse: () => {},
    onError: () => {},
    reportMs: 1,
  })
  await known.join()
  await sleep(50)
  const leaving = known.leave()
  answer()
  await leaving
  assert.equal(looks, 2)
})
