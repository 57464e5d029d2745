/** What the page asks the engine, and asks again, without a browser: the worker is in this test. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, mock, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { Reply, Request } from '../../../server/playground/worker/protocol.js'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
/** Longer than the page waits for a worker. */
const PATIENCE_MS = 31_000
/** Longer than it waits for the end of a change, and for a pause. */
const SETTLE_MS = 50
const PAUSE_MS = 300

/** A worker that answers what it is told to answer. */
class FakeWorker {
  readonly asked: Request[] = []
  onmessage: ((event: { readonly data: Reply }) => void) | null = null
  onerror: (() => void) | null = null
  isEnded = false

  postMessage(request: Request): void {
    this.asked.push(request)
  }

  terminate(): void {
    this.isEnded = true
  }

  /** The methods that were asked for since the last call. */
  take(): string[] {
    return this.asked.splice(0).map(({ method }) => method)
  }

  last(method: string): Request {
    const found = this.asked.findLast((request) => request.method === method)
    assert.ok(found, method)
    return found
  }

  answer({ id }: Request, answer: unknown): void {
    this.onmessage?.({ data: { id, kind: 'answer', answer } as Reply })
  }

  refuse({ id }: Request, code: 'superseded' | 'failed'): void {
    this.onmessage?.({ data: { id, kind: 'refusal', refusal: { code, limit: null } } })
  }
}

interface Shown {
  readonly differences: unknown
  readonly audit: { readonly isRunning: boolean } | null
  readonly caseGrade: { readonly isRunning: boolean } | null
  readonly diagnosis: unknown
}

interface Answers {
  changed(change: 'content' | 'events' | 'cases'): void
  show(view: 'differences' | 'audit' | 'graph'): void
  readonly grading: { begin(): void }
}

interface Page {
  readonly Answers: new (store: { readonly state: Shown }, start: () => FakeWorker, onRestart: () => void) => Answers
  readonly Store: new (state: object) => { readonly state: Shown; update(change: object): void }
}

describe('what the page asks its engine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'answers-'))
  let page: Page
  before(async () => {
    const { outputFiles } = await build({
      absWorkingDir: ROOT,
      stdin: { contents: "export { Answers } from './answers.js'; export { Store } from './store.js'", resolveDir: join(ROOT, 'server/playground/page/model'), loader: 'ts' },
      write: false,
      bundle: true,
      format: 'esm',
      platform: 'browser',
      logLevel: 'warning',
    })
    const file = join(folder, 'answers.mjs')
    writeFileSync(file, outputFiles[0].contents)
    page = (await import(pathToFileURL(file).href)) as Page
    mock.timers.enable({ apis: ['setTimeout'] })
  })
  after(() => {
    mock.timers.reset()
    rmSync(folder, { recursive: true })
  })

  /** Lets what was answered reach the page. */
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const pass = async (milliseconds: number): Promise<void> => {
    mock.timers.tick(milliseconds)
    await settled()
  }
  const begin = () => {
    const workers: FakeWorker[] = []
    const store = new page.Store({
      ...{ files: [{ id: 1, kind: 'rules', filename: 'own.xml', content: '<group name="own,"/>' }], events: [], cases: [], session: false, now: null },
      ...{ locale: 'en-US', home: null, base: { kind: 'reference', name: '', files: 0 }, selectedEvent: null, inspected: null, answers: new Map() },
      ...{ views: null, audit: null, caseGrade: null, differences: null, diagnosis: null, refusal: null },
    })
    const answers = new page.Answers(
      store,
      () => {
        const worker = new FakeWorker()
        workers.push(worker)
        return worker
      },
      () => {},
    )
    return { workers, worker: workers[0], store, answers }
  }

  test('differences, proofs and the audit are asked for behind changed content', async () => {
    const { worker, store, answers } = begin()
    for (const view of ['differences', 'audit'] as const) {
      store.update({ views: { shown: view, focus: null } })
      answers.show(view)
      await settled()
      worker.take()
      answers.changed('content')
      await pass(SETTLE_MS)
      await pass(PAUSE_MS)
      const asked = worker.take()
      assert.ok(asked.indexOf('open') === 0 && asked.includes(view) && asked.indexOf('prove') > 0, asked.join())
    }
  })

  test('the answer that counts is that of the newest search', async () => {
    const { worker, store, answers } = begin()
    answers.show('differences')
    const old = worker.last('differences')
    answers.show('differences')
    worker.answer(old, { loads: false })
    await settled()
    assert.equal(store.state.differences, null)
    worker.answer(worker.last('differences'), { loads: true })
    await settled()
    assert.deepEqual(store.state.differences, { loads: true })
  })

  test('no view waits for an answer that does not come', async () => {
    const { worker, store, answers } = begin()
    for (const code of ['failed', 'superseded'] as const) {
      answers.show('differences')
      worker.refuse(worker.last('differences'), code)
      answers.show('audit')
      worker.refuse(worker.last('audit'), code)
      answers.grading.begin()
      worker.refuse(worker.last('mutate'), code)
      await settled()
      const { differences, audit, caseGrade } = store.state
      assert.deepEqual([differences, audit?.isRunning, caseGrade?.isRunning], ['refused', false, false])
    }
  })

  test('a new worker gets the content and is asked once more, but not again and again', async () => {
    const { workers, worker, store, answers } = begin()
    answers.changed('content')
    await pass(PAUSE_MS)
    store.update({ views: { shown: 'differences', focus: null } })
    answers.show('differences')
    await pass(PATIENCE_MS)
    await pass(SETTLE_MS)
    await pass(PAUSE_MS)
    assert.ok(worker.isEnded)
    const asked = workers[1].take()
    for (const method of ['open', 'run', 'diagnose', 'differences', 'prove']) assert.ok(asked.includes(method), `${method}: ${asked.join()}`)
    await pass(PATIENCE_MS)
    await pass(SETTLE_MS)
    await pass(PAUSE_MS)
    assert.deepEqual(workers[2].take(), ['open'])
    assert.equal(store.state.differences, 'refused')
    // Other content is tried again.
    answers.changed('content')
    await pass(PAUSE_MS)
    assert.ok(workers[2].take().includes('differences'))
  })
})
