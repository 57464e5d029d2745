/**
 * GitLab, over its REST API (v4). A repository is the path of a project: `group/subgroup/name`. GitLab's API cannot compare the head of a branch in the call
 * that creates a commit. So `commit` compares it before, and each changed file with its last commit in the call: another commit that GitLab gets in between
 * is never overwritten. If it changed other files only, GitLab adds ours after it; `commit` then throws `head_moved`, with the commit in `details.commit_sha`.
 */
import { Branches, Commits, Groups, MergeRequestNotes, MergeRequests, Projects, Repositories, RepositoryFiles, Users } from '@gitbeaker/rest'
import Type, { type Static, type TSchema } from 'typebox'
import { answerTime, malformedAnswer, pageUrl } from '../../../../core/egress/answers.js'
import type { GatewayParts, ProviderConnection } from '../connection.js'
import { GITLAB, GitLabApi, type GitLabOptions, PAGE, UNREAD } from '../gitlab/api.js'
import { ProviderError } from '../../../../core/egress/provider-error.js'
import {
  BRANCHES_LIMIT,
  CALLS_AT_ONCE,
  type CommitStatus,
  FILE_BYTES,
  type FileChange,
  type GitBranch,
  type GitCommit,
  type GitFile,
  type GitGateway,
  type GitRepository,
  type GitReview,
  type NewCommit,
  REPOSITORIES_LIMIT,
  type ReviewGateway,
  TREE_LIMIT,
} from './gateway.js'
import { sortedByPath } from './in-parts.js'

/** Comments of a merge request that are searched for the marker. */
const COMMENTS_LIMIT = 10_000
/** Longest description of a status and title of a merge request that GitLab accepts. */
const TEXT_CHARACTERS = 255
/** Length of an id of a repository with SHA-256; those with SHA-1 have 40. */
const SHA256_DIGITS = 64

const Project = Type.Object({
  path_with_namespace: Type.String(),
  default_branch: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  visibility: Type.Optional(Type.String()),
})
const Branch = Type.Object({ name: Type.String(), protected: Type.Boolean(), commit: Type.Object({ id: Type.String() }) })
const Entry = Type.Object({ id: Type.String(), type: Type.String(), path: Type.String(), mode: Type.String() })
const File = Type.Object({ blob_id: Type.String(), last_commit_id: Type.String() })
const Commit = Type.Object({
  id: Type.String(),
  message: Type.String(),
  author_name: Type.String(),
  authored_date: Type.String(),
  parent_ids: Type.Array(Type.String()),
  web_url: Type.Optional(Type.String()),
})
const MergeRequest = Type.Object({
  iid: Type.Integer(),
  title: Type.String(),
  state: Type.String(),
  web_url: Type.String(),
  source_branch: Type.String(),
  target_branch: Type.String(),
  source_project_id: Type.Union([Type.Integer(), Type.Null()]),
  target_project_id: Type.Integer(),
  sha: Type.String(),
  merge_commit_sha: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  squash_commit_sha: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  has_conflicts: Type.Optional(Type.Boolean()),
  merge_status: Type.Optional(Type.String()),
  detailed_merge_status: Type.Optional(Type.String()),
})
const Note = Type.Object({ id: Type.Integer(), body: Type.String(), system: Type.Boolean(), author: Type.Object({ id: Type.Integer() }) })
const User = Type.Object({ id: Type.Integer() })
const [ProjectList, BranchList, EntryList, CommitList, MergeRequestList, NoteList] = [Project, Branch, Entry, Commit, MergeRequest, Note].map((entry) => Type.Array(entry))

const list = (limit: number) => ({ perPage: PAGE, maxPages: limit / PAGE + 1 })

export function openGitLab(connection: ProviderConnection, parts: GatewayParts): GitGateway {
  return new GitLabGateway(connection, new GitLabApi(connection, parts))
}

class GitLabGateway implements GitGateway {
  readonly reviews: ReviewGateway
  readonly #organization: string | null
  readonly #api: GitLabApi

  constructor({ organization }: Pick<ProviderConnection, 'organization'>, api: GitLabApi) {
    this.#organization = organization
    this.#api = api
    this.reviews = new GitLabReviews(api)
  }

  async listRepositories(signal: AbortSignal): Promise<readonly GitRepository[]> {
    const found = await projectsOf(this.#organization, this.#api.options(signal, ProjectList))
    return within<Static<typeof Project>>(found, REPOSITORIES_LIMIT).map(({ path_with_namespace, default_branch, visibility }) => ({
      fullName: path_with_namespace,
      // An empty repository has none yet; GitLab begins with this one.
      defaultBranch: default_branch ?? 'main',
      isPrivate: visibility !== 'public',
    }))
  }

  async listBranches(repository: string, signal: AbortSignal): Promise<readonly GitBranch[]> {
    const found = await new Branches(this.#api.options(signal, BranchList)).all(repository, { pagination: 'keyset', ...list(BRANCHES_LIMIT) } as never)
    return within<Static<typeof Branch>>(found, BRANCHES_LIMIT)
      .map(branchOf)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  getBranch(repository: string, branch: string, signal: AbortSignal): Promise<GitBranch> {
    return branchNamed(repository, branch, this.#api.options(signal, Branch))
  }

  async listFiles(repository: string, commitSha: string, signal: AbortSignal): Promise<readonly GitFile[]> {
    const found = await new Repositories(this.#api.options(signal, EntryList)).allRepositoryTrees(repository, {
      ref: commitSha,
      recursive: true,
      pagination: 'keyset',
      // Folders are entries too, and there are at most as many as files in sensible repositories.
      ...list(2 * TREE_LIMIT),
    })
    const files = within<Static<typeof Entry>>(found, 2 * TREE_LIMIT).flatMap(({ type, mode, path, id }): readonly GitFile[] => {
      const kind = type === 'commit' ? 'submodule' : mode === '120000' ? 'symlink' : 'file'
      return type === 'tree' ? [] : [{ path, kind, blobSha: id, size: null }]
    })
    if (files.length > TREE_LIMIT) throw tooLarge(TREE_LIMIT)
    return sortedByPath(files)
  }

  async readFile(repository: string, _commitSha: string, { blobSha, size }: GitFile, signal: AbortSignal): Promise<Uint8Array> {
    if (size !== null && size > FILE_BYTES) throw tooLarge(FILE_BYTES)
    const answer: unknown = await new Repositories(this.#api.options(signal, UNREAD)).showBlobRaw(repository, blobSha)
    const bytes = answer as Uint8Array
    // A proxy's page would be content otherwise.
    if ((await this.#api.fileId(bytes, blobSha.length === SHA256_DIGITS ? 'sha256' : 'sha1', signal)) !== blobSha) throw malformedAnswer(GITLAB)
    return bytes
  }

  async listCommits(repository: string, branch: string, limit: number, signal: AbortSignal): Promise<readonly GitCommit[]> {
    const found = await new Commits(this.#api.options(signal, CommitList)).all(repository, { refName: branch, perPage: limit, maxPages: 1 })
    return within<Static<typeof Commit>>(found, PAGE).slice(0, limit).map(commitOf)
  }

  async commit(repository: string, { branch, parentSha, createsBranch, message, changes }: NewCommit, signal: AbortSignal): Promise<GitCommit> {
    const ofBranch = this.#api.options(signal, Branch)
    if (createsBranch) await requireMissing(repository, branch, ofBranch)
    else if ((await branchNamed(repository, branch, ofBranch)).commitSha !== parentSha) throw headMoved()
    const lastCommits = createsBranch ? new Map<string, string>() : await lastCommitsOf(repository, parentSha, changes, this.#api.options(signal, File))
    const actions = changes.map(({ path, content, blobSha }) => ({
      action: content === null ? ('delete' as const) : blobSha === null ? ('create' as const) : ('update' as const),
      filePath: path,
      ...(content === null ? {} : { content: Buffer.from(content).toString('base64'), encoding: 'base64' as const }),
      ...(lastCommits.has(path) ? { lastCommitId: lastCommits.get(path)! } : {}),
    }))
    const made = await new Commits(this.#api.options(signal, Commit))
      .create(repository, branch, message, actions, createsBranch ? { startSha: parentSha } : {})
      .catch((error: unknown) => {
        throw isMoved(error) ? headMoved({ cause: error }) : error
      })
    const created = read<typeof Commit>(made)
    if (created.parent_ids[0] !== parentSha) throw headMoved({ details: { commit_sha: created.id } })
    return commitOf(created)
  }
}

class GitLabReviews implements ReviewGateway {
  readonly #api: GitLabApi
  #userId: number | null = null

  constructor(api: GitLabApi) {
    this.#api = api
  }

  async findOpenReview(repository: string, { sourceBranch, targetBranch }: Pick<GitReview, 'sourceBranch' | 'targetBranch'>, signal: AbortSignal): Promise<GitReview | null> {
    const requests = new MergeRequests(this.#api.options(signal, MergeRequestList))
    const found = await requests.all({ projectId: repository, state: 'opened', sourceBranch, targetBranch, perPage: PAGE, maxPages: 1 })
    // Forks have branches of the same name.
    const own = within<Static<typeof MergeRequest>>(found, PAGE).find(({ source_project_id, target_project_id }) => source_project_id === target_project_id)
    return own === undefined ? null : reviewOf(own)
  }

  async getReview(repository: string, number: number, signal: AbortSignal): Promise<GitReview> {
    return reviewOf(read<typeof MergeRequest>(await new MergeRequests(this.#api.options(signal, MergeRequest)).show(repository, number)))
  }

  async openReview(repository: string, { sourceBranch, targetBranch, title, body }: Parameters<ReviewGateway['openReview']>[1], signal: AbortSignal): Promise<GitReview> {
    const requests = new MergeRequests(this.#api.options(signal, MergeRequest))
    const made = await requests.create(repository, sourceBranch, targetBranch, cut(title), { description: body })
    return reviewOf(read<typeof MergeRequest>(made))
  }

  async updateReview(repository: string, number: number, { title, body }: Pick<GitReview, 'title'> & { readonly body: string }, signal: AbortSignal): Promise<GitReview> {
    const changed = await new MergeRequests(this.#api.options(signal, MergeRequest)).edit(repository, number, { title: cut(title), description: body })
    return reviewOf(read<typeof MergeRequest>(changed))
  }

  async setStatus(repository: string, commitSha: string, { state, context, description, url }: CommitStatus, signal: AbortSignal): Promise<void> {
    const status = { name: context, description: cut(description), ...(url === null ? {} : { targetUrl: url }) }
    await new Commits(this.#api.options(signal, UNREAD)).editStatus(repository, commitSha, STATES[state], status).catch((error: unknown) => {
      // GitLab refuses to set a state that the status has: nothing is left to do.
      if (!isRefused(error, /cannot transition status/i)) throw error
    })
  }

  async setComment(repository: string, number: number, marker: string, body: string, signal: AbortSignal): Promise<void> {
    const notes = new MergeRequestNotes(this.#api.options(signal, UNREAD))
    const listed = await new MergeRequestNotes(this.#api.options(signal, NoteList)).all(repository, number, { sort: 'asc', orderBy: 'created_at', ...list(COMMENTS_LIMIT) })
    const marked = within<Static<typeof Note>>(listed, COMMENTS_LIMIT).filter((note) => !note.system && note.body.includes(marker))
    // GitLab does not let an account edit comments of other people, who can write the marker too.
    const author = marked.length === 0 ? null : await this.#user(this.#api.options(signal, User))
    const own = marked.find((note) => note.author.id === author)
    if (own === undefined) await notes.create(repository, number, body)
    else await notes.edit(repository, number, own.id, { body })
  }

  async #user(options: GitLabOptions): Promise<number> {
    this.#userId ??= read<typeof User>(await new Users(options).showCurrentUser()).id
    return this.#userId
  }
}

const STATES = { pending: 'pending', success: 'success', failure: 'failed', error: 'failed', canceled: 'canceled' } as const

async function projectsOf(organization: string | null, options: GitLabOptions): Promise<readonly unknown[]> {
  const every = { ...list(REPOSITORIES_LIMIT), archived: false }
  if (organization === null) return new Projects(options).all({ membership: true, pagination: 'keyset', orderBy: 'id', ...every } as never)
  try {
    return await new Groups(options).allProjects(organization, { includeSubgroups: true, ...every })
  } catch (error) {
    if (!(error instanceof ProviderError && error.failure === 'not_found')) throw error
    return new Projects(options).all({ userId: organization, ...every })
  }
}

async function branchNamed(repository: string, branch: string, options: GitLabOptions): Promise<GitBranch> {
  return branchOf(read<typeof Branch>(await new Branches(options).show(repository, branch)))
}

/** @throws ProviderError head_moved if the branch exists */
async function requireMissing(repository: string, branch: string, options: GitLabOptions): Promise<void> {
  try {
    await branchNamed(repository, branch, options)
  } catch (error) {
    if (error instanceof ProviderError && error.failure === 'not_found' && error.details.what === 'branch') return
    throw error
  }
  throw headMoved()
}

/** Returns the last commit of each file that is changed or deleted. GitLab refuses ours if a file has another one by then. */
async function lastCommitsOf(repository: string, parentSha: string, changes: readonly FileChange[], options: GitLabOptions): Promise<ReadonlyMap<string, string>> {
  const files = new RepositoryFiles(options)
  const existing = changes.filter(({ blobSha }) => blobSha !== null)
  const found = new Map<string, string>()
  for (let start = 0; start < existing.length; start += CALLS_AT_ONCE) {
    const some = existing.slice(start, start + CALLS_AT_ONCE)
    await Promise.all(
      some.map(async ({ path }) => {
        found.set(path, read<typeof File>(await files.show(repository, path, parentSha)).last_commit_id)
      }),
    )
  }
  return found
}

/** GitLab's sentences when the branch, or a file, is no longer as it was. */
const MOVED = /changed since you started|file with this name (?:already exists|doesn't exist)|branch called .* already exists|could not update|reference update/i

function isMoved(error: unknown): boolean {
  return isRefused(error, MOVED)
}

function isRefused(error: unknown, message: RegExp): boolean {
  return error instanceof ProviderError && error.failure === 'refused' && message.test(String(error.details.provider_message))
}

function headMoved(more: { readonly details?: Readonly<Record<string, string>>; readonly cause?: unknown } = {}): ProviderError {
  return new ProviderError('head_moved', { provider: GITLAB, ...more })
}

function tooLarge(limit: number): ProviderError {
  return new ProviderError('too_large', { provider: GITLAB, details: { limit } })
}

/** The answer of a call, which the schema of its options describes. The library declares another type. */
function read<T extends TSchema>(answer: unknown): Static<T> {
  return answer as Static<T>
}

/** Returns the entries of a list, which the schema of its operation describes. @throws ProviderError too_large */
function within<Entry>(found: readonly unknown[], limit: number): Entry[] {
  if (found.length > limit) throw tooLarge(limit)
  return found as Entry[]
}

/** Cuts by characters, not inside of one. */
function cut(text: string): string {
  return text.length <= TEXT_CHARACTERS ? text : `${text.slice(0, TEXT_CHARACTERS - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

function branchOf({ name, commit, protected: isProtected }: Static<typeof Branch>): GitBranch {
  return { name, commitSha: commit.id, isProtected }
}

function commitOf({ id, message, author_name, authored_date, web_url }: Static<typeof Commit>): GitCommit {
  return { sha: id, message, authorName: author_name, authoredAt: answerTime(authored_date, GITLAB), url: pageUrl(web_url) }
}

function reviewOf(request: Static<typeof MergeRequest>): GitReview {
  const url = pageUrl(request.web_url)
  if (url === null) throw malformedAnswer(GITLAB)
  const isMerged = request.state === 'merged'
  return {
    number: request.iid,
    url,
    // `locked`: it is being merged.
    state: isMerged ? 'merged' : request.state === 'closed' ? 'closed' : 'open',
    title: request.title,
    sourceBranch: request.source_branch,
    targetBranch: request.target_branch,
    headSha: request.sha,
    // A fast-forward merge creates no commit.
    mergeSha: isMerged ? (request.merge_commit_sha ?? request.squash_commit_sha ?? request.sha) : null,
    isMergeable: isChecked(request) ? request.has_conflicts !== true && request.merge_status !== 'cannot_be_merged' : null,
  }
}

/** Whether GitLab has compared the branches. It does so some time after each push. */
function isChecked({ detailed_merge_status = '', merge_status = '' }: Static<typeof MergeRequest>): boolean {
  return !['unchecked', 'checking', 'preparing'].includes(detailed_merge_status) && !/^(?:unchecked|checking|preparing|cannot_be_merged_recheck\w*)$/.test(merge_status)
}
