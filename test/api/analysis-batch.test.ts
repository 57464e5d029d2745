/** Batches over real connections: partial bodies, slow readers, disconnecting callers, threads that end. */
import assert from 'node:assert/strict'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import net from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AnalysisPool, type BatchLine } from '#workers'
import { validatorFor } from '#requests'
import { BATCH_ANSWER, BATCH_END, BATCH_ERROR } from '../../server/analysis/schema.js'
import { SMALL_BODY_BYTES } from '../../server/analysis/outcomes.js'
import type { Refusal } from '../support/client.js'
import { nothingLent } from '../support/lent.js'
import { type AnalysisApp, startAnalysis } from '../server/analysis/support/service.js'
import { runInOneSession, answeredOf } from '../workers/support/reference-run.js'
import { BASE, group, KNOCKS, rule, syslog } from '../workers/support/rulesets.js'

const HANG = 'please-hang'
const EXIT = 'please-exit'
const HEAD = { include_disk_defaults: false, files: [...BASE, KNOCKS] }

let pool: AnalysisPool
let app: AnalysisApp

/** A busy machine is slow with the first event of a thread. */
const PATIENT_MS = 60_000
/** Deadline for events that never end. */
const SHORT_MS = 1500

async function start(taskTimeoutMs: number): Promise<void> {
  pool = new AnalysisPool({ workers: 2, taskTimeoutMs, defaultRulesetDir: null, threadUrl: new URL('../workers/support/thread-with-faults.js', import.meta.url).href })
  await pool.ready()
  app = await startAnalysis({ pool })
}

async function stop(): Promise<void> {
  await app.close()
  await nothingLent(pool)
  await pool.close()
}

before(() => start(PATIENT_MS))
after(stop)

interface End {
  readonly done: boolean
  readonly total: number
  readonly matched: number
  readonly failed: number
  readonly duration_ms: number
}

type Line = BatchLine & Refusal & End

/** A batch that is being sent. */
class Batch {
  readonly request: ClientRequest
  readonly response: Promise<IncomingMessage>
  #text = ''
  #lines: Line[] = []
  #waiting: (() => void) | null = null
  #isOver = false

  constructor(headers: http.OutgoingHttpHeaders = {}, { reads = true, key = 'svk_o_k' } = {}) {
    this.request = http.request(`${app.url}/api/v1/analysis/logtest-batch`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/x-ndjson', 'x-locale': 'en-US', ...headers },
    })
    this.request.on('error', () => {})
    this.response = new Promise((resolve, reject) => {
      this.request.once('error', reject)
      this.request.once('response', (response) => {
        if (reads) this.read(response)
        resolve(response)
      })
    })
    this.response.catch(() => {})
  }

  read(response: IncomingMessage): void {
    response.setEncoding('utf8')
    response.on('data', (text: string) => {
      this.#text += text
      const lines = this.#text.split('\n')
      this.#text = lines.pop() ?? ''
      this.#lines.push(...lines.map((line) => JSON.parse(line) as Line))
      this.#waiting?.()
    })
    response.on('close', () => {
      this.#isOver = true
      if (this.#text !== '') this.#lines.push(JSON.parse(this.#text) as Line)
      this.#waiting?.()
    })
  }

  write(...lines: readonly (string | Uint8Array | object)[]): this {
    for (const line of lines) this.request.write(typeof line === 'string' || line instanceof Uint8Array ? line : `${JSON.stringify(line)}\n`)
    return this
  }

  /** Returns the answers so far, as soon as there are that many. */
  async until(count: number): Promise<Line[]> {
    while (this.#lines.length < count && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve
      })
    }
    return this.#lines
  }

  async end(): Promise<{ answers: Line[]; last: Line }> {
    this.request.end()
    const lines = await this.until(Number.POSITIVE_INFINITY)
    return { answers: lines.slice(0, -1), last: lines.at(-1) as Line }
  }
}

const event = (text: string, more: object = {}) => ({ event: text, ...more })
const knocks = (count: number) => Array.from({ length: count }, (_, i) => event(`knock ${i}`))

async function run(head: object | string, ...lines: readonly (string | Uint8Array | object)[]): Promise<{ answers: Line[]; last: Line }> {
  return new Batch().write(head, ...lines).end()
}

async function refused(status: number, code: string, ...lines: readonly (string | object)[]): Promise<Refusal> {
  const batch = new Batch({}, { reads: false }).write(...lines)
  batch.request.end()
  const response = await batch.response
  let text = ''
  for await (const chunk of response) text += chunk
  assert.equal(response.statusCode, status, text)
  const body = JSON.parse(text) as Refusal
  assert.equal(body.code, code)
  return body
}

const end = ({ duration_ms: _, ...last }: End) => last

describe('a batch', () => {
  it('answers every event with a line, in order, and reports their number', async () => {
    const { answers, last } = await run(HEAD, ...knocks(500).map((input, i) => (i % 3 === 0 ? event(`quiet ${i}`) : input)))
    assert.deepEqual(end(last), { done: true, total: 500, matched: 333, failed: 0 })
    assert.deepEqual(
      answers.map(({ predecoded }) => predecoded?.raw_message),
      Array.from({ length: 500 }, (_, i) => (i % 3 === 0 ? `quiet ${i}` : `knock ${i}`)),
    )
    for (const answer of answers) assert.deepEqual(validatorFor(BATCH_ANSWER).check(structuredClone(answer)), [])
    assert.deepEqual(validatorFor(BATCH_END).check(structuredClone(last)), [])
  })

  it('has summary and diagnostics of the ruleset on the first line only, and no trace unless requested', async () => {
    const orphan = {
      ...HEAD,
      files: [
        ...HEAD.files,
        { filename: 'x.xml', kind: 'rules', content: '<group name="x"><rule id="100900" level="3"><match>z</match><description>z.</description></rule></group>' },
      ],
    }
    const { answers } = await run(orphan, 'not json\n', ...knocks(3))
    assert.deepEqual(
      answers.map(({ summary }) => summary !== undefined),
      [false, true, false, false],
    )
    assert.ok((answers[1].diagnostics ?? []).length > 0)
    assert.ok(answers.every((answer, i) => i === 1 || !Object.hasOwn(answer, 'diagnostics')))
    assert.deepEqual(answers[1].trace, [])
    const traced = await run({ ...HEAD, trace: true }, event('knock'))
    assert.ok(traced.answers[0].trace.length > 0)
  })

  it('is not ok on any line if the own content has an error, runs every event, and counts them as failed', async () => {
    const lost = { filename: 'zz.xml', kind: 'rules', content: group(rule(100900, '<if_sid>100999</if_sid>')) }
    const files = [...HEAD.files, lost]
    const { answers, last } = await run({ ...HEAD, files }, ...knocks(500))
    assert.deepEqual(new Set(answers.map(({ ok, rule: matched }) => `${ok} ${matched?.id}`)), new Set(['false 100100']))
    assert.deepEqual(
      answers[0].diagnostics?.map(({ code, filename }) => [code, filename]),
      [['rule_parent_missing', 'zz.xml']],
    )
    assert.ok(answers.slice(1).every((answer) => !Object.hasOwn(answer, 'diagnostics') && answer.insights.length === 0))
    assert.deepEqual(end(last), { done: true, total: 500, matched: 500, failed: 500 })
    const reference = await run({ ...HEAD, files: [...HEAD.files, { ...lost, scope: 'default' }] }, ...knocks(2))
    assert.deepEqual([reference.answers.map(({ ok }) => ok), reference.last.failed], [[true, true], 0])
  })

  it('has the diagnostics of an event in the insights of its line, also without a trace', async () => {
    const { answers, last } = await run(HEAD, event('knock'), event('knock', { location: '[001 door' }), event('knock'))
    assert.deepEqual(
      answers.map(({ ok, insights }) => [ok, insights.length]),
      [
        [true, 0],
        [false, 1],
        [true, 0],
      ],
    )
    assert.match(answers[1].insights[0], /^The location "\[001 door" is not valid: "\[" without "\]"\. Write the location/)
    assert.equal(last.failed, 1)
    const portuguese = await new Batch({ 'x-locale': 'pt-BR' }).write(HEAD, event('knock', { location: '[001 door' })).end()
    assert.match(portuguese.answers[0].insights[0], /^A location "\[001 door" não é válida/)
    const traced = await run({ ...HEAD, trace: true }, event('knock'), event(`knock ${'x'.repeat(70_000)}`))
    assert.match(traced.answers[1].insights[0], /^The log has 70006 bytes/)
    assert.ok(traced.answers[1].insights.length > 1, 'the tips of the trace follow')
  })

  it('answers during the upload', async () => {
    const batch = new Batch().write(HEAD, event('knock one'))
    assert.equal((await batch.until(1))[0].rule?.id, '100100')
    batch.write(event('quiet two'))
    assert.equal((await batch.until(2))[1].rule, null)
    const { last } = await batch.end()
    assert.deepEqual(end(last), { done: true, total: 2, matched: 1, failed: 0 })
  })

  it('sends its headers before the first event', async () => {
    const batch = new Batch().write(HEAD)
    assert.equal((await batch.response).statusCode, 200)
    assert.equal((await batch.response).headers['content-type'], 'application/x-ndjson')
    assert.deepEqual(end((await batch.end()).last), { done: true, total: 0, matched: 0, failed: 0 })
  })

  it('answers a wrong line in its place, and continues', async () => {
    const wrong: readonly (readonly [string | Uint8Array, string])[] = [
      ['not json\n', 'bad_request'],
      ['[]\n', 'validation_failed'],
      ['null\n', 'validation_failed'],
      ['{}\n', 'validation_failed'],
      ['{"event":""}\n', 'validation_failed'],
      ['{"event":1}\n', 'validation_failed'],
      ['{"event":"x","log_format":"xml"}\n', 'validation_failed'],
      ['{"event":"x","extra":1}\n', 'request_validation_failed'],
      ['{"event":"x","__proto__":"y"}\n', 'request_validation_failed'],
      ['{"event":"x","session_id":"other"}\n', 'validation_failed'],
      [`{"event":"x","location":"${'l'.repeat(513)}"}\n`, 'validation_failed'],
      [Buffer.concat([Buffer.from('{"event":"'), Buffer.from([0xff]), Buffer.from('"}\n')]), 'bad_request'],
      ['{"event":"half\n', 'bad_request'],
      [`${'['.repeat(60)}\n`, 'bad_request'],
      [`${'['.repeat(100_000)}\n`, 'validation_failed'],
    ]
    app.plan.taken = 0
    const { answers, last } = await run(HEAD, ...wrong.flatMap(([line]) => [line, event('knock')]))
    wrong.forEach(([line, code], i) => {
      assert.equal(answers[2 * i].code, code, line.toString().slice(0, 100))
      assert.equal(answers[2 * i].details.line, 2 * i + 2)
      assert.deepEqual(validatorFor(BATCH_ERROR).check(structuredClone(answers[2 * i])), [])
      assert.equal(answers[2 * i + 1].rule?.id, '100100')
    })
    assert.deepEqual(end(last), { done: true, total: 2 * wrong.length, matched: wrong.length, failed: wrong.length })
    assert.equal(app.plan.taken, wrong.length)
    assert.match(answers[0].message, /^Line 2 is not valid JSON/)
  })

  it('names wrong lines by their numbers in the upload, blank lines included, in whatever parts they are read', async () => {
    const numbers = new Set<number>()
    // About four chunks, read in many blocks.
    const lines = Array.from({ length: 4000 }, (_, i) => {
      if (i % 7 === 3) return i % 2 === 0 ? '\n' : '  \r\n'
      if (i % 401 !== 5) return `${JSON.stringify(event(`knock ${'x'.repeat(i % 300)}`))}\n`
      numbers.add(i + 4)
      return 'wrong\n'
    })
    for (const settings of [HEAD, { ...HEAD, trace: true, session_id: 'traced' }]) {
      const { answers } = await run(`\n\n${JSON.stringify(settings)}\n`, ...lines)
      assert.deepEqual(new Set(answers.flatMap(({ code, details }) => (code === undefined ? [] : [details.line as number]))), numbers)
    }
  })

  it('counts characters of a location like a single logtest, not UTF-16 units', async () => {
    const { answers, last } = await run(HEAD, { ...event('knock'), location: '\u{1f600}'.repeat(512) }, { ...event('knock'), location: '\u{1f600}'.repeat(513) })
    assert.equal(answers[0].rule?.id, '100100')
    assert.equal(answers[1].code, 'validation_failed')
    assert.equal(last.failed, 1)
  })

  it('accepts CR LF, blank lines, and a last line without an end', async () => {
    const { answers, last } = await run(`\r\n${JSON.stringify(HEAD)}\r\n\r\n   \n${JSON.stringify(event('knock'))}\r\n\n\t\n${JSON.stringify(event('knock'))}`)
    assert.deepEqual(
      answers.map(({ rule }) => rule?.id),
      ['100100', '100100'],
    )
    assert.equal(last.total, 2)
  })

  it('accepts events sent byte by byte, and split characters', async () => {
    const batch = new Batch()
    for (const byte of Buffer.from(`${JSON.stringify(HEAD)}\n${JSON.stringify(event('knöck knock'))}\n`)) batch.request.write(Buffer.of(byte))
    const { answers } = await batch.end()
    assert.equal(answers[0].predecoded?.raw_message, 'knöck knock')
  })

  it('accepts an event that nearly fills the body', async () => {
    const { answers, last } = await run(HEAD, event('x'.repeat(8 * 1024 * 1024 - 4096)))
    assert.deepEqual([answers.length, last.done, last.total], [1, true, 1])
    assert.ok(answers[0].diagnostics?.some(({ code }) => code === 'session_event_truncated'))
    assert.match(answers[0].insights[0], /^The log has \d+ bytes; only the first \d+ are read\. Test with a shorter log/)
  })

  it('runs in one session, in order', async () => {
    const inputs = Array.from({ length: 300 }, (_, i) => event(i % 5 === 4 ? `quiet ${i}` : `knock ${i}`))
    const expected = runInOneSession(
      [...BASE, KNOCKS],
      inputs.map((input) => syslog(input.event)),
    )
    const { answers } = await run({ ...HEAD, session_id: 'in-batch' }, ...inputs.map((input, i) => (i === 7 ? { ...input, session_id: 'in-batch' } : input)))
    assert.deepEqual(answers.map(answeredOf), expected)
  })

  it('starts each event without state if there is no session', async () => {
    const { answers } = await run({ ...HEAD, session_id: '' }, ...knocks(5))
    assert.deepEqual(new Set(answers.map(({ rule }) => rule?.id)), new Set(['100100']))
  })

  it('runs by hash, also one that came in a large first line', async () => {
    const large = {
      ...HEAD,
      files: [...HEAD.files, { filename: 'z.xml', kind: 'rules', content: `<!-- ${'x'.repeat(SMALL_BODY_BYTES)} -->${KNOCKS.content.replaceAll('1001', '1002')}` }],
    }
    const { answers } = await run(large, event('knock'))
    const { compiled_hash } = answers[0].summary as NonNullable<BatchLine['summary']>
    assert.equal((await run({ compiled_hash }, event('knock'))).answers[0].rule?.id, answers[0].rule?.id)
    await refused(404, 'not_found', { compiled_hash: 'a'.repeat(64) }, event('x'))
  })
})

describe('a wrong first line', () => {
  it('is refused with its status', async () => {
    assert.equal((await refused(400, 'bad_request', '\nnot json\n', event('x'))).details.line, 2)
    await refused(400, 'bad_request', '\n\n')
    await refused(422, 'validation_failed', { files: 1 }, event('x'))
    for (const [head, path] of [
      [event('x'), '/event'],
      [{ ...event('x'), location: 'door', log_format: 'syslog' }, '/event'],
      [{ input: event('x') }, '/input'],
      [event('x'.repeat(SMALL_BODY_BYTES)), '/event'],
    ] as const) {
      const told = await refused(422, 'request_validation_failed', head, event('x'))
      assert.match(told.message, /^The first line of a batch must contain the settings, but line 1 is an event/)
      assert.equal(told.details.line, 1)
      assert.ok((told.details.errors as { path: string }[]).some((one) => one.path === path))
    }
    assert.doesNotMatch((await refused(422, 'request_validation_failed', { files: [], extra: 1 }, event('x'))).message, /settings/)
    await refused(422, 'validation_failed', { compiled_hash: 'a'.repeat(64), files: HEAD.files }, event('x'))
    const unreadable = await refused(400, 'bad_request', { files: [{ filename: 'a.xml', kind: 'rules', content: '<group' }] }, event('x'))
    assert.ok((unreadable.details.diagnostics as unknown[]).length > 0)
  })

  it('is refused when the quota of the plan is used up', async () => {
    app.plan.left = 0
    await refused(403, 'plan_quota_exceeded', HEAD, event('x'))
    app.plan.left = null
  })
})

describe('the plan', () => {
  it('counts one unit for each event, and answers events beyond the quota in their place', async () => {
    app.plan.left = 5
    const { answers, last } = await run(HEAD, ...knocks(8))
    app.plan.left = null
    assert.deepEqual(
      answers.map(({ code, rule }) => code ?? rule?.id),
      [...new Array(5).fill('100100'), ...new Array(3).fill('plan_quota_exceeded')],
    )
    assert.deepEqual(end(last), { done: true, total: 8, matched: 5, failed: 3 })
  })

  it('refunds unused units', async () => {
    app.plan.taken = 0
    await run(HEAD)
    assert.equal(app.plan.taken, 0)
    await run(HEAD, ...knocks(3), 'wrong\n')
    assert.equal(app.plan.taken, 3)
  })

  it('refunds units of lines that are no events while the batch goes on', async () => {
    app.plan.taken = 0
    const batch = new Batch().write(HEAD, event('knock'))
    await batch.until(1)
    batch.write('wrong\n'.repeat(5000))
    await batch.until(5001)
    assert.ok(app.plan.taken <= 1 + 1024, String(app.plan.taken))
    assert.deepEqual(end((await batch.end()).last), { done: true, total: 5001, matched: 1, failed: 5000 })
    assert.equal(app.plan.taken, 1)
  })

  it('answers many events beyond the quota in parts, and later ones when there are units again', async () => {
    app.plan.left = 2
    const batch = new Batch().write(HEAD, ...knocks(2), 'x\n'.repeat(5000))
    await batch.until(5002)
    app.plan.left = 2
    const { answers, last } = await batch.write(...knocks(3)).end()
    app.plan.left = null
    const refusedAt = new Set(answers.flatMap(({ code }, index) => (code === 'plan_quota_exceeded' ? [index] : [])))
    assert.deepEqual([refusedAt.size, refusedAt.has(2), refusedAt.has(5001), refusedAt.has(5004)], [5001, true, true, true])
    assert.deepEqual(end(last), { done: true, total: 5005, matched: 4, failed: 5001 })
  })

  it('ends the batch with an error when the store fails', async () => {
    const batch = new Batch().write(HEAD, event('knock'))
    await batch.until(1)
    app.plan.failure = new Error('no store')
    const { answers, last } = await batch.write(event('knock')).end()
    app.plan.failure = null
    assert.deepEqual(
      answers.map(({ code, rule }) => code ?? rule?.id),
      ['100100', 'internal_error'],
    )
    assert.deepEqual(end(last), { done: false, total: 1, matched: 1, failed: 0 })
  })
})

describe('size', () => {
  it('above 8 MB is refused before it is read, if its length is announced', async () => {
    const batch = new Batch({ 'Content-Length': 8 * 1024 * 1024 + 1 })
    batch.request.flushHeaders()
    assert.equal((await batch.response).statusCode, 413)
    batch.request.destroy()
  })

  it('above 8 MB ends the batch, if its length is not announced', async () => {
    const batch = new Batch().write(HEAD, event('knock'))
    await batch.until(1)
    // Only slightly too large: data in transit when a connection is closed may cost the end of the answer.
    const filler = `${JSON.stringify(event('x'.repeat(1024 * 1024)))}\n`
    const sent = JSON.stringify(HEAD).length + JSON.stringify(event('knock')).length + 2
    for (let i = 0; i < 7; i++) batch.request.write(filler)
    batch.request.write(' '.repeat(8 * 1024 * 1024 - sent - 7 * filler.length + 16))
    const { answers, last } = await batch.end()
    assert.equal(answers.at(-1)?.code, 'payload_too_large')
    assert.equal(last.done, false)
    assert.equal(last.total, answers.length - 1)
  })
})

describe('threads that die', () => {
  before(async () => {
    await stop()
    await start(SHORT_MS)
  })
  after(async () => {
    await stop()
    await start(PATIENT_MS)
  })

  it('cost the lines of the events at which they end', async () => {
    const { answers, last } = await run(HEAD, event('knock'), event(HANG), event('knock'), event(EXIT), event('knock'))
    assert.deepEqual(
      answers.map(({ rule, insights }) => rule?.id ?? insights.map((text) => text.split(' ').slice(0, 4).join(' '))),
      ['100100', ['The analysis was stopped'], '100100', ['The analysis failed because'], '100100'],
    )
    assert.ok(answers.every((answer, i) => Object.hasOwn(answer, 'diagnostics') === (i === 0)))
    for (const answer of answers) assert.deepEqual(validatorFor(BATCH_ANSWER).check(structuredClone(answer)), [])
    assert.deepEqual(end(last), { done: true, total: 5, matched: 3, failed: 2 })
  })

  it('cost the rest when there are too many', async () => {
    const { answers, last } = await run(HEAD, event(HANG), event(HANG), event(HANG), event('knock'), 'wrong\n')
    assert.deepEqual(
      answers.map(({ insights }) => insights.length),
      new Array(5).fill(1),
    )
    for (const { insights } of answers) assert.match(insights[0], /^The analysis was stopped after/)
    assert.deepEqual([last.done, last.failed], [true, 5])
  })

  it('cost nothing when they are ended from outside', async () => {
    const batch = new Batch().write(HEAD, event('knock'))
    await batch.until(1)
    await Promise.all(pool.threadPool.workers.map((worker) => worker.terminate()))
    batch.write(event('knock'))
    const { answers } = await batch.end()
    assert.deepEqual(
      answers.map(({ rule }) => rule?.id),
      ['100100', '100100'],
    )
  })
})

/** Waits until the service has released everything, which nothing else shows. */
async function untilIdle(): Promise<void> {
  while (pool.metrics().running > 0 || pool.metrics().queueLength > 0) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('callers', () => {
  it('who disconnect end the work', async () => {
    app.plan.taken = 0
    const batch = new Batch().write(HEAD, event('knock'))
    await batch.until(1)
    batch.write(event(HANG))
    while (pool.metrics().running === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    batch.request.destroy()
    await untilIdle()
    while (app.plan.taken !== 1) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal((await run(HEAD, event('knock'))).answers[0].rule?.id, '100100')
  })

  it('who disconnect during the first line leave nothing behind', async () => {
    const batch = new Batch().write('{"files": [')
    await new Promise((resolve) => setTimeout(resolve, 20))
    batch.request.destroy()
    await untilIdle()
    assert.equal((await run(HEAD, event('knock'))).answers[0].rule?.id, '100100')
  })

  it('who send everything before they read get everything', async () => {
    const batch = new Batch({}, { reads: false }).write({ ...HEAD, trace: true })
    const count = 20_000
    const lines = Buffer.from(`${JSON.stringify(event('knock and a little more of a message'))}\n`.repeat(count))
    await new Promise<void>((resolve) => batch.request.end(lines, () => resolve()))
    const response = await batch.response
    batch.read(response)
    const { last } = await batch.end()
    assert.deepEqual(end(last), { done: true, total: count, matched: count, failed: 0 })
  })

  it('who disconnect during an analysis get its unit back, and later data takes none', async () => {
    app.plan.taken = 0
    const { hostname, port } = new URL(app.url)
    const socket = net.connect(Number(port), hostname)
    socket.on('error', () => {})
    const send = (path: string, type: string, body: string): void =>
      void socket.write(
        `POST /api/v1/analysis/${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: svk_o_k\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
    send('logtest-native', 'application/json', JSON.stringify({ ...HEAD, input: { event: HANG } }))
    send('logtest-batch', 'application/x-ndjson', [HEAD, ...knocks(100)].map((line) => `${JSON.stringify(line)}\n`).join(''))
    while (app.plan.taken < 1) await sleep(5)
    socket.destroy()
    for (let look = 0; look < 2400 && app.plan.taken > 0; look++) await sleep(25)
    assert.equal(app.plan.taken, 0)
    assert.equal(await pool.ready(), true)
  })

  it('who read slowly get everything, with at most a window of answers in memory', async () => {
    const batch = new Batch({}, { reads: false }).write({ ...HEAD, trace: true })
    const count = 30_000
    batch.request.end(`${JSON.stringify(event('knock'))}\n`.repeat(count))
    const response = await batch.response
    let ranAhead = -1
    while (ranAhead !== pool.metrics().outcomes.ok) {
      ranAhead = pool.metrics().outcomes.ok
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    batch.read(response)
    assert.equal((await batch.end()).last.total, count)
    assert.ok(pool.metrics().outcomes.ok > ranAhead, 'the rest runs when someone reads')
  })

  it('of several concurrent batches all get their own answers', async () => {
    const batches = await Promise.all(Array.from({ length: 8 }, (_, n) => run(HEAD, ...Array.from({ length: 200 }, (_, i) => event(`knock ${n}-${i}`)))))
    batches.forEach(({ answers }, n) => assert.ok(answers.every(({ predecoded }, i) => predecoded?.raw_message === `knock ${n}-${i}`)))
  })
})

describe('a service that stops', () => {
  /** A separate service for the batches of the test. */
  async function ofItsOwn(test: (stopping: AnalysisApp, other: AnalysisPool) => Promise<void>): Promise<void> {
    const other = new AnalysisPool({ workers: 1, defaultRulesetDir: null })
    const before = app
    app = await startAnalysis({ pool: other })
    try {
      await test(app, other)
    } finally {
      await app.close()
      await other.close()
      app = before
    }
  }

  it('reports it before the last line', () =>
    ofItsOwn(async (stopping, other) => {
      const batch = new Batch().write(HEAD, event('knock'))
      await batch.until(1)
      await other.close()
      batch.write(event('knock'))
      const { answers, last } = await batch.end()
      assert.deepEqual([answers.length, answers[1]?.code, last.done, last.total], [2, 'service_unavailable', false, 1])
      assert.equal(stopping.plan.taken, 1, 'what was not run costs nothing')
    }))

  it('finishes a batch whose caller ends it', () =>
    ofItsOwn(async (stopping) => {
      const batch = new Batch().write(HEAD, event('knock'))
      await batch.until(1)
      const closed = stopping.close(PATIENT_MS)
      batch.write(event('knock'))
      const { answers, last } = await batch.end()
      await closed
      assert.deepEqual([answers.length, last.done, last.total], [2, true, 2])
    }))

  it('informs a caller who does not end it in time', () =>
    ofItsOwn(async (stopping) => {
      const batch = new Batch().write(HEAD, event('knock'))
      await batch.until(1)
      await stopping.close()
      const lines = await batch.until(3)
      assert.deepEqual([lines.length, lines[1]?.code, lines[2]?.done, lines[2]?.total], [3, 'service_unavailable', false, 1])
      assert.equal(stopping.plan.taken, 1, 'what did not come costs nothing')
    }))

  it('finishes a running analysis', () =>
    ofItsOwn(async (stopping) => {
      const body = JSON.stringify({ ...HEAD, input: event('knock') })
      const request = http.request(`${stopping.url}/api/v1/analysis/logtest-native`, {
        method: 'POST',
        headers: { 'X-API-Key': 'svk_o_k', 'Content-Type': 'application/json', 'Content-Length': body.length, Expect: '100-continue' },
      })
      const response = new Promise<IncomingMessage>((resolve, reject) => request.once('response', resolve).once('error', reject))
      request.flushHeaders()
      await new Promise((resolve) => request.once('continue', resolve))
      const closed = stopping.close(PATIENT_MS)
      request.end(body)
      const { statusCode } = await response
      assert.equal(statusCode, 200)
      ;(await response).resume()
      await closed
    }))
})
