/**
 * Plain Git over smart HTTP, with any server, without a `git` program: a commit is fetched one deep, and read in memory. The gateway keeps the commit that it
 * fetched last, so that listing its files and reading them is one fetch. A server that gives only the heads of its branches answers `not_found` for others.
 */
import type { GatewayParts, ProviderConnection } from '../connection.js'
import { malformedAnswer } from '../answers.js'
import { ProviderError } from '../provider-error.js'
import { BRANCHES_LIMIT, FILE_BYTES, type GitBranch, type GitCommit, type GitFile, type GitGateway, type GitRepository, type NewCommit } from './gateway.js'
import { commitTo, listed } from './wire/commit.js'
import { parseCommit, parseTree } from './wire/objects.js'
import { type Pack, PackTooLargeError } from './wire/pack.js'
import { MalformedGitError } from './wire/pkt-line.js'
import { GitRemote, type References } from './wire/remote.js'
import { listTree } from './wire/list-tree.js'

const PROVIDER = 'git'

export function openPlainGit({ baseUrl, credentials }: ProviderConnection, parts: GatewayParts): GitGateway {
  if (baseUrl === null) throw new ProviderError('unsupported', { provider: PROVIDER, details: { what: 'base_url' } })
  return new PlainGit(new GitRemote({ ...parts, provider: PROVIDER, credentials, baseUrl }), parts.clock)
}

class PlainGit implements GitGateway {
  readonly reviews = null
  readonly #remote: GitRemote
  readonly #clock: () => number
  /** The commit that was fetched last. */
  #last: { readonly key: string; readonly pack: Promise<Pack> } | null = null

  constructor(remote: GitRemote, clock: () => number) {
    this.#remote = remote
    this.#clock = clock
  }

  async listRepositories(): Promise<readonly GitRepository[]> {
    throw new ProviderError('unsupported', { provider: PROVIDER })
  }

  async listBranches(repository: string, signal: AbortSignal): Promise<readonly GitBranch[]> {
    const { branches } = await this.#remote.references(repository, signal)
    if (branches.size > BRANCHES_LIMIT) throw new ProviderError('too_large', { provider: PROVIDER, details: { limit: BRANCHES_LIMIT } })
    return [...branches].map(([name, commitSha]) => ({ name, commitSha, isProtected: false })).sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async getBranch(repository: string, branch: string, signal: AbortSignal): Promise<GitBranch> {
    const commitSha = headOf(await this.#remote.references(repository, signal), branch)
    return { name: branch, commitSha, isProtected: false }
  }

  async listFiles(repository: string, commitSha: string, signal: AbortSignal): Promise<readonly GitFile[]> {
    const pack = await this.#commitPack(repository, commitSha, signal)
    return listTree(pack, commitSha, PROVIDER).catch((error: unknown) => {
      throw explained(error)
    })
  }

  async readFile(repository: string, commitSha: string, { blobSha }: GitFile, signal: AbortSignal): Promise<Uint8Array> {
    const pack = await this.#commitPack(repository, commitSha, signal)
    const blob = pack.describe(blobSha)
    if (blob?.type !== 'blob') throw new ProviderError('not_found', { provider: PROVIDER, details: { what: 'file' } })
    if (blob.size > FILE_BYTES) throw new ProviderError('too_large', { provider: PROVIDER, details: { limit: FILE_BYTES } })
    // A copy: the pack keeps its own.
    return read(() => new Uint8Array(pack.get(blobSha).bytes))
  }

  async listCommits(repository: string, branch: string, limit: number, signal: AbortSignal): Promise<readonly GitCommit[]> {
    const references = await this.#remote.references(repository, signal)
    const head = headOf(references, branch)
    const pack = await this.#remote.fetch(repository, { commitSha: head, depth: limit, omitsTrees: references.capabilities.has('filter') }, signal)
    return read(() => newestCommits(pack, head, limit))
  }

  async commit(repository: string, commit: NewCommit, signal: AbortSignal): Promise<GitCommit> {
    const heads = async () => (await this.#remote.references(repository, signal)).branches
    const head = (await heads()).get(commit.branch) ?? null
    const treesOfParent = async () => {
      const pack = await this.#commitPack(repository, commit.parentSha, signal)
      return { rootId: read(() => parseCommit(pack.get(commit.parentSha).bytes).tree), readTree: async (id: string) => read(() => parseTree(pack.get(id).bytes)) }
    }
    const headNow = async () => (await heads()).get(commit.branch) ?? null
    return commitTo({ remote: this.#remote, provider: PROVIDER, now: this.#clock() }, { repository, commit, head, treesOfParent, headNow, url: null }, signal)
  }

  /** Calls for one commit that run at the same time share one fetch, which ends with the signal of the first. */
  #commitPack(repository: string, commitSha: string, signal: AbortSignal): Promise<Pack> {
    const key = `${commitSha} ${repository}`
    if (this.#last?.key === key) return this.#last.pack
    const last = { key, pack: this.#remote.fetch(repository, { commitSha, depth: 1 }, signal) }
    this.#last = last
    last.pack.catch(() => {
      if (this.#last === last) this.#last = null
    })
    return last.pack
  }
}

function headOf({ branches }: References, branch: string): string {
  const head = branches.get(branch)
  if (head === undefined) throw new ProviderError('not_found', { provider: PROVIDER, details: { what: 'branch' } })
  return head
}

/** Commits from a head, each before its parents, the newest of them first. */
function newestCommits(pack: Pack, head: string, limit: number): GitCommit[] {
  const commits: GitCommit[] = []
  const seen = new Set([head])
  const open = [listed(head, pack.get(head).bytes, null)]
  while (open.length > 0 && commits.length < limit) {
    open.sort((a, b) => b.authoredAt.getTime() - a.authoredAt.getTime())
    const { parents, ...commit } = open.shift()!
    commits.push(commit)
    for (const parent of parents) {
      // The pack ends at the depth that was fetched.
      if (seen.has(parent) || pack.describe(parent) === undefined) continue
      seen.add(parent)
      open.push(listed(parent, pack.get(parent).bytes, null))
    }
  }
  return commits
}

/** What a pack contains may be anything. */
function read<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw explained(error)
  }
}

function explained(error: unknown): unknown {
  if (error instanceof PackTooLargeError) return new ProviderError('too_large', { provider: PROVIDER, details: { limit: error.limit } })
  return error instanceof MalformedGitError ? malformedAnswer(PROVIDER, error) : error
}
