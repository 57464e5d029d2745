/**
 * GitHub, over its REST API: nothing is cloned. `base_url` null is the public service; for GitHub Enterprise Server it is the address of the server
 * (`https://ghe.example.com`), whose API is below `/api/v3`. A commit is made of a tree, a commit object and the update of the branch, which GitHub refuses
 * unless it is a fast-forward; until that update nothing is visible.
 */
import Type, { type Static } from 'typebox'
import type { GatewayParts, ProviderConnection } from '../connection.js'
import { GitHubClient, type GitHubPace, PageUrl, Sha, Timestamp, Unread } from '../github/client.js'
import type { Explanation, Refusal } from '../github/failures.js'
import { objectId, pathPart, repositoryOf } from '../github/repository.js'
import { ProviderError } from '../../../../core/egress/provider-error.js'
import {
  BRANCHES_LIMIT,
  CALLS_AT_ONCE,
  FILE_BYTES,
  type FileChange,
  type GitBranch,
  type GitCommit,
  type GitFile,
  type GitGateway,
  type GitRepository,
  type NewCommit,
  PATHS_CHARACTERS,
  REPOSITORIES_LIMIT,
  TREE_LIMIT,
} from './gateway.js'
import { sortedByPath } from './in-parts.js'
import { gitHubReviews } from './github-reviews.js'

const PROVIDER = 'github'
/** Maximum bytes of a recursive listing, about 30,000 files; parsing it takes 0.1 s. A longer one is read folder by folder. */
const LISTING_BYTES = 8 * 1024 * 1024
/** Maximum calls to list a repository folder by folder. GitHub allows 5,000 calls an hour. */
const LISTING_CALLS = 1_000
/** Maximum bytes of a blob's answer: base64 with line ends. */
const BLOB_BYTES = Math.ceil(FILE_BYTES * 1.4) + 4096
/** Texts of a commit up to this size are part of the tree's request; others become blobs, one request each. */
const INLINE_BYTES = 1024 * 1024

const Repository = Type.Object({
  full_name: Type.String(),
  default_branch: Type.String(),
  private: Type.Boolean(),
  owner: Type.Object({ login: Type.String() }),
})
const Repositories = Type.Array(Repository)
const InstallationRepositories = Type.Object({ repositories: Repositories })
const Branch = Type.Object({ name: Type.String(), commit: Type.Object({ sha: Sha }), protected: Type.Boolean() })
const Branches = Type.Array(Branch)
const TreeEntry = Type.Object({ path: Type.String(), mode: Type.String(), type: Type.String(), sha: Sha, size: Type.Optional(Type.Integer({ minimum: 0 })) })
const Tree = Type.Object({ tree: Type.Array(TreeEntry), truncated: Type.Boolean() })
const Created = Type.Object({ sha: Sha })
const Blob = Type.Object({ content: Type.String(), encoding: Type.Literal('base64') })
const Author = Type.Object({ name: Type.String(), date: Timestamp })
const CommitObject = Type.Object({ sha: Sha, message: Type.String(), author: Author, html_url: PageUrl, tree: Type.Object({ sha: Sha }) })
const Commits = Type.Array(
  Type.Object({
    sha: Sha,
    html_url: PageUrl,
    commit: Type.Object({ message: Type.String(), author: Type.Union([Author, Type.Null()]), committer: Type.Union([Author, Type.Null()]) }),
  }),
)
const Reference = Type.Object({ object: Type.Object({ sha: Sha }) })

type Entry = Static<typeof TreeEntry>
/** A folder's own entries by name. */
type Folder = ReadonlyMap<string, Entry>
type Path = { readonly owner: string; readonly repo: string }

/** Opens GitHub. It makes no request. */
export function openGitHub(connection: ProviderConnection, parts: GatewayParts, pace?: GitHubPace): GitGateway {
  return new GitHubGateway(new GitHubClient(PROVIDER, connection, parts, pace), connection.organization)
}

class GitHubGateway implements GitGateway {
  readonly reviews
  readonly #client: GitHubClient
  readonly #organization: string | null

  constructor(client: GitHubClient, organization: string | null) {
    this.#client = client
    this.#organization = organization
    this.reviews = gitHubReviews(client)
  }

  async listRepositories(signal: AbortSignal): Promise<readonly GitRepository[]> {
    const organization = this.#organization
    const found = organization === null ? await this.#visibleRepositories(signal) : await this.#repositoriesOf(pathPart(organization, 'organization', PROVIDER), signal)
    return found.map(({ full_name, default_branch, private: isPrivate }) => ({ fullName: full_name, defaultBranch: default_branch, isPrivate }))
  }

  async listBranches(repository: string, signal: AbortSignal): Promise<readonly GitBranch[]> {
    const call = { parameters: repositoryOf(repository, PROVIDER), signal, what: 'repository' }
    return (await this.#client.list('GET /repos/{owner}/{repo}/branches', Branches, (page) => page, BRANCHES_LIMIT, call))
      .map(presentBranch)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async getBranch(repository: string, branch: string, signal: AbortSignal): Promise<GitBranch> {
    const parameters = { ...repositoryOf(repository, PROVIDER), branch: pathPart(branch, 'branch', PROVIDER) }
    const explain = ({ status, message }: Refusal): Explanation | null =>
      status === 404 && /branch not found/i.test(message) ? { failure: 'not_found', details: { what: 'branch' } } : null
    return presentBranch(await this.#client.call('GET /repos/{owner}/{repo}/branches/{branch}', Branch, { parameters, signal, what: 'repository', explain }))
  }

  async listFiles(repository: string, commitSha: string, signal: AbortSignal): Promise<readonly GitFile[]> {
    const path = repositoryOf(repository, PROVIDER)
    const sha = objectId(commitSha, 'commit', PROVIDER)
    const entries = (await this.#recursive(path, sha, signal)) ?? (await this.#folderByFolder(path, sha, signal))
    return sortedByPath(entries.filter(({ type }) => type !== 'tree').map(presentFile))
  }

  async readFile(repository: string, _: string, file: GitFile, signal: AbortSignal): Promise<Uint8Array> {
    if (file.kind === 'submodule') throw new ProviderError('not_found', { provider: PROVIDER, details: { what: 'file' } })
    if (file.size !== null && file.size > FILE_BYTES) throw this.#client.tooLarge(FILE_BYTES)
    const parameters = { ...repositoryOf(repository, PROVIDER), file_sha: objectId(file.blobSha, 'file', PROVIDER) }
    // GitHub returns no blob of more than 100 MB.
    const explain = ({ status, message }: Refusal): Explanation | null =>
      status === 403 && /too large/i.test(message) ? { failure: 'too_large', details: { limit: FILE_BYTES } } : null
    const call = { parameters, signal, what: 'file', bodyLimit: BLOB_BYTES, explain }
    const { file: found } = await this.#client.jsonWithFile('GET /repos/{owner}/{repo}/git/blobs/{file_sha}', Blob, call)
    if (found !== null && found.bytes.length > FILE_BYTES) throw this.#client.tooLarge(FILE_BYTES)
    if (found?.sha1 !== file.blobSha) throw new ProviderError('unavailable', { provider: PROVIDER, details: { failure: 'answer_malformed' } })
    return found.bytes
  }

  async listCommits(repository: string, branch: string, limit: number, signal: AbortSignal): Promise<readonly GitCommit[]> {
    const call = { parameters: { ...repositoryOf(repository, PROVIDER), sha: branch, per_page: limit }, signal, what: 'branch' }
    const commits = await this.#client.call('GET /repos/{owner}/{repo}/commits', Commits, call)
    return commits.map(({ sha, html_url, commit: { message, author, committer } }) => {
      const by = author ?? committer
      return { sha, message, authorName: by?.name ?? '', authoredAt: new Date(by?.date ?? 0), url: html_url }
    })
  }

  async commit(repository: string, { branch, parentSha, createsBranch, message, changes }: NewCommit, signal: AbortSignal): Promise<GitCommit> {
    const path = repositoryOf(repository, PROVIDER)
    const parent = objectId(parentSha, 'commit', PROVIDER)
    // The update below accepts any ancestor of the parent as the head, so a branch that was set back would be moved.
    if (!createsBranch && (await this.#headOf(path, branch, signal)) !== parent) throw new ProviderError('head_moved', { provider: PROVIDER })
    const call = { parameters: { ...path, commit_sha: parent }, signal, what: 'commit' }
    const base = (await this.#client.call('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', CommitObject, call)).tree.sha
    const tree = await this.#entriesOf(path, base, changes, signal)
    const writing = { parameters: path, signal, what: 'repository', isRepeatable: true }
    const created = await this.#client.call('POST /repos/{owner}/{repo}/git/trees', Created, { ...writing, body: { base_tree: base, tree } })
    const body = { message, tree: created.sha, parents: [parent] }
    const commit = await this.#client.call('POST /repos/{owner}/{repo}/git/commits', CommitObject, { ...writing, body })
    await (createsBranch ? this.#createBranch(path, branch, commit.sha, signal) : this.#moveBranch(path, branch, commit.sha, signal))
    return { sha: commit.sha, message: commit.message, authorName: commit.author.name, authoredAt: new Date(commit.author.date), url: commit.html_url }
  }

  async #visibleRepositories(signal: AbortSignal): Promise<Static<typeof Repositories>> {
    if (!this.#client.isApp) return this.#client.list('GET /user/repos', Repositories, (page) => page, REPOSITORIES_LIMIT, { signal, what: 'user' })
    const call = { signal, what: 'installation' }
    return this.#client.list('GET /installation/repositories', InstallationRepositories, ({ repositories }) => repositories, REPOSITORIES_LIMIT, call)
  }

  /** The repositories of an organization, else those of a user. Private ones of a user are listed only as repositories that the credential sees. */
  async #repositoriesOf(organization: string, signal: AbortSignal): Promise<Static<typeof Repositories>> {
    const isOwn = ({ owner }: { owner: { login: string } }): boolean => owner.login.toLowerCase() === organization.toLowerCase()
    if (this.#client.isApp) return (await this.#visibleRepositories(signal)).filter(isOwn)
    const call = { parameters: { org: organization }, signal, what: 'organization' }
    try {
      return await this.#client.list('GET /orgs/{org}/repos', Repositories, (page) => page, REPOSITORIES_LIMIT, call)
    } catch (error) {
      if (!(error instanceof ProviderError && error.failure === 'not_found')) throw error
    }
    const own = (await this.#visibleRepositories(signal)).filter(isOwn)
    if (own.length > 0) return own
    const ofUser = { parameters: { username: organization }, signal, what: 'organization' }
    return this.#client.list('GET /users/{username}/repos', Repositories, (page) => page, REPOSITORIES_LIMIT, ofUser)
  }

  /** All entries at once; null: there are too many for one answer. */
  async #recursive(path: Path, sha: string, signal: AbortSignal): Promise<readonly Entry[] | null> {
    const call = { parameters: { ...path, tree_sha: sha, recursive: '1' }, signal, what: 'commit', bodyLimit: LISTING_BYTES }
    try {
      const { tree, truncated } = await this.#client.call('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', Tree, call)
      return truncated ? null : tree
    } catch (error) {
      if (error instanceof ProviderError && error.failure === 'too_large') return null
      throw error
    }
  }

  /** Reads each folder below the root as a whole, and its own folders if that is too much. @throws ProviderError too_large */
  async #folderByFolder(path: Path, rootSha: string, signal: AbortSignal): Promise<readonly Entry[]> {
    const found: Entry[] = []
    const pending = [{ sha: rootSha, prefix: '', isRoot: true }]
    let characters = 0
    for (let calls = 0; pending.length > 0; ) {
      const batch = pending.splice(0, CALLS_AT_ONCE)
      calls += 2 * batch.length
      if (calls > LISTING_CALLS) throw this.#client.tooLarge(TREE_LIMIT)
      const read = await Promise.all(
        batch.map(async ({ sha, prefix, isRoot }) => {
          const whole = isRoot ? null : await this.#recursive(path, sha, signal)
          return { prefix, isWhole: whole !== null, entries: whole ?? [...(await this.#folder(path, sha, signal)).values()] }
        }),
      )
      for (const { prefix, isWhole, entries } of read) {
        for (const entry of entries) {
          characters += prefix.length + entry.path.length
          if (characters > 2 * PATHS_CHARACTERS) throw this.#client.tooLarge(TREE_LIMIT)
          const full = { ...entry, path: prefix + entry.path }
          if (entry.type !== 'tree') found.push(full)
          else if (!isWhole) pending.push({ sha: entry.sha, prefix: `${full.path}/`, isRoot: false })
        }
        if (found.length > TREE_LIMIT) throw this.#client.tooLarge(TREE_LIMIT)
      }
    }
    return found
  }

  async #folder(path: Path, sha: string, signal: AbortSignal): Promise<Folder> {
    const call = { parameters: { ...path, tree_sha: sha }, signal, what: 'commit', bodyLimit: LISTING_BYTES }
    const { tree, truncated } = await this.#client.call('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', Tree, call)
    if (truncated) throw this.#client.tooLarge(TREE_LIMIT)
    return new Map(tree.map((entry) => [entry.path, entry]))
  }

  /** The changes as entries of a new tree. Texts are sent in it; other bytes have to be blobs before. */
  async #entriesOf(path: Path, base: string, changes: readonly FileChange[], signal: AbortSignal): Promise<object[]> {
    const isExecutable = await this.#executables(path, base, changes, signal)
    const entries: object[] = []
    let inlined = 0
    for (const { path: file, content } of changes) {
      const entry = { path: file, mode: isExecutable.has(file) ? '100755' : '100644', type: 'blob' }
      const text = content === null || inlined + content.length > INLINE_BYTES ? null : textOf(content)
      if (content === null) entries.push({ ...entry, sha: null })
      else if (text !== null) {
        entries.push({ ...entry, content: text })
        inlined += content.length
      } else {
        const body = { content: Buffer.from(content).toString('base64'), encoding: 'base64' }
        const call = { parameters: path, body, signal, what: 'repository', isRepeatable: true }
        entries.push({ ...entry, sha: (await this.#client.call('POST /repos/{owner}/{repo}/git/blobs', Created, call)).sha })
      }
    }
    return entries
  }

  /** Paths of changed files that are executable in the parent. Only the folders on the way to them are read. */
  async #executables(path: Path, base: string, changes: readonly FileChange[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    const folders = new Map<string, Folder | null>()
    const folderAt = async (folder: string): Promise<Folder | null> => {
      const known = folders.get(folder)
      if (known !== undefined) return known
      const { parent, name } = split(folder)
      const entry = folder === '' ? { type: 'tree', sha: base } : (await folderAt(parent))?.get(name)
      const found = entry?.type === 'tree' ? await this.#folder(path, entry.sha, signal) : null
      folders.set(folder, found)
      return found
    }
    const executables = new Set<string>()
    for (const { path: file, blobSha, content } of changes) {
      if (blobSha === null || content === null) continue
      const { parent, name } = split(file)
      if ((await folderAt(parent))?.get(name)?.mode === '100755') executables.add(file)
    }
    return executables
  }

  async #headOf(path: Path, branch: string, signal: AbortSignal): Promise<string> {
    const call = { parameters: { ...path, ref: `heads/${branch}` }, signal, what: 'branch' }
    return (await this.#client.call('GET /repos/{owner}/{repo}/git/ref/{ref}', Reference, call)).object.sha
  }

  /** Repeating it is harmless: the branch already has this commit. */
  async #moveBranch(path: Path, branch: string, sha: string, signal: AbortSignal): Promise<void> {
    const call = { parameters: { ...path, ref: `heads/${branch}` }, body: { sha, force: false }, signal, what: 'branch', isRepeatable: true, explain: explainBranch }
    await this.#client.call('PATCH /repos/{owner}/{repo}/git/refs/{ref}', Unread, call)
  }

  /** After a repetition the branch may exist because the first call created it. */
  async #createBranch(path: Path, branch: string, sha: string, signal: AbortSignal): Promise<void> {
    const call = { parameters: path, body: { ref: `refs/heads/${branch}`, sha }, signal, what: 'repository', isRepeatable: true, explain: explainBranch }
    try {
      await this.#client.call('POST /repos/{owner}/{repo}/git/refs', Unread, call)
    } catch (error) {
      const exists = error instanceof ProviderError && error.failure === 'head_moved'
      if (!exists || (await this.#headOf(path, branch, signal)) !== sha) throw error
    }
  }
}

/** Why a branch was not updated. GitHub says it in the message only. */
function explainBranch({ status, message }: Refusal): Explanation | null {
  if (status !== 403 && status !== 409 && status !== 422) return null
  if (/not a fast.?forward|reference already exists/i.test(message)) return { failure: 'head_moved' }
  if (/reference does not exist/i.test(message)) return { failure: 'not_found', details: { what: 'branch' } }
  return /protected branch|rule violation|required status check|through a pull request/i.test(message) ? { failure: 'branch_protected' } : null
}

function presentBranch({ name, commit: { sha }, protected: isProtected }: Static<typeof Branch>): GitBranch {
  return { name, commitSha: sha, isProtected }
}

function presentFile({ path, mode, type, sha, size }: Entry): GitFile {
  const kind = type === 'commit' ? 'submodule' : mode === '120000' ? 'symlink' : 'file'
  return { path, kind, blobSha: sha, size: size ?? null }
}

/** Null: the bytes are not a text that JSON carries unchanged. A NUL would cut it at some servers. */
function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

function split(path: string): { readonly parent: string; readonly name: string } {
  const slash = path.lastIndexOf('/')
  return { parent: slash === -1 ? '' : path.slice(0, slash), name: path.slice(slash + 1) }
}
