/**
 * Git's smart HTTP protocol (version 0): reads the references of a repository, fetches commits, and pushes one commit. Invariants:
 *  1. a push names the head that it replaces; the server compares it while it holds the lock of the branch, so that no commit is ever lost
 *  2. everything that is thrown is an `ApiError`, without the credential
 */
import type { GatewayParts, ProviderConnection, ProviderCredentials } from '../../connection.js'
import { malformedAnswer, providerMessage } from '../../answers.js'
import { OutboundError, type OutboundRequest, type OutboundResponse } from '../../http/client.js'
import { noAnswer, ProviderError } from '../../provider-error.js'
import { CALL_TIMEOUT_MS, FETCH_BYTES } from '../gateway.js'
import { isObjectId, type NamedObject, NO_ID } from './objects.js'
import { Pack, PackTooLargeError, writePack } from './pack.js'
import { FLUSH, MalformedGitError, pktLine, readPktLines, textOf } from './pkt-line.js'
import { refusalOf, type RefusalContext } from './refusal.js'

/** Bytes of a list of references: about 100,000, those of tags and reviews included. */
const REFERENCES_BYTES = 16 * 1024 * 1024
/** Bytes of the answer to a push: a report of one line, and what hooks of the server print. */
const REPORT_BYTES = 1024 * 1024
const AGENT = 'agent=detection-content'
const BRANCHES = 'refs/heads/'
/** Bands of a multiplexed answer. */
const DATA_BAND = 1
const MESSAGE_BAND = 2
const ERROR_BAND = 3

/** Begin of `info/refs` of a server without the smart protocol: an id and the name of a branch. */
const DUMB = /^[0-9a-f]{40,64}\trefs\//
const DUMB_CHARACTERS = 80
/** The capability of repositories whose ids are SHA-256. */
const SHA256 = 'object-format=sha256'

type Service = 'git-upload-pack' | 'git-receive-pack'

export interface References {
  /** Heads by the name of the branch. */
  readonly branches: ReadonlyMap<string, string>
  /** What the server can do. */
  readonly capabilities: ReadonlySet<string>
}

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

/** Null: the server has made the commit the head. Otherwise what it says, which it may say about a moved head too. */
export type PushRefusal = { readonly reason: string; readonly message: string } | null

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

  async references(repository: string, signal: AbortSignal): Promise<References> {
    const service = 'git-upload-pack' satisfies Service
    const { body } = await this.#send(repository, `/info/refs?service=${service}`, { method: 'GET', bodyLimit: REFERENCES_BYTES, signal })
    return this.#understand(() => {
      const lines = readPktLines(body)
      // A server that only serves files answers with those that Git wrote for it.
      if (DUMB.test(body.toString('latin1', 0, DUMB_CHARACTERS))) throw new ProviderError('unsupported', { provider: this.#options.provider, details: { what: 'smart_http' } })
      const first = lines.next().value
      if (first === undefined || first === null || textOf(first) !== `# service=${service}`) throw new MalformedGitError('not the smart protocol')
      return referencesOf(lines, this.#options.provider)
    })
  }

  /** @throws ProviderError not_found if the server does not give the commit; too_large above `FETCH_BYTES` and the limits of a pack */
  async fetch(repository: string, { commitSha, depth, omitsTrees = false }: FetchOptions, signal: AbortSignal): Promise<Pack> {
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
    const bytes = this.#understand(() => this.#packOf(answer))
    try {
      return await Pack.read(bytes, signal)
    } catch (error) {
      if (signal.aborted) throw noAnswer(new OutboundError('aborted'), provider)
      if (error instanceof PackTooLargeError) throw new ProviderError('too_large', { provider, details: { limit: error.limit } })
      throw error instanceof MalformedGitError ? malformedAnswer(provider, error) : error
    }
  }

  async push(repository: string, { branch, oldHead, newHead, objects }: Push, signal: AbortSignal): Promise<PushRefusal> {
    const reference = BRANCHES + branch
    const body = Buffer.concat([pktLine(`${oldHead ?? NO_ID} ${newHead} ${reference}\0 report-status side-band-64k ${AGENT}`), FLUSH, writePack(objects)])
    const answer = await this.#post(repository, 'git-receive-pack', { body, bodyLimit: REPORT_BYTES, what: 'repository', signal })
    return this.#understand(() => this.#reportOf(answer, reference))
  }

  #packOf(answer: Buffer): Buffer {
    const data: Buffer[] = []
    let isPack = false
    let isComplete = false
    for (const line of readPktLines(answer)) {
      if (line === null) {
        isComplete = isPack
        continue
      }
      if (!isPack) {
        const text = textOf(line)
        if (text.startsWith('ERR ')) throw this.#fetchRefusal(text)
        // Lines before: the commits at which the history ends.
        isPack = text === 'NAK' || text.startsWith('ACK ')
      } else if (line[0] === DATA_BAND) data.push(line.subarray(1))
      else if (line[0] === ERROR_BAND) throw this.#fetchRefusal(textOf(line.subarray(1)))
    }
    if (!isComplete) throw new MalformedGitError('the answer is cut')
    return Buffer.concat(data)
  }

  /** The commit is not one that the server gives. Servers word it differently, and give no other reason once the branch is known. */
  #fetchRefusal(message: string): ProviderError {
    const { provider } = this.#options
    if (/not our ref|not found|unadvertised|want .* not valid|unknown/i.test(message)) return new ProviderError('not_found', { provider, details: { what: 'commit' } })
    return new ProviderError('refused', { provider, details: { provider_message: providerMessage(message, this.secrets) } })
  }

  #reportOf(answer: Buffer, reference: string): PushRefusal {
    const report: Buffer[] = []
    let message = ''
    for (const line of readPktLines(answer)) {
      if (line === null) continue
      if (line[0] === DATA_BAND) report.push(line.subarray(1))
      else if (line[0] === MESSAGE_BAND || line[0] === ERROR_BAND) message += line.toString('utf8', 1)
      // Without bands the lines are the report itself.
      else report.push(pktLine(line.toString('utf8')))
    }
    const lines = [...readPktLines(Buffer.concat(report))].flatMap((line) => (line === null ? [] : [textOf(line)]))
    if (lines.includes('unpack ok') && lines.includes(`ok ${reference}`)) return null
    const refused = lines.find((line) => line.startsWith(`ng ${reference} `))?.slice(`ng ${reference} `.length)
    const unpack = lines.find((line) => line.startsWith('unpack ') && line !== 'unpack ok')
    if (refused === undefined && unpack === undefined && message === '') throw new MalformedGitError('no report')
    return { reason: refused ?? unpack ?? '', message }
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
      if (!(error instanceof OutboundError)) throw malformedAnswer(provider)
      if (error.failure === 'answer_too_large') throw new ProviderError('too_large', { provider, details: { limit: request.bodyLimit } })
      throw noAnswer(error, provider)
    }
    if (response.status !== 200) throw refusalOf(response, response.body.toString('utf8'), context)
    return response
  }

  #understand<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      throw error instanceof MalformedGitError ? malformedAnswer(this.#options.provider, error) : error
    }
  }
}

function referencesOf(lines: Generator<Buffer | null>, provider: string): References {
  const branches = new Map<string, string>()
  const capabilities = new Set<string>()
  let isFirst = true
  let sections = 0
  for (const line of lines) {
    if (line === null) {
      sections += 1
      continue
    }
    const [reference, listed] = textOf(line).split('\0')
    if (isFirst) for (const capability of (listed ?? '').split(' ')) capabilities.add(capability)
    isFirst = false
    if (capabilities.has(SHA256)) throw new ProviderError('unsupported', { provider, details: { what: 'object_format' } })
    const id = reference.slice(0, NO_ID.length)
    if (!isObjectId(id) || reference[NO_ID.length] !== ' ') throw new MalformedGitError('a malformed reference')
    const name = reference.slice(NO_ID.length + 1)
    if (name.startsWith(BRANCHES)) branches.set(name.slice(BRANCHES.length), id)
  }
  // The announcement of the service is a section, and the references are another, which is empty for an empty repository.
  if (sections < 2) throw new MalformedGitError('no references')
  return { branches, capabilities }
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
