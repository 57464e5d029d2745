/**
 * The guarded HTTP client as `fetch`, for libraries that call external servers. Everything that `client.ts` promises holds: no redirect is followed (the
 * answer is the redirect), addresses are checked, time and size are limited. Bodies of requests are texts or bytes. A library gets no JSON of more than
 * `SMALL_JSON_BYTES`, because it would parse it on the event loop: larger bodies are bytes for our own code, which has a thread parse them.
 */
import { SMALL_JSON_BYTES } from '#requests'
import { type HttpClient, OutboundError, type OutboundRequest, type OutboundResponse } from './client.js'

/** Bytes of an error's body that are read. Errors of all providers have less than 4 KB. */
export const ERROR_BYTES = 16 * 1024

export interface FetchLimits {
  /** Limit for a whole exchange. */
  readonly timeoutMs: number
  /** Maximum bytes of a response body; a longer one is refused. */
  readonly bodyLimit: number
}

/** Responses with these statuses have no body; the constructor of `Response` refuses one. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 103, 204, 205, 304])

/**
 * The returned function rejects with an `OutboundError` if there is no answer.
 * @param keep gets the bodies of answers that are no errors, in place of the library
 */
export function guardedFetch(http: Pick<HttpClient, 'send'>, { timeoutMs, bodyLimit }: FetchLimits, keep?: (body: Buffer) => void): typeof fetch {
  return async (input, init) => {
    const answer = await http.send({ ...(await outboundOf(input, init)), timeoutMs, bodyLimit, beyondLimit: 'refuse' })
    if (keep !== undefined && !isError(answer)) {
      keep(answer.body)
      return responseOf(answer, null, 0)
    }
    const body = new Uint8Array(isError(answer) ? answer.body.subarray(0, ERROR_BYTES) : answer.body)
    return responseOf(answer, body, body.length)
  }
}

/** The same, for a body that is read as it arrives: it fails with an `OutboundError` if it does not end well. */
export function guardedStreamingFetch(http: Pick<HttpClient, 'open'>, { timeoutMs, bodyLimit }: FetchLimits): typeof fetch {
  return async (input, init) => {
    const answer = await http.open({ ...(await outboundOf(input, init)), timeoutMs, bodyLimit })
    if (WITHOUT_BODY.has(answer.status)) await answer.body.return()
    // A body of unknown length is read by us alone.
    return isError(answer) ? responseOf(answer, ReadableStream.from(beginningOf(answer.body)), ERROR_BYTES) : responseOf(answer, ReadableStream.from(answer.body), Infinity)
  }
}

/** The answer to a request of a library, which gets no text or JSON of more than `SMALL_JSON_BYTES`. */
function guardedResponse(body: ResponseBody, bytes: number, init: { readonly status: number; readonly headers: Headers }): Response {
  const response = new Response(body, init)
  if (bytes <= SMALL_JSON_BYTES) return response
  const refuse = async (): Promise<never> => {
    throw new OutboundError('answer_too_large')
  }
  return Object.defineProperties(response, { text: { value: refuse }, json: { value: refuse }, clone: { value: () => guardedResponse(body, bytes, init) } })
}

type ResponseBody = ConstructorParameters<typeof Response>[0]

function isError({ status }: Pick<OutboundResponse, 'status'>): boolean {
  return status >= 400
}

/** Ends a body after `ERROR_BYTES`. */
async function* beginningOf(body: AsyncGenerator<Buffer, void, undefined>): AsyncGenerator<Buffer, void, undefined> {
  let left = ERROR_BYTES
  for await (const chunk of body) {
    yield chunk.subarray(0, left)
    left -= chunk.length
    if (left <= 0) return
  }
}

type FetchArguments = Parameters<typeof fetch>

async function outboundOf(input: FetchArguments[0], init: FetchArguments[1]): Promise<Pick<OutboundRequest, 'method' | 'url' | 'headers' | 'body' | 'signal'>> {
  // Without the signal, on which a `Request` listens until it is collected: an operation of 10,000 calls would have as many listeners.
  const request = new Request(input, { ...init, redirect: 'manual', signal: null })
  const body = new Uint8Array(await request.arrayBuffer())
  const signal = init?.signal ?? undefined
  return {
    method: request.method as OutboundRequest['method'],
    url: new URL(request.url),
    headers: Object.fromEntries(request.headers),
    ...(body.length === 0 ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  }
}

function responseOf(answer: Pick<OutboundResponse, 'status' | 'headers'>, body: ResponseBody, bytes: number): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers)) for (const each of [value ?? []].flat()) headers.append(name, each)
  return guardedResponse(WITHOUT_BODY.has(answer.status) ? null : body, bytes, { status: answer.status, headers })
}
