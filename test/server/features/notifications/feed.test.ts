/** The feed of unread counts: what it sends, how often it queries, and what it does after failures. */
import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { setImmediate as tick } from 'node:timers/promises'
import type { OpenSession } from '../../../../server/core/auth/open-sessions.js'
import { UnreadFeed } from '../../../../server/features/notifications/feed.js'
import type { EventStream } from '../../../../server/core/sse/stream.js'
import type { Scope } from '../../../../server/core/tenancy/scope.js'

const LOOK_MS = 5000
const scopeOf = (organizationId: string): Scope => ({ organizationId }) as Scope
const MINE = scopeOf('mine')

describe('the feed of unread counts', () => {
  let now: number
  let counts: Map<string, number>
  /** Users whose count was read. */
  let asked: string[]
  /** What ends the stream of an open session. */
  let sessions: Map<OpenSession, () => void>
  let places: number
  let warnings: number
  /** Makes the last stream lose its slot. */
  let losing: () => void
  let failure: Error | null
  /** If set, counts wait for it. */
  let gate: Promise<void> | null
  let feed: UnreadFeed

  beforeEach(() => {
    now = 0
    counts = new Map()
    asked = []
    sessions = new Map()
    places = 0
    warnings = 0
    failure = null
    gate = null
    feed = new UnreadFeed({
      connections: {
        async acquire(_userId, _route, onLost) {
          places++
          losing = onLost
          return {
            async release() {
              places--
            },
          }
        },
      },
      async unread({ organizationId }, userId) {
        asked.push(`${organizationId} ${userId}`)
        const count = counts.get(`${organizationId} ${userId}`) ?? 0
        if (gate !== null) await gate
        if (failure !== null) throw failure
        return count
      },
      sessions: {
        add(holder, onEnd) {
          sessions.set(holder, onEnd)
          return () => void sessions.delete(holder)
        },
      },
      log: { warn: () => void warnings++ } as never,
      monotonic: () => now,
    })
  })

  const subscribe = (userId: string, scope = MINE, signal = new AbortController().signal): Promise<EventStream> =>
    feed.subscribe(scope, { userId, sessionId: `session of ${userId}`, expiresAt: new Date(0) }, signal)
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) await tick()
  }
  const told = (stream: EventStream): string => String(stream.read() ?? '')
  const unread = (count: number): string => `event: unread\ndata: {"unread":${count}}\n\n`

  test('reads one count for all streams of a user in an organization', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const streams = [await subscribe('a'), await subscribe('a'), await subscribe('a'), await subscribe('b'), await subscribe('a', scopeOf('theirs'))]
    for (const stream of streams) assert.equal(told(stream), unread(0))
    asked = []
    counts.set('mine a', 4)
    now += LOOK_MS
    t.mock.timers.tick(LOOK_MS)
    await settle()
    assert.deepEqual(asked.sort(), ['mine a', 'mine b', 'theirs a'])
    assert.deepEqual(streams.map(told), [unread(4), unread(4), unread(4), '', ''])
    t.mock.timers.tick(LOOK_MS)
    await settle()
    assert.deepEqual(streams.map(told), ['', '', '', '', ''])
    await feed.close()
    assert.equal(places, 0)
  })

  test('keeps quiet streams alive with comments, every 15 to 20 seconds', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const stream = await subscribe('a')
    told(stream)
    const seen: [number, string][] = []
    for (let i = 0; i < 16; i++) {
      now += LOOK_MS
      if (i === 5) counts.set('mine a', 1)
      t.mock.timers.tick(LOOK_MS)
      await settle()
      const text = told(stream)
      if (text !== '') seen.push([now / 1000, text])
    }
    const comment = ': keep-alive\n\n'
    assert.deepEqual(seen, [
      [15, comment],
      [30, `${comment}${unread(1)}`],
      [45, comment],
      [60, comment],
      [75, comment],
    ])
    await feed.close()
  })

  test('reads a count at once after a change by this instance, and again if it changes meanwhile', async () => {
    const stream = await subscribe('a')
    told(stream)
    let open = (): void => {}
    gate = new Promise((resolve) => {
      open = resolve
    })
    counts.set('mine a', 1)
    feed.changed('mine', ['a', 'nobody'])
    await settle()
    asked = []
    counts.set('mine a', 2)
    feed.changed('mine', ['a'])
    feed.changed('mine', ['a'])
    feed.changed('theirs', ['a'])
    await settle()
    // The first count still runs. The next one waits for it, because the results could arrive in the wrong order.
    assert.deepEqual(asked, [])
    open()
    gate = null
    await settle()
    assert.deepEqual(asked, ['mine a'])
    assert.equal(told(stream), unread(1) + unread(2))
    await feed.close()
  })

  test('limits concurrent queries', async () => {
    const streams = await Promise.all(Array.from({ length: 50 }, (_, i) => subscribe(`u${i}`)))
    let open = (): void => {}
    gate = new Promise((resolve) => {
      open = resolve
    })
    asked = []
    const users = streams.map((_, i) => `u${i}`)
    for (const user of users) counts.set(`mine ${user}`, 7)
    feed.changed('mine', users)
    await settle()
    assert.equal(asked.length, 8)
    open()
    gate = null
    await settle()
    assert.equal(asked.length, 50)
    for (const stream of streams) assert.equal(told(stream), unread(0) + unread(7))
    await feed.close()
  })

  test('sends a slow reader the current count when it reads again', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const stream = await subscribe('a')
    for (let i = 1; i <= 500; i++) {
      counts.set('mine a', i)
      feed.changed('mine', ['a'])
      await tick()
    }
    await settle()
    assert.ok(stream.readableLength <= 5000, `${stream.readableLength}`)
    const before = told(stream)
    assert.ok(!before.includes(unread(500)))
    await settle()
    t.mock.timers.tick(LOOK_MS)
    await settle()
    assert.equal(told(stream), unread(500))
    await feed.close()
  })

  test('ends a stream with its session, and no others', async () => {
    const [ended, stays] = [await subscribe('a'), await subscribe('b')]
    const [[{ userId, organizationId }, end]] = sessions
    assert.deepEqual([userId, organizationId], ['a', 'mine'])
    end()
    for await (const chunk of ended) assert.equal(String(chunk), unread(0))
    await settle()
    assert.equal(places, 1)
    assert.ok(stays.readable)
    assert.deepEqual(
      [...sessions.keys()].map((holder) => holder.userId),
      ['b'],
    )
    await feed.close()
    assert.equal(sessions.size, 0)
  })

  test('continues after database errors, logs them once, and ends no stream', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const stream = await subscribe('a')
    told(stream)
    failure = new Error('no database')
    counts.set('mine a', 9)
    for (let i = 0; i < 5; i++) {
      now += LOOK_MS
      t.mock.timers.tick(LOOK_MS)
      await settle()
    }
    assert.equal(warnings, 1)
    // Keep-alive comments are still sent.
    assert.equal(told(stream), ': keep-alive\n\n')
    failure = null
    t.mock.timers.tick(LOOK_MS)
    await settle()
    assert.equal(told(stream), unread(9))
    await feed.close()
  })

  test('ends a stream whose slot was lost', async () => {
    const stream = await subscribe('a')
    losing()
    for await (const chunk of stream) assert.equal(String(chunk), unread(0))
    await settle()
    assert.equal(places, 0)
    await feed.close()
  })

  test('releases the slot if the first count fails, the reader disconnects, or the request ends', async () => {
    failure = new Error('no database')
    await assert.rejects(subscribe('a'), /no database/)
    assert.equal(places, 0)
    failure = null
    const gone = await subscribe('a')
    gone.destroy()
    const stopping = new AbortController()
    const stopped = await subscribe('a', MINE, stopping.signal)
    const late = await subscribe('a', MINE, AbortSignal.abort('stopping'))
    stopping.abort('stopping')
    for (const stream of [stopped, late]) for await (const chunk of stream) assert.equal(String(chunk), unread(0))
    await settle()
    assert.equal(places, 0)
    asked = []
    feed.changed('mine', ['a'])
    await settle()
    assert.deepEqual(asked, [])
    await feed.close()
  })
})
