/**
 * A forge in memory, for tests of what uses a gateway: repositories with commits, branches and reviews. `test/contracts/git-gateway.ts` runs on it as on the
 * real providers. Blob ids are Git's own. A test pushes, merges and protects behind the gateway's back, makes calls fail, and reads which calls were made.
 */
import type { ApiError } from '../../../server/core/errors.js'
import {
  BRANCHES_LIMIT,
  type CommitStatus,
  FILE_BYTES,
  type GitBranch,
  type GitCommit,
  type GitFile,
  type GitGateway,
  type GitRepository,
  type GitReview,
  type NewCommit,
  type NewReview,
  type ReviewGateway,
  type ReviewState,
  TREE_LIMIT,
} from '../../../server/features/connections/gateways/git/gateway.js'
import { ProviderError, type ProviderFailure } from '../../../server/core/egress/provider-error.js'
import { OutboundError } from '../../../server/core/egress/client.js'
import { MODES, objectId, type SeedBytes, type SeedCommit, seedBytes } from './seeds.js'

const PROVIDER = 'memory'

interface Commit {
  readonly sha: string
  readonly parents: readonly string[]
  readonly message: string
  readonly at: Date
  readonly files: ReadonlyMap<string, SeedBytes>
}

interface Review {
  readonly number: number
  readonly sourceBranch: string
  targetBranch: string
  title: string
  body: string
  state: ReviewState
  headSha: string
  mergeSha: string | null
  readonly comments: { body: string; readonly isOurs: boolean }[]
}

interface Repository {
  readonly info: GitRepository
  readonly commits: Map<string, Commit>
  readonly branches: Map<string, string>
  readonly protectedBranches: Set<string>
  readonly reviews: Review[]
  readonly statuses: Map<string, CommitStatus[]>
}

/** A method of the gateway or of its reviews. */
export type GitMethod = Exclude<keyof GitGateway, 'reviews'> | keyof ReviewGateway

export interface GitCall {
  readonly method: GitMethod
  readonly repository: string | null
}

export class MemoryGit implements GitGateway {
  /** All calls, in order. */
  readonly calls: GitCall[] = []
  readonly #repositories = new Map<string, Repository>()
  readonly #failures: { readonly method: GitMethod; readonly error: ApiError; left: number; readonly isAfter: boolean }[] = []
  readonly #clock: () => number
  #written = 0

  constructor({ clock = Date.now }: { readonly clock?: () => number } = {}) {
    this.#clock = clock
  }

  /** Number of calls of a method. */
  count(method: GitMethod): number {
    return this.calls.filter((call) => call.method === method).length
  }

  /** Makes the next calls of a method fail. With `isAfter` the call is done before it fails, as when the answer is lost. */
  failNext(method: GitMethod, failure: ProviderFailure | ApiError, { times = 1, isAfter = false }: { readonly times?: number; readonly isAfter?: boolean } = {}): void {
    const error = typeof failure === 'string' ? new ProviderError(failure, { provider: PROVIDER }) : failure
    this.#failures.push({ method, error, left: times, isAfter })
  }

  /** Creates an empty repository. @returns its name */
  createRepository(fullName = `team/content-${this.#repositories.size + 1}`, { defaultBranch = 'main', isPrivate = true } = {}): string {
    this.#repositories.set(fullName, {
      info: { fullName, defaultBranch, isPrivate },
      commits: new Map(),
      branches: new Map(),
      protectedBranches: new Set(),
      reviews: [],
      statuses: new Map(),
    })
    return fullName
  }

  /** Adds commits to a branch, which is created without a parent if it does not exist. @returns their ids */
  push(repository: string, branch: string, ...commits: readonly SeedCommit[]): string[] {
    const stored = this.#repository(repository)
    return commits.map(({ message = 'Change content', files: changes }) => {
      const parent = stored.branches.get(branch)
      const files = new Map(parent === undefined ? [] : stored.commits.get(parent)!.files)
      for (const [path, file] of Object.entries(changes)) {
        if (file === null) files.delete(path)
        else files.set(path, seedBytes(file))
      }
      const { sha } = this.#add(stored, { parents: parent === undefined ? [] : [parent], message, files })
      stored.branches.set(branch, sha)
      return sha
    })
  }

  /** Sets a branch to a commit, whatever it has now. */
  setBranch(repository: string, branch: string, commitSha: string): void {
    this.#repository(repository).branches.set(branch, commitSha)
  }

  deleteBranch(repository: string, branch: string): void {
    this.#repository(repository).branches.delete(branch)
  }

  protectBranch(repository: string, branch: string): void {
    this.#repository(repository).protectedBranches.add(branch)
  }

  /** The text files of a branch or commit, by path. */
  textsOf(repository: string, branchOrSha: string): Record<string, string> {
    const stored = this.#repository(repository)
    const { files } = this.#commit(stored, stored.branches.get(branchOrSha) ?? branchOrSha)
    return Object.fromEntries([...files].sort(byPath).map(([path, { bytes }]) => [path, bytes.toString('utf8')]))
  }

  /** Modes of a commit's entries, by path. */
  modesOf(repository: string, commitSha: string): Map<string, string> {
    const { files } = this.#commit(this.#repository(repository), commitSha)
    return new Map([...files].map(([path, { mode }]) => [path, MODES[mode]]))
  }

  statusesOf(repository: string, commitSha: string): readonly CommitStatus[] {
    return this.#repository(repository).statuses.get(commitSha) ?? []
  }

  commentsOf(repository: string, number: number): readonly string[] {
    return this.#review(this.#repository(repository), number).comments.map(({ body }) => body)
  }

  /** Adds a comment of a person. */
  comment(repository: string, number: number, body: string): void {
    this.#review(this.#repository(repository), number).comments.push({ body, isOurs: false })
  }

  bodyOf(repository: string, number: number): string {
    return this.#review(this.#repository(repository), number).body
  }

  closeReview(repository: string, number: number): void {
    this.#review(this.#repository(repository), number).state = 'closed'
  }

  reopenReview(repository: string, number: number): void {
    this.#review(this.#repository(repository), number).state = 'open'
  }

  retargetReview(repository: string, number: number, targetBranch: string): void {
    this.#review(this.#repository(repository), number).targetBranch = targetBranch
  }

  /** Merges a review by a merge commit: files that differ on the source branch since the branches parted. @returns the commit */
  mergeReview(repository: string, number: number): string {
    const stored = this.#repository(repository)
    const review = this.#review(stored, number)
    const source = this.#commit(stored, stored.branches.get(review.sourceBranch) ?? '')
    const target = this.#commit(stored, stored.branches.get(review.targetBranch) ?? '')
    const files = new Map(target.files)
    for (const path of changedPaths(this.#mergeBase(stored, source, target), source)) {
      const file = source.files.get(path)
      if (file === undefined) files.delete(path)
      else files.set(path, file)
    }
    const { sha } = this.#add(stored, { parents: [target.sha, source.sha], message: `Merge ${review.title}`, files })
    stored.branches.set(review.targetBranch, sha)
    Object.assign(review, { state: 'merged', mergeSha: sha, headSha: source.sha })
    return sha
  }

  listRepositories(signal: AbortSignal): Promise<readonly GitRepository[]> {
    return this.#call('listRepositories', null, signal, () => [...this.#repositories.values()].map(({ info }) => info))
  }

  listBranches(repository: string, signal: AbortSignal): Promise<readonly GitBranch[]> {
    return this.#call('listBranches', repository, signal, (stored) => {
      if (stored.branches.size > BRANCHES_LIMIT) throw failed('too_large', { limit: BRANCHES_LIMIT })
      return [...stored.branches.keys()].sort().map((branch) => this.#branch(stored, branch))
    })
  }

  getBranch(repository: string, branch: string, signal: AbortSignal): Promise<GitBranch> {
    return this.#call('getBranch', repository, signal, (stored) => this.#branch(stored, branch))
  }

  listFiles(repository: string, commitSha: string, signal: AbortSignal): Promise<readonly GitFile[]> {
    return this.#call('listFiles', repository, signal, (stored) => {
      const { files } = this.#commit(stored, commitSha)
      if (files.size > TREE_LIMIT) throw failed('too_large', { limit: TREE_LIMIT })
      return [...files]
        .sort(byPath)
        .map(([path, { mode, bytes }]) =>
          mode === 'submodule'
            ? { path, kind: mode, blobSha: bytes.toString(), size: null }
            : { path, kind: mode === 'symlink' ? mode : 'file', blobSha: objectId('blob', bytes), size: bytes.length },
        )
    })
  }

  readFile(repository: string, commitSha: string, { path }: GitFile, signal: AbortSignal): Promise<Uint8Array> {
    return this.#call('readFile', repository, signal, (stored) => {
      const file = this.#commit(stored, commitSha).files.get(path)
      if (file === undefined) throw failed('not_found', { what: 'file' })
      if (file.bytes.length > FILE_BYTES) throw failed('too_large', { limit: FILE_BYTES })
      return new Uint8Array(file.bytes)
    })
  }

  listCommits(repository: string, branch: string, limit: number, signal: AbortSignal): Promise<readonly GitCommit[]> {
    return this.#call('listCommits', repository, signal, (stored) => {
      const found = new Map<string, Commit>()
      const open = [this.#branch(stored, branch).commitSha]
      for (let sha = open.shift(); sha !== undefined; sha = open.shift()) {
        if (found.has(sha)) continue
        const commit = this.#commit(stored, sha)
        found.set(sha, commit)
        open.push(...commit.parents)
      }
      // A parent is older than its child, also when the clock stands still.
      const order = [...stored.commits.keys()]
      return [...found.values()]
        .sort((a, b) => order.indexOf(b.sha) - order.indexOf(a.sha))
        .slice(0, limit)
        .map(described)
    })
  }

  commit(repository: string, { branch, parentSha, createsBranch, message, changes }: NewCommit, signal: AbortSignal): Promise<GitCommit> {
    return this.#call('commit', repository, signal, (stored) => {
      const head = stored.branches.get(branch)
      if (createsBranch ? head !== undefined : head !== undefined && head !== parentSha) throw failed('head_moved')
      if (!createsBranch && head === undefined) throw failed('not_found', { what: 'branch' })
      if (stored.protectedBranches.has(branch)) throw failed('branch_protected')
      const files = new Map(this.#commit(stored, parentSha).files)
      for (const { path, content } of changes) {
        if (content === null) files.delete(path)
        else files.set(path, { mode: files.get(path)?.mode ?? 'file', bytes: Buffer.from(content) })
      }
      const added = this.#add(stored, { parents: [parentSha], message, files })
      stored.branches.set(branch, added.sha)
      return described(added)
    })
  }

  readonly reviews: ReviewGateway = {
    findOpenReview: (repository, { sourceBranch, targetBranch }, signal) =>
      this.#call('findOpenReview', repository, signal, (stored) => {
        const found = stored.reviews.find((review) => review.state === 'open' && review.sourceBranch === sourceBranch && review.targetBranch === targetBranch)
        return found === undefined ? null : this.#describe(stored, found)
      }),
    getReview: (repository, number, signal) => this.#call('getReview', repository, signal, (stored) => this.#describe(stored, this.#review(stored, number))),
    openReview: (repository, { sourceBranch, targetBranch, title, body }, signal) =>
      this.#call('openReview', repository, signal, (stored) => {
        const { commitSha } = this.#branch(stored, sourceBranch)
        this.#branch(stored, targetBranch)
        if (stored.reviews.some((review) => review.state === 'open' && review.sourceBranch === sourceBranch && review.targetBranch === targetBranch)) {
          throw failed('refused', { status: 409 })
        }
        const review: Review = { number: stored.reviews.length + 1, sourceBranch, targetBranch, title, body, state: 'open', headSha: commitSha, mergeSha: null, comments: [] }
        stored.reviews.push(review)
        return this.#describe(stored, review)
      }),
    updateReview: (repository, number, { title, body }: Pick<NewReview, 'title' | 'body'>, signal) =>
      this.#call('updateReview', repository, signal, (stored) => this.#describe(stored, Object.assign(this.#review(stored, number), { title, body }))),
    setStatus: (repository, commitSha, status, signal) =>
      this.#call('setStatus', repository, signal, (stored) => {
        this.#commit(stored, commitSha)
        const others = (stored.statuses.get(commitSha) ?? []).filter(({ context }) => context !== status.context)
        stored.statuses.set(commitSha, [...others, status])
      }),
    setComment: (repository, number, marker, body, signal) =>
      this.#call('setComment', repository, signal, (stored) => {
        const { comments } = this.#review(stored, number)
        const found = comments.find((comment) => comment.isOurs && comment.body.includes(marker))
        if (found === undefined) comments.push({ body, isOurs: true })
        else found.body = body
      }),
  }

  /** Takes a turn of the event loop, as a call over the network does. */
  async #call<T>(method: GitMethod, repository: string | null, signal: AbortSignal, act: (stored: Repository) => T): Promise<T> {
    this.calls.push({ method, repository })
    await new Promise(setImmediate)
    if (signal.aborted) throw failed('unavailable', { failure: 'aborted' }, new OutboundError('aborted'))
    const failure = this.#failures.find((each) => each.method === method && each.left > 0)
    if (failure !== undefined) failure.left -= 1
    if (failure?.isAfter === false) throw failure.error
    const result = act(repository === null ? (undefined as never) : this.#repository(repository))
    if (failure !== undefined) throw failure.error
    return result
  }

  #repository(name: string): Repository {
    const found = this.#repositories.get(name)
    if (found === undefined) throw failed('not_found', { what: 'repository' })
    return found
  }

  #branch({ branches, protectedBranches }: Repository, name: string): GitBranch {
    const commitSha = branches.get(name)
    if (commitSha === undefined) throw failed('not_found', { what: 'branch' })
    return { name, commitSha, isProtected: protectedBranches.has(name) }
  }

  #commit({ commits }: Repository, sha: string): Commit {
    const found = commits.get(sha)
    if (found === undefined) throw failed('not_found', { what: 'commit' })
    return found
  }

  #review({ reviews }: Repository, number: number): Review {
    const found = reviews[number - 1]
    if (found === undefined) throw failed('not_found', { what: 'review' })
    return found
  }

  #add({ commits }: Repository, commit: Omit<Commit, 'sha' | 'at'>): Commit {
    const at = new Date(this.#clock())
    const sha = objectId('commit', Buffer.from(`${(this.#written += 1)} ${commit.parents.join(' ')} ${commit.message}`))
    const added = { ...commit, sha, at }
    commits.set(sha, added)
    return added
  }

  #describe(stored: Repository, review: Review): GitReview {
    const { number, state, title, sourceBranch, targetBranch, mergeSha } = review
    if (state === 'open') review.headSha = stored.branches.get(sourceBranch) ?? review.headSha
    return {
      number,
      url: `https://forge.example.test/${stored.info.fullName}/pulls/${number}`,
      state,
      title,
      sourceBranch,
      targetBranch,
      headSha: review.headSha,
      mergeSha,
      isMergeable: state === 'open' ? this.#isMergeable(stored, review) : null,
    }
  }

  #isMergeable(stored: Repository, { headSha, targetBranch }: Review): boolean {
    const source = this.#commit(stored, headSha)
    const target = stored.commits.get(stored.branches.get(targetBranch) ?? '')
    if (target === undefined) return false
    const base = this.#mergeBase(stored, source, target)
    const theirs = changedPaths(base, target)
    return [...changedPaths(base, source)].every((path) => !theirs.has(path) || isSame(source.files.get(path), target.files.get(path)))
  }

  #mergeBase(stored: Repository, one: Commit, other: Commit): Commit | undefined {
    const ancestors = this.#ancestors(stored, other)
    return [...this.#ancestors(stored, one).values()].find(({ sha }) => ancestors.has(sha))
  }

  /** The commit and all that it is based on, the nearest first. */
  #ancestors(stored: Repository, commit: Commit): Map<string, Commit> {
    const found = new Map([[commit.sha, commit]])
    for (const each of found.values()) for (const parent of each.parents) found.set(parent, this.#commit(stored, parent))
    return found
  }
}

function failed(failure: ProviderFailure, details: Readonly<Record<string, string | number>> = {}, cause?: unknown): ProviderError {
  return new ProviderError(failure, { provider: PROVIDER, details, cause })
}

function described({ sha, message, at }: Commit): GitCommit {
  return { sha, message, authorName: 'Memory Forge', authoredAt: at, url: `https://forge.example.test/commits/${sha}` }
}

function changedPaths(base: Commit | undefined, commit: Commit): Set<string> {
  const before = base?.files ?? new Map<string, SeedBytes>()
  return new Set([...before.keys(), ...commit.files.keys()].filter((path) => !isSame(before.get(path), commit.files.get(path))))
}

function isSame(one: SeedBytes | undefined, other: SeedBytes | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return one.mode === other.mode && one.bytes.equals(other.bytes)
}

function byPath([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}
