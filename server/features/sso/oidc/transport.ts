/** Requests to OpenID providers through the guarded client. What it throws names the endpoint and the kind of failure, nothing that was sent or received. */
import { SMALL_JSON_BYTES, validateBytes } from '#requests'
import { type HttpClient, OutboundError } from '../../../core/egress/client.js'
import { guardedFetch } from '../../../core/egress/fetch.js'
import { type OidcEndpoint, OidcError } from './oidc-error.js'

/** Providers answer within a second; a person waits for several answers in a row. */
const TIMEOUT_MS = 10_000
/** Every answer, which the library parses on the event loop: tokens and userinfo have some KB, with a thousand groups forty, and metadata and keys of Entra ID twelve. */
const ANSWER_BYTES = SMALL_JSON_BYTES
/** Claims may have any name. */
const AN_OBJECT = { type: 'object', additionalProperties: true } as const
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
      const guarded = guardedFetch(this.#http, { timeoutMs: TIMEOUT_MS, bodyLimit: ANSWER_BYTES })
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
    return readObject(new Uint8Array(await response.arrayBuffer()), endpoint)
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

/** @param body at most `ANSWER_BYTES` @throws OidcError answer_invalid */
export function readObject(body: Uint8Array, endpoint: OidcEndpoint): Readonly<Record<string, unknown>> {
  const object = objectOf(body)
  if (object === null) throw new OidcError('answer_invalid', { endpoint, field: 'json' })
  return object
}

/** Null: it is no JSON object. @param body at most `ANSWER_BYTES` */
export function objectOf(body: Uint8Array): Readonly<Record<string, unknown>> | null {
  const read = body.length === 0 ? null : validateBytes(AN_OBJECT, body, true)
  return read?.kind === 'valid' ? (read.value as Readonly<Record<string, unknown>>) : null
}

function noAnswer({ failure }: OutboundError, endpoint: OidcEndpoint): OidcError {
  if (failure === 'target_refused') return new OidcError('target_refused', { endpoint })
  if (failure === 'answer_too_large') return new OidcError('too_large', { endpoint })
  return new OidcError('unreachable', { endpoint, failure })
}
