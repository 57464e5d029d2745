/** Speaks HTTP to a service under test. */
import { type Received, type Send, sendHttp } from './send.js'

/** What is sent; the path is below `/api/v1` unless it begins with `http`. */
export interface Call {
  readonly key?: string
  readonly token?: string
  readonly organization?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is. */
  readonly raw?: string | Uint8Array
}

export interface Answer<Body = unknown> extends Received {
  /** As JSON; undefined when there is none. */
  readonly body: Body
}

/** The error shape (CONTRACT.md#errors). */
export interface Refusal {
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly details: Readonly<Record<string, unknown>>
  readonly debug_id: string
}

export class Client {
  /**
   * @param origin `http://127.0.0.1:port`
   * @param send default: on any connection
   */
  constructor(
    readonly origin: string,
    readonly standing: Call = {},
    readonly send: Send = sendHttp,
  ) {}

  /** The same, with a credential or headers on every call. */
  as(standing: Call): Client {
    return new Client(this.origin, { ...this.standing, ...standing }, this.send)
  }

  get<Body = never>(path: string, call: Call = {}): Promise<Answer<Body>> {
    return this.call('GET', path, call)
  }

  post<Body = never>(path: string, body?: unknown, call: Call = {}): Promise<Answer<Body>> {
    return this.call('POST', path, body === undefined ? call : { ...call, body })
  }

  patch<Body = never>(path: string, body: unknown, call: Call = {}): Promise<Answer<Body>> {
    return this.call('PATCH', path, { ...call, body })
  }

  delete<Body = never>(path: string, call: Call = {}): Promise<Answer<Body>> {
    return this.call('DELETE', path, call)
  }

  /** Bodies are typed by the caller, who asserts what he reads of them. */
  async call<Body = never>(method: string, path: string, call: Call = {}): Promise<Answer<Body>> {
    const { key, token, organization, headers, body, raw } = { ...this.standing, ...call }
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const received = await this.send(path.startsWith('http') ? path : `${this.origin}/api/v1${path}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { 'X-API-Key': key }),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(organization === undefined ? {} : { 'X-Org-Id': organization }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        'x-locale': 'en-US',
        ...this.standing.headers,
        ...headers,
      },
      body: content,
    })
    const isJson = /^application\/(?:scim\+)?json\b/.test(received.headers.get('content-type') ?? '')
    return { ...received, body: (isJson && received.text !== '' ? JSON.parse(received.text) : undefined) as Body }
  }
}
