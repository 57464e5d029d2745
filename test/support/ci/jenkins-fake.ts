/**
 * Jenkins for tests: jobs in folders, the queue, builds, crumbs, with the shapes, statuses and headers of Jenkins' documentation. Its root address differs from
 * the one that is asked, as behind a proxy. Items leave the queue when a test begins their builds.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FakeJob {
  /** Names joined by `/`; those of branches are encoded. */
  readonly path: string
  readonly isMultibranch: boolean
  /** Null: the job has no parameters. */
  readonly parameters: readonly string[] | null
  readonly builds: FakeBuild[]
}

export interface FakeBuild {
  readonly number: number
  readonly queueId: number
  building: boolean
  result: string | null
}

export interface FakeItem {
  readonly id: number
  readonly job: FakeJob
  readonly parameters: Readonly<Record<string, string>>
  cancelled: boolean
  build: FakeBuild | null
  /** Jenkins forgets items some minutes after they have left the queue. */
  isForgotten: boolean
}

interface Answer {
  readonly status?: number
  readonly body?: unknown
  readonly page?: string
  readonly headers?: Readonly<Record<string, string>>
}

const USER = 'content'
const CRUMB = 'f4a44af38ffc911d34c1c331bf292c9d'
const SESSION = 'JSESSIONID.0a1b=node0abc'
const ROOT = 'https://jenkins.internal.example.test/'

export class JenkinsFake {
  readonly user = USER
  readonly apiToken = '11a3b7k9token0of0the0fake0jenkins'
  readonly password = 'a password, which needs crumbs'
  readonly jobs: FakeJob[] = []
  readonly queue: FakeItem[] = []
  /** Answers the next requests instead of the endpoint. */
  readonly instead: Answer[] = []
  readonly received: string[] = []
  #server: Server | null = null

  get url(): string {
    return `http://127.0.0.1:${(this.#server!.address() as AddressInfo).port}/ci`
  }

  async start(): Promise<this> {
    this.#server = createServer((request, response) => void this.#handle(request, response))
    await new Promise<void>((resolve) => this.#server!.listen(0, '127.0.0.1', resolve))
    return this
  }

  close(): Promise<void> {
    this.#server!.closeAllConnections()
    return new Promise((resolve) => this.#server!.close(() => resolve()))
  }

  addJob(path: string, { parameters = null, isMultibranch = false }: Partial<Pick<FakeJob, 'parameters' | 'isMultibranch'>> = {}): FakeJob {
    const job = { path, parameters, isMultibranch, builds: [] }
    this.jobs.push(job)
    return job
  }

  /** Begins the build of a waiting item. */
  begin(item: FakeItem): FakeBuild {
    const build: FakeBuild = { number: item.job.builds.length + 1, queueId: item.id, building: true, result: null }
    item.job.builds.unshift(build)
    item.build = build
    return build
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    this.received.push(`${request.method} ${request.url}`)
    const answer = this.instead.shift() ?? this.#answer(request, new URL(request.url!, this.url), Buffer.concat(chunks).toString('utf8'))
    const { status = 200, body, page, headers = {} } = answer
    const isPage = body === undefined
    response.writeHead(status, { 'content-type': isPage ? 'text/html;charset=utf-8' : 'application/json;charset=utf-8', 'x-jenkins': '2.516.3', ...headers })
    response.end(isPage ? (page ?? `<html><body><h2>HTTP ERROR ${status}</h2></body></html>`) : JSON.stringify(body))
  }

  #answer({ method, headers }: IncomingMessage, url: URL, text: string): Answer {
    const [user, secret] = Buffer.from((headers.authorization ?? '').replace('Basic ', ''), 'base64')
      .toString('utf8')
      .split(/:(.*)/s)
    if (user !== USER || (secret !== this.apiToken && secret !== this.password)) return { status: 401, headers: { 'www-authenticate': 'Basic realm="Jenkins"' } }
    const path = url.pathname.replace('/ci/', '')
    if (method === 'GET') return this.#read(path, url.searchParams.get('tree'))
    const hasCrumb = headers['jenkins-crumb'] === CRUMB && headers.cookie === SESSION
    if (secret === this.password && !hasCrumb) return { status: 403, page: 'HTTP ERROR 403 No valid crumb was included in the request' }
    return this.#change(path, url, new URLSearchParams(text))
  }

  #read(path: string, tree: string | null): Answer {
    if (path === 'me/api/json') return { body: { _class: 'hudson.model.User', id: USER } }
    if (path === 'crumbIssuer/api/json') return { body: { crumb: CRUMB, crumbRequestField: 'Jenkins-Crumb' }, headers: { 'set-cookie': `${SESSION}; Path=/; HttpOnly` } }
    const item = this.queue.find(({ id, isForgotten }) => path === `queue/item/${id}/api/json` && !isForgotten)
    if (item !== undefined) return presentItem(item)
    const { job, rest } = this.#job(path)
    if (job === undefined) return { status: 404 }
    if (rest === 'api/json' && tree?.startsWith('builds') === true) {
      return { body: { _class: classOf(job), builds: job.builds.map(({ number, queueId }) => ({ _class: 'org.jenkinsci.plugins.workflow.job.WorkflowRun', number, queueId })) } }
    }
    if (rest === 'api/json') {
      const parameters = job.parameters === null ? [] : [{ _class: 'hudson.model.ParametersDefinitionProperty', parameterDefinitions: job.parameters.map((name) => ({ name })) }]
      return { body: { _class: classOf(job), property: [{ _class: 'jenkins.model.BuildDiscarderProperty' }, ...parameters] } }
    }
    const build = job.builds.find(({ number }) => rest === `${number}/api/json`)
    if (build === undefined) return { status: 404 }
    const { building, result } = build
    return { body: { _class: 'org.jenkinsci.plugins.workflow.job.WorkflowRun', building, result, timestamp: 1_795_000_000_000, duration: building ? 0 : 61_000 } }
  }

  #change(path: string, url: URL, form: URLSearchParams): Answer {
    if (path === 'queue/cancelItem') {
      const item = this.queue.find(({ id }) => String(id) === url.searchParams.get('id'))
      if (item !== undefined) item.cancelled = true
      return { status: 404 }
    }
    const { job, rest } = this.#job(path)
    if (job === undefined || job.isMultibranch) return { status: 404 }
    const stopped = job.builds.find(({ number }) => rest === `${number}/stop`)
    if (stopped !== undefined) {
      Object.assign(stopped, { building: false, result: 'ABORTED' })
      return { status: 302, headers: { location: `${ROOT}job/${job.path}/${stopped.number}/` } }
    }
    // `build` of a job with parameters is a form that was not sent.
    if (rest === 'build' && job.parameters !== null) return { status: 400, page: 'Nothing is submitted' }
    if (rest === 'buildWithParameters' && job.parameters === null) return { status: 500, page: `${job.path} is not parameterized but buildWithParameters was requested` }
    if (rest !== 'build' && rest !== 'buildWithParameters') return { status: 404 }
    const item: FakeItem = { id: 120 + this.queue.length, job, parameters: Object.fromEntries(form), cancelled: false, build: null, isForgotten: false }
    this.queue.push(item)
    return { status: 201, headers: { location: `${ROOT}queue/item/${item.id}/` } }
  }

  /** Finds the job of a path: `job/folder/job/name/…`. */
  #job(path: string): { readonly job: FakeJob | undefined; readonly rest: string } {
    const [, jobs = '', rest = ''] = /^((?:job\/[^/]+\/)*)(.*)$/.exec(path) ?? []
    const names = [...jobs.matchAll(/job\/([^/]+)\//g)].map(([, name]) => decodeURIComponent(name))
    return { job: this.jobs.find((each) => each.path === names.join('/')), rest }
  }
}

function presentItem({ id, cancelled, build }: FakeItem): Answer {
  const _class = `hudson.model.Queue$${build !== null || cancelled ? 'LeftItem' : 'WaitingItem'}`
  if (build !== null) return { body: { _class, cancelled: false, executable: { _class: 'org.jenkinsci.plugins.workflow.job.WorkflowRun', number: build.number } } }
  return { body: cancelled ? { _class, cancelled: true } : { _class, id } }
}

function classOf({ isMultibranch }: FakeJob): string {
  return isMultibranch ? 'org.jenkinsci.plugins.workflow.multibranch.WorkflowMultiBranchProject' : 'org.jenkinsci.plugins.workflow.job.WorkflowJob'
}
