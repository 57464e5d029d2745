/** Pages with forms, as a browser asks for them. */
import assert from 'node:assert/strict'

export interface PageAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** What is sent with every call. */
export interface FormCall {
  readonly language?: string
  readonly headers?: Readonly<Record<string, string>>
}

export class PageClient {
  constructor(readonly origin: string) {}

  get(path: string, { language = 'en-US', headers = {} }: FormCall = {}): Promise<PageAnswer> {
    return call(`${this.origin}${path}`, { headers: { 'Accept-Language': language, ...headers } })
  }

  /** As a page of the service sends it, unless headers say otherwise. */
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

/** The text of the page's only heading of the first level, without markup. */
export function headingOf({ text }: PageAnswer): string {
  const headings = [...text.matchAll(/<h1>(.*?)<\/h1>/gs)].map(([, inner]) => inner.replace(/<[^>]*>/g, ''))
  assert.equal(headings.length, 1, text)
  return headings[0]
}

/** What is said to be wrong, by the name of the input. */
export function errorsOf({ text }: PageAnswer): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/<p class="error" id="(\w+)-error">(.*?)<\/p>/g)].map(([, name, error]) => [name, error]))
}

/** The values that inputs are shown with, by name or, of those that are not sent, by id. */
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
