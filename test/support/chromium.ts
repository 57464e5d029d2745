/** A headless Chromium, spoken to over its debugging pipe (Chrome DevTools Protocol): opens a page, and keeps what it asked for and complained about. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

/** Null: this machine has none. */
export const CHROMIUM: string | null = findChromium()

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--remote-debugging-pipe',
  '--window-size=1280,1600',
]
/** A page that is not there by then never will be. */
const LOAD_MS = 60_000

interface Message {
  readonly id?: number
  readonly method?: string
  readonly sessionId?: string
  readonly result?: Record<string, unknown>
  readonly error?: { readonly message: string }
  readonly params?: Record<string, unknown>
}

export interface BrowserPage {
  /** Addresses that the page asked for, its own included. */
  readonly requests: readonly string[]
  /** Errors and warnings of its console, uncaught exceptions, and breaches of its policy. */
  readonly complaints: readonly string[]
  /** Value of an expression, which may be a promise. */
  evaluate<T>(expression: string): Promise<T>
  /** As PNG. */
  screenshot(): Promise<Buffer>
}

export class Browser {
  readonly #process: ChildProcess
  readonly #folder: string
  readonly #waiting = new Map<number, { resolve(result: Record<string, unknown>): void; reject(error: Error): void }>()
  readonly #listeners = new Map<string, (method: string, params: Record<string, unknown>) => void>()
  #id = 0

  private constructor(process: ChildProcess, folder: string) {
    this.#process = process
    this.#folder = folder
    let rest = ''
    const output = process.stdio[4] as Readable
    output.setEncoding('utf8')
    output.on('data', (text: string) => {
      const messages = (rest + text).split('\0')
      rest = messages.pop() ?? ''
      for (const message of messages) this.#take(JSON.parse(message) as Message)
    })
    process.once('exit', (code) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`Chromium ended with ${code}`))
    })
  }

  static start(): Browser {
    if (CHROMIUM === null) throw new Error('there is no Chromium')
    const folder = mkdtempSync(join(tmpdir(), 'detection-content-chromium-'))
    const child = spawn(CHROMIUM, [...FLAGS, `--user-data-dir=${folder}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] })
    return new Browser(child, folder)
  }

  /** Opens an address, and waits until it is loaded. */
  async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<BrowserPage> {
    const { targetId } = await this.#send('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = (await this.#send('Target.attachToTarget', { targetId, flatten: true })) as { sessionId: string }
    const requests: string[] = []
    const complaints: string[] = []
    const loaded = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${url} was not loaded within ${LOAD_MS} ms`)), LOAD_MS)
      this.#listeners.set(sessionId, (method, params) => {
        if (method === 'Network.requestWillBeSent') requests.push((params.request as { url: string }).url)
        if (method === 'Runtime.exceptionThrown') complaints.push(JSON.stringify(params.exceptionDetails))
        if (method === 'Runtime.consoleAPICalled' && ['error', 'warning'].includes(String(params.type))) complaints.push(JSON.stringify(params.args))
        if (method === 'Log.entryAdded') {
          const { level, text } = params.entry as { level: string; text: string }
          if (level === 'error' || level === 'warning') complaints.push(text)
        }
        if (method !== 'Page.loadEventFired') return
        clearTimeout(timer)
        resolve()
      })
    })
    const send = (method: string, params: Record<string, unknown> = {}) => this.#send(method, params, sessionId)
    for (const domain of ['Page', 'Network', 'Runtime', 'Log']) await send(`${domain}.enable`)
    if (Object.keys(headers).length > 0) await send('Network.setExtraHTTPHeaders', { headers })
    await send('Page.navigate', { url })
    await loaded
    return {
      requests,
      complaints,
      async evaluate<T>(expression: string) {
        const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
        if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
        return (result as { value: T }).value
      },
      screenshot: async () => Buffer.from(String((await send('Page.captureScreenshot')).data), 'base64'),
    }
  }

  async close(): Promise<void> {
    const ended = this.#process.exitCode === null && this.#process.signalCode === null ? once(this.#process, 'exit') : null
    // Killed, it would leave processes that still write into the folder.
    await this.#send('Browser.close', {}).catch(() => this.#process.kill('SIGKILL'))
    await ended
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }

  #send(method: string, params: Record<string, unknown>, sessionId?: string): Promise<Record<string, unknown>> {
    const id = ++this.#id
    const answered = new Promise<Record<string, unknown>>((resolve, reject) => void this.#waiting.set(id, { resolve, reject }))
    ;(this.#process.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`)
    return answered
  }

  #take({ id, method, sessionId = '', result = {}, error, params = {} }: Message): void {
    if (method !== undefined) this.#listeners.get(sessionId)?.(method, params)
    const waiting = id === undefined ? undefined : this.#waiting.get(id)
    if (id === undefined || waiting === undefined) return
    this.#waiting.delete(id)
    if (error === undefined) waiting.resolve(result)
    else waiting.reject(new Error(error.message))
  }
}

function findChromium(): string | null {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    try {
      return execFileSync('which', [name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
    } catch {
      // Not under this name.
    }
  }
  return null
}
