/** Batches whose callers want little of each line, and compressed ones. */
import assert from 'node:assert/strict'
import http from 'node:http'
import { after, before, describe, it } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { createZstd, hasZstd } from '../support/zstd.js'
import { AnalysisPool } from '#workers'
import { nothingLent } from '../support/lent.js'
import { type AnalysisApp, startAnalysis } from '../server/analysis/support/service.js'
import { BASE, group, KNOCKS, rule, rulesFile } from '../workers/support/rulesets.js'

const QUIET = rulesFile(group(rule(100200, '<match>quiet</match>', 2)), 'quiet.xml')
const DECODERS = rulesFile(
  '<decoder name="door"><prematch>^door</prematch></decoder><decoder name="door-user"><parent>door</parent><regex>user (\\S+)</regex><order>user</order></decoder>',
  'door.xml',
  'adhoc',
  'decoders',
)
const DOOR = rulesFile(group('<rule id="100300" level="7"><decoded_as>door</decoded_as><description>Door of $(user).</description></rule>'), 'door_rules.xml')
const HEAD = { include_disk_defaults: false, files: [...BASE, KNOCKS, QUIET, DECODERS, DOOR] }
const EVENTS = ['knock 1', 'quiet', 'nothing', 'door user ana', 'knock 2']

let pool: AnalysisPool
let app: AnalysisApp

before(async () => {
  pool = new AnalysisPool({ workers: 2, taskTimeoutMs: 60_000, defaultRulesetDir: null })
  await pool.ready()
  app = await startAnalysis({ pool })
})
after(async () => {
  await app.close()
  await nothingLent(pool)
  await pool.close()
})

const ndjson = (...lines: readonly unknown[]): Buffer => Buffer.from(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''))
const events = (texts: readonly string[]) => texts.map((event) => ({ event }))

interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly bytes: Buffer
}

/** Sends a batch as one body. A connection that is closed before its end gives what was received. */
function send(body: Buffer, headers: http.OutgoingHttpHeaders = {}, url = app.url): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}/api/v1/analysis/logtest-batch`, {
      method: 'POST',
      headers: { 'X-API-Key': 'svk_o_k', 'Content-Type': 'application/x-ndjson', 'x-locale': 'en-US', ...headers },
    })
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('close', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }))
    })
    request.end(body)
  })
}

type Line = Record<string, unknown> & { readonly code?: string; readonly details?: { readonly line?: number; readonly limit?: number; readonly encoding?: string } }
const linesOf = (bytes: Buffer): Line[] =>
  bytes
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

async function run(head: object, ...more: readonly unknown[]): Promise<{ answers: Line[]; last: Line }> {
  const { status, bytes } = await send(ndjson({ ...HEAD, ...head }, ...more))
  assert.equal(status, 200, bytes.toString())
  const lines = linesOf(bytes)
  return { answers: lines.slice(0, -1), last: lines.at(-1) as Line }
}

async function refused(status: number, body: Buffer, headers: http.OutgoingHttpHeaders = {}): Promise<Line & { readonly message: string; readonly hint: string }> {
  const answer = await send(body, headers)
  assert.equal(answer.status, status, answer.bytes.toString())
  return JSON.parse(answer.bytes.toString()) as Line & { message: string; hint: string }
}

describe('select', () => {
  it('has the named fields in their order, null where an event lacks one', async () => {
    const { answers, last } = await run({ select: 'line, rule.id,level,dstuser,decoder.name,rule.groups,rule.firedtimes' }, ...events(EVENTS))
    const none = { 'rule.id': null, level: null, dstuser: null, 'decoder.name': null, 'rule.groups': null, 'rule.firedtimes': null }
    const some = { dstuser: null, 'decoder.name': null, 'rule.groups': ['tests'], 'rule.firedtimes': 1 }
    assert.deepEqual(answers, [
      { line: 2, 'rule.id': '100100', level: 5, ...some },
      { line: 3, 'rule.id': '100200', level: 2, ...some },
      { line: 4, ...none },
      { line: 5, 'rule.id': '100300', level: 7, ...some, dstuser: 'ana', 'decoder.name': 'door' },
      { line: 6, 'rule.id': '100100', level: 5, ...some },
    ])
    assert.deepEqual(Object.keys(answers[0]), ['line', 'rule.id', 'level', 'dstuser', 'decoder.name', 'rule.groups', 'rule.firedtimes'])
    assert.deepEqual([last.done, last.total, last.matched, last.failed, last.alerts], [true, 5, 4, 0, 3])
    assert.ok(typeof (last.summary as { compiled_hash: string }).compiled_hash === 'string' && Array.isArray(last.diagnostics))
  })

  it('counts blank lines, and has the values of the whole answer for as many lines as a block has', async () => {
    const texts = Array.from({ length: 100 }, (_, i) => (i % 3 === 0 ? `door user u${i}` : `knock ${i}`))
    const lines = texts.flatMap((event, i) => (i % 7 === 0 ? ['', { event }] : [{ event }]))
    const [whole, selected] = [await run({}, ...lines), await run({ select: 'line,rule.id,rule.description,fields,log' }, ...lines)]
    const numbers = lines.flatMap((line, i) => (line === '' ? [] : [i + 2]))
    assert.deepEqual(
      selected.answers,
      whole.answers.map((answer, i) => {
        const { id, description } = answer.rule as { id: string; description: string }
        return { line: numbers[i], 'rule.id': id, 'rule.description': description, fields: answer.extracted_fields, log: texts[i] }
      }),
    )
  })

  it('answers wrong lines, and events that are not run, in whole', async () => {
    const { answers, last } = await run({ select: 'rule.id' }, { event: 'knock' }, 'no json', { event: 'x', location: '[no end' }, { events: 1 }, { event: 'door' })
    assert.deepEqual([answers[0], answers[4]], [{ 'rule.id': '100100' }, { 'rule.id': '100300' }])
    assert.deepEqual([answers[1].details?.line, answers[3].details?.line], [3, 5])
    assert.deepEqual([answers[2].ok, (answers[2].insights as string[]).length], [false, 1])
    assert.deepEqual([last.total, last.failed, last.alerts], [5, 3, 2])
  })

  it('refuses an empty name, too many names, and a trace beside it', async () => {
    for (const head of [
      { select: 'rule.id,,level' },
      { select: ' ' },
      { select: Array(129).fill('a').join(',') },
      { select: 'rule.id', trace: true },
      { select: [] },
      { only: 'some' },
    ]) {
      const { code, details } = await refused(422, ndjson({ ...HEAD, ...head }, { event: 'x' }))
      assert.deepEqual([code, details?.line], ['validation_failed', 1])
    }
  })

  it('goes on in the session of the batch', async () => {
    const { answers } = await run({ select: 'rule.id,rule.firedtimes,previous_output', session_id: 's' }, ...events(['knock a', 'knock b', 'knock c']))
    assert.deepEqual(
      answers.map((answer) => answer['rule.id']),
      ['100100', '100100', '100101'],
    )
    assert.deepEqual(answers[2].previous_output, ['knock b', 'knock a'])
  })
})

describe('only alerts', () => {
  it('leaves out lines of other events, and counts them', async () => {
    const { answers, last } = await run({ only: 'alerts' }, ...events(EVENTS))
    assert.deepEqual(
      answers.map(({ rule, alert, diagnostics }) => [(rule as { id: string }).id, alert, diagnostics]),
      [
        ['100100', true, undefined],
        ['100300', true, undefined],
        ['100100', true, undefined],
      ],
    )
    assert.deepEqual([last.total, last.matched, last.failed, last.alerts], [5, 4, 0, 3])
  })

  it('has nothing but the last line where nothing alerts, also for many lines', async () => {
    const { answers, last } = await run({ only: 'alerts', select: 'log' }, ...events(Array(5000).fill('nothing')))
    assert.deepEqual([answers, last.done, last.total, last.alerts], [[], true, 5000, 0])
  })

  it('reports an error in the content on the last line', async () => {
    const wrong = rulesFile(group(rule(100400, '<if_sid>999999</if_sid>')), 'wrong.xml')
    const { answers, last } = await run({ only: 'alerts', select: 'rule.id', files: [...HEAD.files, wrong] }, ...events(EVENTS))
    assert.equal(answers.length, 3)
    assert.ok((last.diagnostics as { filename: string }[]).some(({ filename }) => filename === 'wrong.xml'))
    assert.equal(last.failed, 5)
  })
})

describe('compression', () => {
  const body = ndjson({ ...HEAD, select: 'line,rule.id' }, ...events(EVENTS))
  const withoutTimes = (bytes: Buffer): Line[] => linesOf(bytes).map(({ duration_ms: _, ...line }) => line)

  it('takes gzip, in one member or several, and answers the same', async () => {
    const plain = withoutTimes((await send(body)).bytes)
    for (const packed of [gzipSync(body), Buffer.concat([gzipSync(body.subarray(0, 1000)), gzipSync(body.subarray(1000))])]) {
      const answer = await send(packed, { 'Content-Encoding': 'gzip' })
      assert.deepEqual([answer.status, answer.headers['content-encoding'], withoutTimes(answer.bytes)], [200, undefined, plain])
    }
  })

  it('answers with gzip if the caller accepts it, and says on what that depends', async () => {
    const plain = await send(body)
    assert.equal(plain.headers.vary, 'Accept-Encoding')
    for (const header of ['gzip', 'deflate, GZIP;q=0.5', 'br, gzip']) {
      const { headers, bytes } = await send(body, { 'Accept-Encoding': header })
      assert.deepEqual([headers['content-encoding'], headers.vary], ['gzip', 'Accept-Encoding'])
      assert.deepEqual(withoutTimes(gunzipSync(bytes)), withoutTimes(plain.bytes))
    }
    for (const header of ['identity', 'br', 'gzip;q=0']) assert.equal((await send(body, { 'Accept-Encoding': header })).headers['content-encoding'], undefined)
  })

  it('sends each compressed answer during the upload', async () => {
    const request = http.request(`${app.url}/api/v1/analysis/logtest-batch`, {
      method: 'POST',
      headers: { 'X-API-Key': 'svk_o_k', 'Content-Type': 'application/x-ndjson', 'Accept-Encoding': 'gzip' },
    })
    request.write(ndjson(HEAD, { event: 'knock' }))
    const response = await new Promise<http.IncomingMessage>((resolve) => request.once('response', resolve))
    const { createGunzip } = await import('node:zlib')
    const text = await new Promise<string>((resolve) => response.pipe(createGunzip()).once('data', (chunk: Buffer) => resolve(chunk.toString())))
    assert.match(text, /"id":"100100"/)
    request.end()
    await new Promise((resolve) => response.once('close', resolve))
  })

  it('of large answers leaves nothing behind, also for callers who leave', async () => {
    const many = ndjson(HEAD, ...events(Array.from({ length: 20_000 }, (_, i) => `door user u${i}`)))
    const { bytes } = await send(gzipSync(many), { 'Content-Encoding': 'gzip', 'Accept-Encoding': 'gzip' })
    const lines = linesOf(gunzipSync(bytes))
    assert.deepEqual([lines.length, lines.at(-1)?.total], [20_001, 20_000])
    const request = http.request(`${app.url}/api/v1/analysis/logtest-batch`, {
      method: 'POST',
      headers: { 'X-API-Key': 'svk_o_k', 'Content-Type': 'application/x-ndjson', 'Accept-Encoding': 'gzip' },
    })
    request.on('error', () => {})
    const response = new Promise<http.IncomingMessage>((resolve) => request.once('response', resolve))
    request.end(many)
    ;(await response).destroy()
  })

  it('reads and writes zstd where Node has it, and else refuses it', async () => {
    if (!hasZstd()) {
      const { code, details } = await refused(415, body, { 'Content-Encoding': 'zstd' })
      assert.deepEqual([code, details], ['unsupported_media_type', { expected: 'identity, gzip', received: 'zstd' }])
      assert.equal((await send(body, { 'Accept-Encoding': 'zstd' })).headers['content-encoding'], undefined)
      return
    }
    const { compress, decompress } = createZstd()
    const { headers, bytes } = await send(compress(body), { 'Content-Encoding': 'zstd', 'Accept-Encoding': 'gzip, zstd' })
    assert.equal(headers['content-encoding'], 'zstd')
    assert.deepEqual(withoutTimes(decompress(bytes)), withoutTimes((await send(body)).bytes))
  })
})

describe('a hostile body', () => {
  const LIMIT = 256 * 1024
  let small: AnalysisApp
  before(async () => {
    small = await startAnalysis({ pool, maxRequestBytes: LIMIT })
  })
  after(() => small.close())

  it('that expands above the limit is cut there, and says the limit', async () => {
    const bomb = gzipSync(Buffer.concat([ndjson(HEAD), Buffer.alloc(500 * LIMIT, '{"event":"knock"}\n')]))
    assert.ok(bomb.length > LIMIT / 2)
    const lines = linesOf((await send(bomb.subarray(0, LIMIT / 2), { 'Content-Encoding': 'gzip' }, small.url)).bytes)
    const [told, last] = lines.slice(-2)
    assert.deepEqual([told.code, told.details?.limit, last.done], ['payload_too_large', LIMIT, false])
    assert.ok((last.total as number) <= LIMIT / '{"event":"knock"}\n'.length)
  })

  it('that expands to one line without an end is refused', async () => {
    const answer = await send(gzipSync(Buffer.alloc(500 * LIMIT, ' ')), { 'Content-Encoding': 'gzip' }, small.url)
    const told = linesOf(answer.bytes)[0]
    assert.deepEqual([answer.status, told.code, told.details?.limit], [413, 'payload_too_large', LIMIT])
  })

  it('that is cut off or broken is told after the lines before', async () => {
    const packed = gzipSync(ndjson(HEAD, ...events(Array.from({ length: 30_000 }, (_, i) => `nothing ${i * 7919}`))))
    const broken = Buffer.from(packed)
    broken.fill(0xff, packed.length - 400, packed.length - 200)
    for (const wrong of [packed.subarray(0, -100), broken]) {
      const lines = linesOf((await send(wrong, { 'Content-Encoding': 'gzip' })).bytes)
      const [told, last] = lines.slice(-2)
      assert.deepEqual([told.code, told.details?.encoding, last.done, last.total], ['bad_request', 'gzip', false, lines.length - 2])
    }
    const { code, message } = await refused(400, ndjson(HEAD), { 'Content-Encoding': 'gzip' })
    assert.deepEqual([code, message], ['bad_request', 'The body is no valid gzip, or was cut off.'])
  })

  it('names what is wrong with its type, its encoding, or a line with its number', async () => {
    const body = ndjson(HEAD, { event: 'x' })
    const typed = await refused(415, body, { 'Content-Type': 'application/json' })
    assert.deepEqual(
      [typed.message, typed.hint],
      ['The body is of the type application/json, and this request takes application/x-ndjson.', 'Send Content-Type: application/x-ndjson.'],
    )
    const encoded = await refused(415, body, { 'Content-Encoding': 'gzip, gzip' })
    assert.deepEqual(encoded.details, { expected: hasZstd() ? 'identity, zstd, gzip' : 'identity, gzip', received: 'gzip, gzip' })
    const unnamed = await refused(400, gzipSync(body))
    assert.deepEqual(unnamed.details, { line: 1, encoding: 'gzip' })
    assert.equal(unnamed.hint, 'Send Content-Encoding: gzip, or the body without compression.')
    const { answers } = await run({}, { event: 'x' }, 'Jan  5 10:11:12 host sshd: x', '[1]')
    assert.deepEqual(
      answers.slice(1).map(({ details }) => details?.line),
      [3, 4],
    )
  })
})
