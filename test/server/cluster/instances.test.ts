/** Pools of several instances that know one another by address: sessions go on while instances join, leave and die. */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect, isDeepStrictEqual } from 'node:util'
import { AnalysisPool, type AnalysisOutcome, type LogtestAnswer, type RequestOptions, type SessionName } from '#workers'
import { openStorage } from '../../../server/core/storage/open.js'
import { Peers } from '../../../server/cluster/peers.js'
import { PEERS } from '../../../server/cluster/directory.js'
import type { Storage } from '../../../server/core/storage/contract.js'
import { freePorts } from '../../support/child-servers.js'
import { recordingLog } from '../../support/recording-log.js'
import { lineTexts } from '../../../server/analysis/refusal.js'
import { linesOf, runBatch } from '../../workers/support/batch.js'
import { logtestAnswer, validationAnswer } from '../../workers/support/objects.js'
import { AT, BASE, group, rule, rulesFile, syslog } from '../../workers/support/rulesets.js'

const CALLER: RequestOptions = { organization: 'a', caller: 'a' }
const KEY = Buffer.alloc(32, 7)
const REPORT_MS = 50
/** Longer than the machine of the tests stands still: an instance that stands still so long has lost its sessions. */
const SILENT_MS = 8_000
/** What the instances logged last, shown when a session is lost. */
const LOGGED = 30
const ruleset = { files: [rulesFile(group(rule(100100, '<match>knock</match>')))] }

interface Instance {
  readonly pool: AnalysisPool
  readonly peers: Peers
  /** Requests that it has not answered. */
  readonly requests: Set<Promise<unknown>>
}

const folder = mkdtempSync(join(tmpdir(), 'instances-'))
const entries: unknown[] = []
let storage: Storage
let ports: number[]
const running = new Set<Instance>()

before(async () => {
  for (const { kind, filename, content } of BASE) {
    mkdirSync(join(folder, 'default', kind), { recursive: true })
    writeFileSync(join(folder, 'default', kind, filename), content)
  }
  storage = await openStorage({ mongodbUrl: null, dataDir: folder })
  await storage.prepare([PEERS])
  ports = await freePorts(32)
})

after(async () => {
  await storage.close()
  rmSync(folder, { recursive: true })
})

async function start(port = ports.pop()!): Promise<Instance> {
  const pool = new AnalysisPool({ workers: 1, defaultRulesetDir: join(folder, 'default') })
  const config = { peerAddress: { host: '127.0.0.1', port } }
  const times = { reportMs: REPORT_MS, silentMs: SILENT_MS }
  const peers = new Peers({ config, ownProcess: null, storage, key: KEY, pool, log: recordingLog(entries), clock: Date.now, times })
  assert.equal(await pool.ready(), true)
  await peers.open()
  const instance = { pool, peers, requests: new Set<Promise<unknown>>() }
  running.add(instance)
  return instance
}

async function stop(instance: Instance): Promise<void> {
  running.delete(instance)
  await instance.peers.leave()
  // The service answers all requests before it ends its connections.
  await Promise.allSettled(instance.requests)
  await instance.peers.close()
  await instance.pool.close()
}

/** For `after` of a test: `afterEach` would run after each step, too. */
async function stopAll(): Promise<void> {
  for (const instance of running) await stop(instance)
}

/** Ends it as a machine that loses its power: it tells nobody, and no longer answers. */
async function kill(instance: Instance): Promise<number> {
  running.delete(instance)
  const { self } = instance.peers.calls
  instance.peers.stopLooking()
  await instance.peers.calls.close(0)
  await instance.pool.close()
  return Number(self.slice(self.lastIndexOf(':') + 1))
}

function knock(at: Instance, sessionId: string): Promise<AnalysisOutcome<LogtestAnswer>> {
  const answer = logtestAnswer(at.pool, { ruleset, input: syslog('knock'), trace: false, at: AT, sessionId }, CALLER)
  at.requests.add(answer)
  void answer.finally(() => at.requests.delete(answer))
  return answer
}

/** How many events of the session matched so far, this one included, and whether it says that it was lost. */
async function count(at: Instance, sessionId: string): Promise<{ readonly times: number; readonly isLost: boolean } | 'busy'> {
  const outcome = await knock(at, sessionId)
  if (outcome.outcome === 'busy') return 'busy'
  if (outcome.outcome !== 'ok') assert.fail(JSON.stringify(outcome))
  return { times: outcome.value.rule?.firedtimes ?? 0, isLost: outcome.value.diagnostics.some(({ code }) => code === 'session_lost') }
}

const fine = (times: number) => ({ times, isLost: false })
const sessionsOf = ({ pool }: Instance): number => pool.metrics().sessions
const idsOf = (prefix: string, length: number): string[] => Array.from({ length }, (_, index) => `${prefix} ${index}`)

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 30_000; !isSo(); await sleep(20)) assert.ok(Date.now() < end, 'it has not happened within 30 s')
}

describe('instances that know one another', { timeout: 120_000 }, () => {
  it('have each session once, whichever of them takes its events', async (t) => {
    t.after(stopAll)
    const [a, b] = [await start(), await start()]
    const ids = idsOf('joined', 40)
    for (const id of ids) {
      assert.deepEqual(await count(a, id), fine(1))
      assert.deepEqual(await count(b, id), fine(2))
    }
    assert.equal(sessionsOf(a) + sessionsOf(b), ids.length)
    assert.ok(sessionsOf(a) > 0 && sessionsOf(b) > 0)
    const c = await start()
    await t.test('an instance that joins gets its part, with what happened before', async () => {
      for (const [index, id] of ids.entries()) assert.deepEqual(await count([a, b, c][index % 3], id), fine(3))
      assert.ok(sessionsOf(c) > 0)
      assert.equal(sessionsOf(a) + sessionsOf(b) + sessionsOf(c), ids.length, 'a session is in two instances')
    })
    await t.test('an instance that leaves hands over all of its sessions', async () => {
      // It has told nobody that it ends before it is asked to.
      await stop(c)
      for (const [index, id] of ids.entries()) assert.deepEqual(await count([a, b][index % 2], id), fine(4))
      await stop(b)
      for (const id of ids) assert.deepEqual(await count(a, id), fine(5))
      assert.equal(sessionsOf(a), ids.length)
      await stop(a)
    })
  })

  it('say that the sessions of an instance that died are lost, once, and keep those of the others', async (t) => {
    t.after(stopAll)
    const [a, b, c] = [await start(), await start(), await start()]
    const ids = idsOf('died', 40)
    for (const id of ids) assert.deepEqual(await count(a, id), fine(1))
    const [ofB, ofOthers] = [sessionsOf(b), sessionsOf(a) + sessionsOf(c)]
    // The marks are sent together.
    await sleep(300)
    await kill(b)
    const first = await Promise.all(ids.map((id) => count(a, id)))
    assert.equal(first.filter((one) => one === 'busy').length, ofB, 'sessions of others were disturbed')
    await until(() => a.peers.names.length === 1 && c.peers.names.length === 1)
    let lost = 0
    for (const [index, id] of ids.entries()) {
      const expected = first[index] === 'busy' ? { times: 1, isLost: true } : fine(3)
      assert.deepEqual(await count([a, c][index % 2], id), expected)
      if (first[index] === 'busy') lost++
      assert.deepEqual(await count([c, a][index % 2], id), fine(expected.times + 1))
    }
    assert.equal(lost, ofB)
    assert.equal(sessionsOf(a) + sessionsOf(c), ofB + ofOthers)
    // A session that nobody has used is not lost.
    for (const id of idsOf('never used', 20)) assert.deepEqual(await count(a, id), fine(1))
    await stop(a)
    await stop(c)
  })

  it('say that sessions are lost when the instance is back at the same address, before anybody has noticed', async (t) => {
    t.after(stopAll)
    const [a, b] = [await start(), await start()]
    const ids = idsOf('back', 30)
    for (const id of ids) assert.deepEqual(await count(a, id), fine(1))
    const ofB = sessionsOf(b)
    await sleep(300)
    const again = await start(await kill(b))
    const counted = await Promise.all(ids.map((id) => count(a, id)))
    assert.equal(counted.filter((one) => one !== 'busy' && one.isLost && one.times === 1).length, ofB)
    assert.equal(counted.filter((one) => one !== 'busy' && !one.isLost && one.times === 2).length, ids.length - ofB)
    await stop(a)
    await stop(again)
  })

  it('say that sessions are lost also when the peer that knew of them has ended', async (t) => {
    t.after(stopAll)
    const lostOf = (counted: readonly Awaited<ReturnType<typeof count>>[]): number => counted.filter((one) => one !== 'busy' && one.isLost && one.times === 1).length
    const [a, b] = [await start(), await start()]
    const again = await start(await kill(b))
    const ids = idsOf('twice', 30)
    for (const id of ids) assert.deepEqual(await count(again, id), fine(1))
    const backAgain = await start(await kill(again))
    await t.test('one that died twice is told of its sessions again', async () => {
      const ofOthers = sessionsOf(a)
      assert.equal(lostOf(await Promise.all(ids.map((id) => count(backAgain, id)))), ids.length - ofOthers)
    })
    const ofA = sessionsOf(a)
    const aAgain = await start(await kill(a))
    await t.test('one whose peer had died before is told by it', async () => {
      assert.equal(lostOf(await Promise.all(ids.map((id) => count(aAgain, id)))), ofA)
    })
    await t.test('one that leaves hands on what it knows', async () => {
      const c = await start()
      for (const id of ids) assert.notEqual(await count(c, id), 'busy')
      const ofC = sessionsOf(c)
      assert.ok(ofC > 0)
      const port = await kill(c)
      await stop(backAgain)
      const cAgain = await start(port)
      assert.equal(lostOf(await Promise.all(ids.map((id) => count(aAgain, id)))), ofC)
      await stop(aAgain)
      await stop(cAgain)
    })
  })

  it('count every event of every session once, while instances come and go', async (t) => {
    t.after(stopAll)
    const homes: Instance[] = [await start(), await start()]
    let isOver = false
    const ids = idsOf('load', 24)
    const counts = ids.map(() => 0)
    const load = async (index: number): Promise<void> => {
      while (!isOver) {
        const counted = await count(homes[randomInt(homes.length)], ids[index])
        if (counted === 'busy') await sleep(20)
        else {
          const [found, expected] = [counted, fine(++counts[index])].map((each) => ({ id: ids[index], ...each }))
          assert.ok(isDeepStrictEqual(found, expected), inspect({ found, expected, log: entries.slice(-LOGGED) }, { depth: null }))
        }
      }
    }
    const loads = Promise.all(ids.map((_, index) => load(index)))
    // Reported at the end.
    loads.catch(() => {})
    try {
      for (let round = 0; round < 4; round++) {
        homes.push(await start())
        await sleep(200)
        const [leaving] = homes.splice(randomInt(homes.length), 1)
        await stop(leaving)
        await sleep(100)
      }
    } finally {
      isOver = true
    }
    await loads
    assert.ok(
      counts.every((times) => times > 10),
      String(counts),
    )
    assert.equal(
      homes.reduce((sum, home) => sum + sessionsOf(home), 0),
      ids.length,
    )
    for (const home of homes) await stop(home)
  })

  it('count on when a question about a session, or its answer, is lost on the way', async (t) => {
    t.after(stopAll)
    const ids = idsOf('fault', 24)
    const [a, b] = [await start(), await start()]
    for (const id of ids) assert.deepEqual(await count(a, id), fine(1))
    /** The first try of each question of that kind about a session fails. @param arrives whether the question arrives, and only its answer is lost */
    const failFirst = ({ peers: { calls } }: Instance, failing: string, arrives: boolean): void => {
      const { ask } = calls
      const failed = new Set<string>()
      calls.ask = async (name, kind, question, signal) => {
        const id = kind === failing ? (question as { readonly session: SessionName }).session.id : ''
        if (id === '' || failed.has(id)) return ask.call(calls, name, kind, question, signal)
        failed.add(id)
        if (arrives) await ask.call(calls, name, kind, question, signal)
        throw new Error('the handshake takes too long')
      }
    }
    failFirst(a, 'adopt_session', true)
    failFirst(b, 'adopt_session', false)
    const c = await start()
    await until(() => sessionsOf(a) + sessionsOf(b) + sessionsOf(c) === ids.length)
    for (const id of ids) assert.deepEqual(await count(c, id), fine(2))
    for (const each of [a, c]) failFirst(each, 'take_session', false)
    // It hands over nothing yet.
    await b.peers.leave()
    for (const id of ids.slice(12)) assert.deepEqual(await count(a, id), fine(3))
    await stop(b)
    for (const id of ids) assert.deepEqual(await count(a, id), fine(ids.indexOf(id) < 12 ? 3 : 4))
    assert.equal(sessionsOf(a) + sessionsOf(c), ids.length, 'a session is in two instances')
    await stop(a)
    await stop(c)
  })

  it('run a batch in the home of its session, and one that an instance takes meanwhile waits for it', async (t) => {
    t.after(stopAll)
    const [a, b] = [await start(), await start()]
    const ids = idsOf('batch', 8)
    for (const id of ids) {
      const batch = await runBatch(a.pool, { ruleset, sessionId: id, at: AT, inputs: Array.from({ length: 50 }, () => syslog('knock')) }, CALLER)
      assert.ok(batch.outcome === 'ok')
      assert.deepEqual(await count(b, id), fine(51))
    }
    const homeOf = (id: string): Instance => (a.peers.pools.homeOf({ organization: 'a', caller: 'a', id }) === null ? a : b)
    let more = true
    const source = {
      next: async () => {
        await sleep(5)
        return more ? { lines: linesOf([syslog('knock')]) } : null
      },
    }
    let answered = 0
    const batch = (async () => {
      for await (const chunk of homeOf(ids[0]).pool.lines({ ruleset, sessionId: ids[0], source, texts: lineTexts('en-US'), at: AT }, CALLER)) {
        assert.ok(chunk.outcome === 'ok')
        answered += chunk.value.count
        chunk.value.release()
      }
    })()
    await until(() => answered > 3)
    // Wherever the session is now, it moves when its home leaves, and not before the batch is over.
    const home = homeOf(ids[0])
    const other = home === a ? b : a
    await home.peers.leave()
    const next = count(other, ids[0])
    await sleep(100)
    more = false
    await batch
    assert.deepEqual(await next, fine(52 + answered))
    await stop(home)
    await stop(other)
  })

  it('find a ruleset by its hash in every instance', async (t) => {
    t.after(stopAll)
    const [a, b] = [await start(), await start()]
    const files = [rulesFile(group(rule(100200, '<match>knock</match>')))]
    const validated = await validationAnswer(a.pool, { ruleset: { files } }, CALLER)
    assert.ok(validated.outcome === 'ok')
    const { compiled_hash: compiledHash } = validated.value.summary
    const found = await logtestAnswer(b.pool, { ruleset: { compiledHash }, input: syslog('knock') }, CALLER)
    assert.equal(found.outcome === 'ok' && found.value.rule?.id, '100200')
    const stranger = await logtestAnswer(b.pool, { ruleset: { compiledHash }, input: syslog('knock') }, { ...CALLER, organization: 'b' })
    assert.equal(stranger.outcome, 'ruleset_missing')
    await stop(a)
    await stop(b)
  })

  it('do not know those of another secret', async (t) => {
    t.after(stopAll)
    const [a, b] = [await start(), await start()]
    const stranger = new Peers({
      config: { peerAddress: { host: '127.0.0.1', port: ports.pop()! } },
      ownProcess: null,
      storage,
      key: Buffer.alloc(32, 8),
      pool: a.pool,
      log: recordingLog([]),
      clock: Date.now,
    })
    await stranger.open()
    assert.deepEqual(stranger.names, [])
    assert.equal(b.peers.names.length, 1)
    await stranger.close()
    await stop(a)
    await stop(b)
  })
})
