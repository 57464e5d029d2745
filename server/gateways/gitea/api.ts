/**
 * Calls of Gitea's REST API. Invariants:
 *  1. a request goes to an endpoint below `/api/v1` of the connection's address, whatever a name contains
 *  2. an answer has the form of its schema, and a list ends at a limit
 *  3. everything that is thrown is an `ApiError`, without the credential
 */
import Type, { type Static, type TSchema } from 'typebox'
import { checkAnswer, malformedAnswer, parseAnswer } from '../answers.js'
import type { GatewayParts, ProviderConnection, ProviderCredentials } from '../connection.js'
import { CALL_TIMEOUT_MS, FILE_BYTES, LIST_CHARACTERS } from '../git/gateway.js'
import { refusalOf } from '../git/wire/refusal.js'
import { OutboundError, type OutboundRequest, type OutboundResponse } from '../http/client.js'
import { checkPage } from '../pages.js'
import { noAnswer, ProviderError } from '../provider-error.js'

export const GITEA = 'gitea'
export const GITEA_PUBLIC_ADDRESS = 'https://gitea.com'
/** Most entries of a page that Gitea allows by default. An operator may allow fewer. */
export const PAGE = 50
/** Bytes of an answer. The largest is a file in Base64, with its fields. */
const ANSWER_BYTES = 2 * FILE_BYTES

const Found = Type.Object({ data: Type.Array(Type.Unknown()) })

export interface GiteaCall {
  readonly method?: OutboundRequest['method']
  /** Segments below `/api/v1`. */
  readonly path: readonly string[]
  readonly query?: Readonly<Record<string, string | number | boolean>>
  readonly body?: unknown
  /** What does not exist if the answer is 404. */
  readonly what: string
  readonly signal: AbortSignal
}

export class GiteaApi {
  readonly #address: string
  readonly #authorization: string | null
  readonly #secrets: readonly string[]
  readonly #parts: GatewayParts

  constructor({ baseUrl, credentials }: Pick<ProviderConnection, 'baseUrl' | 'credentials'>, parts: GatewayParts) {
    this.#address = `${baseUrl ?? GITEA_PUBLIC_ADDRESS}/api/v1`
    this.#parts = parts
    const { authorization, secrets } = authorizationOf(credentials)
    this.#authorization = authorization
    this.#secrets = secrets
  }

  /** Returns the answer as its schema says. */
  async get<S extends TSchema>(schema: S, call: GiteaCall): Promise<Static<S>> {
    return checkAnswer(schema, parseAnswer((await this.#send(call)).body.toString('utf8'), GITEA), GITEA)
  }

  /** Returns all entries of a list that has pages. @throws ProviderError too_large above the limit */
  async list<S extends TSchema>(schema: S, limit: number, call: GiteaCall): Promise<Static<S>[]> {
    const entries = await this.#pages(limit + 1, call, (answer) => checkPage(schema, answer, GITEA))
    if (entries.length > limit) throw new ProviderError('too_large', { provider: GITEA, details: { limit } })
    return entries
  }

  /** Like `list`, for a search, whose answer has the list in `data`. */
  async search<S extends TSchema>(schema: S, limit: number, call: GiteaCall): Promise<Static<S>[]> {
    const entries = await this.#pages(limit + 1, call, (answer) => checkPage(schema, checkAnswer(Found, answer, GITEA).data, GITEA))
    if (entries.length > limit) throw new ProviderError('too_large', { provider: GITEA, details: { limit } })
    return entries
  }

  /** Returns the first entries of a list. */
  first<S extends TSchema>(schema: S, count: number, call: GiteaCall): Promise<Static<S>[]> {
    return this.#pages(count, call, (answer) => checkPage(schema, answer, GITEA))
  }

  async #pages<T>(count: number, call: GiteaCall, read: (answer: unknown) => T[]): Promise<T[]> {
    const entries: T[] = []
    let bytes = 0
    for (let page = 1; ; page++) {
      const { headers, body } = await this.#send({ ...call, query: { ...call.query, page, limit: Math.min(PAGE, count) } })
      const total = Number(headers['x-total-count'] ?? Number.NaN)
      const answer = parseAnswer(body.toString('utf8'), GITEA)
      // The list of nothing is `null` for an empty repository.
      const found = answer === null && total === 0 ? [] : read(answer)
      // Not as arguments of `push`: a hostile page may have more entries than a call may have.
      for (const entry of found) entries.push(entry)
      bytes += body.length
      if (bytes > LIST_CHARACTERS) throw new ProviderError('too_large', { provider: GITEA, details: { limit: LIST_CHARACTERS } })
      // A page may be shorter than requested.
      if (found.length === 0 || entries.length >= count || entries.length >= total) return entries.slice(0, count)
    }
  }

  async #send({ method = 'GET', path, query = {}, body, what, signal }: GiteaCall): Promise<OutboundResponse> {
    const { http, clock } = this.#parts
    // A segment `..` would select another endpoint.
    if (path.some((segment) => /^\.{0,2}$/.test(segment))) throw new ProviderError('not_found', { provider: GITEA, details: { what } })
    const url = new URL(`${this.#address}/${path.map(encodeURIComponent).join('/')}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    let response: OutboundResponse
    try {
      response = await http.send({
        method,
        url,
        headers: {
          Accept: 'application/json',
          ...(this.#authorization === null ? {} : { Authorization: this.#authorization }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs: CALL_TIMEOUT_MS,
        signal,
        bodyLimit: ANSWER_BYTES,
        beyondLimit: 'refuse',
      })
    } catch (error) {
      // Node refuses a header with the characters of a strange token, in an error that contains the token.
      throw error instanceof OutboundError ? noAnswer(error, GITEA) : malformedAnswer(GITEA)
    }
    if (response.status >= 200 && response.status < 300) return response
    throw refusalOf(response, messageOf(response.body), { provider: GITEA, now: clock(), what, secrets: this.#secrets })
  }
}

function authorizationOf(credentials: ProviderCredentials): { readonly authorization: string | null; readonly secrets: readonly string[] } {
  switch (credentials.kind) {
    case 'none':
      return { authorization: null, secrets: [] }
    case 'token':
      return { authorization: `token ${credentials.token}`, secrets: [credentials.token] }
    case 'password': {
      const encoded = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')
      return { authorization: `Basic ${encoded}`, secrets: [credentials.password, encoded] }
    }
    case 'app':
      throw new ProviderError('unsupported', { provider: GITEA, details: { what: 'app' } })
  }
}

function messageOf(body: Buffer): unknown {
  try {
    return (JSON.parse(body.toString('utf8')) as { message?: unknown } | null)?.message
  } catch {
    return null
  }
}
