/**
 * Calls of GitHub's REST API by octokit over the guarded HTTP client. Invariants:
 *  1. no state is shared between clients: neither tokens nor queues nor rate limits of one tenant reach another
 *  2. a call throws `ApiError`s only, without credentials (`failures.ts`); octokit writes no log
 *  3. only addresses below the base URL are requested; the provider's links are never followed
 *  4. a call that fails transiently is repeated at most `RETRIES` times, and only if repeating has no further effect
 *  5. every answer is checked against a schema before it is read
 */
import { createAppAuth } from '@octokit/auth-app'
import { Octokit } from '@octokit/core'
import { retry } from '@octokit/plugin-retry'
import { throttling } from '@octokit/plugin-throttling'
import Type, { type Static, type TSchema } from 'typebox'
import { ApiError } from '../../../../core/errors.js'
import { malformedAnswer, readAnswer, readFileAnswer } from '../../../../core/egress/answers.js'
import type { GatewayParts, ProviderConnection } from '../connection.js'
import { CALL_TIMEOUT_MS, LIST_CHARACTERS } from '../git/gateway.js'
import { guardedFetch } from '../../../../core/egress/fetch.js'
import { ProviderError } from '../../../../core/egress/provider-error.js'
import { type FailureContext, failureOf, failureOfRefusal, isTransient } from './failures.js'

const PUBLIC_API = 'https://api.github.com'
/** Version of the API that the requests are written for. */
const API_VERSION = '2022-11-28'
/** Maximum bytes of an answer, unless a call says otherwise: 100 pull requests have about 2.5 MB. */
const ANSWER_BYTES = 4 * 1024 * 1024
/** Repetitions of a call: after 0.25 s and 1 s, so that a request which waits for the answer does not wait long. */
const RETRIES = 2
const RETRY_BASE_MS = 250
/** Longest rate limit that is waited for, once. A longer one is an error that says when to try again. */
const LIMIT_WAIT_S = 3
/** Entries of one page of a list, the maximum of the API. */
const PAGE = 100
/** A token of an App is replaced when less time is left: longer than any call. */
const TOKEN_MARGIN_MS = 2 * CALL_TIMEOUT_MS

/** Seconds that an App's signed token is older than it need be, beside the 30 of `auth-app`: GitHub refuses one of the future, and asks for a minute for clocks that are ahead. */
const CLOCK_MARGIN = { timeDifference: -30 }

/** An SHA-1 in hex. GitHub has no repositories with SHA-256. */
export const Sha = Type.String({ pattern: '^[0-9a-f]{40}$' })
/** Address of a page for people: never a `javascript:` link. */
export const PageUrl = Type.String({ pattern: '^https?://' })
/** An ISO timestamp. */
export const Timestamp = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d' })
/** An answer that is not read. */
export const Unread = Type.Unknown()

const InstallationToken = Type.Object({ token: Type.String({ pattern: '^[\\x21-\\x7e]+$' }), expires_at: Timestamp })
/** The account of an enterprise has no login. */
const Installation = Type.Object({ account: Type.Union([Type.Object({ login: Type.Optional(Type.String()) }), Type.Null()]) })
const User = Type.Object({ login: Type.String() })

export interface Call {
  /** Parameters of the path and of the query. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>
  readonly body?: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  /** The object that is missing if the answer is 404. */
  readonly what: string
  readonly explain?: NonNullable<FailureContext['explain']>
  /** Whether repeating it has no further effect. Default: calls without a body. */
  readonly isRepeatable?: boolean
  readonly bodyLimit?: number
}

/** For tests. */
export interface GitHubPace {
  /** Time before the first repetition of a call; before the second it is four times as long. */
  readonly retryBaseMs: number
}

type Credential = { readonly auth: string | null; readonly secrets: readonly string[] }
type GithubAnswer = { readonly status: number; readonly headers: Readonly<Record<string, string | number | undefined>>; readonly data: unknown }
/** An answer that has been read, with the length of its text. */
type Read<T> = GithubAnswer & { readonly data: T; readonly bytes: number }

const NULL = Buffer.from('null')
const noLog = (): void => undefined
const SILENT = { debug: noLog, info: noLog, warn: noLog, error: noLog }
/** Runs calls at once. Our writes follow each other anyway, and the plugin's own queues are shared by all clients of the process. */
const UNQUEUED = { key: () => ({ schedule: (_: unknown, job: (...given: unknown[]) => unknown, ...given: unknown[]) => job(...given) }) }

/** Keeps the retry plugin from repeating what would fail again. */
function repeatsTransientFailuresOnly(octokit: Octokit): Record<string, never> {
  octokit.hook.error('request', (error, options) => {
    if (!isTransient(error)) options.request.retries = 0
    throw error
  })
  return {}
}
const Client = Octokit.plugin(repeatsTransientFailuresOnly, retry, throttling)

export class GitHubClient {
  readonly #baseUrl: string
  readonly #connection: ProviderConnection
  readonly #parts: GatewayParts
  readonly #pace: GitHubPace
  #installation: { readonly token: Promise<string>; expiresAt: number } | null = null

  /** @param provider its name in errors */
  constructor(
    readonly provider: string,
    connection: ProviderConnection,
    parts: GatewayParts,
    pace: GitHubPace = { retryBaseMs: RETRY_BASE_MS },
  ) {
    this.#pace = pace
    this.#connection = connection
    this.#parts = parts
    this.#baseUrl = apiUrlOf(connection.baseUrl)
  }

  get now(): number {
    return this.#parts.clock()
  }

  get isApp(): boolean {
    return this.#connection.credentials.kind === 'app'
  }

  /** @param route method and path as in GitHub's description: `GET /repos/{owner}/{repo}`. @throws ApiError */
  async call<S extends TSchema>(route: string, answer: S, call: Call): Promise<Static<S>> {
    return (await this.#read(route, answer, call)).data
  }

  /** The same for an answer with a file in its `content`. @throws ApiError */
  async jsonWithFile<S extends TSchema>(route: string, answer: S, call: Call) {
    const { body } = await this.#answerOf(route, call, await this.#credential(call.signal))
    return readFileAnswer(this.#parts.reader, answer, body ?? new Uint8Array(), this.provider, call.signal)
  }

  /**
   * Returns all entries of a list. Pages are numbered rather than taken from the answer's links, which name an address of the provider's choice.
   * @param entriesOf the entries of one page. @throws ProviderError too_large beyond the limit
   */
  async list<S extends TSchema, T>(
    route: string,
    answer: S,
    entriesOf: (page: Static<S>) => readonly T[],
    limit: number,
    call: Call & { readonly pageSize?: number },
  ): Promise<T[]> {
    const entries: T[] = []
    let read = 0
    const pageSize = call.pageSize ?? PAGE
    const pages = Math.ceil(limit / pageSize)
    for (let page = 1; page <= pages; page++) {
      const { data, headers, bytes } = await this.#read(route, answer, { ...call, parameters: { ...call.parameters, per_page: pageSize, page } })
      const found = entriesOf(data)
      if (found.length > pageSize) throw malformedAnswer(this.provider)
      entries.push(...found)
      read += bytes
      if (read > LIST_CHARACTERS) throw this.tooLarge(LIST_CHARACTERS)
      if (!/\brel="next"/.test(String(headers.link ?? ''))) return entries
    }
    throw this.tooLarge(limit)
  }

  /** Checks address and credential with one harmless call. @returns the account; null: the credential has none */
  async account(signal: AbortSignal): Promise<string | null> {
    const { credentials } = this.#connection
    if (credentials.kind === 'app') {
      const parameters = { installation_id: installationIdOf(credentials.installationId, this.provider) }
      const call = { parameters, signal, what: 'installation' }
      const { data } = await this.#send('GET /app/installations/{installation_id}', Installation, call, await this.#appCredential())
      return data.account?.login ?? null
    }
    return (await this.call('GET /user', User, { signal, what: 'user' })).login
  }

  tooLarge(limit: number): ProviderError {
    return new ProviderError('too_large', { provider: this.provider, details: { limit } })
  }

  async #read<S extends TSchema>(route: string, answer: S, call: Call): Promise<Read<Static<S>>> {
    return this.#send(route, answer, call, await this.#credential(call.signal))
  }

  async #send<S extends TSchema>(route: string, schema: S, call: Call, credential: Credential): Promise<Read<Static<S>>> {
    const { answer, body } = await this.#answerOf(route, call, credential, Object.is(schema, Unread))
    const bytes = body?.length ?? 0
    // An answer without a body is null.
    const data = Object.is(schema, Unread) ? undefined : await readAnswer(this.#parts.reader, schema, body ?? NULL, this.provider, call.signal)
    return { ...answer, data: data as Static<S>, bytes }
  }

  /** Sends a call. @returns a body that is null: there is none, or it is not read */
  async #answerOf(route: string, call: Call, { auth, secrets }: Credential, isUnread = false): Promise<{ readonly answer: GithubAnswer; readonly body: Uint8Array | null }> {
    const { parameters, body: sent, signal, what, explain, isRepeatable = sent === undefined, bodyLimit = ANSWER_BYTES } = call
    const context: FailureContext = { provider: this.provider, now: this.now, what, secrets, ...(explain === undefined ? {} : { explain }) }
    let answer: GithubAnswer
    let body: Buffer | null = null
    const keep = (kept: Buffer): void => {
      body = kept
    }
    try {
      answer = await this.#octokit(auth, isRepeatable ? RETRIES : 0).request(route, {
        ...parameters,
        // A text is sent as it is. Octokit's own serializer reads texts like "123n" as numbers.
        ...(sent === undefined ? {} : { data: JSON.stringify(sent) }),
        headers: { 'x-github-api-version': API_VERSION },
        request: { fetch: guardedFetch(this.#parts.http, { timeoutMs: CALL_TIMEOUT_MS, bodyLimit }, keep), signal, log: SILENT, parseSuccessResponseBody: false },
      })
    } catch (error) {
      throw error instanceof ApiError ? error : failureOf(error, context)
    }
    if (answer.status >= 300) throw failureOfRefusal({ status: answer.status, headers: {}, message: '' }, context)
    return { answer, body: isUnread || answer.status === 204 ? null : body }
  }

  #octokit(auth: string | null, retries: number): Octokit {
    const waits = (seconds: number, _: unknown, __: unknown, retryCount: number): boolean => seconds <= LIMIT_WAIT_S && retryCount === 0
    return new Client({
      baseUrl: this.#baseUrl,
      ...(auth === null ? {} : { auth }),
      log: SILENT,
      retry: { retries, retryAfterBaseValue: this.#pace.retryBaseMs },
      throttle: {
        onRateLimit: waits,
        onSecondaryRateLimit: waits,
        ...({ global: UNQUEUED, auth: UNQUEUED, search: UNQUEUED, write: UNQUEUED, notifications: UNQUEUED } as object),
      },
    })
  }

  async #credential(signal: AbortSignal): Promise<Credential> {
    const { credentials } = this.#connection
    switch (credentials.kind) {
      case 'none':
        return { auth: null, secrets: [] }
      case 'token':
        return { auth: headerText(credentials.token, this.provider), secrets: [credentials.token] }
      // GitHub accepts a token in place of a password, and no passwords.
      case 'password':
        return { auth: headerText(credentials.password, this.provider), secrets: [credentials.password] }
      case 'app': {
        const token = await this.#installationToken(credentials.installationId, signal)
        return { auth: token, secrets: [token] }
      }
    }
  }

  /** The token of the installation. Calls that start at once share one exchange. */
  #installationToken(installationId: string, signal: AbortSignal): Promise<string> {
    if (this.#installation !== null && this.#installation.expiresAt - TOKEN_MARGIN_MS > this.now) return this.#installation.token
    const exchange = async (): Promise<string> => {
      const parameters = { installation_id: installationIdOf(installationId, this.provider) }
      const call = { parameters, body: {}, signal, what: 'installation', isRepeatable: true }
      const { data } = await this.#send('POST /app/installations/{installation_id}/access_tokens', InstallationToken, call, await this.#appCredential())
      installation.expiresAt = Date.parse(data.expires_at)
      return data.token
    }
    const installation = { token: exchange(), expiresAt: Number.POSITIVE_INFINITY }
    this.#installation = installation
    installation.token.catch(() => {
      if (this.#installation === installation) this.#installation = null
    })
    return installation.token
  }

  /**
   * The signed token of the App itself. `auth-app` also exchanges it, but keeps exchanges that are under way in a map of the process, by installation id
   * only: who names the installation of another tenant would get that tenant's token.
   */
  async #appCredential(): Promise<Credential> {
    const { credentials } = this.#connection
    if (credentials.kind !== 'app') throw new ProviderError('credentials_refused', { provider: this.provider })
    const { appId, privateKey } = credentials
    try {
      const { token } = await createAppAuth({ appId, privateKey, log: SILENT, ...CLOCK_MARGIN })({ type: 'app' })
      return { auth: token, secrets: [token] }
    } catch {
      // The key is not a private key. The error may repeat it.
      throw new ProviderError('credentials_refused', { provider: this.provider })
    }
  }
}

/** The address of the API: GitHub Enterprise Server has it below `/api/v3`, the public service and its regions at a host of their own. */
export function apiUrlOf(baseUrl: string | null): string {
  if (baseUrl === null) return PUBLIC_API
  const { origin, hostname, pathname } = new URL(baseUrl)
  if (hostname === 'github.com' || hostname === 'www.github.com') return PUBLIC_API
  const path = pathname.replace(/\/+$/, '')
  return hostname.startsWith('api.') || path.endsWith('/api/v3') ? origin + path : `${origin}${path}/api/v3`
}

/** A token with other characters would be an error whose text contains the token. */
function headerText(token: string, provider: string): string {
  if (!/^[\x21-\x7e]+$/.test(token)) throw new ProviderError('credentials_refused', { provider })
  return token
}

function installationIdOf(text: string, provider: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new ProviderError('not_found', { provider, details: { what: 'installation' } })
  return Number(text)
}
