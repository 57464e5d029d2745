/** Tasks without threads. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ContentComparison, ContentSemantics, LogtestInput, SourceFile } from '#engine'
import { now } from '../../../workers/shared/clock.js'
import { diskContent, hashContent } from '../../../workers/content/content.js'
import { LiveSessions } from '../../../workers/sessions/live-sessions.js'
import { lineTexts } from '../../../server/analysis/refusal.js'
import { Progress } from '../../../workers/shared/progress.js'
import type { LogtestAnswer, OwnDiagnostics, RulesetMeasurement, ValidationAnswer } from '../../../workers/shared/answers.js'
import { PROTOCOL_VERSION, type Reply, type SessionReference } from '../../../workers/shared/protocol.js'
import type { MutateTask, MutationPart } from '../../../workers/thread/tasks/mutate.js'
import type { CasesPart } from '../../../workers/thread/tasks/cases.js'
import type { Task } from '../../../workers/thread/tasks/index.js'
import type { LinesPart, LinesTask } from '../../../workers/thread/tasks/lines.js'
import type { LogtestTask } from '../../../workers/thread/tasks/logtest.js'
import { RulesetCache } from '../../../workers/thread/ruleset-cache.js'
import { movedMemory, runTask, type ThreadState } from '../../../workers/thread/run-task.js'
import { SharedBuffers } from '../../../workers/shared/buffers.js'
import type { LogtestDigest } from '../../../workers/shared/answers.js'
import { SLICE_MS } from '../../../workers/thread/tasks/context.js'
import { locate } from '../../../workers/thread/tasks/locate.js'
import { linesOf, parseLines } from '../support/batch.js'
import { answeredOf, runInOneSession } from '../support/reference-run.js'
import { AT, BASE, group, KNOCKS, rule, rulesFile, syslog } from '../support/rulesets.js'

const disk = diskContent(BASE, [])

/** A thread whose clock stands still: a slice does not end by time, on however slow a machine, unless a test lets it. */
function newThread(): ThreadState {
  const cache = new RulesetCache(16 * 1024 * 1024)
  cache.warm(disk)
  return { cache, sessions: new LiveSessions(), buffers: null, clock: () => 0 }
}

function head(files: readonly SourceFile[]) {
  return {
    version: PROTOCOL_VERSION,
    locale: 'en-US',
    prepareMs: 0,
    ruleset: { key: hashContent([files]), organization: 'o', diskId: disk.id, includeDefaults: true, includeCustom: true, source: { files }, disk: null },
  } as const
}

function ok<T>(reply: Reply): { value: T; bytes: Uint8Array; snapshot: Uint8Array | null } {
  if (reply.outcome !== 'ok') assert.fail(JSON.stringify(reply))
  return { value: reply.value as T, bytes: reply.bytes ?? new Uint8Array(), snapshot: reply.snapshot }
}

/** Returns the answer of a reply as an object. */
function answered<T>(reply: Reply): { value: T; snapshot: Uint8Array | null } {
  const { bytes, snapshot } = ok(reply)
  return { value: JSON.parse(Buffer.from(bytes).toString()) as T, snapshot }
}

const run = (thread: ThreadState, task: Task): Reply => runTask(thread, task)
const logtestTask = (event: string, session: SessionReference | null = null, files: readonly SourceFile[] = [KNOCKS]): LogtestTask => ({
  kind: 'logtest',
  ...head(files),
  body: null,
  input: syslog(event),
  seconds: AT,
  trace: false,
  includeBaseline: false,
  session,
})
const linesTask = (inputs: readonly LogtestInput[], session: SessionReference | null = null): LinesTask => ({
  kind: 'lines',
  ...head([KNOCKS]),
  lines: linesOf(inputs),
  from: 1,
  seconds: AT,
  trace: false,
  select: null,
  onlyAlerts: false,
  logs: null,
  includeBaseline: false,
  isContentOk: null,
  session,
  sessionId: session === null ? '' : session.key,
  requestId: '',
  texts: lineTexts('en-US'),
})
const reference = (version: number, options: Partial<SessionReference> = {}): SessionReference => ({
  key: 's',
  organization: 'o',
  version,
  state: null,
  wantSnapshot: false,
  isLost: false,
  ...options,
})

describe('validate', () => {
  it('returns diagnostics, and whether Wazuh would start', () => {
    const refused = [rulesFile('<group name="x,"><rule id="abc" level="3"><description>x</description></rule></group>')]
    const { value } = answered<ValidationAnswer>(run(newThread(), { kind: 'validate', body: null, ...head(refused), includeBaseline: false }))
    assert.equal(value.ok, false)
    assert.equal(value.loads, false)
    assert.ok(value.diagnostics.length > 0)
    assert.equal(value.performance.cache_hit, false)
  })

  it('returns the digest that the main thread needs without the answer', () => {
    const reply = run(newThread(), { kind: 'validate', body: null, ...head([KNOCKS]), includeBaseline: false })
    const { value } = answered<ValidationAnswer>(reply)
    const expected = { unreadable: [], ok: true, compiledHash: value.summary.compiled_hash, diagnosticCount: 0, totalRules: 3, totalDecoders: 2 }
    assert.deepEqual(ok(reply).value, expected)
  })
})

describe('an answer', () => {
  it('is bytes whose memory is moved, if there are no shared buffers', () => {
    const event = `knock \u00e9${'"'.repeat(40_000)}`
    const reply = runTask(newThread(), logtestTask(event))
    assert.deepEqual(movedMemory(reply), [ok(reply).bytes.buffer])
    assert.equal(answered<LogtestAnswer>(reply).value.predecoded.raw_message, event)
  })

  it('is in a shared buffer if it fits', () => {
    const buffers = new SharedBuffers()
    const reply = runTask({ ...newThread(), buffers }, logtestTask('knock'))
    assert.ok(reply.outcome === 'ok' && reply.place !== null && reply.bytes === null)
    assert.deepEqual(movedMemory(reply), [])
    assert.equal((JSON.parse(buffers.at(reply.place).toString()) as LogtestAnswer).rule?.id, '100100')
  })
})

describe('logtest', () => {
  it('answers with the rule, the summary and the diagnostics', () => {
    const { value } = answered<LogtestAnswer>(run(newThread(), logtestTask('a knock')))
    assert.equal(value.rule?.id, '100100')
    assert.equal(value.summary.total_rules, 3)
    assert.equal(value.performance.cache_hit, false)
  })

  it('runs nothing on a ruleset with which Wazuh would not start', () => {
    const refused = [rulesFile('<group name="x,"><rule id="abc" level="3"><description>x</description></rule></group>')]
    for (const session of [null, reference(0)]) {
      const { value } = answered<LogtestAnswer>(run(newThread(), logtestTask('a knock', session, refused)))
      assert.equal(value.ok, false)
      assert.equal(value.rule, null)
      assert.ok(value.diagnostics.length > 0)
    }
  })
})

/** 100200 has no parent, and the second 100100 has a duplicate id: Wazuh drops both, and loads the rest. */
const DROPPED = rulesFile(group(rule(100200, '<if_sid>100999</if_sid>'), rule(100100, '<match>again</match>')), 'zz.xml')

describe('an error of the own content', () => {
  const tasked = (files: readonly SourceFile[]) => ({ ...logtestTask('a knock'), ...head(files) })

  it('makes ok false, and the event runs anyway', () => {
    for (const [files, isOk] of [
      [[KNOCKS], true],
      [[KNOCKS, DROPPED], false],
      [[KNOCKS, { ...DROPPED, scope: 'custom' as const }], false],
      [[KNOCKS, { ...DROPPED, scope: 'default' as const }], true],
    ] as const) {
      const { value } = answered<LogtestAnswer>(run(newThread(), tasked(files)))
      assert.deepEqual([value.ok, value.rule?.id], [isOk, '100100'])
      assert.equal(ok<LogtestDigest>(run(newThread(), tasked(files))).value.ok, isOk)
      const validated = answered<ValidationAnswer>(run(newThread(), { kind: 'validate', body: null, ...head(files), includeBaseline: false })).value
      assert.equal(validated.ok, isOk)
    }
  })

  it('makes ok false for an event on which the own content makes Wazuh crash', () => {
    const decoder: SourceFile = {
      kind: 'decoders',
      scope: 'adhoc',
      filename: 'zz.xml',
      content:
        '<decoder name="pay"><prematch>^pay </prematch></decoder><decoder name="who"><parent>pay</parent><regex type="pcre2">paid(?: by (\\w+))?</regex><order>user</order></decoder>',
    }
    for (const [event, isOk] of [
      ['pay paid by ana', true],
      ['pay paid', false],
    ] as const) {
      const task = logtestTask(event, null, [KNOCKS, decoder])
      const { value } = answered<LogtestAnswer>(run(newThread(), { ...task }))
      assert.deepEqual([value.ok, value.decoder?.name, value.diagnostics.some(({ code }) => code === 'wazuh_crash')], [isOk, 'pay', !isOk])
      const { value: part, bytes } = ok<LinesPart>(run(newThread(), { ...linesTask([syslog(event)]), ...head([KNOCKS, decoder]) }))
      assert.equal(part.failed, isOk ? 0 : 1)
      const [line] = parseLines(bytes)
      assert.deepEqual([line.ok, line.insights.some((text) => text.startsWith('Wazuh 4.14.7 crashes or hangs here'))], [isOk, !isOk])
    }
  })

  it('makes every line of a batch count as failed, whether or not it has diagnostics', () => {
    for (const isContentOk of [null, false]) {
      const { value, bytes } = ok<LinesPart>(run(newThread(), { ...linesTask([syslog('knock'), syslog('none'), syslog('knock')]), ...head([KNOCKS, DROPPED]), isContentOk }))
      const answers = parseLines(bytes)
      assert.deepEqual(
        answers.map((answer) => [answer.ok, answer.rule?.id ?? null, Object.hasOwn(answer, 'diagnostics')]),
        [
          [false, '100100', isContentOk === null],
          [false, null, false],
          [false, '100100', false],
        ],
      )
      assert.deepEqual([value.matched, value.failed, value.wrong], [2, 3, 0])
    }
  })

  it('does not affect the result of a case, and is in its analysis', () => {
    const cases = [{ name: 'knock', event_text: 'knock', expected_rule: '100100' }]
    const { value } = ok<CasesPart>(run(newThread(), { kind: 'cases', ...head([KNOCKS, DROPPED]), cases, chainMs: 60_000, seconds: AT, trace: false, withDiagnostics: false }))
    assert.deepEqual([value.answers[0].passed, value.answers[0].checks.length, value.answers[0].analysis.ok], [true, 1, false])
  })
})

describe('a session that was given up', () => {
  const lost = () => reference(0, { state: { snapshot: null, journal: [] }, isLost: true })

  it('is reported with its first event, among the diagnostics', () => {
    const { value } = answered<LogtestAnswer>(run(newThread(), logtestTask('knock', lost())))
    assert.deepEqual([value.diagnostics.map(({ code, severity }) => `${severity} ${code}`), value.ok], [['warning session_lost'], true])
  })

  it('is reported on the first line of a batch that ran, in its insights', () => {
    const { bytes } = ok<LinesPart>(run(newThread(), { ...linesTask([syslog('knock'), syslog('knock')], lost()), isContentOk: true }))
    const [first, second] = parseLines(bytes)
    assert.match(first.insights[0], /^The session was discarded to limit memory, or its process has ended; this event starts it again, empty\. Send the earlier/)
    assert.deepEqual([first.ok, first.diagnostics, second.insights], [true, undefined, []])
  })
})

describe('sessions of a thread', () => {
  it('continue if the version agrees, and are missing if it does not', () => {
    const thread = newThread()
    const first = answered<LogtestAnswer>(run(thread, logtestTask('knock', reference(0, { state: { snapshot: null, journal: [] } }))))
    const second = answered<LogtestAnswer>(run(thread, logtestTask('knock', reference(1))))
    assert.deepEqual(
      [first, second].map(({ value }) => value.rule?.firedtimes),
      [1, 2],
    )
    assert.deepEqual(run(thread, logtestTask('knock', reference(1))), { ...run(thread, logtestTask('knock', reference(1))), outcome: 'missing', what: 'session' })
  })

  it('are replaced by a state that is sent: the local one may be from a task whose caller had cancelled', () => {
    const thread = newThread()
    ok(run(thread, logtestTask('knock', reference(0, { state: { snapshot: null, journal: [] } }))))
    const journal = [{ input: syslog('quiet'), seconds: AT }]
    const { value } = answered<LogtestAnswer>(run(thread, logtestTask('knock', reference(1, { state: { snapshot: null, journal } }))))
    assert.equal(value.rule?.firedtimes, 1)
  })

  it('are restored from a snapshot and a journal on another thread, with the same result', () => {
    const inputs = Array.from({ length: 30 }, (_, i) => syslog(i % 4 === 3 ? 'nothing' : `knock ${i}`))
    const expected = runInOneSession([...BASE, KNOCKS], inputs)
    const got = []
    let snapshot: Uint8Array | null = null
    let journal: { input: LogtestInput; seconds: number }[] = []
    for (const [version, input] of inputs.entries()) {
      // A new thread for every event: it has only what it is sent.
      const reply = run(newThread(), logtestTask(input.event, reference(version, { state: { snapshot, journal }, wantSnapshot: version % 7 === 6 })))
      const answer = answered<LogtestAnswer>(reply)
      got.push(answeredOf(answer.value))
      journal = answer.snapshot === null ? [...journal, { input, seconds: AT }] : []
      snapshot = answer.snapshot ?? snapshot
    }
    assert.deepEqual(got, expected)
    assert.ok(expected.some(({ rule }) => rule === '100101'))
  })
})

describe('lines', () => {
  it('answers in the order of the inputs, with the summary on the first line only', () => {
    const { value, bytes } = ok<LinesPart>(run(newThread(), linesTask([syslog('knock é'), syslog('none'), syslog('knock')])))
    const answers = parseLines(bytes)
    assert.deepEqual(
      answers.map(({ rule }) => rule?.id ?? null),
      ['100100', '1', '100100'].map((id) => (id === '1' ? null : id)),
    )
    assert.deepEqual(
      answers.map(({ summary }) => summary !== undefined),
      [true, false, false],
    )
    assert.equal(value.count, 3)
    assert.equal(value.matched, 2)
    assert.equal(value.failed, 0)
    assert.equal(Buffer.from(bytes).toString().split('\n').length, 4)
  })

  it('shares one session', () => {
    const inputs = Array.from({ length: 9 }, () => syslog('knock'))
    const { bytes } = ok<LinesPart>(run(newThread(), linesTask(inputs, reference(0, { state: { snapshot: null, journal: [] } }))))
    assert.deepEqual(parseLines(bytes).map(answeredOf), runInOneSession([...BASE, KNOCKS], inputs))
  })

  it('ends early when its slice is over, and reports how many lines it answered', () => {
    // A clock that advances by a millisecond at each read: when the slice begins, when each of its two blocks begins, and after each line.
    let time = 0
    const answered = SLICE_MS - 2
    const inputs = Array.from({ length: 50 }, () => syslog('knock on the door'))
    const { value, bytes } = ok<LinesPart>(run({ ...newThread(), clock: () => time++ }, linesTask(inputs)))
    assert.equal(value.count, answered)
    assert.equal(parseLines(bytes).length, answered)
    assert.equal(value.read, linesOf(inputs.slice(0, answered)).length)
  })
})

describe('cases', () => {
  it('runs native cases and those of .ini suites', () => {
    const cases = [
      { name: 'one', events: [{ event_text: 'knock' }, { event_text: 'knock' }, { event_text: 'knock' }], expected_rule: '100101' },
      { name: 'two', event_text: 'nothing', expected_rule: '100100' },
      { name: 'three', line: 1, verdict: 'pass' as const, events: ['knock'], decoder: '', rule: '100100', level: '5' },
    ]
    const { value } = ok<CasesPart>(run(newThread(), { kind: 'cases', ...head([KNOCKS]), cases, chainMs: 60_000, seconds: AT, trace: false, withDiagnostics: true }))
    assert.deepEqual(
      value.answers.slice(0, 2).map(({ passed }) => passed),
      [true, false],
    )
    assert.equal(value.answers[2].name, 'three')
    assert.equal(value.contentReport?.summary.total_rules, 3)
    assert.ok(value.answers.every(({ performance }) => performance.total_ms >= 0))
  })

  it('runs the cases of one session in it, completely, whatever the time, and reports the running one', () => {
    const cases = Array.from({ length: 4000 }, (_, i) => ({ name: String(i), event_text: `knock ${i}`, session_id: i < 3990 ? 'long' : '' }))
    const progress = new Progress()
    let time = 0
    const { value } = ok<CasesPart>(
      runTask({ ...newThread(), clock: () => time++ }, { kind: 'cases', ...head([KNOCKS]), cases, chainMs: 60_000, seconds: AT, trace: false, withDiagnostics: false }, progress),
    )
    assert.equal(value.count, 3990)
    assert.equal(value.contentReport, null)
    assert.equal(value.answers[3989].analysis.rule?.id, '100101')
    assert.equal(progress.read().unit, value.count - 1)
  })

  it('ends a session that exceeds its time between two of its cases, with the answers so far', () => {
    const cases = ['', 'long', 'long', 'long', ''].map((session_id, i) => ({ name: String(i), event_text: 'knock', session_id }))
    const task = { kind: 'cases', ...head([KNOCKS]), cases, chainMs: 0, seconds: AT, trace: false, withDiagnostics: true } as const
    const { value } = ok<CasesPart>(run(newThread(), task))
    assert.deepEqual([value.answers.map(({ name }) => name), value.count, value.overran], [['0', '1'], 2, true])
    assert.notEqual(value.contentReport, null)
    const alone = ok<CasesPart>(run(newThread(), { ...task, cases: [cases[0], cases[4]] })).value
    assert.deepEqual([alone.count, alone.overran], [2, false])
  })
})

describe('catalog and schema', () => {
  it('answer', () => {
    const { value } = ok<RulesetMeasurement>(run(newThread(), { kind: 'measure', ...head([KNOCKS]), diagnosticsLimit: 0, reports: [] }))
    assert.deepEqual(
      value.rules.map(({ rule_id }) => rule_id),
      ['100100', '100101'],
    )
    assert.ok(ok<{ version: string }>(run(newThread(), { kind: 'schema', ...head([]) })).value.version)
  })

  it('return a page, and the files that cannot be parsed', () => {
    const request = { of: 'rules', scopes: null, selection: { sort: 'rule_id', order: 'desc', limit: 1, offset: 1 } } as const
    const page = ok<{ page: { items: { rule_id: string }[]; total: number }; unreadable: unknown[] }>(run(newThread(), { kind: 'catalog', ...head([KNOCKS]), request })).value
    assert.deepEqual([page.page.items.map(({ rule_id }) => rule_id), page.page.total, page.unreadable], [['100100'], 3, []])
    const broken = { ...KNOCKS, content: '<group name="x,"><rule id="1"' }
    const { unreadable } = ok<{ unreadable: { filename: string }[] }>(run(newThread(), { kind: 'catalog', ...head([broken]), request })).value
    assert.deepEqual(
      unreadable.map(({ filename }) => filename),
      [KNOCKS.filename],
    )
  })
})

describe('diagnostics', () => {
  it('are counted, and only the worst of the own files are returned', () => {
    const files = [rulesFile(group(rule(100900, '<if_sid>99999</if_sid>'), rule(100900, ''), rule(100901, '<if_sid>99998</if_sid>')), 'zz-lost.xml')]
    const { value: all } = answered<ValidationAnswer>(run(newThread(), { kind: 'validate', body: null, ...head(files), includeBaseline: false }))
    const value: OwnDiagnostics = ok<RulesetMeasurement>(run(newThread(), { kind: 'measure', ...head(files), diagnosticsLimit: 1, reports: [] })).value.diagnostics
    assert.equal(value.compiled_hash, all.summary.compiled_hash)
    assert.equal(value.loads, all.loads)
    assert.equal(value.worst.length, 1)
    assert.ok(all.diagnostics.length > 1)
    assert.ok(all.diagnostics.every(({ severity }) => severity !== 'error') || value.worst[0].severity === 'error')
    for (const severity of ['error', 'warning', 'info', 'success'] as const)
      assert.equal(value.by_severity[severity], all.diagnostics.filter((diagnostic) => diagnostic.severity === severity).length)
    assert.equal(
      Object.values(value.by_code).reduce((sum, count) => sum + count, 0),
      all.diagnostics.length,
    )
  })
})

describe('semantics', () => {
  it("contain the request's own content and its diagnostics, and nothing of its base", () => {
    const lost = rulesFile(group(rule(100900, '<if_sid>99999</if_sid>')), 'zz-lost.xml')
    const { rules, diagnostics } = answered<ContentSemantics>(run(newThread(), { kind: 'semantics', ...head([KNOCKS, lost]) })).value
    assert.deepEqual(
      rules.map(({ name }) => name),
      ['100100', '100101'],
    )
    assert.ok(diagnostics.some(({ code }) => code === 'rule_parent_missing'))
    assert.ok(diagnostics.every(({ source_scope }) => source_scope === 'adhoc'))
  })

  it('are compared in a thread', () => {
    const thread = newThread()
    const [before, after] = [[], [KNOCKS]].map((files) => ok(run(thread, { kind: 'semantics', ...head(files) })).bytes)
    const { value } = ok<ContentComparison>(run(thread, { kind: 'compare', ...head([]), before, after, limit: 1 }))
    assert.deepEqual([value.rules.added.count, value.rules.added.items.map(({ name }) => name), value.rules.removed.count], [2, ['100100'], 0])
  })
})

describe('runTask', () => {
  it('answers a fault with its stack, without its message', () => {
    const broken: ThreadState = {
      ...newThread(),
      get cache(): never {
        throw new TypeError('the event was: secret')
      },
    }
    const thread = newThread()
    const faulty = { sessions: thread.sessions, buffers: null, cache: Object.assign(Object.create(thread.cache) as RulesetCache, { find: () => broken.cache }) }
    Object.defineProperties(faulty.cache, { bytes: { value: 0 }, size: { value: 0 }, takeEvicted: { value: () => [] } })
    const reply = run(faulty, logtestTask('secret'))
    assert.equal(reply.outcome, 'failed')
    assert.ok(!JSON.stringify(reply).includes('secret'))
    assert.ok(reply.outcome === 'failed' && reply.error.name === 'TypeError' && reply.error.frames.length > 0)
  })

  it('refuses a task with another protocol version', () => {
    assert.equal(run(newThread(), { ...logtestTask('x'), version: 0 as never }).outcome, 'failed')
  })

  it('reports the running event', () => {
    const progress = new Progress()
    progress.clear()
    assert.equal(progress.read().beganAt, 0)
    const before = now()
    runTask(newThread(), linesTask([syslog('a'), syslog('b')]), progress)
    assert.ok(progress.read().unitAt >= before)
    assert.equal(progress.read().unit, 1)
  })

  it('finds the running rule from the one tried before it', () => {
    const progress = new Progress()
    progress.clear()
    const files = [rulesFile(group(rule(100100, '<match>one</match>', 7), rule(100101, '<match>two</match>', 6), rule(100102, '<match>three</match>')))]
    runTask(newThread(), { kind: 'locate', body: null, ...head(files), input: syslog('two'), seconds: AT }, progress)
    assert.equal(progress.read().ruleId, '100101')
  })

  it('finds the running decoder', () => {
    const progress = new Progress()
    progress.clear()
    const decoders = ['one', 'two'].map((name) => `<decoder name="${name}"><prematch>^${name} </prematch></decoder>`).join('')
    const thread = newThread()
    const seen: (string | null)[] = []
    const files = [rulesFile(decoders, '0002.xml', 'adhoc', 'decoders')]
    const watched = Object.assign(Object.create(Progress.prototype) as Progress, { atDecoder: (name: string) => seen.push(name), atRule: () => {} })
    const found = thread.cache.find(head(files).ruleset)
    assert.ok(typeof found !== 'string')
    locate.run({ ...thread, clock: now, progress: watched, startedAt: 0, found }, { kind: 'locate', body: null, ...head(files), input: syslog('two words'), seconds: AT })
    assert.ok(seen.includes('two'), seen.join())
  })
})

describe('the grading of cases by mutants', () => {
  const cases = [{ name: 'knock', event_text: 'knock', expected_rule: '100100' }]
  const task = { kind: 'mutate', ...head([KNOCKS]), casesKey: 'k', cases, seconds: AT, from: 0, sliceMs: 0, itemMs: 10_000, limit: 20 } satisfies MutateTask
  const grade = (thread: ReturnType<typeof newThread>, change: Partial<MutateTask> = {}) => ok<MutationPart | null>(run(thread, { ...task, ...change })).value

  it('goes on where it was, an item at least in each task, and has no score where a case fails', () => {
    const thread = newThread()
    assert.equal(grade(thread, { cases: null, casesKey: 'unknown' }), null)
    const first = grade(thread)
    assert.ok(first !== null && first.items > 0)
    assert.deepEqual([first.loads, first.failed, first.next], [true, 0, 1])
    const total = { ...first.counts }
    // The thread has the cases now.
    for (let from = first.next; from < first.items; ) {
      const part = grade(thread, { from, cases: null })
      assert.ok(part !== null)
      assert.equal(part.next, from + 1)
      for (const status of Object.keys(total) as (keyof typeof total)[]) total[status] += part.counts[status]
      from = part.next
    }
    assert.ok(total.killed > 0)
    assert.equal(grade(thread, { cases: [{ ...cases[0], expected_rule: '1' }], casesKey: 'failing' })?.failed, 1)
  })
})
