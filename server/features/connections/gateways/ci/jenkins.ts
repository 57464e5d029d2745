/**
 * Jenkins, over its remote access API. A project is the path of a job, with its folders: `folder/job`. Invariants:
 *  1. addresses are built from the connection's, never taken from an answer: Jenkins answers with the root address of its settings
 *  2. an id of a run has the job's path: `queue.ITEM.PATH` while the build waits, `build.NUMBER.PATH` when it has begun. An item can be asked for until some
 *     minutes after its build has begun; then its build is found by the number of the item
 */
import Type, { type Static } from 'typebox'
import { malformedAnswer, providerMessage, readAnswer, retryTime } from '../../../../core/egress/answers.js'
import type { GatewayParts } from '../connection.js'
import { OutboundError, type OutboundResponse } from '../../../../core/egress/client.js'
import { noAnswer, ProviderError } from '../../../../core/egress/provider-error.js'
import type { CiConnection, CiGateway, PipelineRequest, PipelineRun, PipelineStatus } from './gateway.js'

const PROVIDER = 'jenkins'
/** Time limit of one call. */
const CALL_TIMEOUT_MS = 30_000
/** Bytes of an answer. Every call names the fields that it reads. */
const ANSWER_BYTES = 1024 * 1024
/** Bytes of a page of an error that are searched: it says at its beginning what is missing. */
const PAGE_BYTES = 16 * 1024
/** Builds among which that of a former queue item is looked for. */
const BUILDS_SEARCHED = 100

const Job = Type.Object({
  _class: Type.Optional(Type.String()),
  property: Type.Optional(Type.Array(Type.Object({ parameterDefinitions: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))) }))),
})
const QueueItem = Type.Object({
  cancelled: Type.Optional(Type.Boolean()),
  executable: Type.Optional(Type.Union([Type.Object({ number: Type.Integer() }), Type.Null()])),
})
const Build = Type.Object({
  building: Type.Boolean(),
  result: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  timestamp: Type.Integer({ minimum: 0, maximum: 8.64e15 }),
  duration: Type.Integer({ minimum: 0, maximum: 8.64e15 }),
})
const Builds = Type.Object({ builds: Type.Array(Type.Object({ number: Type.Integer(), queueId: Type.Optional(Type.Integer()) })) })
const Crumb = Type.Object({ crumb: Type.String(), crumbRequestField: Type.String() })
const User = Type.Object({ id: Type.String() })

/** Results of Jenkins' builds. */
const RESULTS: Readonly<Record<string, PipelineStatus>> = { SUCCESS: 'succeeded', UNSTABLE: 'failed', FAILURE: 'failed', ABORTED: 'canceled', NOT_BUILT: 'canceled' }
/** Names of the parameter that takes the branch, where a job has no branches of its own. */
const BRANCH_PARAMETERS = ['BRANCH', 'branch', 'BRANCH_NAME', 'GIT_BRANCH'] as const
/** Jobs with a job for each branch. */
const MULTIBRANCH = /MultiBranchProject$/
const QUEUE_ITEM = /\/queue\/item\/(\d{1,15})\/?$/
const RUN_ID = /^(queue|build)\.(\d{1,15})\.([A-Za-z0-9_-]{1,800})$/
/** Longest value of a cookie or crumb that is sent back. */
const CRUMB = /^[\x21-\x7e]{1,512}$/

/** Names of a job's folders and of the job. */
type JobPath = readonly string[]

interface RunId {
  readonly kind: 'queue' | 'build'
  readonly number: number
  readonly job: JobPath
}

export function openJenkins(connection: CiConnection, parts: GatewayParts): CiGateway {
  return new Jenkins(connection, parts)
}

class Jenkins implements CiGateway {
  readonly #connection: CiConnection
  readonly #parts: GatewayParts

  constructor(connection: CiConnection, parts: GatewayParts) {
    this.#connection = connection
    this.#parts = parts
  }

  async test(signal: AbortSignal): Promise<{ readonly account: string | null }> {
    const { id } = await this.#get(User, 'me/api/json?tree=id', 'account', signal)
    if (this.#connection.project !== null) await this.#job(jobPath(this.#connection.project), signal)
    return { account: id }
  }

  async start({ project, branch, inputs }: PipelineRequest, signal: AbortSignal): Promise<PipelineRun> {
    const name = project ?? this.#connection.project
    if (name === null) throw notFound('project')
    let path = jobPath(name)
    let job = await this.#job(path, signal)
    let parameters = inputs
    if (job.isMultibranch) {
      if (branch === null) throw notFound('branch')
      // Jenkins encodes names of branches to make names of jobs.
      path = [...path, encodeURIComponent(branch)]
      job = await this.#job(path, signal, 'branch')
    } else if (branch !== null) {
      const parameter = BRANCH_PARAMETERS.find((each) => job.parameters?.has(each))
      if (parameter === undefined) throw notFound('parameter', { names: ['BRANCH'] })
      parameters = { [parameter]: branch, ...inputs }
    }
    // Jenkins ignores parameters that the job does not define.
    const unknown = Object.keys(inputs).filter((each) => job.parameters?.has(each) !== true)
    if (unknown.length > 0) throw notFound('parameter', { names: unknown })
    const started = job.parameters === null ? this.#post(`${pathOf(path)}/build`, null, signal) : this.#post(`${pathOf(path)}/buildWithParameters`, parameters, signal)
    const { headers } = await started
    const item = QUEUE_ITEM.exec(headers.location ?? '')?.[1]
    if (item === undefined) throw malformedAnswer(PROVIDER)
    return this.#waiting({ kind: 'queue', number: Number(item), job: path })
  }

  async get(externalRunId: string, signal: AbortSignal): Promise<PipelineRun> {
    const id = runId(externalRunId)
    return id.kind === 'build' ? this.#build(id.number, id.job, signal) : this.#queued(id, signal)
  }

  readonly cancel = async (externalRunId: string, signal: AbortSignal): Promise<void> => {
    const run = await this.get(externalRunId, signal)
    const { kind, number, job } = runId(run.externalRunId)
    if (run.status !== 'queued' && run.status !== 'running') return
    try {
      await this.#post(kind === 'queue' ? `queue/cancelItem?id=${number}` : `${pathOf(job)}/${number}/stop`, null, signal)
    } catch (error) {
      // Jenkins answers 404 to a canceled item (JENKINS-21311).
      if (!(kind === 'queue' && error instanceof ProviderError && error.failure === 'not_found')) throw error
    }
  }

  async #queued(id: RunId, signal: AbortSignal): Promise<PipelineRun> {
    let item: Static<typeof QueueItem>
    try {
      item = await this.#get(QueueItem, `queue/item/${id.number}/api/json?tree=cancelled,executable[number]`, 'run', signal)
    } catch (error) {
      if (!(error instanceof ProviderError && error.failure === 'not_found')) throw error
      return this.#buildOfItem(id, signal)
    }
    if (item.executable !== undefined && item.executable !== null) return this.#build(item.executable.number, id.job, signal)
    return item.cancelled === true ? { ...this.#waiting(id), status: 'canceled' } : this.#waiting(id)
  }

  /** Finds the build of an item that Jenkins has forgotten. */
  async #buildOfItem({ number, job }: RunId, signal: AbortSignal): Promise<PipelineRun> {
    const { builds } = await this.#get(Builds, `${pathOf(job)}/api/json?tree=builds[number,queueId]{0,${BUILDS_SEARCHED}}`, 'run', signal)
    const build = builds.find(({ queueId }) => queueId === number)
    if (build === undefined) throw notFound('run')
    return this.#build(build.number, job, signal)
  }

  async #build(number: number, job: JobPath, signal: AbortSignal): Promise<PipelineRun> {
    const found = await this.#get(Build, `${pathOf(job)}/${number}/api/json?tree=building,result,timestamp,duration`, 'run', signal)
    const { building, result, timestamp, duration } = found
    const hasEnded = !building && typeof result === 'string'
    const url = `${this.#base}/${pathOf(job)}/${number}/`
    return {
      externalRunId: idOf({ kind: 'build', number, job }),
      status: hasEnded ? (RESULTS[result] ?? 'failed') : 'running',
      url,
      startedAt: new Date(timestamp),
      finishedAt: hasEnded ? new Date(Math.min(timestamp + duration, 8.64e15)) : null,
      logsUrl: `${url}console`,
    }
  }

  #waiting(id: RunId): PipelineRun {
    return { externalRunId: idOf(id), status: 'queued', url: `${this.#base}/${pathOf(id.job)}/`, startedAt: null, finishedAt: null, logsUrl: null }
  }

  async #job(path: JobPath, signal: AbortSignal, what = 'project') {
    const { _class = '', property = [] } = await this.#get(Job, `${pathOf(path)}/api/json?tree=property[parameterDefinitions[name]]`, what, signal)
    const defined = property.flatMap(({ parameterDefinitions }) => parameterDefinitions ?? [])
    return { isMultibranch: MULTIBRANCH.test(_class), parameters: defined.length === 0 ? null : new Set(defined.map(({ name }) => name)) }
  }

  async #get<T extends Type.TObject>(schema: T, path: string, what: string, signal: AbortSignal): Promise<Static<T>> {
    const answer = await this.#send('GET', path, {}, null, signal)
    if (answer.status < 200 || answer.status >= 300) throw failureOf(answer, this.#context, what)
    return readAnswer(this.#parts.reader, schema, answer.body, PROVIDER, signal)
  }

  /** Sends a change. Jenkins redirects to a page when the change is done. */
  async #post(path: string, form: Readonly<Record<string, string>> | null, signal: AbortSignal): Promise<OutboundResponse> {
    let answer = await this.#send('POST', path, {}, form, signal)
    // API tokens need no crumb, passwords do.
    if (answer.status === 403 && /crumb/i.test(answer.body.toString('utf8', 0, PAGE_BYTES))) answer = await this.#send('POST', path, await this.#crumb(signal), form, signal)
    if (answer.status >= 400 || this.#isElsewhere(answer)) throw failureOf(answer, this.#context, 'run')
    return answer
  }

  /** Whether an answer redirects to a sign-in page, or to another server. */
  #isElsewhere({ status, headers }: OutboundResponse): boolean {
    return status >= 300 && /login|commence/i.test(headers.location ?? '')
  }

  /** A crumb is valid in the session in which it was issued. */
  async #crumb(signal: AbortSignal): Promise<Record<string, string>> {
    const answer = await this.#send('GET', 'crumbIssuer/api/json', {}, null, signal)
    if (answer.status !== 200) throw failureOf(answer, this.#context, 'crumb')
    const { crumb, crumbRequestField } = await readAnswer(this.#parts.reader, Crumb, answer.body, PROVIDER, signal)
    if (!/^[A-Za-z.-]{1,64}$/.test(crumbRequestField) || !CRUMB.test(crumb)) throw malformedAnswer(PROVIDER)
    const cookies = (answer.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).filter((cookie) => CRUMB.test(cookie))
    return { [crumbRequestField]: crumb, ...(cookies.length === 0 ? {} : { Cookie: cookies.join('; ') }) }
  }

  async #send(method: 'GET' | 'POST', path: string, headers: Readonly<Record<string, string>>, form: Readonly<Record<string, string>> | null, signal: AbortSignal) {
    try {
      return await this.#parts.http.send({
        method,
        url: new URL(`${this.#base}/${path}`),
        headers: { Accept: 'application/json', ...this.#authorization(), ...(form === null ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }), ...headers },
        ...(form === null ? {} : { body: new URLSearchParams(form).toString() }),
        timeoutMs: CALL_TIMEOUT_MS,
        signal,
        bodyLimit: ANSWER_BYTES,
        // Pages of errors may be long, and are not shown.
        beyondLimit: 'refuse',
      })
    } catch (error) {
      throw error instanceof OutboundError ? noAnswer(error, PROVIDER) : error
    }
  }

  get #base(): string {
    const { baseUrl } = this.#connection
    if (baseUrl === null) throw new ProviderError('unsupported', { provider: PROVIDER, details: { what: 'base_url' } })
    return baseUrl.replace(/\/+$/, '')
  }

  get #context(): FailureContext {
    const { credentials } = this.#connection
    const secrets = credentials.kind === 'password' ? [credentials.password, `${credentials.username}:${credentials.password}`] : []
    return { now: this.#parts.clock(), secrets }
  }

  #authorization(): Readonly<Record<string, string>> {
    const { credentials } = this.#connection
    if (credentials.kind === 'none') return {}
    if (credentials.kind !== 'password') throw new ProviderError('unsupported', { provider: PROVIDER, details: { what: credentials.kind } })
    return { Authorization: `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}` }
  }
}

interface FailureContext {
  readonly now: number
  /** Texts that an error must not repeat. */
  readonly secrets: readonly string[]
}

/** Maps an answer that is not as expected. Jenkins' errors are pages; no text of them is repeated. */
function failureOf({ status, headers }: OutboundResponse, { now, secrets }: FailureContext, what: string): ProviderError {
  const provider = PROVIDER
  const header = (name: string): string | null => [headers[name] ?? null].flat()[0]
  if (status < 400) return new ProviderError('redirect_refused', { provider, details: { status } })
  if (status === 401) return new ProviderError('credentials_refused', { provider })
  if (status === 403) {
    const permission = providerMessage(header('x-required-permission'), secrets)
    return new ProviderError('scope_missing', { provider, details: { scopes: permission === null ? [] : [permission] } })
  }
  if (status === 404) return notFound(what)
  if (status === 429 || (status === 503 && header('retry-after') !== null)) {
    const retryAt = retryTime(header('retry-after'), null, now)
    return new ProviderError('rate_limited', { provider, now, ...(retryAt === undefined ? {} : { retryAt }) })
  }
  if (status >= 500) return new ProviderError('unavailable', { provider, details: { failure: 'server_error', status } })
  return new ProviderError('refused', { provider, details: { status } })
}

function notFound(what: string, details: Readonly<Record<string, readonly string[]>> = {}): ProviderError {
  return new ProviderError('not_found', { provider: PROVIDER, details: { what, ...details } })
}

/** @throws ProviderError not_found */
function jobPath(text: string): JobPath {
  const names = text.split('/')
  if (names.some((name) => name === '' || name === '.' || name === '..')) throw notFound('project')
  return names
}

function pathOf(job: JobPath): string {
  return job.map((name) => `job/${encodeURIComponent(name)}`).join('/')
}

function idOf({ kind, number, job }: RunId): string {
  return `${kind}.${number}.${Buffer.from(job.join('/')).toString('base64url')}`
}

/** @throws ProviderError not_found */
function runId(text: string): RunId {
  const [, kind, number, job] = RUN_ID.exec(text) ?? []
  if (kind === undefined) throw notFound('run')
  return { kind: kind as RunId['kind'], number: Number(number), job: jobPath(Buffer.from(job, 'base64url').toString('utf8')) }
}
