/**
 * Git's smart HTTP protocol (version 0): reads the references of a repository, fetches commits, and pushes one commit. Invariants:
 *  1. a push names the head that it replaces; the server compares it while it holds the lock of the branch, so that no commit is ever lost
 *  2. everything that is thrown is an `ApiError`, without the credential
 */
import {
  BRANCHES,
  FLUSH,
  type GitRead,
  type GitReading,
  isObjectId,
  type NamedObject,
  NO_ID,
  type PackMemory,
  pktLine,
  type PushRefusal,
  READ_WORK_BYTES,
  type References,
  writePack,
} from '#git'
import { fromPieces } from '#workers'
import { ApiError } from '../../../../../core/errors.js'
import type { Permit } from '../../../../../core/limits/limits.js'
import { malformedAnswer, providerMessage, unlessAborted } from '../../../../../core/egress/answers.js'
import type { GatewayParts, ProviderConnection, ProviderCredentials } from '../../connection.js'
import { ERROR_BYTES } from '../../../../../core/egress/fetch.js'
import { OutboundError, type OutboundRequest, type OutboundResponse } from '../../../../../core/egress/client.js'
import { noAnswer, ProviderError } from '../../../../../core/egress/provider-error.js'
import { CALL_TIMEOUT_MS, FETCH_BYTES } from '../gateway.js'
import { refusalOf, type RefusalContext } from './refusal.js'

/** Bytes of a list of references: about 100,000, those of tags and reviews included. */
const REFERENCES_BYTES = 16 * 1024 * 1024
/** Bytes of the answer to a push: a report of one line, and what hooks of the server print. */
const REPORT_BYTES = 1024 * 1024
const AGENT = 'agent=detection-content'

type Service = 'git-upload-pack' | 'git-receive-pack'

export interface FetchOptions {
  readonly commitSha: string
  /** Number of commits. */
  readonly depth: number
  /** Asks for the commits alone. Only for a server with the capability `filter`. */
  readonly omitsTrees?: boolean
}

export interface Push {
  readonly branch: string
  /** The head that the branch has now; null: the branch does not exist. */
  readonly oldHead: string | null
  readonly newHead: string
  /** Objects that the server does not have yet. */
  readonly objects: readonly NamedObject[]
}

export interface RemoteOptions extends GatewayParts {
  readonly provider: string
  readonly credentials: ProviderConnection['credentials']
  /** Address of the provider, without a trailing slash. */
  readonly baseUrl: string
}

export class GitRemote {
  readonly #options: RemoteOptions
  readonly #authorization: string | null
  /** Texts that an error must not repeat. */
  readonly secrets: readonly string[]

  constructor(options: RemoteOptions) {
    this.#options = options
    const { authorization, secrets } = basicOf(options.credentials, options.provider)
    this.#authorization = authorization
    this.secrets = secrets
  }

  /** @param branch the only one that is wanted; null: all @throws ProviderError too_large above `BRANCHES_LIMIT` */
  async references(repository: string, branch: string | null, signal: AbortSignal): Promise<References> {
    const service = 'git-upload-pack' satisfies Service
    const { body } = await this.#send(repository, `/info/refs?service=${service}`, { method: 'GET', bodyLimit: REFERENCES_BYTES, signal })
    return this.#value({ of: 'references', bytes: body, branch }, 'repository', signal)
  }

  /** @throws ProviderError not_found if the server does not give the commit; too_large above `FETCH_BYTES` and the limits of a pack */
  async fetch(repository: string, { commitSha, depth, omitsTrees = false }: FetchOptions, signal: AbortSignal): Promise<FetchedPack> {
    const { provider } = this.#options
    if (!isObjectId(commitSha)) throw new ProviderError('not_found', { provider, details: { what: 'commit' } })
    const body = Buffer.concat([
      pktLine(`want ${commitSha} side-band-64k ofs-delta no-progress ${omitsTrees ? 'filter ' : ''}${AGENT}\n`),
      pktLine(`deepen ${depth}\n`),
      ...(omitsTrees ? [pktLine('filter tree:0\n')] : []),
      FLUSH,
      pktLine('done\n'),
    ])
    const answer = await this.#post(repository, 'git-upload-pack', { body, bodyLimit: FETCH_BYTES, what: 'commit', signal })
    const read = await this.#read({ of: 'fetch', bytes: answer }, 'commit', signal)
    if (read.kind !== 'pack') throw malformedAnswer(provider)
    return new FetchedPack(read.pack, this.#options.reader.hold(read.pack.bytes.byteLength + read.pack.index.byteLength))
  }

  /** Reads a value of a pack. @throws ProviderError not_found if the pack lacks a file; unavailable if it lacks anything else; too_large */
  async valueOf<T>(pack: FetchedPack, reading: PackReading, signal: AbortSignal): Promise<T> {
    return this.#value({ ...reading, ...pack.use() } as GitReading, 'file', signal, pack)
  }

  /** Reads a file of a pack. @throws as `valueOf` */
  async fileOf(pack: FetchedPack, id: string, signal: AbortSignal): Promise<Uint8Array> {
    const read = await this.#read({ of: 'file', id, ...pack.use() }, 'file', signal)
    if (read.kind !== 'file') throw malformedAnswer(this.#options.provider)
    pack.spend(read.work)
    return read.bytes
  }

  async push(repository: string, { branch, oldHead, newHead, objects }: Push, signal: AbortSignal): Promise<PushRefusal> {
    const reference = BRANCHES + branch
    const body = Buffer.concat([pktLine(`${oldHead ?? NO_ID} ${newHead} ${reference}\0 report-status side-band-64k ${AGENT}`), FLUSH, await writePack(objects)])
    const answer = await this.#post(repository, 'git-receive-pack', { body, bodyLimit: REPORT_BYTES, what: 'repository', signal })
    return this.#value({ of: 'report', bytes: answer, reference }, 'repository', signal)
  }

  async #value<T>(reading: GitReading, what: string, signal: AbortSignal, pack: FetchedPack | null = null): Promise<T> {
    const read = await this.#read(reading, what, signal)
    if (read.kind !== 'value') throw malformedAnswer(this.#options.provider)
    pack?.spend(read.work)
    return (await fromPieces(read.value)) as T
  }

  /** @param what a thread may find missing @throws ProviderError for what is no result */
  async #read(reading: GitReading, what: string, signal: AbortSignal): Promise<GitRead> {
    const { provider, reader } = this.#options
    const read = await unlessAborted(reader.git(reading, signal), provider)
    switch (read.kind) {
      case 'malformed':
        throw malformedAnswer(provider)
      case 'missing':
        throw new ProviderError('not_found', { provider, details: { what } })
      case 'too_large':
        throw new ProviderError('too_large', { provider, details: { limit: read.limit } })
      case 'unsupported':
        throw new ProviderError('unsupported', { provider, details: { what: read.what } })
      case 'refused':
        throw this.#fetchRefusal(read.message)
      default:
        return read
    }
  }

  /** The commit is not one that the server gives. Servers word it differently, and give no other reason once the branch is known. */
  #fetchRefusal(message: string): ProviderError {
    const { provider } = this.#options
    if (/not our ref|not found|unadvertised|want .* not valid|unknown/i.test(message)) return new ProviderError('not_found', { provider, details: { what: 'commit' } })
    return new ProviderError('refused', { provider, details: { provider_message: providerMessage(message, this.secrets) } })
  }

  #post(
    repository: string,
    service: Service,
    { what, ...request }: { readonly body: Buffer; readonly bodyLimit: number; readonly what: string; readonly signal: AbortSignal },
  ): Promise<Buffer> {
    const headers = { 'Content-Type': `application/x-${service}-request`, Accept: `application/x-${service}-result` }
    return this.#send(repository, `/${service}`, { ...request, method: 'POST', headers }, what).then(({ body }) => body)
  }

  async #send(
    repository: string,
    suffix: string,
    { headers, ...request }: Pick<OutboundRequest, 'method' | 'headers' | 'body' | 'bodyLimit'> & { readonly signal: AbortSignal },
    what = 'repository',
  ): Promise<OutboundResponse> {
    const { http, clock, provider, baseUrl } = this.#options
    const context: RefusalContext = { provider, now: clock(), what, secrets: this.secrets }
    const url = new URL(`${baseUrl}/${repositoryPath(repository, provider)}${suffix}`)
    const authorization = this.#authorization === null ? {} : { Authorization: this.#authorization }
    let response: OutboundResponse
    try {
      response = await http.send({
        ...request,
        url,
        headers: { ...headers, ...authorization, 'User-Agent': 'git/detection-content' },
        timeoutMs: CALL_TIMEOUT_MS,
        beyondLimit: 'refuse',
      })
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error instanceof ApiError ? error : malformedAnswer(provider)
      if (error.failure === 'answer_too_large') throw new ProviderError('too_large', { provider, details: { limit: request.bodyLimit } })
      throw noAnswer(error, provider)
    }
    if (response.status !== 200) throw refusalOf(response, response.body.toString('utf8', 0, ERROR_BYTES), context)
    return response
  }
}

/** What is read of a pack, without the pack. */
export type PackReading =
  | { readonly of: 'files'; readonly commitSha: string }
  | { readonly of: 'commits'; readonly head: string; readonly limit: number }
  | { readonly of: 'root'; readonly commitSha: string }
  | { readonly of: 'tree'; readonly id: string; readonly entriesLimit: number }

/** A pack that was fetched, and what may still be read of it. */
export class FetchedPack {
  readonly #memory: PackMemory
  readonly #permit: Permit
  #workLeft = READ_WORK_BYTES

  constructor(memory: PackMemory, permit: Permit) {
    this.#memory = memory
    this.#permit = permit
  }

  use(): { readonly pack: PackMemory; readonly workLimit: number } {
    return { pack: this.#memory, workLimit: this.#workLeft }
  }

  spend(work: number): void {
    this.#workLeft = Math.max(0, this.#workLeft - work)
  }

  /** Its bytes count no longer. */
  release(): void {
    this.#permit.release()
  }
}

/** Path of a repository below the provider's address: `owner/name.git`. @throws ProviderError not_found */
function repositoryPath(repository: string, provider: string): string {
  const parts = repository.split('/')
  // A part `..` would select another path.
  if (parts.some((part) => /^\.{0,2}$/.test(part))) throw new ProviderError('not_found', { provider, details: { what: 'repository' } })
  const path = parts.map(encodeURIComponent).join('/')
  return path.endsWith('.git') ? path : `${path}.git`
}

function basicOf(credentials: ProviderCredentials, provider: string): { readonly authorization: string | null; readonly secrets: readonly string[] } {
  const basic = (username: string, password: string) => {
    const encoded = Buffer.from(`${username}:${password}`).toString('base64')
    return { authorization: `Basic ${encoded}`, secrets: [password, encoded] }
  }
  switch (credentials.kind) {
    case 'none':
      return { authorization: null, secrets: [] }
    case 'token':
      // Servers that take tokens as passwords take any name.
      return basic('git', credentials.token)
    case 'password':
      return basic(credentials.username, credentials.password)
    case 'app':
      throw new ProviderError('unsupported', { provider, details: { what: 'app' } })
  }
}
