/** One small pool for all tests that need threads. Certain words in events make threads misbehave (`support/thread-with-faults.ts`). */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { LogtestInput } from '#engine'
import { type AnalysisMetrics, AnalysisPool, type Fault, type LogtestAnswer, type RulesetSelection, type TaskOutcome, type AnalysisOutcome } from '#workers'
import { runBatch } from './support/batch.js'
import { answeredOf, runInOneSession } from './support/reference-run.js'
import { AT, BASE, group, KNOCKS, rule, rulesFile, syslog } from './support/rulesets.js'
import { logtestAnswer, parse, runCases, validationAnswer } from './support/objects.js'

const HANG = 'please-hang'
const EXIT = 'please-exit'
const THROW = 'please-throw'
const threadUrl = new URL('./support/thread-with-faults.js', import.meta.url).href
const folder = mkdtempSync(join(tmpdir(), 'pool-'))
const ruleset = { files: [KNOCKS] }
const faults: Fault[] = []
let pool: AnalysisPool

before(async () => {
  for (const { kind, filename, content } of BASE) {
    mkdirSync(join(folder, 'default', kind), { recursive: true })
    writeFileSync(join(folder, 'default', kind, filename), content)
  }
  mkdirSync(join(folder, 'custom', 'rules'), { recursive: true })
  pool = new AnalysisPool({
    workers: 2,
    queueLimit: 4,
    organizationQueueLimit: 3,
    taskTimeoutMs: 60_000,
    defaultRulesetDir: join(folder, 'default'),
    customContentDir: join(folder, 'custom'),
    threadUrl,
    onFault: (fault) => faults.push(fault),
  })
  assert.equal(await pool.ready(), true)
})

after(async () => {
  await pool.close()
  rmSync(folder, { recursive: true })
})

function ok<T>(outcome: AnalysisOutcome<T>): T {
  if (outcome.outcome !== 'ok') assert.fail(JSON.stringify(outcome))
  return outcome.value
}

const logtest = (event: string, sessionId?: string, caller = 'a', signal?: AbortSignal): Promise<TaskOutcome<LogtestAnswer>> =>
  logtestAnswer(
    pool,
    { ruleset, input: syslog(event), trace: false, at: AT, ...(sessionId === undefined ? {} : { sessionId }) },
    { caller, ...(signal === undefined ? {} : { signal }) },
  )

async function until(is: (metrics: AnalysisMetrics) => boolean): Promise<void> {
  while (!is(pool.metrics())) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Waits until that many tasks that never end are running or waiting. Each occupies a thread, and the queue decides how many threads one organization gets. */
const untilStuck = (count: number): Promise<void> => until(({ running, queueLength }) => running > 0 && running + queueLength === count)

/** Ends all threads after all have started: a thread that is lost while it starts, without another one, fails all waiting tasks (`start-and-stop.test.ts`). */
async function killThreads(): Promise<void> {
  assert.equal(await pool.threadPool.started(), true)
  await Promise.all(pool.threadPool.workers.map((worker) => worker.terminate()))
}

describe('analysis', () => {
  it('validates, and returns a hash that the same organization can use', async () => {
    const answer = ok(await validationAnswer(pool, { ruleset }, { organization: 'a' }))
    assert.equal(answer.ok, true)
    const selection = { compiledHash: answer.summary.compiled_hash }
    assert.equal(ok(await logtestAnswer(pool, { ruleset: selection, input: syslog('knock') }, { organization: 'a' })).rule?.id, '100100')
    assert.deepEqual(await logtestAnswer(pool, { ruleset: selection, input: syslog('knock') }, { organization: 'b' }), {
      outcome: 'ruleset_missing',
      compiledHash: selection.compiledHash,
    })
  })

  it('keeps one session and one ruleset for one hash, whether or not a request asked for an empty custom folder', async () => {
    const files = [rulesFile(group(rule(100101, '<match>knock</match>')), 'shared.xml')]
    const firedtimes = (selection: RulesetSelection): Promise<LogtestAnswer> =>
      logtestAnswer(pool, { ruleset: selection, input: syslog('knock'), sessionId: 'one-hash' }, { organization: 'a', caller: 'a' }).then(ok)
    const others = ok(await validationAnswer(pool, { ruleset: { files, includeCustom: false } }, { organization: 'b' }))
    const first = await firedtimes({ files })
    assert.deepEqual([first.rule?.firedtimes, first.summary.compiled_hash], [1, others.summary.compiled_hash])
    assert.equal((await firedtimes({ compiledHash: others.summary.compiled_hash })).rule?.firedtimes, 2)
    assert.equal((await firedtimes({ files, includeCustom: false })).rule?.firedtimes, 3)
  })

  it('answers ok: false with diagnostics for a ruleset that Wazuh refuses', async () => {
    const refused = { files: [rulesFile('<group name="x,"><rule id="abc" level="3"><description>x</description></rule></group>')] }
    const answer = ok(await validationAnswer(pool, { ruleset: refused }))
    assert.equal(answer.ok, false)
    assert.ok(answer.diagnostics.length > 0)
    assert.equal(ok(await logtestAnswer(pool, { ruleset: refused, input: syslog('x') })).ok, false)
    assert.equal(ok(await runBatch(pool, { ruleset: refused, inputs: [syslog('x')] })).failed, 1)
  })

  it('returns bytes with a digest', async () => {
    const answer = ok(await pool.logtest({ ruleset, input: syslog('knock') }))
    assert.equal(answer.digest.matchedRuleId, '100100')
    assert.equal(parse<LogtestAnswer>(answer).rule?.id, '100100')
  })

  it('answers a batch in the order of its inputs, whichever threads ran them', async () => {
    const inputs = Array.from({ length: 2000 }, (_, i) => syslog(i % 3 === 0 ? `quiet ${i}` : `knock ${i}`))
    const { pieces, lines, total, matched } = ok(await runBatch(pool, { ruleset, inputs, at: AT }))
    assert.equal(total, 2000)
    assert.equal(matched, inputs.filter(({ event }) => event.startsWith('knock')).length)
    assert.deepEqual(
      lines.map(({ predecoded }) => predecoded?.raw_message),
      inputs.map(({ event }) => event),
    )
    assert.equal(lines.filter(({ summary }) => summary !== undefined).length, 1)
    assert.ok(pieces.length > 1)
  })

  it('runs cases and counts what they cover', async () => {
    const measured = ok(await pool.measure({ ruleset, cases: [{ name: 'n', event_text: 'knock', expected_rule: '100100' }], diagnosticsLimit: 10 }))
    assert.deepEqual(
      measured.results.map((result) => result.outcome === 'ok' && result.report.passed),
      [true],
    )
    assert.deepEqual(
      measured.coverage.rules.untested.map(({ name }) => name),
      ['100101'],
    )
    assert.deepEqual(
      measured.rules.map(({ rule_id }) => rule_id),
      ['100100', '100101'],
    )
  })
})

describe('runs of cases', () => {
  it('report answers in the order of the cases, as soon as they are known, however sessions are distributed', async () => {
    const cases = Array.from({ length: 500 }, (_, i) => ({ name: String(i), event_text: 'knock', session_id: i % 5 === 0 ? `s${i % 25}` : '' }))
    const names: string[] = []
    const rules: (string | undefined)[] = []
    let pieces = 0
    let reports = 0
    for await (const piece of pool.cases({ ruleset, cases, at: AT })) {
      const { results, contentReport } = ok(piece)
      pieces++
      if (contentReport !== null) reports++
      for (const result of results) {
        assert.ok(result.outcome === 'ok')
        names.push(result.report.name)
        rules.push(result.report.analysis.rule?.id)
      }
    }
    assert.deepEqual(
      names,
      cases.map(({ name }) => name),
    )
    assert.ok(pieces > 2)
    assert.equal(reports, 1)
    // Every third case of each session.
    assert.deepEqual(
      rules,
      cases.map(({ session_id }, i) => (session_id !== '' && Math.floor(i / 25) % 3 === 2 ? '100101' : '100100')),
    )
  })

  it('let other tasks run, even when they occupy all threads', async () => {
    // Many more than the threads run meanwhile. A run that begins while others wait may be refused.
    const cases = Array.from({ length: 20_000 }, (_, i) => ({ name: String(i), event_text: 'knock' }))
    let parts = 0
    let isOver = false
    const run = async (): Promise<void> => {
      for await (const { outcome } of pool.cases({ ruleset, cases }, { organization: 'busy' })) {
        if (isOver) return
        assert.equal(outcome, 'ok')
        parts++
      }
      assert.fail(`the run was over after ${parts} parts`)
    }
    const runs = Promise.all([run(), run(), run()])
    try {
      while (parts < 20) await Promise.race([runs, new Promise((resolve) => setImmediate(resolve))])
      for (let i = 0; i < 5; i++) {
        const before = parts
        ok(await logtestAnswer(pool, { ruleset, input: syslog('knock'), trace: false }, { organization: 'quiet' }))
        assert.ok(parts - before <= 20, `${parts - before} parts went before one logtest`)
      }
    } finally {
      isOver = true
      await runs
    }
  })

  it('report the ruleset also without a case', async () => {
    const { loads, results, contentReport } = ok(await runCases(pool, { ruleset, cases: [] }))
    assert.deepEqual([loads, results.length, contentReport?.summary.total_rules], [true, 0, 3])
    const refused = { files: [rulesFile('<group name="x,"><rule id="abc" level="3"><description>x</description></rule></group>')] }
    assert.equal(ok(await runCases(pool, { ruleset: refused, cases: [] })).loads, false)
  })

  it('end when nobody takes their chunks, or the caller cancels', async () => {
    const cases = Array.from({ length: 2000 }, (_, i) => ({ name: String(i), event_text: 'knock' }))
    const controller = new AbortController()
    const told: string[] = []
    for await (const piece of pool.cases({ ruleset, cases, at: AT }, { signal: controller.signal })) {
      told.push(piece.outcome)
      controller.abort()
    }
    assert.deepEqual(told, ['ok', 'aborted'])
    const submitted = pool.metrics().outcomes.ok
    for await (const piece of pool.cases({ ruleset, cases, at: AT })) {
      assert.equal(piece.outcome, 'ok')
      break
    }
    assert.equal(pool.metrics().outcomes.ok, submitted + 1)
  })
})

describe('sessions', () => {
  const events = Array.from({ length: 200 }, (_, i) => syslog(i % 5 === 4 ? `quiet ${i}` : `knock ${i}`))
  const expected = runInOneSession([...BASE, KNOCKS], events)

  it('run 200 events sent at once in order, and the frequency rule fires exactly where it must', async () => {
    const answers = await Promise.all(events.map(({ event }) => logtest(event, 'at-once')))
    assert.deepEqual(
      answers.map((answer) => answeredOf(ok(answer))),
      expected,
    )
  })

  it('of two callers are separate', async () => {
    const answers = await Promise.all(['a', 'b', 'a', 'b', 'a'].map((caller) => logtest('knock', 'shared-name', caller)))
    assert.deepEqual(
      answers.map((answer) => answeredOf(ok(answer)).rule),
      ['100100', '100100', '100100', '100100', '100101'],
    )
  })

  it('continue in a batch after single events', async () => {
    ok(await logtest(events[0].event, 'batch'))
    const { lines } = ok(await runBatch(pool, { ruleset, inputs: events.slice(1), sessionId: 'batch', at: AT }, { caller: 'a' }))
    assert.deepEqual(lines.map(answeredOf), expected.slice(1))
  })

  it('continue after threads were killed between their events', async () => {
    const got = []
    for (const [i, { event }] of events.slice(0, 40).entries()) {
      if (i % 13 === 5) await killThreads()
      got.push(answeredOf(ok(await logtest(event, 'killed-between'))))
    }
    assert.deepEqual(got, expected.slice(0, 40))
  })

  it('lose only the event at which their thread ends', async () => {
    const got = []
    for (const [i, { event }] of events.slice(0, 30).entries()) {
      if (i === 12) {
        const lost = await logtest(`knock ${EXIT}`, 'killed-within')
        assert.equal(lost.outcome, 'failed')
      }
      got.push(answeredOf(ok(await logtest(event, 'killed-within'))))
    }
    assert.deepEqual(got, expected.slice(0, 30))
  })

  it('lose only the event of a batch at which their thread ends', async () => {
    const inputs: LogtestInput[] = [...events.slice(0, 50), syslog(`knock ${EXIT}`), ...events.slice(50, 100)]
    const { lines, total, failed } = ok(await runBatch(pool, { ruleset, inputs, sessionId: 'batch-killed', at: AT }, { caller: 'a' }))
    assert.equal(total, 101)
    assert.equal(failed, 1)
    assert.equal(lines[50].ok, false)
    assert.match(lines[50].insights[0], /^The analysis failed because of a fault in this service/)
    assert.deepEqual(lines.filter((_, i) => i !== 50).map(answeredOf), expected.slice(0, 100))
    assert.deepEqual(answeredOf(ok(await logtest(events[100].event, 'batch-killed'))), expected[100])
  })

  it('survive snapshots: a long session is the same after all threads were replaced', async () => {
    const long = Array.from({ length: 700 }, (_, i) => syslog(`knock ${i}`))
    const all = runInOneSession([...BASE, KNOCKS], [...long, syslog('knock')])
    ok(await runBatch(pool, { ruleset, inputs: long, sessionId: 'long', at: AT }, { caller: 'a' }))
    await killThreads()
    assert.deepEqual(answeredOf(ok(await logtest('knock', 'long'))), all[700])
  })
})

describe('threads', () => {
  it('that end at an event lose that answer, and their successors continue', async () => {
    const replaced = pool.metrics().replacedThreads
    const lost = await logtest(EXIT)
    assert.ok(lost.outcome === 'failed' && lost.reason === 'thread' && lost.diagnostic.code === 'engine_internal_error')
    assert.equal(ok(await logtest('knock')).rule?.id, '100100')
    assert.equal(pool.metrics().replacedThreads, replaced + 1)
  })

  it('that are killed from outside at an event lose that answer', async () => {
    let isOver = false
    const running = logtest(HANG).finally(() => {
      isOver = true
    })
    // A thread that is killed before the event has begun leaves it to the next.
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      if (pool.metrics().running > 0) await killThreads()
    }
    assert.equal((await running).outcome, 'failed')
    assert.equal(ok(await logtest('knock')).rule?.id, '100100')
  })

  it('lose one line of a batch', async () => {
    const inputs = Array.from({ length: 600 }, (_, i) => syslog(i === 300 ? EXIT : `knock ${i}`))
    const { lines, failed } = ok(await runBatch(pool, { ruleset, inputs }))
    assert.equal(failed, 1)
    assert.deepEqual(
      lines.flatMap((line, i) => (line.ok ? [] : [i])),
      [300],
    )
    assert.equal(lines.length, 600)
  })

  it('answer a defect with a debug id, and stay', async () => {
    const replaced = pool.metrics().replacedThreads
    const outcome = await logtest(`${THROW} with-a-secret`)
    assert.ok(outcome.outcome === 'failed' && outcome.reason === 'fault')
    const fault = faults.find(({ debugId }) => debugId === outcome.debugId)
    assert.equal(fault?.error?.name, 'TypeError')
    assert.ok((fault?.error?.frames.length ?? 0) > 0)
    assert.ok(!JSON.stringify([outcome, fault]).includes('with-a-secret'))
    assert.ok(!JSON.stringify(outcome).includes('.js:'))
    assert.equal(pool.metrics().replacedThreads, replaced)
  })
})

describe('the queue', () => {
  // A thread that is ended because its caller cancelled counts as busy until it has ended.
  beforeEach(() => until(({ running }) => running === 0))

  it('refuses tasks when it is full, and an abort makes room', async () => {
    const controllers = Array.from({ length: 6 }, () => new AbortController())
    const stuck = controllers.map(({ signal }) => logtest(HANG, undefined, 'a', signal))
    await untilStuck(6)
    assert.deepEqual(await logtest('knock'), { outcome: 'busy' })
    controllers[5].abort()
    assert.deepEqual(await stuck[5], { outcome: 'aborted' })
    const waiting = logtest('knock')
    for (const controller of controllers) controller.abort()
    for (const outcome of await Promise.all(stuck)) assert.deepEqual(outcome, { outcome: 'aborted' })
    assert.equal(ok(await waiting).rule?.id, '100100')
  })

  it('refuses an organization that has too many waiting tasks, and no other', async () => {
    const of = (organization: string, event: string, signal?: AbortSignal) =>
      logtestAnswer(pool, { ruleset, input: syslog(event), at: AT }, { organization, ...(signal === undefined ? {} : { signal }) })
    const controller = new AbortController()
    const stuck = Array.from({ length: 5 }, () => of('busy', HANG, controller.signal))
    await untilStuck(5)
    assert.deepEqual(await of('busy', 'knock'), { outcome: 'busy' })
    const waiting = of('rare', 'knock')
    controller.abort()
    assert.equal(ok(await waiting).rule?.id, '100100')
    await Promise.all(stuck)
  })

  it('refuses nothing that was received, although it is full', async () => {
    const controllers = Array.from({ length: 6 }, () => new AbortController())
    const stuck = controllers.map(({ signal }) => logtest(HANG, undefined, 'a', signal))
    await untilStuck(6)
    const reading = pool.read({ of: 'request', schema: '{}', bytes: Buffer.from('[1]'), anyName: false }, { organization: 'rare' })
    assert.deepEqual(await logtest('knock'), { outcome: 'busy' })
    for (const controller of controllers) controller.abort()
    assert.deepEqual(ok(await reading), { kind: 'valid', value: { json: '[1]' }, deprecated: [] })
    await Promise.all(stuck)
  })

  it('does not accept a task whose caller has cancelled', async () => {
    assert.deepEqual(await logtest('knock', undefined, 'a', AbortSignal.abort()), { outcome: 'aborted' })
  })
})

describe('reload', () => {
  it('uses new content for new tasks, and does not affect running ones', async () => {
    assert.equal(ok(await pool.reload()).changed, false)
    const before = ok(await validationAnswer(pool, { ruleset: { files: [] } }, { organization: 'a' }))
    writeFileSync(join(folder, 'custom', 'rules', 'mine.xml'), group(rule(100500, '<match>mine</match>')))
    const running = runBatch(pool, { ruleset, inputs: Array.from({ length: 1500 }, () => syslog('mine')) })
    assert.equal(ok(await pool.reload()).changed, true)
    const after = ok(await validationAnswer(pool, { ruleset: { files: [] } }))
    assert.equal(after.summary.total_rules, before.summary.total_rules + 1)
    assert.equal(ok(await running).matched, 0)
    assert.equal(ok(await logtestAnswer(pool, { ruleset: { files: [] }, input: syslog('mine') })).rule?.id, '100500')
    assert.equal(ok(await logtestAnswer(pool, { ruleset: { includeCustom: false }, input: syslog('mine') })).rule, null)
    const old = ok(await logtestAnswer(pool, { ruleset: { compiledHash: before.summary.compiled_hash }, input: syslog('mine') }, { organization: 'a' }))
    assert.equal(old.summary.compiled_hash, before.summary.compiled_hash)
  })

  it('reports a rule of the folder that is dropped, but evaluates only the files of a request', async () => {
    const file = join(folder, 'custom', 'rules', 'site.xml')
    const dropped = group(rule(100510, '<if_sid>100999</if_sid>'))
    writeFileSync(file, dropped)
    assert.equal(ok(await pool.reload()).refused, null)
    const codesOf = (name: string, diagnostics: readonly { filename: string; code: string }[]): string[] =>
      diagnostics.filter(({ filename }) => filename === name).map(({ code }) => code)
    const right = rulesFile(group(rule(100511, '<match>mine</match>')), 'zz-own.xml')
    const wrong = rulesFile(dropped.replace('100510', '100512'), 'zz-own.xml')
    for (const [files, expected] of [
      [[], true],
      [[right], true],
      [[{ ...right, scope: 'custom' }], true],
      [[wrong], false],
      [[{ ...wrong, scope: 'custom' }], false],
    ] as const) {
      const validated = ok(await validationAnswer(pool, { ruleset: { files } }))
      assert.deepEqual([validated.ok, validated.loads, codesOf('site.xml', validated.diagnostics)], [expected, true, ['rule_parent_missing']])
      const tested = ok(await logtestAnswer(pool, { ruleset: { files }, input: syslog('mine') }))
      assert.deepEqual([tested.ok, tested.rule !== null], [expected, true])
    }
    rmSync(file)
    assert.equal(ok(await pool.reload()).changed, true)
  })

  it('applies to threads that start later', async () => {
    await killThreads()
    assert.equal(ok(await logtestAnswer(pool, { ruleset: { files: [] }, input: syslog('mine') })).rule?.id, '100500')
  })
})

describe('content that Wazuh would not start with', () => {
  const custom = (name: string): string => join(folder, 'custom', 'rules', name)
  const codes = (diagnostics: readonly { code: string }[]): string[] => diagnostics.map(({ code }) => code).filter((code) => code !== 'rule_orphan')
  const mine = (): Promise<LogtestAnswer> => logtestAnswer(pool, { ruleset: { files: [] }, input: syslog('mine') }, { organization: 'a' }).then(ok)

  it('is not used: the earlier content stays, and every answer with custom content reports it', async () => {
    assert.deepEqual(pool.customContent, { state: 'current', since: null })
    const { contentId } = pool
    writeFileSync(custom('broken.xml'), group('<rule id="100501" level="3"><no_such_option>x</no_such_option><description>d</description></rule>'))
    const answer = ok(await pool.reload())
    assert.deepEqual([answer.changed, answer.contentId, pool.contentId], [false, contentId, contentId])
    assert.deepEqual(answer.refused?.errors, [{ scope: 'custom', file: 'rules/broken.xml', line: 1, code: 'rule_element_unknown' }])
    assert.equal(answer.refused?.errorCount, 1)
    assert.equal(pool.customContent.state, 'stale')
    const told = await mine()
    assert.deepEqual([told.ok, told.rule?.id, codes(told.diagnostics)], [true, '100500', ['custom_content_stale']])
    assert.match(told.diagnostics[0].message, / since \d{4}-\d\d-\d\dT[\d:.]+Z;/)

    const validated = ok(await validationAnswer(pool, { ruleset: { files: [rulesFile('<group name="tests,"></group>', 'empty.xml')] } }))
    assert.deepEqual(codes(validated.diagnostics), ['custom_content_stale', 'group_empty'])
    const large = (includeCustom: boolean) => Buffer.from(JSON.stringify({ include_disk_custom: includeCustom, files: [] }))
    const body = async (includeCustom: boolean): Promise<{ diagnostics: readonly { code: string }[] }> => {
      return ok(await validationAnswer(pool, { body: large(includeCustom) })) as { diagnostics: readonly { code: string }[] }
    }
    assert.deepEqual(codes((await body(true)).diagnostics), ['custom_content_stale'])
    // Requests without custom content do not report it.
    assert.deepEqual((await body(false)).diagnostics, [])
    assert.deepEqual(ok(await validationAnswer(pool, { ruleset: { includeCustom: false, files: [] } })).diagnostics, [])
  })

  it('is compiled once, however often the folder is read', async () => {
    const { cacheMisses, outcomes } = pool.metrics()
    for (let look = 0; look < 3; look++) assert.equal(ok(await pool.reload()).refused?.errorCount, 1)
    assert.deepEqual([pool.metrics().cacheMisses, pool.metrics().outcomes], [cacheMisses, outcomes])
  })

  it('is used as soon as the folder is repaired', async () => {
    writeFileSync(custom('broken.xml'), group(rule(100501, '<match>mended</match>')))
    const { changed, refused } = ok(await pool.reload())
    assert.deepEqual([changed, refused, pool.customContent.state], [true, null, 'current'])
    assert.deepEqual(codes((await mine()).diagnostics), [])
    assert.equal(ok(await logtestAnswer(pool, { ruleset: { files: [] }, input: syslog('mended') })).rule?.id, '100501')
  })

  it('has no effect after the folder returns to the content in use', async () => {
    writeFileSync(custom('broken.xml'), '<group name="tests,">')
    assert.notEqual(ok(await pool.reload()).refused, null)
    writeFileSync(custom('broken.xml'), group(rule(100501, '<match>mended</match>')))
    assert.deepEqual(ok(await pool.reload()), { changed: false, contentId: pool.contentId, refused: null })
    assert.equal(pool.customContent.state, 'current')
  })

  it('leaves only the default ruleset if nothing of the folder has loaded yet, also if the folder cannot be read', async () => {
    const other = join(folder, 'custom of another')
    mkdirSync(join(other, 'rules'), { recursive: true })
    writeFileSync(join(other, 'rules', 'broken.xml'), '<group name="tests,">')
    const second = new AnalysisPool({ workers: 1, defaultRulesetDir: join(folder, 'default'), customContentDir: other })
    try {
      assert.equal(ok(await second.checkContent()).loads, true)
      assert.notEqual(ok(await second.reload()).refused, null)
      const told = ok(await logtestAnswer(second, { ruleset, input: syslog('knock') }))
      assert.deepEqual([told.rule?.id, codes(told.diagnostics)], ['100100', ['custom_content_left_out']])
      rmSync(join(other, 'rules'), { recursive: true })
      symlinkSync('rules', join(other, 'rules'))
      assert.equal((await second.reload()).outcome, 'failed')
      assert.equal(second.customContent.state, 'left_out')
    } finally {
      await second.close()
    }
  })

  it('is reported for the default ruleset as well', async () => {
    const broken = join(folder, 'broken default')
    for (const { kind, filename, content } of BASE) {
      mkdirSync(join(broken, kind), { recursive: true })
      writeFileSync(join(broken, kind, filename), content)
    }
    writeFileSync(join(broken, 'rules', '0002-broken.xml'), '\n\n<group name="tests,"><rule id="1x" level="3"><description>d</description></rule></group>')
    const second = new AnalysisPool({ workers: 1, defaultRulesetDir: broken })
    try {
      const { loads, errors } = ok(await second.checkContent())
      assert.deepEqual([loads, errors], [false, [{ scope: 'default', file: 'rules/0002-broken.xml', line: 3, code: 'rule_id_invalid' }]])
    } finally {
      await second.close()
    }
  })
})

describe('a merge', () => {
  it('runs in a thread', async () => {
    const file = { path: 'rules/a.xml', kind: 'rules' as const, content: '<group name="a,">\n  <rule id="100100" level="3"/>\n</group>\n' }
    const content = file.content.replace('level="3"', 'level="4"')
    const answer = ok(
      await pool.mergeFiles({
        base: [file],
        ours: { rules_xml: content, decoders_xml: '', lists: [] },
        theirs: [file],
        newItems: { rules: 'rules/local_rules.xml', decoders: 'decoders/local_decoder.xml', listsFolder: null },
        lists: null,
        resolutions: [],
      }),
    )
    assert.deepEqual(answer.files, [{ ...file, content }])
    assert.deepEqual(answer.changes, [{ kind: 'rule', name: '100100', change: 'changed', path: 'rules/a.xml' }])
  })
})
