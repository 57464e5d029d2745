/**
 * Gitea and Forgejo, over their REST API (v1). A commit is pushed over Git's own protocol: the API can't compare the head of a branch in the call that creates
 * a commit: another commit that arrives after the comparison would become the parent of ours.
 */
import Type from 'typebox'
import { answerTime, pageUrl } from '../../../../core/egress/answers.js'
import type { GatewayParts, ProviderConnection } from '../connection.js'
import { GITEA, GITEA_PUBLIC_ADDRESS, GiteaApi } from '../gitea/api.js'
import { GiteaReviews } from '../gitea/reviews.js'
import { repositorySegments } from '../gitea/repository.js'
import { GiteaTrees } from '../gitea/trees.js'
import { ProviderError } from '../../../../core/egress/provider-error.js'
import {
  BRANCHES_LIMIT,
  FILE_BYTES,
  type GitBranch,
  type GitCommit,
  type GitFile,
  type GitGateway,
  type GitRepository,
  type NewCommit,
  REPOSITORIES_LIMIT,
  type ReviewGateway,
} from './gateway.js'
import { commitTo } from './wire/commit.js'
import { GitRemote } from './wire/remote.js'

const User = Type.Object({ id: Type.Integer() })
const Repository = Type.Object({ full_name: Type.String(), default_branch: Type.String(), private: Type.Boolean() })
const Branch = Type.Object({ name: Type.String(), protected: Type.Boolean(), commit: Type.Object({ id: Type.String() }) })
const Blob = Type.Object({ content: Type.Union([Type.String(), Type.Null()]), encoding: Type.Literal('base64'), size: Type.Integer() })
const Commit = Type.Object({
  sha: Type.String(),
  html_url: Type.String(),
  commit: Type.Object({ message: Type.String(), author: Type.Object({ name: Type.String(), date: Type.String() }) }),
})

/** Opens a gateway, which calls nothing before a method is called. */
export function openGitea(connection: ProviderConnection, parts: GatewayParts): GitGateway {
  return new Gitea(connection, parts)
}

class Gitea implements GitGateway {
  readonly reviews: ReviewGateway
  readonly #api: GiteaApi
  readonly #trees: GiteaTrees
  readonly #remote: GitRemote
  readonly #baseUrl: string
  readonly #organization: string | null
  readonly #clock: () => number

  constructor(connection: ProviderConnection, parts: GatewayParts) {
    this.#api = new GiteaApi(connection, parts)
    this.#trees = new GiteaTrees(this.#api)
    this.reviews = new GiteaReviews(this.#api)
    this.#baseUrl = connection.baseUrl ?? GITEA_PUBLIC_ADDRESS
    this.#remote = new GitRemote({ ...parts, provider: GITEA, credentials: connection.credentials, baseUrl: this.#baseUrl })
    this.#organization = connection.organization
    this.#clock = parts.clock
  }

  async listRepositories(signal: AbortSignal): Promise<readonly GitRepository[]> {
    const found = this.#organization === null ? await this.#ownRepositories(signal) : await this.#repositoriesOf(this.#organization, signal)
    return found.map(({ full_name, default_branch, private: isPrivate }) => ({ fullName: full_name, defaultBranch: default_branch, isPrivate }))
  }

  async listBranches(repository: string, signal: AbortSignal): Promise<readonly GitBranch[]> {
    const path = [...repositorySegments(repository), 'branches']
    const found = await this.#api.list(Branch, BRANCHES_LIMIT, { path, what: 'repository', signal })
    return found.map(branchOf).sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async getBranch(repository: string, branch: string, signal: AbortSignal): Promise<GitBranch> {
    return branchOf(await this.#api.get(Branch, { path: [...repositorySegments(repository), 'branches', branch], what: 'branch', signal }))
  }

  listFiles(repository: string, commitSha: string, signal: AbortSignal): Promise<readonly GitFile[]> {
    return this.#trees.list(repository, commitSha, signal)
  }

  async readFile(repository: string, _commitSha: string, { blobSha, size }: GitFile, signal: AbortSignal): Promise<Uint8Array> {
    const tooLarge = (): ProviderError => new ProviderError('too_large', { provider: GITEA, details: { limit: FILE_BYTES } })
    if (size !== null && size > FILE_BYTES) throw tooLarge()
    const { value, file } = await this.#api.jsonWithFile(Blob, { path: [...repositorySegments(repository), 'git', 'blobs', blobSha], what: 'file', signal })
    const bytes = file?.bytes ?? new Uint8Array()
    // Gitea leaves out the content of a blob above a limit of its own.
    if (value.size > FILE_BYTES || bytes.length !== value.size) throw tooLarge()
    return bytes
  }

  async listCommits(repository: string, branch: string, limit: number, signal: AbortSignal): Promise<readonly GitCommit[]> {
    const commits = await this.#api.first(Commit, limit, {
      path: [...repositorySegments(repository), 'commits'],
      query: { sha: branch, stat: false, verification: false, files: false },
      what: 'branch',
      signal,
    })
    return commits.map(({ sha, html_url, commit: { message, author } }) => ({
      sha,
      message,
      authorName: author.name,
      authoredAt: answerTime(author.date, GITEA),
      url: pageUrl(html_url),
    }))
  }

  async commit(repository: string, commit: NewCommit, signal: AbortSignal): Promise<GitCommit> {
    const headNow = async (): Promise<string | null> => (await this.#remote.references(repository, commit.branch, signal)).branches[0]?.[1] ?? null
    const head = await headNow()
    // Gitea answers for the root by the commit's id.
    const treesOfParent = async () => ({ rootId: commit.parentSha, readTree: (id: string) => this.#trees.read(repository, id, id === commit.parentSha, signal) })
    const url = (sha: string): string => `${this.#baseUrl}/${repository}/commit/${sha}`
    return commitTo({ remote: this.#remote, provider: GITEA, now: this.#clock() }, { repository, commit, head, treesOfParent, headNow, url }, signal)
  }

  /** Repositories of the user and of the user's organizations. A token without the scope `read:user` sees all that it may read. */
  async #ownRepositories(signal: AbortSignal) {
    const user = await this.#api.get(User, { path: ['user'], what: 'user', signal }).catch((error: unknown) => {
      if (error instanceof ProviderError && error.failure === 'scope_missing') return null
      throw error
    })
    return this.#api.search(Repository, REPOSITORIES_LIMIT, {
      path: ['repos', 'search'],
      query: { private: true, ...(user === null ? {} : { uid: user.id }) },
      what: 'repository',
      signal,
    })
  }

  async #repositoriesOf(organization: string, signal: AbortSignal) {
    const list = (kind: 'orgs' | 'users') => this.#api.list(Repository, REPOSITORIES_LIMIT, { path: [kind, organization, 'repos'], what: 'organization', signal })
    return list('orgs').catch((error: unknown) => {
      if (error instanceof ProviderError && error.failure === 'not_found') return list('users')
      throw error
    })
  }
}

function branchOf({ name, protected: isProtected, commit }: Type.Static<typeof Branch>): GitBranch {
  // Trees and pushes of repositories with SHA-256 are not read.
  if (commit.id.length === 64) throw new ProviderError('unsupported', { provider: GITEA, details: { what: 'object_format' } })
  return { name, commitSha: commit.id, isProtected }
}
