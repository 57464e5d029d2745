import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { SessionLock } from '../../../workers/sessions/sessions.js'
import { SESSION_BYTES, SESSION_QUEUE_LIMIT, SESSION_TTL_MS, type SessionName, Sessions, SNAPSHOT_EVERY } from '../../../workers/sessions/sessions.js'
import { syslog } from '../support/rulesets.js'

const name = (id: string, caller = 'a', rulesetKey = 'k', organization = 'o'): SessionName => ({ organization, caller, rulesetKey, id })

async function enter(sessions: Sessions, session: SessionName): Promise<SessionLock> {
  const turn = await sessions.lock(session)
  if (typeof turn === 'string') assert.fail(turn)
  return turn
}

/** Answers one event. @returns the session's version before it */
async function answer(sessions: Sessions, session: SessionName, snapshot: Uint8Array | null = null): Promise<number> {
  const turn = await enter(sessions, session)
  const { version } = turn.record
  turn.record.answered([syslog('x')], 0, snapshot, 1)
  turn.release()
  return version
}

describe('Sessions', () => {
  it('separates organizations, callers, rulesets and ids', async () => {
    const sessions = new Sessions(() => 1)
    for (const other of [name('s'), name('s', 'b'), name('s', 'a', 'l'), name('s', 'a', 'k', 'p'), name('t')]) assert.equal(await answer(sessions, other), 0)
    assert.equal(await answer(sessions, name('s')), 1)
  })

  it('runs tasks one at a time, in the order of their arrival', async () => {
    const sessions = new Sessions(() => 1)
    const log: string[] = []
    await Promise.all(
      [1, 2, 3].map(async (n) => {
        const turn = await enter(sessions, name('s'))
        log.push(`in ${n}`)
        await new Promise(setImmediate)
        log.push(`out ${n}`)
        turn.release()
      }),
    )
    assert.deepEqual(log, ['in 1', 'out 1', 'in 2', 'out 2', 'in 3', 'out 3'])
  })

  it('refuses tasks of a session in which too many wait', async () => {
    const sessions = new Sessions(() => 1)
    const first = await enter(sessions, name('s'))
    for (let i = 1; i < SESSION_QUEUE_LIMIT; i++) void sessions.lock(name('s'))
    assert.equal(await sessions.lock(name('s')), 'busy')
    first.release()
  })

  it('releases a waiting task at once when it is aborted, and keeps the others in order', async () => {
    const sessions = new Sessions(() => 1)
    const first = await enter(sessions, name('s'))
    const controller = new AbortController()
    const second = sessions.lock(name('s'), controller.signal)
    let thirdEntered = false
    const third = enter(sessions, name('s')).then((turn) => {
      thirdEntered = true
      return turn
    })
    controller.abort()
    assert.equal(await second, 'aborted')
    assert.equal(thirdEntered, false)
    first.release()
    ;(await third).release()
    assert.equal(await sessions.lock(name('s'), AbortSignal.abort()), 'aborted')
  })

  it('expires a session one hour after its last use', async () => {
    let now = 1
    const sessions = new Sessions(() => now)
    await answer(sessions, name('s'))
    now += SESSION_TTL_MS - 1
    assert.equal(await answer(sessions, name('s')), 1)
    now += SESSION_TTL_MS - 1
    assert.equal(await answer(sessions, name('s')), 2)
    now += SESSION_TTL_MS + 1
    assert.equal(await answer(sessions, name('s')), 0)
  })

  it('evicts the least recently used above its limit', async () => {
    const sessions = new Sessions(() => 1, { limit: 2 })
    for (const id of ['a', 'b', 'a', 'c']) await answer(sessions, name(id))
    assert.equal(await answer(sessions, name('a')), 2)
    assert.equal(await answer(sessions, name('b')), 0)
  })

  it('discards a session that grows too large', async () => {
    const sessions = new Sessions(() => 1)
    await answer(sessions, name('s'), new Uint8Array(SESSION_BYTES + 1))
    assert.equal(await answer(sessions, name('s')), 0)
    assert.equal(sessions.metrics().sessions, 1)
  })

  it('reports a discarded session as lost, until its first event is answered', async () => {
    let sessions = new Sessions(() => 1, { limit: 2 })
    const isLost = async (id: string, answers = true): Promise<boolean> => {
      const turn = await enter(sessions, name(id))
      const lost = turn.record.reference().isLost
      if (answers) turn.record.answered([syslog('x')], 0, null, 1)
      turn.release()
      return lost
    }
    assert.deepEqual([await isLost('a'), await isLost('a'), await isLost('b'), await isLost('c')], [false, false, false, false])
    // Stopped events have no answer, so no caller was informed.
    assert.deepEqual([await isLost('a', false), await isLost('a'), await isLost('a')], [true, true, false])
    await answer(sessions, name('large'), new Uint8Array(SESSION_BYTES + 1))
    assert.deepEqual([await isLost('large'), await isLost('large')], [true, false])
    assert.equal(await isLost('never seen'), false)
    // Discarded once more before a caller was informed.
    sessions = new Sessions(() => 1, { limit: 1 })
    for (const id of ['a', 'b']) await answer(sessions, name(id))
    assert.equal(await isLost('a', false), true)
    await answer(sessions, name('b'))
    assert.deepEqual([await isLost('a'), await isLost('a')], [true, false])
  })

  it('reports no loss for an expired session, nor for one that was never answered', async () => {
    let now = 1
    const sessions = new Sessions(() => now, { limit: 1 })
    const isLost = async (id: string): Promise<boolean> => {
      const turn = await enter(sessions, name(id))
      const lost = turn.record.reference().isLost
      turn.release()
      return lost
    }
    await answer(sessions, name('a'))
    now += SESSION_TTL_MS + 1
    assert.equal(await isLost('a'), false)
    assert.equal(await isLost('b'), false)
    assert.equal(await isLost('a'), false)
  })

  it('that another process has taken is lost to who asks for it again', async () => {
    const sessions = new Sessions(() => 1)
    await answer(sessions, name('a'))
    const take = () => sessions.take(name('a'), new AbortController().signal)
    const taken = await take()
    assert.ok(taken !== null && typeof taken === 'object' && taken.version === 1)
    assert.equal(await take(), 'lost')
    assert.equal(await sessions.take(name('never seen'), new AbortController().signal), null)
    // It comes back with its state, and nothing is lost.
    sessions.adopt(name('a'), taken)
    const turn = await enter(sessions, name('a'))
    assert.deepEqual([turn.record.version, turn.record.reference().isLost], [1, false])
    turn.release()
  })

  it('keeps a session that was discarded while it ran', async () => {
    const sessions = new Sessions(() => 1, { limit: 1 })
    await answer(sessions, name('a'))
    const turn = await enter(sessions, name('a'))
    await answer(sessions, name('b'))
    turn.release()
    const again = await enter(sessions, name('a'))
    assert.deepEqual([again.record.version, again.record.reference().isLost], [1, false])
    again.release()
  })

  it('counts the bytes of snapshots and journals', async () => {
    const sessions = new Sessions(() => 1)
    await answer(sessions, name('s'), new Uint8Array(10_000))
    const { bytes } = sessions.metrics()
    assert.ok(bytes > 10_000 && bytes < 20_000, String(bytes))
    await answer(sessions, name('s'))
    assert.ok(sessions.metrics().bytes > bytes)
  })

  it('requests a snapshot when the journal is long, and later only when it is long compared with the session', async () => {
    const sessions = new Sessions(() => 1)
    const due: number[] = []
    for (let i = 0; i < 40 * SNAPSHOT_EVERY; i++) {
      const turn = await enter(sessions, name('s'))
      const { wantSnapshot } = turn.record.reference()
      if (wantSnapshot) due.push(i)
      turn.record.answered([syslog('x')], 0, wantSnapshot ? new Uint8Array(1) : null, 1)
      turn.release()
    }
    assert.equal(due[0], SNAPSHOT_EVERY)
    const gaps = due.slice(1).map((at, i) => at - due[i])
    assert.ok(Math.max(...gaps) <= 8192 / 16 + 1, 'a rebuild stays short')
    assert.ok((gaps.at(-1) as number) > SNAPSHOT_EVERY, 'a large session is copied more rarely')
  })
})
