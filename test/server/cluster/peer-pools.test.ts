/** Two pools that are one, as those of two processes: sessions, batches and rulesets by hash, whichever of them took the request. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type AnalysisOutcome, AnalysisPool, type LogtestAnswer, type RequestOptions, type RulesetSelection } from '#workers'
import { Peers } from '../../../server/cluster/peers.js'
import { SMALL_BODY_BYTES } from '../../../server/analysis/outcomes.js'
import { lineTexts } from '../../../server/analysis/refusal.js'
import { linesOf, parseLines, runBatch } from '../../workers/support/batch.js'
import { logtestAnswer, parse, validationAnswer } from '../../workers/support/objects.js'
import { recordingLog } from '../../support/recording-log.js'
import { AT, BASE, group, KNOCKS, rule, rulesFile, syslog } from '../../workers/support/rulesets.js'

interface Process {
  readonly pool: AnalysisPool
  readonly peers: Peers
}

const folder = mkdtempSync(join(tmpdir(), 'peer-pools-'))
const customDir = join(folder, 'custom')
const CALLER: RequestOptions = { organization: 'a', caller: 'a' }
const errors: unknown[] = []
const processes: Process[] = []
const ruleset = { files: [KNOCKS] }

async function startProcess(number: number): Promise<Process> {
  const pool = new AnalysisPool({
    workers: 1,
    defaultRulesetDir: join(folder, 'default'),
    customContentDir: customDir,
    processes: 2,
    sessionFile: join(folder, `${number}.sessions`),
  })
  const peers = new Peers({
    config: { peerAddress: null },
    ownProcess: { number, processes: 2, socketFolder: folder },
    storage: { open: () => assert.fail('a single instance needs no store') },
    key: Buffer.alloc(32),
    pool,
    log: recordingLog(errors),
    clock: Date.now,
  })
  await peers.open()
  assert.equal(await pool.ready(), true)
  return { pool, peers }
}

before(async () => {
  for (const { kind, filename, content } of BASE) {
    mkdirSync(join(folder, 'default', kind), { recursive: true })
    writeFileSync(join(folder, 'default', kind, filename), content)
  }
  processes.push(...(await Promise.all([startProcess(1), startProcess(2)])))
})

after(async () => {
  await Promise.all(processes.map(({ peers }) => peers.close()))
  await Promise.all(processes.map(({ pool }) => pool.close()))
  rmSync(folder, { recursive: true })
  assert.deepEqual(errors, [])
})

function ok<T>(outcome: AnalysisOutcome<T>): T {
  if (outcome.outcome !== 'ok') assert.fail(JSON.stringify(outcome))
  return outcome.value
}

/** A session id whose home is the other process. */
function idAway(from: Process, prefix: string, { organization = '', caller = '' } = CALLER): string {
  for (let index = 0; ; index++) if (from.peers.pools.homeOf({ organization, caller, id: `${prefix} ${index}` }) !== null) return `${prefix} ${index}`
}

const knock = (at: Process, sessionId: string, selection: RulesetSelection = ruleset, options = CALLER) =>
  logtestAnswer(at.pool, { ruleset: selection, input: syslog('knock'), trace: false, at: AT, sessionId }, options)
const ruleOf = async (...args: Parameters<typeof knock>): Promise<string | undefined> => ok(await knock(...args)).rule?.id
const sessionsOf = ({ pool }: Process): number => pool.metrics().sessions

describe('a session', () => {
  it('counts every event, whichever process took it, and is in one of them', async () => {
    const before = processes.map(sessionsOf)
    for (let session = 0; session < 8; session++) {
      const found: (string | undefined)[] = []
      for (let event = 0; event < 6; event++) found.push(await ruleOf(processes[event % 2], `counted ${session}`))
      assert.deepEqual(found, ['100100', '100100', '100101', '100100', '100100', '100101'])
    }
    const opened = processes.map((each, index) => sessionsOf(each) - before[index])
    assert.equal(opened[0] + opened[1], 8)
    assert.ok(opened[0] > 0 && opened[1] > 0, String(opened))
  })

  it('belongs to its organization and its caller in every process', async () => {
    for (const options of [CALLER, { ...CALLER, caller: 'b' }, { ...CALLER, organization: 'b' }])
      for (const at of processes) assert.equal(await ruleOf(at, 'owned', ruleset, options), '100100')
  })

  it('is one for a large body, its hash, and a batch', async () => {
    const [first, second] = processes
    const id = idAway(first, 'mixed')
    const files = [KNOCKS, rulesFile(`<!-- ${'x'.repeat(SMALL_BODY_BYTES)} -->${group(rule(100900, '<match>unused</match>'))}`, 'large.xml')]
    const body = Buffer.from(JSON.stringify({ files, input: { event: 'knock', log_format: 'syslog', session_id: id }, trace: false }))
    const large = async (at: Process): Promise<LogtestAnswer> => parse<LogtestAnswer>(ok(await at.pool.logtest({ body, at: AT }, CALLER)))
    const { rule: found, summary } = await large(first)
    assert.equal(found?.id, '100100')
    assert.equal((await large(second)).rule?.id, '100100')
    const byHash = { compiledHash: summary.compiled_hash }
    assert.equal(await ruleOf(first, id, byHash), '100101')
    const prepared = ok(await first.pool.prepare({ body: Buffer.from(JSON.stringify({ files, session_id: id })) }, CALLER))
    const batch = ok(await runBatch(first.pool, { ruleset: prepared.ruleset, sessionId: id, at: AT, inputs: [syslog('knock'), syslog('other'), syslog('knock')] }, CALLER))
    assert.deepEqual(
      batch.lines.map((line) => ('rule' in line ? (line.rule?.id ?? null) : line)),
      ['100100', null, '100100'],
    )
    assert.deepEqual([batch.total, batch.matched, batch.failed], [3, 2, 0])
    assert.equal(await ruleOf(second, id, byHash), '100101')
  })
})

describe('a batch whose session is in the other process', () => {
  it('answers lines as they arrive, in order, with wrong and refused ones in their places', async () => {
    const [first] = processes
    const inputs = Array.from({ length: 2_000 }, (_, index) => syslog(index % 4 === 0 ? 'knock' : `other ${index}`))
    const refused = Buffer.from('{"refused":true}\n')
    /** Sends the second part after the first answer, as a caller may who waits for it. */
    let answer = (): void => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const parts = [{ lines: linesOf(inputs.slice(0, 1)) }, { lines: Buffer.concat([Buffer.from('{wrong}\n'), linesOf(inputs.slice(1))]) }, { answers: refused, count: 1 }]
    let next = 0
    const source = {
      next: async () => {
        if (next === 1) await answered
        return parts[next++] ?? null
      },
    }
    const lines: unknown[] = []
    for await (const chunk of first.pool.lines({ ruleset, sessionId: idAway(first, 'batch'), source, texts: lineTexts('en-US'), at: AT }, CALLER)) {
      lines.push(...parseLines(ok(chunk).bytes))
      answer()
    }
    assert.equal(lines.length, 2_002)
    assert.match(JSON.stringify(lines[1]), /"code":"bad_request"/)
    assert.deepEqual(lines.at(-1), { refused: true })
    const rules = lines.map((line) => (line as { readonly rule?: { readonly id: string } | null }).rule?.id)
    assert.equal(rules.filter((id) => id === '100101').length, Math.floor(500 / 3))
  })

  it('fails with what its source fails with', async () => {
    const [first] = processes
    const source = { next: () => Promise.reject(new Error('the store is gone')) }
    const chunks = first.pool.lines({ ruleset, sessionId: idAway(first, 'faulty'), source, texts: lineTexts('en-US') }, CALLER)
    await assert.rejects(chunks.next(), /the store is gone/)
  })

  it('ends in its home when its reader stops, and when its caller leaves', async () => {
    const [first, second] = processes
    const forever = { next: async () => ({ lines: linesOf([syslog('knock')]) }) }
    const id = idAway(first, 'left')
    const leaving = new AbortController()
    for (const signal of [undefined, leaving.signal]) {
      const chunks = first.pool.lines({ ruleset, sessionId: id, source: forever, texts: lineTexts('en-US'), at: AT }, { ...CALLER, ...(signal && { signal }) })
      ok((await chunks.next()).value as never)
      if (signal === undefined) await chunks.return()
      else {
        leaving.abort()
        let last: unknown
        for await (const chunk of chunks) last = chunk.outcome
        assert.equal(last, 'aborted')
      }
      // It waits for the end of the batch, which has the session until then.
      assert.notEqual(await ruleOf(second, id), undefined)
    }
  })
})

describe('a ruleset by its hash', () => {
  it('is found in every process, by the organization that has compiled it', async () => {
    const [first, second] = processes
    const files = [rulesFile(group(rule(100200, '<match>knock</match>')))]
    const { compiled_hash: compiledHash } = ok(await validationAnswer(first.pool, { ruleset: { files } }, CALLER)).summary
    const run = (at: Process, options: RequestOptions) => logtestAnswer(at.pool, { ruleset: { compiledHash }, input: syslog('knock') }, options)
    assert.deepEqual(await run(second, { ...CALLER, organization: 'b' }), { outcome: 'ruleset_missing', compiledHash })
    assert.equal(ok(await run(second, CALLER)).rule?.id, '100200')
    assert.deepEqual(await run(first, { ...CALLER, organization: 'b' }), { outcome: 'ruleset_missing', compiledHash })
    // The process has it now, and needs nobody for it.
    assert.notEqual(second.pool.portableRuleset(compiledHash, 'a'), null)
  })

  it('is found for a batch, and in the home of a session that has not seen it', async () => {
    const [first, second] = processes
    const files = [KNOCKS, rulesFile(group(rule(100201, '<match>unused</match>')), 'more.xml')]
    const { compiled_hash: compiledHash } = ok(await validationAnswer(first.pool, { ruleset: { files } }, CALLER)).summary
    assert.equal(ok(await first.pool.prepare({ ruleset: { compiledHash } }, CALLER)).ruleset.reference.organization, 'a')
    assert.equal(ok(await second.pool.prepare({ ruleset: { compiledHash } }, CALLER)).ruleset.source !== null, true)
    const id = idAway(second, 'by hash')
    assert.equal(await ruleOf(second, id, { compiledHash }), '100100')
  })

  it('is compiled on the custom content that one process has read and the other has not', async () => {
    const [first, second] = processes
    mkdirSync(join(customDir, 'rules'), { recursive: true })
    writeFileSync(join(customDir, 'rules', 'custom.xml'), group(rule(100300, '<match>custom</match>')))
    ok(await first.pool.reload())
    const { compiled_hash: compiledHash } = ok(await validationAnswer(first.pool, { ruleset }, CALLER)).summary
    const own = second.pool.contentId
    const run = async (sessionId: string | null) => ok(await logtestAnswer(second.pool, { ruleset: { compiledHash }, input: syslog('custom'), sessionId }, CALLER)).rule?.id
    assert.equal(await run(null), '100300')
    assert.equal(await run(idAway(second, 'on other content')), '100300')
    assert.equal(second.pool.contentId, own, 'content of another process is in use')
    ok(await second.pool.reload())
    assert.equal(second.pool.contentId, first.pool.contentId)
    assert.equal(await run(null), '100300')
  })

  it('that no process knows is asked for a limited number of times', async () => {
    const { pools, calls } = processes[0].peers
    const asked: string[] = []
    const { ask } = calls
    calls.ask = (name, kind, ...rest) => {
      asked.push(kind)
      return ask.call(calls, name, kind, ...rest)
    }
    try {
      const unknown = (index: number, organization: string) => pools.findRuleset(index.toString(16).padStart(64, '0'), organization)
      await Promise.all(Array.from({ length: 200 }, (_, index) => unknown(index, 'curious')))
      assert.equal(asked.length, 64)
      // The same question is asked once, and another organization may ask.
      await Promise.all(Array.from({ length: 10 }, () => unknown(1, 'other')))
      assert.equal(asked.length, 65)
    } finally {
      calls.ask = ask
    }
  })
})

describe('a home that ends', () => {
  it('answers what runs, refuses what follows, and its successor says that the session is lost, once', async () => {
    const [first, second] = processes
    const id = idAway(first, 'lost')
    const never = idAway(first, 'never used')
    assert.equal(await ruleOf(first, id), '100100')
    const running = Promise.all(Array.from({ length: 20 }, () => knock(first, id)))
    await new Promise(setImmediate)
    const closing = second.peers.calls.close(0)
    await closing
    for (const { outcome } of await running) assert.ok(outcome === 'ok' || outcome === 'busy', outcome)
    assert.deepEqual(await knock(first, id), { outcome: 'busy' })
    const batch = await runBatch(first.pool, { ruleset, sessionId: id, inputs: [syslog('knock')] }, CALLER)
    assert.deepEqual(batch, { outcome: 'busy' })
    await second.pool.close()
    processes[1] = await startProcess(2)
    const isLost = async (session: string) => ok(await knock(first, session)).diagnostics.some(({ code }) => code === 'session_lost')
    assert.deepEqual([await isLost(id), await isLost(id), await isLost(never)], [true, false, false])
  })

  it('answers the others as long as they ask, when all of them stop', async () => {
    const [first, second] = processes
    const id = idAway(first, 'late')
    assert.equal(await ruleOf(first, id), '100100')
    const closing = second.peers.close()
    assert.equal(await ruleOf(first, id), '100100')
    await Promise.all([closing, first.peers.close()])
  })
})
