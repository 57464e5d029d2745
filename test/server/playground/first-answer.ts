/**
 * Measures how long the page takes to its first answer, on a processor as slow as a phone's: `node dist/test/server/playground/first-answer.js [FOLDER…]`. A folder has
 * the assets of a build; the runs of several alternate. Only the main thread is slowed down: Chromium does not do it for workers. Processor times tell more than
 * the others where the machine has other work.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium } from 'playwright-core'
import { PAGE_NAME, PlaygroundSite } from '../../../server/core/playground-site.js'
import { findChromium } from '../../support/chromium.js'
import { ASSETS } from '../../support/playground.js'

const RUNS = 5
const SLOWDOWN = 4
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true, locale: 'en-US' } as const
/** How long the page is watched: what is loaded after the answer may shift the layout. */
const WATCHED_MS = 6000
const CATEGORIES = ['toplevel', 'blink.user_timing']
const MICROSECONDS = 1000

/** Runs in the page before its scripts. */
const WATCH = `(() => {
  const seen = (window.seen = { answer: 0, painted: 0, shift: 0, editors: 0 })
  const see = (type, use) => new PerformanceObserver((list) => list.getEntries().forEach(use)).observe({ type, buffered: true })
  see('paint', ({ name, startTime }) => { if (name === 'first-contentful-paint') seen.painted = startTime })
  see('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) seen.shift += value })
  see('element', ({ renderTime }) => { if (seen.answer === 0) performance.mark("answered", { startTime: seen.answer = renderTime || performance.now() }) })
  new MutationObserver(() => {
    document.querySelector('.outcome .rule-id')?.setAttribute('elementtiming', 'answer')
    if (seen.editors === 0 && document.querySelector('#editor .cm-content') && document.querySelector('.event-text .cm-content')) seen.editors = performance.now()
  }).observe(document, { childList: true, subtree: true })
  performance.mark('begun')
})()`

/** What the page has seen: milliseconds after the navigation. */
interface Seen {
  /** The rule of the answer is painted. */
  readonly answer: number
  /** Anything is painted. */
  readonly painted: number
  /** Both editors can be used. */
  readonly editors: number
  /** Sum of layout shifts. */
  readonly shift: number
}

/** With milliseconds of the processor until the answer. */
interface Measured extends Seen {
  readonly page: number
  readonly worker: number
}

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

async function open(browser: Browser, address: string): Promise<Measured> {
  const context = await browser.newContext(PHONE)
  const page = await context.newPage()
  await page.addInitScript(WATCH)
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
  await browser.startTracing(page, { categories: CATEGORIES })
  await page.goto(address)
  await page.waitForTimeout(WATCHED_MS)
  const seen = await page.evaluate<Seen>('window.seen')
  const { traceEvents: events } = JSON.parse((await browser.stopTracing()).toString()) as { readonly traceEvents: readonly TraceEvent[] }
  await context.close()
  const answered = events.find(({ name }) => name === 'answered')
  if (answered === undefined) throw new Error(`${address} has no answer after ${WATCHED_MS} ms`)
  const begun = events.findLast(({ name, pid, ts }) => name === 'begun' && pid === answered.pid && ts < answered.ts)?.ts ?? 0
  const processorOf = (thread: string): number => {
    const threads = new Set(events.flatMap(({ name, pid, tid, args }) => (name === 'thread_name' && pid === answered.pid && args.name === thread ? [tid] : [])))
    const tasks = events.filter(({ name, pid, tid, ts }) => name === 'ThreadControllerImpl::RunTask' && pid === answered.pid && threads.has(tid) && ts >= begun && ts < answered.ts)
    return tasks.reduce((sum, { tdur = 0 }) => sum + tdur, 0) / MICROSECONDS
  }
  return { ...seen, page: processorOf('CrRendererMain'), worker: processorOf('DedicatedWorker thread') }
}

const middleOf = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]

const folders = process.argv.length > 2 ? process.argv.slice(2) : [ASSETS]
const servers = folders.map((folder) => {
  const site = new PlaygroundSite(folder)
  const server = createServer(({ url = '/', headers }, response) => {
    const name = url.slice(1) || PAGE_NAME
    if (!site.has(name)) return void response.writeHead(404).end()
    void site.answer(name, { acceptEncoding: headers['accept-encoding'], ifNoneMatch: headers['if-none-match'] }).then(({ status, type, headers: more, body }) => {
      response.writeHead(status, { 'Content-Type': type, ...more }).end(body)
    })
  })
  server.listen(0, '127.0.0.1')
  return server
})
const executablePath = findChromium()
if (executablePath === null) throw new Error('there is no Chromium')
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
const addressOf = (index: number): string => `http://127.0.0.1:${(servers[index].address() as AddressInfo).port}/`
const measured = folders.map((): Measured[] => [])
// The first time files are compressed.
for (const index of folders.keys()) await open(browser, addressOf(index))
for (let run = 0; run < RUNS; run++) for (const index of folders.keys()) measured[index].push(await open(browser, addressOf(index)))
await browser.close()
for (const server of servers) server.close()
for (const [index, folder] of folders.entries()) {
  const of = (name: keyof Measured): string => middleOf(measured[index].map((one) => one[name])).toFixed(name === 'shift' ? 4 : 0)
  const answers = measured[index].map(({ answer }) => answer.toFixed(0)).join(' ')
  console.log(
    `${folder}: first answer ${of('answer')} ms (${answers}), first paint ${of('painted')} ms, editors ${of('editors')} ms, layout shift ${of('shift')}, processor until the answer: page ${of('page')} ms, worker ${of('worker')} ms`,
  )
}
