/** Batches of small tasks, and their replies. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type AnalysisOutcome, AnalysisPool, type LogtestAnswer, type LogtestDigest, type SourceFile, type WrittenAnswer } from '#workers'
import { runBatch, BATCH_MS } from '../../../workers/thread/run-task.js'
import { diskContent, rulesetKey } from '../../../workers/content/content.js'
import { LiveSessions } from '../../../workers/sessions/live-sessions.js'
import { LATE_MS } from '../../../workers/pool/pool.js'
import { PROTOCOL_VERSION } from '../../../workers/shared/protocol.js'
import type { LogtestTask } from '../../../workers/thread/tasks/logtest.js'
import { RulesetCache } from '../../../workers/thread/ruleset-cache.js'
import { findUnreadable } from '../../../workers/thread/unreadable.js'
import { compileRuleset, EventRunner, finalRuleOf, matchedRulesOf, runLogtest } from '#engine'
import { jsonOf, writtenReport } from '../../support/written-report.js'
import { momentAt } from '../../../workers/shared/clock.js'
import { parse } from '../support/objects.js'
import { AT, BASE, group, KNOCKS, rule, rulesFile, syslog } from '../support/rulesets.js'

const HANG = 'please-hang'
const disk = diskContent(BASE, [])

function ok<T>(outcome: AnalysisOutcome<T>): T {
  if (outcome.outcome !== 'ok') assert.fail(JSON.stringify(outcome))
  return outcome.value
}

const ruleOf = (answer: WrittenAnswer<LogtestDigest>): string | null => parse<LogtestAnswer>(answer).rule?.id ?? null

describe('runBatch', () => {
  function newThread() {
    const cache = new RulesetCache(16 * 1024 * 1024)
    cache.warm(disk)
    return { cache, sessions: new LiveSessions(), buffers: null }
  }

  const task = (event: string): LogtestTask => ({
    kind: 'logtest',
    version: PROTOCOL_VERSION,
    locale: 'en-US',
    prepareMs: 0,
    ruleset: {
      key: rulesetKey('o', disk, true, true, [KNOCKS]),
      organization: 'o',
      diskId: disk.id,
      includeDefaults: true,
      includeCustom: true,
      source: { files: [KNOCKS] },
      disk: null,
    },
    input: syslog(event),
    seconds: AT,
    trace: false,
    includeBaseline: false,
    session: null,
    body: null,
  })

  it('answers tasks in order, at least one, and stops when its time is over', () => {
    // A clock that advances by a step at each read: when the batch begins, and after each task.
    for (const [stepMs, answered] of [
      [0, 3],
      [BATCH_MS * 0.6, 2],
      [BATCH_MS, 1],
    ] as const) {
      let time = 0
      const thread = { ...newThread(), clock: () => (time += stepMs) }
      const replies = runBatch(thread, [task('knock 1'), task('quiet'), task('knock 3')], null)
      assert.equal(replies.length, answered)
      replies.forEach((reply, i) => assert.equal(reply.outcome === 'ok' && (reply.value as LogtestDigest).matchedRuleId, ['100100', null, '100100'][i]))
    }
  })

  it('reports the rulesets that it evicts', () => {
    const cache = new RulesetCache(1)
    const find = (id: number) => {
      const files = [rulesFile(group(rule(id, '<match>x</match>')))]
      return cache.find({ key: `${id}`, organization: 'o', diskId: disk.id, includeDefaults: false, includeCustom: false, source: { files }, disk: null })
    }
    find(100001)
    assert.deepEqual(cache.takeEvicted(), [])
    find(100002)
    assert.deepEqual(cache.takeEvicted(), ['100001'])
    assert.deepEqual(cache.takeEvicted(), [])
  })
})

describe('batches', () => {
  let pool: AnalysisPool
  const ruleset = { files: [...BASE, KNOCKS], includeDefaults: false, includeCustom: false }
  const logtest = (event: string, files: readonly SourceFile[] = ruleset.files) => pool.logtest({ ruleset: { ...ruleset, files }, input: syslog(event), trace: false, at: AT })

  before(async () => {
    pool = new AnalysisPool({ workers: 2, taskTimeoutMs: 1500, defaultRulesetDir: null, threadUrl: new URL('../support/thread-with-faults.js', import.meta.url).href })
    await pool.ready()
    await Promise.all(Array.from({ length: 4 }, () => logtest('knock')))
  })

  after(() => pool.close())

  it('return to each caller its own answer', async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, (_, i) => logtest(i % 3 === 0 ? `quiet ${i}` : `knock ${i}`)))
    answers.forEach((answer, i) => {
      const { predecoded, rule: final } = parse<LogtestAnswer>(ok(answer))
      assert.equal(predecoded.raw_message, i % 3 === 0 ? `quiet ${i}` : `knock ${i}`)
      assert.equal(final?.id ?? null, i % 3 === 0 ? null : '100100')
    })
    assert.ok(pool.metrics().sharedBatches > 0)
  })

  it('are not delayed by a task that hangs: the others are answered first', async () => {
    const order: string[] = []
    const events = Array.from({ length: 40 }, (_, i) => (i === 11 ? HANG : `knock ${i}`))
    const answers = await Promise.all(
      events.map(async (event) => {
        const answer = await logtest(event)
        order.push(event)
        return answer.outcome
      }),
    )
    assert.deepEqual(
      answers,
      events.map((event) => (event === HANG ? 'timeout' : 'ok')),
    )
    assert.equal(order.at(-1), HANG)
  })

  it('survive the end of threads', async () => {
    // A thread that is lost while it starts, without another one, fails all waiting tasks.
    assert.equal(await pool.threadPool.started(), true)
    const running = Promise.all(Array.from({ length: 100 }, (_, i) => logtest(`knock ${i}`)))
    await Promise.all(pool.threadPool.workers.map((worker) => worker.terminate()))
    for (const { outcome } of await running) assert.ok(outcome === 'ok' || outcome === 'failed')
    assert.equal(ruleOf(ok(await logtest('knock'))), '100100')
  })

  it('transport any text', async () => {
    for (const text of ['knock nul \0 and more', 'half \ud800 knock', 'quotes " \\ knock', 'ünïcödé 漢字 🚪 knock', '\u2028 knock']) {
      const [one, two] = await Promise.all([logtest(text), logtest(text)])
      assert.equal(ruleOf(ok(one)), '100100')
      assert.deepEqual(parse<LogtestAnswer>(ok(two)).predecoded.raw_message, text)
    }
  })

  it('end for a caller who has cancelled, when the task has run for a while', async () => {
    // One thread for the task that hangs, and one for the quick one.
    assert.equal(await pool.ready(), true)
    const controller = new AbortController()
    let asked = 0
    const running = pool.logtest(
      { ruleset, input: syslog(HANG), trace: false },
      {
        lateSignal: () => {
          asked++
          return controller.signal
        },
      },
    )
    while (asked === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    controller.abort()
    assert.deepEqual(await running, { outcome: 'aborted' })
    const sentAt = performance.now()
    let askedAfter: number | null = null
    const quick = await pool.logtest(
      { ruleset, input: syslog('knock'), trace: false },
      {
        lateSignal: () => {
          askedAfter = performance.now() - sentAt
          return AbortSignal.abort()
        },
      },
    )
    // A quick answer needs no signal; a busy machine may be late, but it does not create the signal earlier.
    assert.equal(quick.outcome, askedAfter === null ? 'ok' : 'aborted')
    assert.ok(askedAfter === null || askedAfter > LATE_MS - 1, `asked after ${askedAfter} ms`)
  })

  it('keep rulesets of many organizations in one thread each', async () => {
    const sets = Array.from({ length: 20 }, (_, i) => [...BASE, rulesFile(group(rule(100100 + i, '<match>knock</match>')))])
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(sets.map((files) => logtest('knock', files)))
      answers.forEach((answer, i) => assert.equal(ruleOf(ok(answer)), String(100100 + i)))
    }
  })
})

describe('writeReport', () => {
  it('equals JSON.stringify for any texts', () => {
    const files = [...BASE, KNOCKS, rulesFile(group(rule(100900, '<field name="alpha">^"one\\\\</field>'), rule(100901, '<match>^{</match>', 12)), 'zz "quoted".xml')]
    const runner = new EventRunner(compileRuleset(files))
    for (const event of ['knock', '{"alpha":"one","__proto__":"x","b":{"c":"\\u0000"}}', 'Jan  5 10:11:12 h\u00e9 sshd[1]: knock "quoted" \\ \u2028 \ud800', '']) {
      for (const trace of [true, false]) {
        const { times: _, diagnostics: __, ...report } = runLogtest(runner, { event, log_format: 'auto' }, momentAt(AT), null, { trace, locale: 'en-US' })
        // Twice: the second round uses what the first has cached.
        for (let round = 0; round < 2; round++) {
          for (const eventJson of [null, JSON.stringify(event)]) {
            const { run } = writtenReport(eventJson, runner, { event, log_format: 'auto' }, momentAt(AT), null, { trace, locale: 'en-US' })
            for (const ok of [true, false]) assert.equal(jsonOf(run, ok, eventJson), JSON.stringify({ ...report, ok }))
            assert.equal(report.trace.length > 0, trace)
            assert.equal(finalRuleOf(run)?.id.toString() ?? null, report.rule?.id ?? null)
            assert.deepEqual(
              matchedRulesOf(run).map(({ id }) => String(id)),
              report.matched_rules.map(({ id }) => id),
            )
          }
        }
      }
    }
  })
})

describe('findUnreadable', () => {
  it('is linear in comments without an end', () => {
    const files = [rulesFile('<!x!>'.repeat(200_000)), rulesFile(`${'<!x!>'.repeat(200_000)}<!`, 'open.xml')]
    const found = findUnreadable(compileRuleset(files).loadDiagnostics, files)
    assert.deepEqual(
      found.map(({ filename, code }) => `${filename} ${code}`),
      ['open.xml xml_comment_unclosed'],
    )
  })

  it('examines only the files of the request', () => {
    const files = [rulesFile('<group', 'mine.xml'), rulesFile('<group', 'disk.xml', 'custom')]
    const found = findUnreadable(compileRuleset(files).loadDiagnostics, files.slice(0, 1))
    assert.deepEqual(
      found.map(({ filename }) => filename),
      ['mine.xml'],
    )
  })
})
