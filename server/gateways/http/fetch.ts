/**
 * The guarded HTTP client as `fetch`, for libraries that call external servers. Everything that `client.ts` promises holds: no redirect is followed (the
 * answer is the redirect), addresses are checked, time and size are limited. Bodies of requests are texts or bytes.
 */
import type { HttpClient, OutboundRequest, OutboundResponse } from './client.js'

export interface FetchLimits {
  /** Limit for a whole exchange. */
  readonly timeoutMs: number
  /** Maximum bytes of a response body; a longer one is refused. */
  readonly bodyLimit: number
}

/** Responses with these statuses have no body; the constructor of `Response` refuses one. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 103, 204, 205, 304])

/** The returned function rejects with an `OutboundError` if there is no answer. */
export function guardedFetch(http: Pick<HttpClient, 'send'>, { timeoutMs, bodyLimit }: FetchLimits): typeof fetch {
  return async (input, init) => {
    const answer = await http.send({ ...(await outboundOf(input, init)), timeoutMs, bodyLimit, beyondLimit: 'refuse' })
    return responseOf(answer, new Uint8Array(answer.body))
  }
}

/** The same, for a body that is read as it arrives: it fails with an `OutboundError` if it does not end well. */
export function guardedStreamingFetch(http: Pick<HttpClient, 'open'>, { timeoutMs, bodyLimit }: FetchLimits): typeof fetch {
  return async (input, init) => {
    const answer = await http.open({ ...(await outboundOf(input, init)), timeoutMs, bodyLimit })
    if (WITHOUT_BODY.has(answer.status)) await answer.body.return()
    return responseOf(answer, ReadableStream.from(answer.body))
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

function responseOf(answer: Pick<OutboundResponse, 'status' | 'headers'>, body: ConstructorParameters<typeof Response>[0]): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers)) for (const each of [value ?? []].flat()) headers.append(name, each)
  return new Response(WITHOUT_BODY.has(answer.status) ? null : body, { status: answer.status, headers })
}
