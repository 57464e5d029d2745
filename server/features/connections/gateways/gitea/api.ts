/**
 * Calls of Gitea's REST API. Invariants:
 *  1. a request goes to an endpoint below `/api/v1` of the connection's address, also if a name contains `/` or `..`
 *  2. an answer has the form of its schema, and a list ends at a limit
 *  3. everything that is thrown is an `ApiError`, without the credential
 */
import Type, { type Static, type TSchema } from 'typebox'
import { malformedAnswer, readAnswer, readError, readFileAnswer } from '../../../../core/egress/answers.js'
import type { GatewayParts, ProviderConnection, ProviderCredentials } from '../connection.js'
import { CALL_TIMEOUT_MS, FILE_BYTES, LIST_CHARACTERS } from '../git/gateway.js'
import { refusalOf } from '../git/wire/refusal.js'
import { ApiError } from '../../../../core/errors.js'
import { OutboundError, type OutboundRequest, type OutboundResponse } from '../../../../core/egress/client.js'
import { noAnswer, ProviderError } from '../../../../core/egress/provider-error.js'

export const GITEA = 'gitea'
export const GITEA_PUBLIC_ADDRESS = 'https://gitea.com'
/** Most entries of a page that Gitea allows by default. An operator may allow fewer. */
export const PAGE = 50
/** Bytes of an answer. The largest is a file in Base64, with its fields. */
const ANSWER_BYTES = 2 * FILE_BYTES

const Failed = Type.Object({ message: Type.Optional(Type.String()) })

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
    return this.#read(schema, (await this.#send(call)).body, call.signal)
  }

  /** Returns an answer with a file in its `content`. */
  async jsonWithFile<S extends TSchema>(schema: S, call: GiteaCall) {
    const { body } = await this.#send(call)
    return readFileAnswer(this.#parts.reader, schema, body, GITEA, call.signal)
  }

  /** Returns all entries of a list that has pages. @throws ProviderError too_large above the limit */
  async list<S extends TSchema>(schema: S, limit: number, call: GiteaCall): Promise<Static<S>[]> {
    const entries = await this.#pages(limit + 1, call, Type.Union([Type.Array(schema), Type.Null()]), (page) => page)
    if (entries.length > limit) throw new ProviderError('too_large', { provider: GITEA, details: { limit } })
    return entries
  }

  /** Like `list`, for a search, whose answer has the list in `data`. */
  async search<S extends TSchema>(schema: S, limit: number, call: GiteaCall): Promise<Static<S>[]> {
    const entries = await this.#pages(limit + 1, call, Type.Object({ data: Type.Array(schema) }), ({ data }) => data)
    if (entries.length > limit) throw new ProviderError('too_large', { provider: GITEA, details: { limit } })
    return entries
  }

  /** Returns the first entries of a list. */
  first<S extends TSchema>(schema: S, count: number, call: GiteaCall): Promise<Static<S>[]> {
    return this.#pages(count, call, Type.Union([Type.Array(schema), Type.Null()]), (page) => page)
  }

  /** @param listOf the list of an answer; null: none */
  async #pages<S extends TSchema, T>(count: number, call: GiteaCall, schema: S, listOf: (answer: Static<S>) => readonly T[] | null): Promise<T[]> {
    const entries: T[] = []
    let bytes = 0
    for (let page = 1; ; page++) {
      const limit = Math.min(PAGE, count)
      const { headers, body } = await this.#send({ ...call, query: { ...call.query, page, limit } })
      const total = Number(headers['x-total-count'] ?? Number.NaN)
      // The list of nothing is `null` for an empty repository.
      bytes += body.length
      const found = listOf(await this.#read(schema, body, call.signal)) ?? (total === 0 ? [] : null)
      if (found === null || found.length > limit) throw malformedAnswer(GITEA)
      entries.push(...found)
      if (bytes > LIST_CHARACTERS) throw new ProviderError('too_large', { provider: GITEA, details: { limit: LIST_CHARACTERS } })
      // A page may be shorter than requested.
      if (found.length === 0 || entries.length >= count || entries.length >= total) return entries.slice(0, count)
    }
  }

  #read<S extends TSchema>(schema: S, body: Buffer, signal: AbortSignal): Promise<Static<S>> {
    return readAnswer(this.#parts.reader, schema, body, GITEA, signal)
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
      throw error instanceof OutboundError ? noAnswer(error, GITEA) : error instanceof ApiError ? error : malformedAnswer(GITEA)
    }
    if (response.status >= 200 && response.status < 300) return response
    throw refusalOf(response, readError(Failed, response.body)?.message, { provider: GITEA, now: clock(), what, secrets: this.#secrets })
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
