/**
 * Plain Git over smart HTTP, with any server, without a `git` program: a commit is fetched one deep, and read in memory, by threads. The gateway keeps the commit
 * that it fetched last for some seconds, so that listing its files and reading them is one fetch. A server that gives only the heads of its branches answers
 * `not_found` for others.
 */
import type { ListedCommit, TreeEntry } from '#git'
import type { GatewayParts, ProviderConnection } from '../connection.js'
import { ProviderError } from '../../../../core/egress/provider-error.js'
import type { GitBranch, GitCommit, GitFile, GitGateway, GitRepository, NewCommit } from './gateway.js'
import { FOLDER_ENTRIES } from './wire/change-tree.js'
import { commitTo } from './wire/commit.js'
import { type FetchedPack, GitRemote } from './wire/remote.js'

const PROVIDER = 'git'
/** How long a commit is kept that nobody reads: its bytes count for the organization. Longer than the pauses of one operation. */
const KEPT_MS = 15_000

export function openPlainGit({ baseUrl, credentials }: ProviderConnection, parts: GatewayParts): GitGateway {
  if (baseUrl === null) throw new ProviderError('unsupported', { provider: PROVIDER, details: { what: 'base_url' } })
  return new PlainGit(new GitRemote({ ...parts, provider: PROVIDER, credentials, baseUrl }), parts.clock)
}

class PlainGit implements GitGateway {
  readonly reviews = null
  readonly #remote: GitRemote
  readonly #clock: () => number
  /** The commit that was fetched last. */
  #last: { readonly key: string; readonly pack: Promise<FetchedPack>; readonly ending: NodeJS.Timeout } | null = null

  constructor(remote: GitRemote, clock: () => number) {
    this.#remote = remote
    this.#clock = clock
  }

  async listRepositories(): Promise<readonly GitRepository[]> {
    throw new ProviderError('unsupported', { provider: PROVIDER })
  }

  async listBranches(repository: string, signal: AbortSignal): Promise<readonly GitBranch[]> {
    const { branches } = await this.#remote.references(repository, null, signal)
    return branches.map(([name, commitSha]) => ({ name, commitSha, isProtected: false })).sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async getBranch(repository: string, branch: string, signal: AbortSignal): Promise<GitBranch> {
    const { head } = await this.#headOf(repository, branch, signal)
    return { name: branch, commitSha: required(head), isProtected: false }
  }

  async listFiles(repository: string, commitSha: string, signal: AbortSignal): Promise<readonly GitFile[]> {
    return this.#remote.valueOf(await this.#commitPack(repository, commitSha, signal), { of: 'files', commitSha }, signal)
  }

  async readFile(repository: string, commitSha: string, { blobSha }: GitFile, signal: AbortSignal): Promise<Uint8Array> {
    return this.#remote.fileOf(await this.#commitPack(repository, commitSha, signal), blobSha, signal)
  }

  async listCommits(repository: string, branch: string, limit: number, signal: AbortSignal): Promise<readonly GitCommit[]> {
    const { head, capabilities } = await this.#headOf(repository, branch, signal)
    const pack = await this.#remote.fetch(repository, { commitSha: required(head), depth: limit, omitsTrees: capabilities.includes('filter') }, signal)
    try {
      const found = await this.#remote.valueOf<readonly ListedCommit[]>(pack, { of: 'commits', head: required(head), limit }, signal)
      return found.map(({ authoredAt, ...commit }) => ({ ...commit, authoredAt: new Date(authoredAt), url: null }))
    } finally {
      pack.release()
    }
  }

  async commit(repository: string, commit: NewCommit, signal: AbortSignal): Promise<GitCommit> {
    const headNow = async () => (await this.#headOf(repository, commit.branch, signal)).head
    const head = await headNow()
    const treesOfParent = async () => {
      const pack = await this.#commitPack(repository, commit.parentSha, signal)
      const rootId = await this.#remote.valueOf<string>(pack, { of: 'root', commitSha: commit.parentSha }, signal)
      return { rootId, readTree: (id: string) => this.#remote.valueOf<readonly TreeEntry[]>(pack, { of: 'tree', id, entriesLimit: FOLDER_ENTRIES }, signal) }
    }
    return commitTo({ remote: this.#remote, provider: PROVIDER, now: this.#clock() }, { repository, commit, head, treesOfParent, headNow, url: null }, signal)
  }

  /** @returns a head that is null: the branch does not exist */
  async #headOf(repository: string, branch: string, signal: AbortSignal): Promise<{ readonly head: string | null; readonly capabilities: readonly string[] }> {
    const { branches, capabilities } = await this.#remote.references(repository, branch, signal)
    return { head: branches[0]?.[1] ?? null, capabilities }
  }

  /** Calls for one commit that run at the same time share one fetch, which ends with the signal of the first. */
  #commitPack(repository: string, commitSha: string, signal: AbortSignal): Promise<FetchedPack> {
    const key = `${commitSha} ${repository}`
    if (this.#last?.key === key) {
      this.#last.ending.refresh()
      return this.#last.pack
    }
    this.#forget()
    const pack = this.#remote.fetch(repository, { commitSha, depth: 1 }, signal)
    const last = { key, pack, ending: setTimeout(() => this.#last === last && this.#forget(), KEPT_MS).unref() }
    this.#last = last
    pack.catch(() => {
      if (this.#last === last) this.#forget()
    })
    return pack
  }

  #forget(): void {
    if (this.#last === null) return
    clearTimeout(this.#last.ending)
    this.#last.pack.then(
      (pack) => pack.release(),
      () => undefined,
    )
    this.#last = null
  }
}

/** @throws ProviderError not_found */
function required(head: string | null): string {
  if (head === null) throw new ProviderError('not_found', { provider: PROVIDER, details: { what: 'branch' } })
  return head
}
