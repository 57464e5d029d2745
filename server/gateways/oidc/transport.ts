/** Requests to OpenID providers through the guarded client. What it throws names the endpoint and the kind of failure, nothing that was sent or received. */
import { type HttpClient, OutboundError } from '../http/client.js'
import { guardedFetch } from '../http/fetch.js'
import { type OidcEndpoint, OidcError } from './oidc-error.js'

/** Providers answer within a second; a person waits for several answers in a row. */
const TIMEOUT_MS = 10_000
/** Tokens and userinfo: some KB, with thousands of groups some hundred. */
const ANSWER_BYTES = 1024 * 1024
/** Metadata and keys, which are cached: those of Entra ID have 12 KB. */
const DOCUMENT_BYTES = 128 * 1024
/** What is read of the page at the authorization endpoint: its status and headers matter. */
const PAGE_BYTES = 1024

/** The part of `fetch` that the library uses. */
export type OidcFetch = (
  url: string,
  request: { readonly method: string; readonly headers: Readonly<Record<string, string>>; readonly body?: URLSearchParams | null | undefined },
) => Promise<Response>

export class OidcTransport {
  readonly #http: Pick<HttpClient, 'send'>
  /** One function for each endpoint: the library shares a download of keys among calls with the same function. */
  readonly #fetches = new Map<OidcEndpoint, OidcFetch>()

  constructor(http: Pick<HttpClient, 'send'>) {
    this.#http = http
  }

  /** `fetch` for the library, for one endpoint. It rejects with an OidcError. */
  fetchOf(endpoint: OidcEndpoint): OidcFetch {
    let made = this.#fetches.get(endpoint)
    if (made === undefined) {
      const bodyLimit = endpoint === 'discovery' || endpoint === 'jwks' ? DOCUMENT_BYTES : ANSWER_BYTES
      const guarded = guardedFetch(this.#http, { timeoutMs: TIMEOUT_MS, bodyLimit })
      made = async (url, { method, headers, body = null }) => {
        try {
          const response = await guarded(url, { method, headers, body })
          if (response.status >= 500) throw new OidcError('unreachable', { endpoint, status: response.status })
          return response
        } catch (error) {
          throw error instanceof OutboundError ? noAnswer(error, endpoint) : error
        }
      }
      this.#fetches.set(endpoint, made)
    }
    return made
  }

  /** An object that an endpoint answers to a GET. @throws OidcError */
  async getJson(url: URL, endpoint: OidcEndpoint): Promise<Readonly<Record<string, unknown>>> {
    const response = await this.fetchOf(endpoint)(url.href, { method: 'GET', headers: { Accept: 'application/json' } })
    if (response.status !== 200) throw new OidcError('answer_invalid', { endpoint, status: response.status })
    return readObject(await response.text(), endpoint)
  }

  /** Status and `Location` of a page. @throws OidcError */
  async look(url: URL, endpoint: OidcEndpoint): Promise<{ readonly status: number; readonly location: string | null }> {
    try {
      const answer = await this.#http.send({
        method: 'GET',
        url,
        headers: { Accept: 'text/html' },
        timeoutMs: TIMEOUT_MS,
        bodyLimit: PAGE_BYTES,
        beyondLimit: 'cut',
      })
      if (answer.status >= 500) throw new OidcError('unreachable', { endpoint, status: answer.status })
      return { status: answer.status, location: answer.headers.location ?? null }
    } catch (error) {
      throw error instanceof OutboundError ? noAnswer(error, endpoint) : error
    }
  }
}

/** @throws OidcError answer_invalid */
export function readObject(text: string, endpoint: OidcEndpoint): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // The error of the parser repeats a part of the text.
  }
  throw new OidcError('answer_invalid', { endpoint, field: 'json' })
}

function noAnswer({ failure }: OutboundError, endpoint: OidcEndpoint): OidcError {
  if (failure === 'target_refused') return new OidcError('target_refused', { endpoint })
  if (failure === 'answer_too_large') return new OidcError('too_large', { endpoint })
  return new OidcError('unreachable', { endpoint, failure })
}
