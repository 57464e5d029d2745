/** Sessions of open streams: when they are checked, and what ends with them. */
import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { setImmediate as tick } from 'node:timers/promises'
import { IdentityCache } from '../../../../server/core/auth/identity-cache.js'
import { identityKey, sliceOf } from '../../../../server/core/auth/identity-changes.js'
import { IdentityWatch } from '../../../../server/core/auth/identity-watch.js'
import { type OpenSession, OpenSessions } from '../../../../server/core/auth/open-sessions.js'

const EXPIRES_MS = 60_000
/** Longer than the interval of full checks. */
const LONG_MS = 6000

describe('sessions of open streams', () => {
  let now: number
  let time: number
  let revoked: Set<string>
  /** Users whose sessions were checked, one list for each check. */
  let checks: string[][]
  let ended: string[]
  let warnings: number
  let failure: Error | null
  /** If set, checks wait for it. */
  let gate: Promise<void> | null
  let sessions: OpenSessions

  beforeEach(() => {
    now = 0
    time = 0
    revoked = new Set()
    checks = []
    ended = []
    warnings = 0
    failure = null
    gate = null
    sessions = new OpenSessions({
      async live(holders) {
        checks.push(holders.map(({ userId }) => userId))
        const found = new Set(holders.filter(({ userId, expiresAt }) => !revoked.has(userId) && expiresAt.getTime() > time))
        if (gate !== null) await gate
        if (failure !== null) throw failure
        return found
      },
      log: { warn: () => void warnings++ } as never,
      clock: () => time,
      monotonic: () => now,
    })
  })

  const add = (userId: string, organizationId = 'o'): (() => void) => {
    const holder: OpenSession = { userId, sessionId: `session of ${userId}`, organizationId, expiresAt: new Date(EXPIRES_MS) }
    return sessions.add(holder, () => void ended.push(userId))
  }
  const polled = async (slices: readonly number[] | null = []): Promise<void> => {
    sessions.polled(slices)
    for (let turn = 0; turn < 5; turn++) await tick()
  }
  const sliceOfUser = (user: string): number => sliceOf(identityKey({ user }))
  const sliceOfOrganization = (organization: string): number => sliceOf(identityKey({ organization }))
  /** The first full check is over, and the next one is far. */
  const settled = async (): Promise<void> => {
    await polled(null)
    checks = []
  }

  test('are checked at the first poll, and then only after a change of their user or organization', async () => {
    await settled()
    add('a')
    add('b', 'p')
    await polled()
    assert.deepEqual(checks, [['a', 'b']])
    for (let time = 0; time < 5; time++) await polled()
    assert.equal(checks.length, 1)
    assert.notEqual(sliceOfUser('a'), sliceOfUser('b'))
    await polled([sliceOfUser('a')])
    await polled([sliceOfOrganization('p')])
    await polled(null)
    assert.deepEqual(checks.slice(1), [['a'], ['b'], ['a', 'b']])
    assert.deepEqual(ended, [])
  })

  test('end at the poll after the change, once, and no others do', async () => {
    await settled()
    for (const user of ['a', 'b']) add(user)
    await polled()
    revoked.add('a')
    await polled([sliceOfUser('a')])
    assert.deepEqual(ended, ['a'])
    await polled(null)
    assert.deepEqual(ended, ['a'])
    assert.deepEqual(checks.at(-1), ['b'])
  })

  test('that ended between the authentication of their request and the stream end at the first poll', async () => {
    await settled()
    revoked.add('a')
    add('a')
    await polled()
    assert.deepEqual(ended, ['a'])
    assert.equal(sessions.isInUse, false)
  })

  test('end when they expire, without a change', async () => {
    await settled()
    add('a')
    await polled()
    time = EXPIRES_MS - 1
    await polled()
    assert.equal(checks.length, 1)
    time = EXPIRES_MS
    await polled()
    assert.deepEqual(ended, ['a'])
  })

  test('are all checked every few seconds, for changes without a mark', async () => {
    await settled()
    add('a')
    await polled()
    revoked.add('a')
    await polled()
    assert.deepEqual(ended, [])
    now += LONG_MS
    await polled()
    assert.deepEqual(ended, ['a'])
  })

  test('are not ended while the store fails, which is logged once, and are checked again', async () => {
    await settled()
    const left = add('gone')
    add('a')
    await polled()
    revoked.add('a').add('gone')
    failure = new Error('no database')
    for (let time = 0; time < 3; time++) await polled([sliceOfUser('a'), sliceOfUser('gone')])
    assert.deepEqual([ended, warnings], [[], 1])
    left()
    failure = null
    await polled()
    assert.deepEqual(ended, ['a'])
    assert.deepEqual(checks.at(-1), ['a'])
  })

  test('are checked in one query at a time; what changes meanwhile is checked after it', async () => {
    await settled()
    add('a')
    let open = (): void => {}
    gate = new Promise((resolve) => {
      open = resolve
    })
    await polled()
    // The check that is under way has read before this change.
    revoked.add('a')
    for (let time = 0; time < 3; time++) await polled([sliceOfUser('a')])
    assert.equal(checks.length, 1)
    open()
    gate = null
    await polled()
    await polled()
    assert.deepEqual([ended, checks.length], [['a'], 2])
  })

  test('keep the poll of changes going, and end with the first one after a change', async () => {
    let polls = 0
    let slices: readonly number[] = []
    const watch = new IdentityWatch(new IdentityCache(), {
      async poll() {
        polls++
        return slices
      },
    })
    watch.follow(sessions)
    await watch.poll()
    assert.equal(polls, 0)
    const leave = add('a')
    add('b')
    for (let time = 0; time < 3; time++) await watch.poll()
    await tick()
    assert.equal(polls, 3)
    revoked.add('a')
    slices = [sliceOfUser('a')]
    await watch.poll()
    await tick()
    assert.deepEqual(ended, ['a'])
    revoked.add('b')
    slices = [sliceOfUser('b')]
    await watch.poll()
    await tick()
    leave()
    slices = []
    await watch.poll()
    assert.equal(polls, 5)
    await sessions.close()
  })
})
