/** The built page of the playground in a Chromium, served by a server that has nothing else. */
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { PLAYGROUND_POLICY } from '../../server/core/playground-site.js'
import { findChromium } from './chromium.js'
import { ASSETS } from './playground.js'

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }
/** A browser on a busy machine. */
const PATIENCE_MS = 60_000

/** A page with everything that it asked for, and what it complained about. */
export interface PlaygroundTab {
  readonly page: Page
  readonly context: BrowserContext
  /** Addresses of its requests, those of its worker included. */
  readonly requests: readonly string[]
  /** Warnings and errors of the console, and errors of scripts. */
  readonly complaints: readonly string[]
}

export class PlaygroundBrowser {
  readonly #browser: Browser
  readonly #server: Server
  readonly address: string

  private constructor(browser: Browser, server: Server) {
    this.#browser = browser
    this.#server = server
    this.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/playground/`
  }

  static async start(): Promise<PlaygroundBrowser> {
    const server = createServer(({ url = '/' }, response) => {
      const name = new URL(url, 'http://x').pathname.replace(/^\/playground\//, '') || 'index.html'
      const content = /^[\w.-]+$/.test(name) ? read(name) : null
      if (content === null) return void response.writeHead(404).end()
      response.writeHead(200, { 'Content-Type': `${TYPES[extname(name)]}; charset=utf-8`, 'Content-Security-Policy': PLAYGROUND_POLICY }).end(content)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const executablePath = findChromium()
    if (executablePath === null) throw new Error('there is no Chromium')
    return new PlaygroundBrowser(await chromium.launch({ executablePath, args: ['--no-sandbox'] }), server)
  }

  /** Opens the page in a context of its own, or in a given one. @param fragment what the address ends with @param address of another server that has the page */
  async open({
    fragment = '',
    address = this.address,
    context: given,
    ...options
  }: BrowserContextOptions & { readonly fragment?: string; readonly address?: string; readonly context?: BrowserContext } = {}): Promise<PlaygroundTab> {
    const context = given ?? (await this.#browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US', reducedMotion: 'reduce', ...options }))
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    const requests: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    await page.goto(address + fragment)
    return { page, context, requests, complaints }
  }

  async close(): Promise<void> {
    await this.#browser.close()
    this.#server.close()
  }
}

function read(name: string): Buffer | null {
  try {
    return readFileSync(join(ASSETS, name))
  } catch {
    return null
  }
}
