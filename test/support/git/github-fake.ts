/**
 * A server that behaves as the parts of GitHub's REST API that we use, on real sockets, with repositories in memory. Invariants:
 *  1. every request and every answer is checked against GitHub's description of its API (`github-description.ts`); what it does not know is answered 500, and
 *     makes `close` fail
 *  2. ids of blobs, trees and commits are Git's own
 *  3. like GitHub Enterprise Server it has its API below `/api/v3`
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type DescribedRequest, wrongInAnswer, wrongInRequest } from './github-description.js'
import { type Answering, authenticate, type GitHubCredentials, GitHubRefusal, type GitHubState, newRepository, type StoredRepository } from './github-state.js'
import { ACTIONS_ROUTES } from './github-actions-routes.js'
import { REPOSITORY_ROUTES } from './github-routes.js'
import { REVIEW_ROUTES } from './github-review-routes.js'
import type { SeedCommit } from './seeds.js'

const PREFIX = '/api/v3'
export const ROUTES: Readonly<Record<string, Answering>> = { ...REPOSITORY_ROUTES, ...REVIEW_ROUTES, ...ACTIONS_ROUTES }

/** How the fake misbehaves instead of answering. */
export type Misbehaviour =
  /** `json` has to be as GitHub describes it, `text` may be anything. */
  | { readonly kind: 'answer'; readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly json?: unknown; readonly text?: string }
  /** Half of the answer, then the end of the connection. */
  | { readonly kind: 'half' }
  /** The call is done, and the connection ends without an answer. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'hang' }

/** A call that the fake received. */
export interface GitHubCall {
  /** `GET /repos/{owner}/{repo}` */
  readonly operation: string
  readonly url: string
  /** Bytes of the answer's body. */
  answerBytes: number
}

export class GitHubFake {
  /** All calls, in order. */
  readonly calls: GitHubCall[] = []
  readonly state: GitHubState
  readonly #wrong: string[] = []
  readonly #misbehaviours: { readonly operation: string; readonly how: Misbehaviour; left: number }[] = []
  readonly #server = createServer((request, response) => void this.#serve(request, response))

  constructor(credentials: Partial<GitHubCredentials> = {}) {
    this.state = {
      credentials: { tokens: new Set(), app: null, ...credentials },
      installationTokens: new Map(),
      repositories: new Map(),
      runs: [],
      origin: '',
      listingLimit: 100_000,
      dispatches: 'tell',
      searchesBeforeListed: 0,
      now: Date.now,
    }
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    this.state.origin = this.baseUrl
    return this
  }

  /** `base_url` of an integration. */
  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  count(operation: string): number {
    return this.calls.filter((call) => call.operation === operation).length
  }

  /** Misbehaves on the next calls of an operation. */
  misbehave(operation: string, how: Misbehaviour, times = 1): void {
    this.#misbehaviours.push({ operation, how, left: times })
  }

  createRepository(fullName = `acme/content-${this.state.repositories.size + 1}`): StoredRepository {
    const repository = newRepository(fullName, this.state.repositories.size + 1)
    this.state.repositories.set(fullName.toLowerCase(), repository)
    return repository
  }

  repository(fullName: string): StoredRepository {
    const found = this.state.repositories.get(fullName.toLowerCase())
    if (found === undefined) throw new Error(`no repository ${fullName}`)
    return found
  }

  /** Adds commits to a branch, which is created without a parent if it does not exist. @returns their ids */
  push(fullName: string, branch: string, ...commits: readonly SeedCommit[]): string[] {
    const { objects, branches } = this.repository(fullName)
    return commits.map((seed) => {
      const { sha } = objects.addSeed(branches.get(branch) ?? null, seed)
      branches.set(branch, sha)
      return sha
    })
  }

  /** Stops. @throws when a request or an answer was not as GitHub describes them */
  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
    if (this.#wrong.length > 0) throw new Error(`not as GitHub describes it:\n${[...new Set(this.#wrong)].slice(0, 10).join('\n')}`)
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined)
    const url = new URL(request.url ?? '/', this.baseUrl)
    const route = routeOf(request.method ?? '', url.pathname)
    const body = await bodyOf(request)
    if (route === null) {
      this.#wrong.push(`unknown call: ${request.method} ${url.pathname}`)
      return void response.writeHead(500).end()
    }
    const described: DescribedRequest = { ...route, query: url.searchParams, contentType: request.headers['content-type'], body }
    const call: GitHubCall = { operation: route.operation, url: url.href, answerBytes: 0 }
    this.calls.push(call)
    const wrong = [...wrongInRequest(described), ...wrongHeaders(request)]
    if (wrong.length > 0) {
      this.#wrong.push(...wrong)
      return void response.writeHead(500).end()
    }
    const misbehaviour = this.#misbehaviours.find(({ operation, left }) => operation === route.operation && left > 0)
    if (misbehaviour !== undefined) misbehaviour.left -= 1
    const how = misbehaviour?.how
    if (how?.kind === 'hang') return
    if (how?.kind === 'answer') {
      const { status, json, headers, text = JSON.stringify(json) } = how
      if (json !== undefined) this.#wrong.push(...wrongInAnswer(route.operation, status, json))
      return void response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers }).end(text)
    }
    const { status, json, headers } = this.#answer(described, request)
    if (how?.kind === 'lost') return void request.socket.destroy()
    this.#wrong.push(...wrongInAnswer(route.operation, status, json))
    const bytes = json === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(json))
    call.answerBytes = bytes.length
    response.writeHead(status, { ...(json === undefined ? {} : { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': bytes.length }), ...headers })
    if (how?.kind === 'half') response.write(bytes.subarray(0, bytes.length / 2), () => request.socket.destroy())
    else response.end(bytes)
  }

  #answer(described: DescribedRequest, request: IncomingMessage): { status: number; json: unknown; headers: Readonly<Record<string, string>> } {
    try {
      const caller = authenticate(this.state, request.headers.authorization)
      const { status, json, headers = {} } = ROUTES[described.operation](this.state, { ...described, caller, url: new URL(request.url ?? '/', this.baseUrl) })
      return { status, json, headers }
    } catch (error) {
      if (error instanceof GitHubRefusal) return { status: error.status, json: error.json, headers: error.headers }
      this.#wrong.push(`${described.operation}: ${(error as Error).stack}`)
      return { status: 500, json: { message: 'Server Error' }, headers: {} }
    }
  }
}

/** The operation that a path is of, with the values of its names. */
function routeOf(method: string, pathname: string): Pick<DescribedRequest, 'operation' | 'path'> | null {
  if (!pathname.startsWith(`${PREFIX}/`)) return null
  const parts = pathname.slice(PREFIX.length).split('/')
  for (const operation of Object.keys(ROUTES)) {
    const [of, template] = operation.split(' ')
    const names = template.split('/')
    if (of !== method || names.length !== parts.length) continue
    const isSame = names.every((name, index) => (name.startsWith('{') ? parts[index] !== '' : name === parts[index]))
    if (!isSame) continue
    const values = names.flatMap((name, index) => (name.startsWith('{') ? [[name.slice(1, -1), decodeURIComponent(parts[index])]] : []))
    return { operation, path: Object.fromEntries(values) }
  }
  return null
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  return text === '' ? undefined : JSON.parse(text)
}

/** GitHub refuses requests without a user agent, and asks clients to name the version of the API. */
function wrongHeaders({ headers }: IncomingMessage): string[] {
  return [
    ...(headers['user-agent'] === undefined ? ['no User-Agent'] : []),
    ...(headers['x-github-api-version'] === '2022-11-28' ? [] : ['no X-GitHub-Api-Version']),
    ...(/^application\/(vnd\.github(\.v3)?\+)?json$/.test(headers.accept ?? '') ? [] : [`Accept is ${headers.accept}`]),
  ]
}
