/**
 * Calls of GitLab's REST API, for its gateways. `@gitbeaker/rest` knows the endpoints, encodes paths and follows pages; this file sends its requests through
 * the guarded client and maps failures. Invariants:
 *  1. a request goes to an endpoint below `/api/v4` of the connection's address, for any path and any `Link`
 *  2. a list is an array, a page of it has no more entries than requested, and an operation has a limited number of calls and of characters, so that endless
 *     pages end, and huge ones do not take the memory of the process: the library keeps all of them
 *  3. everything that is thrown is an `ApiError`, without the credential
 */
import { createRequesterFn, type RequesterType, type ResourceOptions, type ResponseBodyTypes } from '@gitbeaker/requester-utils'
import Type, { type TSchema } from 'typebox'
import { fromPieces } from '#workers'
import { ApiError } from '../../../../core/errors.js'
import { malformedAnswer, providerMessage, readAnswer, readError, retryTime, unlessAborted } from '../../../../core/egress/answers.js'
import type { GatewayParts, ProviderConnection, ProviderCredentials } from '../connection.js'
import { CALL_TIMEOUT_MS, FILE_BYTES, LIST_CHARACTERS, TREE_LIMIT } from '../git/gateway.js'
import { OutboundError, type OutboundRequest, type OutboundResponse } from '../../../../core/egress/client.js'
import type { AnswerReader } from '../../../../core/egress/reader.js'
import { noAnswer, ProviderError } from '../../../../core/egress/provider-error.js'

export const GITLAB = 'gitlab'
const PUBLIC_ADDRESS = 'https://gitlab.com'
/** Most entries of a page that GitLab allows. */
export const PAGE = 100
/** Bytes of a JSON answer. The largest is a file in Base64, with its fields. */
const JSON_BYTES = 2 * FILE_BYTES
/** Calls of one operation: the pages of the largest tree, and some before. */
const CALLS_LIMIT = TREE_LIMIT / PAGE + 100
/** Longest `Link` header that is read. GitLab's has some hundred characters; the library's expression takes quadratic time. */
const LINK_CHARACTERS = 4096

/** An answer that is not read. */
export const UNREAD = Type.Unknown()

/** Options of a resource of the library. */
export interface GitLabOptions {
  readonly host: string
  readonly oauthToken: string
  readonly requesterFn: (options: ResourceOptions) => RequesterType
  readonly queryTimeout: null
  readonly rateLimits: Record<string, never>
}

export class GitLabApi {
  readonly #host: string
  readonly #token: string | null
  readonly #clock: () => number
  readonly #reader: AnswerReader
  readonly #http: GatewayParts['http']

  constructor({ baseUrl, credentials }: Pick<ProviderConnection, 'baseUrl' | 'credentials'>, { http, clock, reader }: GatewayParts) {
    this.#host = baseUrl ?? PUBLIC_ADDRESS
    this.#token = tokenOf(credentials)
    this.#clock = clock
    this.#reader = reader
    this.#http = http
  }

  /** Returns the options with which resources of the library are created for calls that have that answer. @param schema of the answer, or of a page of the list */
  options(signal: AbortSignal, schema: TSchema): GitLabOptions {
    let calls = 0
    let characters = 0
    const count = (read: number): void => {
      characters += read
      if (characters > LIST_CHARACTERS) throw new ProviderError('too_large', { provider: GITLAB, details: { limit: LIST_CHARACTERS } })
    }
    const requesterFn = createRequesterFn(
      async (_, options) => options,
      (endpoint, options = {}) => {
        if (++calls > CALLS_LIMIT) throw new ProviderError('too_large', { provider: GITLAB, details: { limit: CALLS_LIMIT * PAGE } })
        return this.#send(endpoint, options as unknown as SentRequest, { signal, schema, count })
      },
    )
    // Bearer is accepted for all kinds of tokens: personal, project, group and OAuth. The library's own limits and timers are not used: the clients have theirs.
    return { host: this.#host, oauthToken: this.#token ?? '', requesterFn, queryTimeout: null, rateLimits: {} }
  }

  /** Returns Git's id of a file, which a thread hashes. */
  async fileId(bytes: Uint8Array, algorithm: 'sha1' | 'sha256', signal: AbortSignal): Promise<string> {
    const read = await unlessAborted(this.#reader.git({ of: 'id', bytes, algorithm }, signal), GITLAB)
    if (read.kind !== 'value') throw malformedAnswer(GITLAB)
    return (await fromPieces(read.value)) as string
  }

  async #send(endpoint: string, { method, prefixUrl, searchParams, headers, body }: SentRequest, { signal, schema, count }: Operation) {
    const url = new URL(`${prefixUrl.replace(/\/+$/, '')}/${endpoint}`)
    // `URL` resolves the segments `.` and `..`, and the path of another endpoint would remain.
    if (!url.pathname.endsWith(`/${endpoint}`)) throw new ProviderError('not_found', { provider: GITLAB, details: { what: 'resource' } })
    url.search = searchParams ?? ''
    const { authorization, ...others } = headers
    const sent = { ...others, accept: 'application/json', ...(this.#token === null ? {} : { authorization }) }
    const isFile = endpoint.endsWith('/raw')
    const request = { method: method as OutboundRequest['method'], url, headers: sent, ...(body === undefined ? {} : { body }) }
    const limits = { timeoutMs: CALL_TIMEOUT_MS, bodyLimit: isFile ? FILE_BYTES : JSON_BYTES, beyondLimit: 'refuse' } as const
    const response = await this.#http.send({ ...request, ...limits, signal }).catch((error: unknown) => {
      if (signal.aborted) throw noAnswer(new OutboundError('aborted'), GITLAB)
      throw error instanceof OutboundError ? noAnswer(error, GITLAB) : error instanceof ApiError ? error : malformedAnswer(GITLAB)
    })
    const bytes = response.body
    if (response.status < 200 || response.status >= 300) throw failureOf(response, bytes, { now: this.#clock(), secrets: this.#token === null ? [] : [this.#token] })
    if (!isFile) count(bytes.length)
    const isUnread = Object.is(schema, UNREAD) || response.status === 204
    const answer = isFile ? bytes : isUnread ? null : await readAnswer(this.#reader, schema, bytes, GITLAB, signal)
    if (Array.isArray(answer) && answer.length > PAGE) throw malformedAnswer(GITLAB)
    return { body: answer as ResponseBodyTypes as never, headers: linkOf(response), status: response.status }
  }
}

interface Operation {
  readonly signal: AbortSignal
  readonly schema: TSchema
  /** Counts the characters of an answer. @throws ProviderError too_large */
  count(characters: number): void
}

/** What `createRequesterFn` passes. */
interface SentRequest {
  readonly method: string
  readonly prefixUrl: string
  readonly searchParams?: string
  readonly headers: Record<string, string>
  readonly body?: string
}

function tokenOf(credentials: ProviderCredentials): string | null {
  switch (credentials.kind) {
    case 'none':
      return null
    case 'token':
      return credentials.token
    case 'password':
      // GitLab's API takes no passwords. Where Git over HTTP wants a name beside a token, the token is the password.
      return credentials.password
    case 'app':
      throw new ProviderError('unsupported', { provider: GITLAB, details: { what: 'app' } })
  }
}

/** The first value of a header. */
function headerOf(headers: OutboundResponse['headers'], name: string): string | null {
  return [headers[name] ?? []].flat()[0] ?? null
}

function linkOf({ headers }: OutboundResponse): Record<string, string> {
  const link = headerOf(headers, 'link')
  if (link === null) return {}
  if (link.length > LINK_CHARACTERS) throw malformedAnswer(GITLAB)
  return { link }
}

/** What errors may have; any of it may have another form. */
const Failed = Type.Object({
  message: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Unknown()),
  error_description: Type.Optional(Type.Unknown()),
  scope: Type.Optional(Type.Unknown()),
})

/** GitLab's sentences when a rule of the branch, and not a scope, refuses a push. */
const PROTECTED = /not allowed to (?:push|force push|create|delete)[^.]*branch|protected branch/i
/** What a 404 says is missing: `404 Branch Not Found`. */
const MISSING = /^404 (\w+) not found/i
const MISSING_THINGS: Readonly<Record<string, string>> = {
  project: 'repository',
  branch: 'branch',
  commit: 'commit',
  tree: 'commit',
  file: 'file',
  blob: 'file',
  group: 'organization',
}

/** Maps an answer that is not 2xx. */
function failureOf({ status, headers }: OutboundResponse, body: Uint8Array, { now, secrets }: { readonly now: number; readonly secrets: readonly string[] }): ProviderError {
  const { message, error, description, scope } = bodyOf(body, secrets)
  const told = message ?? description ?? error
  const provider = GITLAB
  if (status < 400) return new ProviderError('redirect_refused', { provider, details: { status } })
  if (status === 401) return new ProviderError('credentials_refused', { provider, details: told === null ? {} : { provider_message: told } })
  if (status === 429) {
    const retryAt = retryTime(headerOf(headers, 'retry-after'), headerOf(headers, 'ratelimit-reset'), now)
    return new ProviderError('rate_limited', { provider, now, ...(retryAt === undefined ? {} : { retryAt }) })
  }
  if (status >= 500) return new ProviderError('unavailable', { provider, details: { failure: 'server_error', status } })
  if (told !== null && PROTECTED.test(told)) return new ProviderError('branch_protected', { provider, details: { provider_message: told } })
  if (status === 403) return new ProviderError('scope_missing', { provider, details: { scopes: scope } })
  if (status === 404) return new ProviderError('not_found', { provider, details: { what: MISSING_THINGS[MISSING.exec(told ?? '')?.[1].toLowerCase() ?? ''] ?? 'resource' } })
  return new ProviderError('refused', { provider, details: { status, provider_message: told } })
}

/**
 * Reads the bodies of GitLab's errors: `{message}` with a text, a list or lists by field; `{error, error_description, scope}` of OAuth; `{error}` of the
 * validation of parameters; or a text.
 */
function bodyOf(
  bytes: Uint8Array,
  secrets: readonly string[],
): { readonly message: string | null; readonly error: string | null; readonly description: string | null; readonly scope: readonly string[] } {
  const { message, error, error_description, scope } = readError(Failed, bytes) ?? {}
  return {
    message: providerMessage(typeof message === 'object' && message !== null ? sentencesOf(message) : message, secrets),
    error: providerMessage(error, secrets),
    description: providerMessage(error_description, secrets),
    scope: providerMessage(scope, secrets)?.split(' ') ?? [],
  }
}

/** Returns the texts of a list, or of lists by field. */
function sentencesOf(message: object): string {
  if (Array.isArray(message)) return message.filter((each) => typeof each === 'string').join('; ')
  return Object.entries(message)
    .map(([field, texts]) => (Array.isArray(texts) || typeof texts === 'string' ? `${field}: ${[texts].flat().join(', ')}` : field))
    .join('; ')
}
