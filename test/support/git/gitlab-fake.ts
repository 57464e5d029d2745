/**
 * GitLab's REST API (v4) for tests: the endpoints that the gateways call, with the shapes, pages, statuses and error bodies of GitLab's documentation. A
 * parameter that an endpoint does not document is refused, so that the gateway cannot drift. CI endpoints are in `../ci/gitlab-ci-routes.ts`.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SeedBytes } from './seeds.js'
import { addCommit, type Commit, entryOf, hasConflicts, historyOf, lastCommitOf, type MergeRequest, newProject, type Note, type Project } from './gitlab-store.js'

/** Id of the token's user, and of a person who comments. */
export const TOKEN_USER = 7
export const PERSON = 8

export interface GitLabAnswer {
  readonly status?: number
  readonly body?: unknown
  readonly text?: string
  readonly bytes?: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

export interface GitLabRequest {
  readonly fake: GitLabFake
  readonly method: string
  /** Decoded segments of the path below `/api/v4`. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
}

/** An error with GitLab's body. */
export class GitLabRefusal extends Error {
  constructor(
    readonly status: number,
    readonly body: unknown,
  ) {
    super(String(status))
  }
}

/** An endpoint, its documented parameters, and its answer. `:project` is a project's path or id. */
export interface GitLabRoute {
  readonly method: string
  readonly path: string
  readonly parameters: readonly string[]
  answer(request: GitLabRequest, project: Project, values: readonly string[]): GitLabAnswer
}

export class GitLabFake {
  readonly token = 'glpat-xK3yT0ken_of-the-fake'
  readonly projects: Project[] = []
  /** Answers the next requests instead of the endpoint. */
  readonly instead: GitLabAnswer[] = []
  /** Requests that were received: method and path. */
  readonly received: string[] = []
  #server: Server | null = null
  #routes: readonly GitLabRoute[]

  constructor(more: readonly GitLabRoute[] = []) {
    this.#routes = [...ROUTES, ...more]
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server!.address() as AddressInfo).port}`
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

  createProject(path = `group/sub/content-${this.projects.length + 1}`): Project {
    const project = newProject(this.projects.length + 1, path)
    this.projects.push(project)
    return project
  }

  project(path: string): Project {
    return this.projects.find((project) => project.path === path || String(project.id) === path)!
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const url = new URL(request.url!, this.url)
    this.received.push(`${request.method} ${request.url}`)
    const { status = 200, body, text, bytes, headers = {} } = this.instead.shift() ?? this.#answer(request, url, Buffer.concat(chunks).toString('utf8'))
    const content = bytes ?? text ?? (body === undefined ? '' : JSON.stringify(body))
    const type = bytes !== undefined || text !== undefined ? 'text/plain' : 'application/json'
    response.writeHead(status, { 'content-type': type, ...headers }).end(content)
  }

  #answer({ method = 'GET', headers }: IncomingMessage, url: URL, text: string): GitLabAnswer {
    const refusal = (status: number, body: unknown): GitLabAnswer => ({ status, body })
    if (headers.authorization !== `Bearer ${this.token}`) return refusal(401, { message: '401 Unauthorized' })
    if (!url.pathname.startsWith('/api/v4/')) return refusal(404, { error: '404 Not Found' })
    const path = url.pathname.slice('/api/v4/'.length).split('/').map(decodeURIComponent)
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
    for (const route of this.#routes) {
      const values = valuesOf(route, method, path)
      if (values === null) continue
      const unknown = [...url.searchParams.keys(), ...Object.keys(body)].filter((name) => !route.parameters.includes(name.replace(/\[.*$/, '')))
      if (unknown.length > 0) return refusal(400, { error: `${unknown.join(', ')} is invalid` })
      const isProjects = route.path.startsWith('projects/:project')
      const project = isProjects ? this.project(values[0]) : undefined
      if (isProjects && project === undefined) return refusal(404, { message: '404 Project Not Found' })
      try {
        return route.answer({ fake: this, method, path, query: url.searchParams, body }, project as Project, isProjects ? values.slice(1) : values)
      } catch (error) {
        if (error instanceof GitLabRefusal) return refusal(error.status, error.body)
        throw error
      }
    }
    return refusal(404, { error: '404 Not Found' })
  }
}

function valuesOf({ method, path: pattern }: GitLabRoute, asked: string, path: readonly string[]): string[] | null {
  const parts = pattern.split('/')
  if (method !== asked || parts.length !== path.length) return null
  return parts.every((part, index) => part.startsWith(':') || part === path[index]) ? path.filter((_, index) => parts[index].startsWith(':')) : null
}

/** Returns a page with its `Link`, by a keyset or by number. */
export function paged<T>({ fake, path, query }: GitLabRequest, entries: readonly T[], present: (entry: T) => unknown): GitLabAnswer {
  const perPage = Math.min(Number(query.get('per_page') ?? 20), 100)
  const isKeyset = query.get('pagination') === 'keyset'
  const start = isKeyset ? Number(query.get('page_token') ?? query.get('id_after') ?? 0) : (Number(query.get('page') ?? 1) - 1) * perPage
  const end = start + perPage
  const next = new URLSearchParams(query)
  if (isKeyset) next.set('page_token', String(end))
  else next.set('page', String(end / perPage + 1))
  const address = `${fake.url}/api/v4/${path.map(encodeURIComponent).join('/')}?${next}`
  return { body: entries.slice(start, end).map(present), headers: end < entries.length ? { link: `<${address}>; rel="next"` } : {} }
}

const PAGES = ['per_page', 'page', 'pagination', 'page_token', 'order_by', 'sort']
const MERGE_REQUEST = 'projects/:project/merge_requests/:iid'

const ROUTES: readonly GitLabRoute[] = [
  { method: 'GET', path: 'user', parameters: [], answer: () => ({ body: { id: TOKEN_USER, username: 'content-bot', name: 'Content Bot', state: 'active' } }) },
  {
    method: 'GET',
    path: 'projects',
    parameters: [...PAGES, 'membership', 'archived'],
    answer: (request) => paged(request, request.fake.projects, presentProject),
  },
  {
    method: 'GET',
    path: 'groups/:group/projects',
    parameters: [...PAGES, 'include_subgroups', 'archived'],
    answer(request, _, [group]) {
      const found = request.fake.projects.filter(({ path }) => path.startsWith(`${group}/`))
      if (found.length === 0) throw new GitLabRefusal(404, { message: '404 Group Not Found' })
      return paged(request, found, presentProject)
    },
  },
  {
    method: 'GET',
    path: 'users/:user/projects',
    parameters: [...PAGES, 'archived'],
    answer(request, _, [user]) {
      if (user !== 'person') throw new GitLabRefusal(404, { message: '404 User Not Found' })
      return paged(request, request.fake.projects.slice(0, 1), presentProject)
    },
  },
  { method: 'GET', path: 'projects/:project', parameters: [], answer: (_, project) => ({ body: presentProject(project) }) },
  {
    method: 'GET',
    path: 'projects/:project/repository/branches',
    parameters: [...PAGES, 'search'],
    answer: (request, project) => paged(request, [...project.branches.keys()].sort(), (name) => presentBranch(project, name)),
  },
  { method: 'GET', path: 'projects/:project/repository/branches/:branch', parameters: [], answer: (_, project, [branch]) => ({ body: presentBranch(project, branch) }) },
  {
    method: 'GET',
    path: 'projects/:project/repository/tree',
    parameters: [...PAGES, 'ref', 'recursive', 'path'],
    answer(request, project) {
      const commit = project.commits.get(request.query.get('ref') ?? '')
      if (commit === undefined) throw new GitLabRefusal(404, { message: '404 Tree Not Found' })
      return paged(request, treeOf(commit), (entry) => entry)
    },
  },
  {
    method: 'GET',
    path: 'projects/:project/repository/blobs/:sha/raw',
    parameters: [],
    answer(_, project, [sha]) {
      for (const { files } of project.commits.values()) for (const file of files.values()) if (file.mode !== 'submodule' && entryOf(file).id === sha) return { bytes: file.bytes }
      throw new GitLabRefusal(404, { message: '404 Blob Not Found' })
    },
  },
  {
    method: 'GET',
    path: 'projects/:project/repository/files/:path',
    parameters: ['ref'],
    answer({ query }, project, [path]) {
      const commit = project.commits.get(query.get('ref') ?? '')
      if (commit === undefined) throw new GitLabRefusal(404, { message: '404 Commit Not Found' })
      const file = commit.files.get(path)
      if (file === undefined) throw new GitLabRefusal(404, { message: '404 File Not Found' })
      const { id } = entryOf(file)
      const last = lastCommitOf(project, commit.sha, path).sha
      return {
        body: {
          file_name: path.split('/').at(-1),
          file_path: path,
          size: file.bytes.length,
          encoding: 'base64',
          ref: commit.sha,
          blob_id: id,
          commit_id: commit.sha,
          last_commit_id: last,
          execute_filemode: file.mode === 'executable',
          content: file.bytes.toString('base64'),
        },
      }
    },
  },
  {
    method: 'GET',
    path: 'projects/:project/repository/commits',
    parameters: [...PAGES, 'ref_name', 'path', 'since', 'until'],
    answer(request, project) {
      const head = project.branches.get(request.query.get('ref_name') ?? 'main')
      if (head === undefined) throw new GitLabRefusal(404, { message: '404 Commit Not Found' })
      return paged(request, historyOf(project, head), (commit) => presentCommit(request, project, commit))
    },
  },
  {
    method: 'POST',
    path: 'projects/:project/repository/commits',
    parameters: ['branch', 'commit_message', 'start_branch', 'start_sha', 'actions', 'author_email', 'author_name', 'stats', 'force'],
    answer: (request, project) => ({ status: 201, body: presentCommit(request, project, createCommit(request, project)) }),
  },
  { method: 'POST', path: 'projects/:project/statuses/:sha', parameters: ['state', 'ref', 'name', 'target_url', 'description', 'coverage', 'pipeline_id'], answer: setStatus },
  {
    method: 'GET',
    path: 'projects/:project/merge_requests',
    parameters: [...PAGES, 'state', 'source_branch', 'target_branch'],
    answer(request, project) {
      const { query } = request
      const matches = (name: string, value: string) => query.get(name) === null || query.get(name) === value
      const found = project.mergeRequests.filter(
        (each) => matches('state', each.state) && matches('source_branch', each.sourceBranch) && matches('target_branch', each.targetBranch),
      )
      return paged(request, found, (each) => presentMergeRequest(request, project, each))
    },
  },
  {
    method: 'POST',
    path: 'projects/:project/merge_requests',
    parameters: ['source_branch', 'target_branch', 'title', 'description', 'remove_source_branch'],
    answer: (request, project) => ({ status: 201, body: presentMergeRequest(request, project, openMergeRequest(request, project)) }),
  },
  { method: 'GET', path: MERGE_REQUEST, parameters: [], answer: (request, project, [iid]) => ({ body: presentMergeRequest(request, project, mergeRequestOf(project, iid)) }) },
  {
    method: 'PUT',
    path: MERGE_REQUEST,
    parameters: ['title', 'description', 'state_event'],
    answer(request, project, [iid]) {
      const found = Object.assign(mergeRequestOf(project, iid), titled(request.body))
      return { body: presentMergeRequest(request, project, found) }
    },
  },
  {
    method: 'GET',
    path: `${MERGE_REQUEST}/notes`,
    parameters: PAGES,
    answer: (request, project, [iid]) => paged(request, mergeRequestOf(project, iid).notes, presentNote),
  },
  {
    method: 'POST',
    path: `${MERGE_REQUEST}/notes`,
    parameters: ['body', 'internal'],
    answer: ({ body }, project, [iid]) => ({ status: 201, body: presentNote(addNote(mergeRequestOf(project, iid), TOKEN_USER, String(body.body))) }),
  },
  {
    method: 'PUT',
    path: `${MERGE_REQUEST}/notes/:note`,
    parameters: ['body'],
    answer({ body }, project, [iid, id]) {
      const note = mergeRequestOf(project, iid).notes.find((each) => String(each.id) === id)
      if (note === undefined) throw new GitLabRefusal(404, { message: '404 Note Not Found' })
      if (note.authorId !== TOKEN_USER) throw new GitLabRefusal(403, { message: '403 Forbidden' })
      note.body = String(body.body)
      return { body: presentNote(note) }
    },
  },
]

interface Action {
  readonly action: string
  readonly file_path: string
  readonly content?: string
  readonly encoding?: string
  readonly last_commit_id?: string
}

/** Adds a commit to the branch's head as it is now: GitLab compares files, not the head. */
function createCommit({ body }: GitLabRequest, project: Project): Commit {
  const { branch, commit_message: message, start_sha: startSha, actions } = body as { branch: string; commit_message: string; start_sha?: string; actions: readonly Action[] }
  const refuse = (text: string): never => {
    throw new GitLabRefusal(400, { message: text })
  }
  if (project.protectedBranches.has(branch)) refuse('You are not allowed to push into this branch')
  const head = project.branches.get(branch)
  if (startSha !== undefined && head !== undefined) refuse(`A branch called '${branch}' already exists. Switch to that branch in order to make changes`)
  const parent = project.commits.get(startSha ?? head ?? '') ?? refuse('You can only create or edit files when you are on a branch')
  const files = new Map<string, SeedBytes>(parent.files)
  for (const { action, file_path: path, content = '', encoding, last_commit_id: last } of actions) {
    const there = files.get(path)
    if (action === 'create' && there !== undefined) refuse('A file with this name already exists')
    if (action !== 'create' && there === undefined) refuse("A file with this name doesn't exist")
    if (last !== undefined && lastCommitOf(project, parent.sha, path).sha !== last) refuse(`The file has changed since you started editing it: ${path}`)
    if (action === 'delete') files.delete(path)
    else files.set(path, { mode: there?.mode ?? 'file', bytes: Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8') })
  }
  const added = addCommit(project, { parents: [parent.sha], message, files })
  project.branches.set(branch, added.sha)
  return added
}

function setStatus({ body }: GitLabRequest, project: Project, [sha]: readonly string[]): GitLabAnswer {
  const { state, name = 'default', description = '', target_url: targetUrl = null } = body as { state: string; name?: string; description?: string; target_url?: string | null }
  if (!project.commits.has(sha)) throw new GitLabRefusal(404, { message: '404 Commit Not Found' })
  if (!['pending', 'running', 'success', 'failed', 'canceled', 'skipped'].includes(state)) throw new GitLabRefusal(400, { error: 'state does not have a valid value' })
  if (description.length > 255) throw new GitLabRefusal(400, { message: { description: ['is too long (maximum is 255 characters)'] } })
  const statuses = project.statuses.get(sha) ?? []
  const same = statuses.find((each) => each.name === name)
  if (same?.state === 'pending' && state === 'pending') {
    throw new GitLabRefusal(400, { message: 'Cannot transition status via :enqueue from :pending (Reason(s): Status cannot transition via "enqueue")' })
  }
  const status = { name, state, description, targetUrl }
  project.statuses.set(sha, [...statuses.filter((each) => each !== same), status])
  return { status: 201, body: { id: 1, sha, status: state, name, description, target_url: targetUrl } }
}

function openMergeRequest({ body }: GitLabRequest, project: Project): MergeRequest {
  const { source_branch: sourceBranch, target_branch: targetBranch } = body as Record<string, string>
  const sha = project.branches.get(sourceBranch)
  if (sha === undefined) throw new GitLabRefusal(400, { message: { source_branch: ['does not exist'] } })
  const other = project.mergeRequests.find((each) => each.state === 'opened' && each.sourceBranch === sourceBranch && each.targetBranch === targetBranch)
  if (other !== undefined) throw new GitLabRefusal(409, { message: [`Another open merge request already exists for this source branch: !${other.iid}`] })
  const opened = { iid: project.mergeRequests.length + 1, sourceBranch, targetBranch, ...titled(body), state: 'opened' as const, sha, mergeSha: null, isChecked: false, notes: [] }
  project.mergeRequests.push(opened)
  return opened
}

function titled({ title, description }: GitLabRequest['body']): { readonly title: string; readonly description: string } {
  if (String(title).length > 255) throw new GitLabRefusal(400, { message: { title: ['is too long (maximum is 255 characters)'] } })
  return { title: String(title), description: String(description) }
}

/** Adds a comment. */
export function addNote(request: MergeRequest, authorId: number, body: string): Note {
  const note = { id: 1000 + request.notes.length, authorId, body, system: false }
  request.notes.push(note)
  return note
}

function mergeRequestOf(project: Project, iid: string): MergeRequest {
  const found = project.mergeRequests.find((each) => String(each.iid) === iid)
  if (found === undefined) throw new GitLabRefusal(404, { message: '404 Not found' })
  return found
}

function treeOf({ files }: Commit): readonly unknown[] {
  const folders = new Set<string>()
  for (const path of files.keys()) for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) folders.add(path.slice(0, end))
  const name = (path: string): string => path.split('/').at(-1)!
  return [
    ...[...folders].map((path) => ({ id: 'a'.repeat(40), name: name(path), type: 'tree', path, mode: '040000' })),
    ...[...files].map(([path, file]) => ({ ...entryOf(file), name: name(path), type: file.mode === 'submodule' ? 'commit' : 'blob', path })),
  ]
}

function presentProject({ id, path, branches }: Project) {
  return { id, name: path.split('/').at(-1), path_with_namespace: path, default_branch: branches.size === 0 ? null : 'main', visibility: 'private', archived: false }
}

function presentBranch(project: Project, name: string) {
  const sha = project.branches.get(name)
  if (sha === undefined) throw new GitLabRefusal(404, { message: '404 Branch Not Found' })
  return { name, commit: { id: sha, short_id: sha.slice(0, 8) }, merged: false, protected: project.protectedBranches.has(name), default: name === 'main', can_push: true }
}

function presentCommit({ fake }: GitLabRequest, { path }: Project, { sha, message, at, parents }: Commit) {
  return {
    id: sha,
    short_id: sha.slice(0, 8),
    title: message.split('\n')[0],
    message,
    parent_ids: parents,
    author_name: 'Content Bot',
    author_email: 'bot@example.test',
    authored_date: at.toISOString().replace('Z', '+00:00'),
    created_at: at.toISOString(),
    web_url: `${fake.url}/${path}/-/commit/${sha}`,
  }
}

function presentMergeRequest({ fake }: GitLabRequest, project: Project, request: MergeRequest) {
  if (request.state === 'opened') request.sha = project.branches.get(request.sourceBranch) ?? request.sha
  const isChecked = request.isChecked || request.state !== 'opened'
  request.isChecked = true
  const conflicts = request.state === 'opened' && isChecked && hasConflicts(project, request)
  return {
    id: 100 + request.iid,
    iid: request.iid,
    project_id: project.id,
    title: request.title,
    description: request.description,
    state: request.state,
    source_branch: request.sourceBranch,
    target_branch: request.targetBranch,
    source_project_id: project.id,
    target_project_id: project.id,
    merge_status: isChecked ? (conflicts ? 'cannot_be_merged' : 'can_be_merged') : 'checking',
    detailed_merge_status: isChecked ? (conflicts ? 'conflict' : 'mergeable') : 'checking',
    has_conflicts: conflicts,
    sha: request.sha,
    merge_commit_sha: request.mergeSha,
    squash_commit_sha: null,
    web_url: `${fake.url}/${project.path}/-/merge_requests/${request.iid}`,
  }
}

function presentNote({ id, body, system, authorId }: Note) {
  return { id, body, system, author: { id: authorId, username: authorId === TOKEN_USER ? 'content-bot' : 'person' }, internal: false }
}
