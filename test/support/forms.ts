/** Requests pages and sends forms as a browser does. */
import assert from 'node:assert/strict'

export interface PageAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface FormCall {
  readonly language?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What browsers send for a page. */
const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

export class PageClient {
  constructor(readonly origin: string) {}

  get(path: string, { language = 'en-US', headers = {} }: FormCall = {}): Promise<PageAnswer> {
    return call(`${this.origin}${path}`, { headers: { Accept: HTML, 'Accept-Language': language, ...headers } })
  }

  /** Sent with the service's own origin, unless headers say otherwise; an empty header is left out. */
  post(path: string, fields: Readonly<Record<string, string>> | string, { language = 'en-US', headers = {} }: FormCall = {}): Promise<PageAnswer> {
    const body = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString()
    const sent = { 'Accept-Language': language, 'Content-Type': 'application/x-www-form-urlencoded', Origin: this.origin, ...headers }
    return call(`${this.origin}${path}`, { method: 'POST', body, headers: Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== '')) })
  }
}

async function call(url: string, init: RequestInit): Promise<PageAnswer> {
  const response = await fetch(url, { redirect: 'manual', ...init })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Text of the page's only `h1`. */
export function headingOf({ text }: PageAnswer): string {
  const headings = [...text.matchAll(/<h1>(.*?)<\/h1>/gs)].map(([, inner]) => inner.replace(/<[^>]*>/g, ''))
  assert.equal(headings.length, 1, text)
  return headings[0]
}

/** Error messages by the name of the input. */
export function errorsOf({ text }: PageAnswer): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/<p class="error" id="(\w+)-error">(.*?)<\/p>/g)].map(([, name, error]) => [name, error]))
}

/** Values of inputs by name, or by id where an input is not sent. */
export function valuesOf({ text }: PageAnswer): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/<input [^>]*>/g)].flatMap(([input]) => {
      const attribute = (name: string): string | undefined => new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1]
      const name = attribute('name') ?? attribute('id')
      const value = attribute('value')
      return name === undefined || value === undefined ? [] : [[name, value]]
    }),
  )
}
