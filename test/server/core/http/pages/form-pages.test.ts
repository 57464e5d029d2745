/** Pages with forms have the same limits as routes of the interface: requests, database slots, and bodies. */
import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import type { FormPage, Page } from '../../../../../server/core/http/pages/form-pages.js'
import { html } from '../../../../../server/core/http/text/html.js'
import type { LimitReading } from '../../../../../server/core/limits/limits.js'
import type { Limit, Resource } from '../../../../../server/core/limits/table.js'
import { testLimits } from '../../../../support/limits.js'
import { startHttp, type TestService } from '../support/service.js'

const PATH = '/page'
const FORM = { 'content-type': 'application/x-www-form-urlencoded', host: 'soc.example', origin: 'http://soc.example' }
const DONE: Page = { title: 'Done', body: html`<h1>Done</h1>` }

interface Pages extends TestService {
  /** Number of times that the page was shown or submitted. */
  readonly calls: { count: number }
  /** The state of an address's limit. */
  reading(resource: Resource): LimitReading
  /** Lets the page answer. */
  finish(): void
}

/** @param waits whether the page answers only after `finish` */
async function serving(smaller: Partial<Record<Resource, Partial<Limit>>>, waits: boolean, run: (service: Pages) => Promise<void>): Promise<void> {
  const calls = { count: 0 }
  const limits = testLimits(smaller)
  const waiting: (() => void)[] = []
  let isFinished = !waits
  const work = async (): Promise<Page> => {
    calls.count++
    if (!isFinished) await new Promise<void>((resolve) => waiting.push(resolve))
    return DONE
  }
  const page: FormPage = { path: PATH, show: work, submit: work }
  const proxies = new BlockList()
  proxies.addAddress('127.0.0.1')
  const service = await startHttp({ routes: [], formPages: [page], limits, config: { trustedProxies: proxies } })
  const reading = (resource: Resource): LimitReading => limits.readings().find((one) => one.resource === resource && one.scope === 'address') as LimitReading
  const finish = (): void => {
    isFinished = true
    for (const resolve of waiting.splice(0)) resolve()
  }
  try {
    await run(Object.assign(service, { calls, reading, finish }))
  } finally {
    finish()
    await service.close()
  }
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let round = 0; round < 3000 && !holds(); round++) await sleep(10)
  assert.ok(holds(), what)
}

interface Sending {
  readonly request: http.ClientRequest
  readonly answered: Promise<{ readonly status: number; readonly headers: http.IncomingHttpHeaders; readonly text: string }>
}

/** Starts sending a form; the test writes its content and ends it. */
function sending({ port }: TestService, address: string, headers: http.OutgoingHttpHeaders = {}): Sending {
  const request = http.request({ port, host: '127.0.0.1', method: 'POST', path: PATH, agent: false, headers: { ...FORM, 'x-forwarded-for': address, ...headers } })
  const answered = new Promise<Awaited<Sending['answered']>>((resolve, reject) => {
    request.on('error', reject)
    request.on('response', (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += String(chunk)
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
  })
  answered.catch(() => {})
  return { request, answered }
}

test('an address with too many open pages is answered 503 with a page, and another address is served', () =>
  serving({ requests: { address: 2 } }, true, async (service) => {
    const show = (address: string) => service.call('GET', `/${PATH}`, { headers: { 'x-forwarded-for': address } })
    const held = [show('192.0.2.1'), show('192.0.2.1')]
    await until('both pages are open', () => service.calls.count === 2)
    const refused = await show('192.0.2.1')
    assert.deepEqual([refused.status, refused.headers['retry-after'], refused.headers['content-type']], [503, '1', 'text/html; charset=utf-8'])
    assert.equal(service.calls.count, 2)
    const other = show('192.0.2.2')
    await until('the other caller is served', () => service.calls.count === 3)
    service.finish()
    assert.deepEqual(
      (await Promise.all([...held, other])).map(({ status }) => status),
      [200, 200, 200],
    )
    assert.equal((await show('192.0.2.1')).status, 200)
  }))

test('pages wait for a database slot, and a form that is still being received holds none', () =>
  serving({ database_turns: { address: 1 } }, true, async (service) => {
    const slow = sending(service, '192.0.2.1', { 'content-length': 3 })
    slow.request.write('a=')
    await until('the slow form is in flight', () => service.application.inFlight.count === 1)
    const first = sending(service, '192.0.2.1')
    first.request.end('a=1')
    await until('the first form has a slot', () => service.calls.count === 1)
    slow.request.end('1')
    const other = sending(service, '192.0.2.2')
    other.request.end('a=1')
    await until('another address has its own slot', () => service.calls.count === 2)
    await until('the slow form was read and waits', () => service.reading('database_turns').waiting === 1)
    assert.equal(service.calls.count, 2)
    service.finish()
    assert.deepEqual(
      (await Promise.all([slow, first, other].map(({ answered }) => answered))).map(({ status }) => status),
      [200, 200, 200],
    )
    assert.equal(service.calls.count, 3)
  }))

test('forms without a length are counted while they are received, against the limit of the address', () =>
  serving({ body_bytes: { address: 20_000 } }, false, async (service) => {
    const [first, second] = [sending(service, '192.0.2.1'), sending(service, '192.0.2.1')]
    first.request.write(`a=${'x'.repeat(15_000)}`)
    await until('the first form is counted', () => service.reading('body_bytes').held > 15_000)
    second.request.write(`a=${'x'.repeat(15_000)}`)
    const refused = await second.answered
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '1'])
    assert.match(refused.text, /^<!doctype html>/)
    const other = sending(service, '192.0.2.2')
    other.request.end(`a=${'x'.repeat(15_000)}`)
    assert.equal((await other.answered).status, 200)
    first.request.end('x')
    assert.equal((await first.answered).status, 200)
    const again = sending(service, '192.0.2.1')
    again.request.end(`a=${'x'.repeat(15_000)}`)
    assert.equal((await again.answered).status, 200)
    assert.equal(service.calls.count, 3)
  }))

test('a form in chunks of one byte is refused', () =>
  serving({}, false, async (service) => {
    const head = `POST ${PATH} HTTP/1.1\r\nHost: soc.example\r\nOrigin: http://soc.example\r\nContent-Type: ${FORM['content-type']}\r\nTransfer-Encoding: chunked\r\n\r\n`
    const text = await service.socket(head, '1\r\na\r\n'.repeat(3000), '0\r\n\r\n')
    assert.match(text, /^HTTP\/1\.1 400 /)
    assert.equal(service.log.find(({ route }) => route === PATH)?.refusal, 'chunks_too_small')
    assert.equal(service.calls.count, 0)
  }))

test('a form that is too long or from another site is refused before it is read', () =>
  serving({}, false, async (service) => {
    for (const [headers, status] of [
      [{ 'content-length': 32 * 1024 + 1 }, 413],
      [{ 'content-length': 100, origin: 'https://elsewhere.example' }, 403],
      [{ 'content-length': 100, 'content-type': 'application/json' }, 415],
    ] as const) {
      const { request, answered } = sending(service, '192.0.2.1', headers)
      request.flushHeaders()
      assert.equal((await answered).status, status)
      request.destroy()
    }
    assert.equal(service.calls.count, 0)
  }))
