/** The recordings on the bundle of the playground: in Node, and in a Web Worker of Chromium where one is installed. */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test, type TestContext } from 'node:test'
import type { LogtestReport } from '#engine'
import { readRulesetFolder } from '#workers'
import { PLAYGROUND_POLICY } from '../../server/core/playground-site.js'
import type { BaseRequest, ContentFile, EventAnswer, Opened, RunRequest } from '../../server/playground/worker/protocol.js'
import { Browser, CHROMIUM_SKIP } from '../support/chromium.js'
import { MANIFEST, readAssets, startEngine } from '../support/playground.js'
import { CONFORMANCE, haveConformance, readLines, type Recorded } from './conformance.js'
import { Tally } from './tally.js'

interface Item {
  readonly file: string
  readonly name: string
  readonly events: readonly string[]
  readonly got: readonly Recorded[]
}

const skip = haveConformance() ? false : 'the recordings of the reference engine (../shared/conformance) are not here'
/** A Wednesday at noon, as in the recordings. */
const NOW = '2023-11-15T12:00:00Z'

/** What of a report is recorded. Static and dynamic fields are one record there. */
function comparedOf({ predecoded, decoder, extracted_fields, rule, matched_rules, alert }: LogtestReport): unknown {
  return {
    timestamp: predecoded.timestamp,
    hostname: predecoded.hostname,
    program_name: predecoded.program_name,
    decoder: decoder?.name ?? null,
    parent: decoder?.parent ?? null,
    fields: extracted_fields,
    rule:
      rule === null
        ? null
        : {
            id: rule.id,
            level: rule.level,
            description: rule.description,
            groups: rule.groups,
            mitre_ids: rule.attack_ids,
            frequency: rule.frequency,
            firedtimes: rule.firedtimes,
          },
    path: matched_rules.map(({ id }) => id),
    alert,
  }
}

function recordedOf({ static: statics, fields, ...recorded }: Recorded): unknown {
  return { ...recorded, fields: { ...fields, ...statics } }
}

function tallyOf(items: readonly Item[], reports: readonly (readonly LogtestReport[])[]): Tally {
  const tally = new Tally()
  for (const [index, { file, name, got }] of items.entries())
    for (const [at, recorded] of got.entries()) tally.count(`${file} ${name} #${at}`, comparedOf(reports[index][at]), recordedOf(recorded))
  return tally
}

describe('the bundle of the playground', { skip }, () => {
  let items: readonly Item[]
  let ruleset: BaseRequest['ruleset']
  let requests: readonly RunRequest[]
  before(() => {
    items = readLines<Item>('expected-default.jsonl')
    ruleset = readRulesetFolder(join(CONFORMANCE, 'ruleset-default'), 'default').map(({ kind, filename, content }): ContentFile => ({ kind, filename, content }))
    requests = items.map(({ events }) => ({ events: events.map((event) => ({ event })), session: true, now: NOW, locale: 'en-US' }))
  })

  const assertAgrees = (reports: readonly (readonly LogtestReport[])[], context: TestContext): void => {
    const { total, agreed, differences } = tallyOf(items, reports)
    context.diagnostic(`${agreed} of ${total}`)
    assert.ok(total > 1000)
    assert.deepEqual([agreed, differences.slice(0, 5)], [total, []])
  }

  test('answers as the reference engine in Node', async (context) => {
    const { engine, close } = startEngine()
    const opened = await engine.base({ ruleset })
    const reports: LogtestReport[][] = []
    for (const request of requests) {
      const answers: EventAnswer[] = []
      await engine.run(request, (part) => answers.push(...part.answers))
      reports.push(answers.map(({ report }) => report))
    }
    close()
    context.diagnostic(`stock ruleset compiled in ${Math.round(opened.compile_ms)} ms`)
    assertAgrees(reports, context)
  })

  describe('in Chromium', { skip: CHROMIUM_SKIP }, () => {
    let browser: Browser
    let server: Server
    const SCRIPT = `
      import { EnginePort } from './assets/${MANIFEST.engine.file}'
      window.answered = (async () => {
        const { ruleset, requests } = await (await fetch('./recordings.json')).json()
        const engine = new EnginePort(new Worker('./assets/${MANIFEST.worker.file}', { type: 'module' }))
        const started = performance.now()
        const reference = await engine.open({ files: [] })
        const first = performance.now() - started
        const stock = await engine.base({ ruleset })
        const reports = []
        for (const request of requests) {
          const answers = []
          await engine.run(request, (part) => answers.push(...part.answers))
          reports.push(answers.map(({ report }) => report))
        }
        return { reference, first, stock, reports }
      })()`
    before(async () => {
      const assets = readAssets()
      const files = new Map([
        ['/', ['text/html', '<!doctype html><title>x</title><script type="module" src="./page.js"></script>']],
        ['/page.js', ['text/javascript', SCRIPT]],
        ['/recordings.json', ['application/json', JSON.stringify({ ruleset, requests })]],
        ['/favicon.ico', ['image/x-icon', '']],
        ...[...assets].map(([name, text]): [string, string[]] => [`/assets/${name}`, ['text/javascript', text]]),
      ])
      server = createServer(({ url = '/' }, response) => {
        const [type, body] = files.get(url) ?? []
        if (type === undefined) return void response.writeHead(404).end()
        // The policy of a worker is that of its own answer.
        response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8`, 'Content-Security-Policy': PLAYGROUND_POLICY })
        response.end(body)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      browser = await Browser.start()
    })
    after(async () => {
      server?.close()
      await browser?.close()
    })

    test('answers as the reference engine in a worker that compiles no code from texts', async (context) => {
      const tab = await browser.open({ hasScripts: true })
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      await tab.goto(`${origin}/`)
      const { reference, first, stock, reports } = await tab.evaluate<{ reference: Opened; first: number; stock: Opened; reports: LogtestReport[][] }>('window.answered')
      context.diagnostic(
        `reference ruleset loaded and compiled in ${Math.round(first)} ms (compiled in ${Math.round(reference.compile_ms)}), stock ruleset compiled in ${Math.round(stock.compile_ms)} ms`,
      )
      assert.ok(tab.requests.every(({ url }) => url.startsWith(`${origin}/`)))
      assert.deepEqual(tab.complaints, [])
      assertAgrees(reports, context)
    })
  })
})
