/**
 * Drives a headless Chromium, where one is installed, by the DevTools protocol over two pipes, which needs no library. Scripts of pages are disabled
 * unless a test asks for them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']
/** No display, and no requests of the browser's own. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--remote-debugging-pipe',
]
/** Roles that `accessibilityTree` lists; text nodes repeat their names. */
const LISTED_ROLES: ReadonlySet<string> = new Set(['RootWebArea', 'navigation', 'main', 'heading', 'alert', 'link', 'textbox', 'button'])
/** Twenty seconds: ending processes takes a loaded machine some. */
const REMOVAL_ATTEMPTS = 200
const REMOVAL_PAUSE_MS = 100
/** A page that is not loaded by then never will be. */
const LOAD_MS = 60_000
/** Ends a message of the protocol. */
const END = '\0'

/** Null: none is installed. */
export function findChromium(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const named = process.env.CHROMIUM_BINARY
  return named ?? folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find((path) => existsSync(path)) ?? null
}

export const CHROMIUM_SKIP: string | false = findChromium() === null ? 'there is no Chromium' : false

type Params = Readonly<Record<string, unknown>>
type Result = Readonly<Record<string, never>> & { readonly [name: string]: unknown }

/** A request of a page, with the headers that the browser adds. */
export interface SentRequest {
  url: string
  headers: Readonly<Record<string, string>>
}

export class Browser {
  readonly #child: ChildProcess
  readonly #profile: string
  readonly #waiting = new Map<number, { resolve: (result: Result) => void; reject: (error: Error) => void }>()
  readonly #listeners = new Set<(method: string, params: Params, session: string | undefined) => void>()
  #last = 0

  private constructor(child: ChildProcess, profile: string) {
    this.#child = child
    this.#profile = profile
    let rest = ''
    const output = child.stdio[4] as Readable
    output.setEncoding('utf8')
    output.on('data', (chunk: string) => {
      const messages = (rest + chunk).split(END)
      rest = messages.pop() ?? ''
      for (const message of messages)
        this.#receive(JSON.parse(message) as { id?: number; error?: { message: string }; result?: Result; method?: string; params?: Params; sessionId?: string })
    })
    child.once('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the browser has ended'))
    })
  }

  static async start(): Promise<Browser> {
    const binary = findChromium()
    if (binary === null) throw new Error(CHROMIUM_SKIP || '')
    const profile = mkdtempSync(join(tmpdir(), 'chromium-'))
    const child = spawn(binary, [...FLAGS, `--user-data-dir=${profile}`], { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] })
    const browser = new Browser(child, profile)
    await browser.call('Browser.getVersion')
    return browser
  }

  /** A tab in a browser context of its own. @param options.hasScripts whether scripts of pages run */
  async open({ width = 1280, height = 900, languages = 'en-US', hasScripts = false } = {}): Promise<Tab> {
    const { browserContextId } = await this.call('Target.createBrowserContext')
    const { targetId } = await this.call('Target.createTarget', { url: 'about:blank', browserContextId })
    const { sessionId } = await this.call('Target.attachToTarget', { targetId, flatten: true })
    const tab = new Tab(this, sessionId as unknown as string)
    await tab.begin(width, height, languages, hasScripts)
    return tab
  }

  call(method: string, params: Params = {}, sessionId?: string): Promise<Result> {
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      ;(this.#child.stdio[3] as Writable).write(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }) + END)
    })
  }

  listen(listener: (method: string, params: Params, session: string | undefined) => void): void {
    this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    // Its child processes as well: they write to the profile.
    process.kill(-(this.#child.pid as number), 'SIGKILL')
    await ended
    await removeProfile(this.#profile)
  }

  #receive({
    id,
    error,
    result,
    method,
    params = {},
    sessionId,
  }: {
    id?: number
    error?: { message: string }
    result?: Result
    method?: string
    params?: Params
    sessionId?: string
  }): void {
    if (id === undefined) for (const listener of this.#listeners) listener(method ?? '', params, sessionId)
    else {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (error === undefined) waiting?.resolve(result ?? ({} as Result))
      else waiting?.reject(new Error(error.message))
    }
  }
}

/** A process that is being killed may write a last file. `maxRetries` of `rmSync` would not delete that file, only try the folder again. */
async function removeProfile(folder: string): Promise<void> {
  for (let left = REMOVAL_ATTEMPTS; ; left--) {
    try {
      return rmSync(folder, { recursive: true, force: true })
    } catch (error) {
      if (left === 0) throw error
      await setTimeout(REMOVAL_PAUSE_MS)
    }
  }
}

export class Tab {
  readonly #browser: Browser
  readonly #session: string
  #loaded: (() => void) | null = null
  readonly #requests = new Map<string, SentRequest>()
  /** Entries of the browser's log, such as violations of a policy. */
  readonly complaints: string[] = []

  constructor(browser: Browser, session: string) {
    this.#browser = browser
    this.#session = session
    browser.listen((method, params, of) => {
      if (of !== session) return
      if (method === 'Page.loadEventFired') this.#loaded?.()
      else if (method === 'Network.requestWillBeSent') this.#request(params.requestId as string).url = (params.request as SentRequest).url
      else if (method === 'Network.requestWillBeSentExtraInfo') this.#request(params.requestId as string).headers = params.headers as SentRequest['headers']
      else if (method === 'Runtime.exceptionThrown') this.complaints.push(JSON.stringify(params.exceptionDetails))
      else if (method === 'Runtime.consoleAPICalled' && isComplaint(params.type)) this.complaints.push(JSON.stringify(params.args))
      else if (method === 'Log.entryAdded') {
        const { level, text } = params.entry as { level: string; text: string }
        if (isComplaint(level)) this.complaints.push(text)
      }
    })
  }

  /** All requests of the tab. The headers of one may be told before its address. */
  get requests(): readonly SentRequest[] {
    return [...this.#requests.values()].filter(({ url }) => url !== '')
  }

  async begin(width: number, height: number, languages: string, hasScripts: boolean): Promise<void> {
    for (const domain of ['Page', 'DOM', 'Network', 'Runtime', 'Log', 'Accessibility']) await this.#call(`${domain}.enable`)
    await this.#call('Emulation.setScriptExecutionDisabled', { value: !hasScripts })
    await this.#call('Network.setExtraHTTPHeaders', { headers: { 'Accept-Language': languages } })
    await this.resize(width, height)
  }

  resize(width: number, height: number): Promise<unknown> {
    return this.#call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 })
  }

  goto(url: string): Promise<void> {
    return this.#loading(() => this.#call('Page.navigate', { url }))
  }

  /** Clicks, and waits for the next page. */
  follow(selector: string): Promise<void> {
    return this.#loading(() => this.click(selector))
  }

  async click(selector: string): Promise<void> {
    const nodeId = await this.#node(selector)
    await this.#call('DOM.scrollIntoViewIfNeeded', { nodeId })
    const { model } = (await this.#call('DOM.getBoxModel', { nodeId })) as unknown as { model: { content: number[] } }
    const [left, top, , , right, bottom] = model.content
    const at = { x: (left + right) / 2, y: (top + bottom) / 2, button: 'left', clickCount: 1 }
    await this.#call('Input.dispatchMouseEvent', { type: 'mousePressed', ...at })
    await this.#call('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at })
  }

  async type(selector: string, text: string): Promise<void> {
    await this.#call('DOM.focus', { nodeId: await this.#node(selector) })
    await this.#call('Input.insertText', { text })
  }

  /** Types into the focused element. */
  async typeOn(text: string): Promise<void> {
    await this.#call('Input.insertText', { text })
  }

  async press(key: 'Tab' | 'Enter'): Promise<void> {
    const code = key === 'Tab' ? 9 : 13
    const event = { key, code: key, windowsVirtualKeyCode: code, ...(key === 'Enter' ? { text: '\r' } : {}) }
    await this.#call('Input.dispatchKeyEvent', { type: 'keyDown', ...event })
    await this.#call('Input.dispatchKeyEvent', { type: 'keyUp', ...event })
  }

  /** Presses Enter, and waits for the next page. */
  enter(): Promise<void> {
    return this.#loading(() => this.press('Enter'))
  }

  async url(): Promise<string> {
    const { currentIndex, entries } = (await this.#call('Page.getNavigationHistory')) as unknown as { currentIndex: number; entries: { url: string }[] }
    return entries[currentIndex].url
  }

  /** Width of the page, which may exceed that of the window. */
  async contentWidth(): Promise<number> {
    const { cssContentSize } = (await this.#call('Page.getLayoutMetrics')) as unknown as { cssContentSize: { width: number } }
    return cssContentSize.width
  }

  /** Role, name, description and states of each element, as assistive technology gets them; the focused one begins with a star. */
  async accessibilityTree(): Promise<string[]> {
    interface Node {
      readonly ignored: boolean
      readonly role?: { readonly value: string }
      readonly name?: { readonly value: string }
      readonly description?: { readonly value: string }
      readonly properties?: readonly { readonly name: string; readonly value: { readonly value: unknown } }[]
    }
    const { nodes } = (await this.#call('Accessibility.getFullAXTree')) as unknown as { nodes: Node[] }
    return nodes
      .filter(({ ignored, role }) => !ignored && role !== undefined && LISTED_ROLES.has(role.value))
      .map(({ role, name, description, properties = [] }) => {
        const told = (property: string): boolean => properties.some((one) => one.name === property && one.value.value !== false && one.value.value !== 'false')
        const states = ['required', 'invalid', 'readonly'].filter(told)
        return `${told('focused') && role?.value !== 'RootWebArea' ? '*' : ''}${[role?.value, name?.value, description?.value, ...states].filter((part) => part !== undefined && part !== '').join(' | ')}`
      })
  }

  /** The element as a PNG, also where it is larger than the window. */
  async screenshot(selector: string): Promise<Buffer> {
    const { model } = (await this.#call('DOM.getBoxModel', { nodeId: await this.#node(selector) })) as unknown as { model: { border: number[]; width: number; height: number } }
    const [x, y] = model.border
    const clip = { x, y, width: model.width, height: model.height, scale: 1 }
    const { data } = (await this.#call('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true, clip })) as unknown as { data: string }
    return Buffer.from(data, 'base64')
  }

  /** Value of an expression, which may be a promise. Scripts of the page itself run only in a tab that has them. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.#call('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return (result as unknown as { value: T }).value
  }

  /** The two messages about a request come in any order. */
  #request(id: string): SentRequest {
    const known = this.#requests.get(id) ?? { url: '', headers: {} }
    this.#requests.set(id, known)
    return known
  }

  async #node(selector: string): Promise<number> {
    const { root } = (await this.#call('DOM.getDocument')) as unknown as { root: { nodeId: number } }
    const { nodeId } = (await this.#call('DOM.querySelector', { nodeId: root.nodeId, selector })) as unknown as { nodeId: number }
    if (nodeId === 0) throw new Error(`there is no ${selector}`)
    return nodeId
  }

  async #loading(act: () => Promise<unknown>): Promise<void> {
    const timer = new AbortController()
    const loaded = new Promise<void>((resolve) => {
      this.#loaded = resolve
    })
    const late = setTimeout(LOAD_MS, null, { signal: timer.signal }).then(
      () => {
        throw new Error(`no page was loaded within ${LOAD_MS} ms`)
      },
      () => {},
    )
    try {
      await act()
      await Promise.race([loaded, late])
    } finally {
      timer.abort()
      this.#loaded = null
    }
  }

  #call(method: string, params: Params = {}): Promise<Result> {
    return this.#browser.call(method, params, this.#session)
  }
}

function isComplaint(level: unknown): boolean {
  return level === 'error' || level === 'warning'
}
