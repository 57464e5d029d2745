/** What the fake of GitHub stores, and what its routes share. */
import { createVerify, type KeyObject } from 'node:crypto'
import type { DescribedRequest } from './github-description.js'
import { GitObjects } from './git-objects.js'

const DOCS = 'https://docs.github.com/rest'

export interface GitHubCredentials {
  readonly tokens: ReadonlySet<string>
  readonly app: { readonly id: string; readonly publicKey: KeyObject; readonly installationId: number } | null
}

export interface StoredComment {
  readonly id: number
  body: string
  readonly login: string
  readonly type: 'User' | 'Bot'
}

export interface StoredPull {
  readonly number: number
  readonly source: string
  readonly target: string
  title: string
  body: string
  state: 'open' | 'closed'
  headSha: string
  mergeSha: string | null
  /** Repository of its source; undefined: the same. */
  fork?: string
  readonly comments: StoredComment[]
}

export interface StoredStatus {
  readonly sha: string
  readonly state: 'pending' | 'success' | 'failure' | 'error'
  readonly context: string
  readonly description: string | null
  readonly target_url: string | null
}

export interface StoredRepository {
  readonly fullName: string
  readonly id: number
  readonly objects: GitObjects
  readonly branches: Map<string, string>
  readonly protectedBranches: Set<string>
  readonly pulls: StoredPull[]
  readonly statuses: StoredStatus[]
  /** File names of workflows that can be dispatched, with the names of their inputs. */
  readonly workflows: Map<string, readonly string[]>
}

export interface StoredRun {
  readonly id: number
  readonly repository: StoredRepository
  readonly workflow: string
  readonly branch: string
  readonly inputs: Readonly<Record<string, unknown>>
  readonly createdAt: Date
  /** Listings that do not have it yet. */
  listedAfter: number
  status: string
  conclusion: string | null
}

export interface GitHubState {
  readonly credentials: GitHubCredentials
  /** Tokens that were issued to the installation, with the time at which they expire. */
  readonly installationTokens: Map<string, number>
  readonly repositories: Map<string, StoredRepository>
  readonly runs: StoredRun[]
  origin: string
  /** Entries of a recursive listing above which it is truncated. */
  listingLimit: number
  /** Whether a dispatch tells its run; servers of 2025 do not, and older ones refuse to be asked. */
  dispatches: 'tell' | 'silent' | 'strict'
  /** How many listings do not have a new run yet. */
  searchesBeforeListed: number
  now: () => number
}

/** Who calls: a token, the App itself, or nobody. */
export type Caller = 'token' | 'installation' | 'app' | null

export interface FakeRequest extends DescribedRequest {
  readonly caller: Caller
  readonly url: URL
}
export interface FakeAnswer {
  readonly status: number
  /** Undefined: no body. */
  readonly json: unknown
  readonly headers?: Readonly<Record<string, string>>
}
export type Answering = (state: GitHubState, request: FakeRequest) => FakeAnswer

/** An error answer, as GitHub writes them. */
export class GitHubRefusal extends Error {
  readonly json: Readonly<Record<string, unknown>>
  constructor(
    readonly status: number,
    message: string,
    more: Readonly<Record<string, unknown>> = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.json = { message, ...more, documentation_url: DOCS, status: String(status) }
  }
}

export const notFound = (): GitHubRefusal => new GitHubRefusal(404, 'Not Found')

export function newRepository(fullName: string, id: number): StoredRepository {
  return {
    fullName,
    id,
    objects: new GitObjects(),
    branches: new Map(),
    protectedBranches: new Set(),
    pulls: [],
    statuses: [],
    workflows: new Map(),
  }
}

export function repositoryOf({ repositories }: GitHubState, { path, caller }: FakeRequest): StoredRepository {
  const found = repositories.get(`${path.owner}/${path.repo}`.toLowerCase())
  // GitHub tells nobody that a private repository exists.
  if (found === undefined || caller === null || caller === 'app') throw notFound()
  return found
}

/** One page of a list, with the link to the next one. */
export function page<T>(all: readonly T[], { query, url }: FakeRequest): { readonly entries: readonly T[]; readonly headers: Readonly<Record<string, string>> } {
  const size = Math.min(100, Number(query.get('per_page') ?? 30))
  const number = Number(query.get('page') ?? 1)
  const entries = all.slice(size * (number - 1), size * number)
  if (all.length <= size * number) return { entries, headers: {} }
  const next = new URL(url)
  next.searchParams.set('page', String(number + 1))
  const last = new URL(url)
  last.searchParams.set('page', String(Math.ceil(all.length / size)))
  return { entries, headers: { Link: `<${next.href}>; rel="next", <${last.href}>; rel="last"` } }
}

/** @throws GitHubRefusal 401, as GitHub does for credentials that it does not know; a request without credentials is anonymous */
export function authenticate({ credentials: { tokens, app }, installationTokens, now }: GitHubState, authorization: string | undefined): Caller {
  if (authorization === undefined) return null
  const [, scheme, token] = /^(token|bearer) (\S+)$/i.exec(authorization) ?? []
  if (scheme === undefined) throw new GitHubRefusal(401, 'Bad credentials')
  if (tokens.has(token)) return 'token'
  const expiresAt = installationTokens.get(token)
  if (expiresAt !== undefined && expiresAt > now()) return 'installation'
  if (token.split('.').length !== 3) throw new GitHubRefusal(401, 'Bad credentials')
  // The signed token has the time of the machine, whatever clock the test has.
  const refusal = app === null ? 'Integration not found' : wrongJwt(token, app, Date.now())
  if (refusal !== null) throw new GitHubRefusal(401, refusal)
  return 'app'
}

/** What GitHub refuses in a token that an App signed; null: nothing. */
function wrongJwt(token: string, { id, publicKey }: NonNullable<GitHubCredentials['app']>, now: number): string | null {
  const [header, payload, signature] = token.split('.')
  const decoded = (part: string): Record<string, unknown> => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
  const { alg } = decoded(header)
  const { iss, iat, exp } = decoded(payload) as { iss: unknown; iat: number; exp: number }
  const isSigned = createVerify('RSA-SHA256').update(`${header}.${payload}`).verify(publicKey, Buffer.from(signature, 'base64url'))
  if (alg !== 'RS256' || !isSigned) return 'A JSON web token could not be decoded'
  if (String(iss) !== id) return 'Integration not found'
  if (iat > now / 1000) return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
  if (exp <= now / 1000) return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
  return exp - now / 1000 > 600 ? "'Expiration time' claim ('exp') is too far in the future" : null
}
