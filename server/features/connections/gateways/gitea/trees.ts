/** Trees of repositories in Gitea: all files of a commit, and one folder for a new commit. */
import Type from 'typebox'
import { malformedAnswer } from '../../../../core/egress/answers.js'
import { type GitFile, PATHS_CHARACTERS, TREE_LIMIT } from '../git/gateway.js'
import { type TreeEntry, treeObject } from '#git'
import { sortedByPath } from '../git/in-parts.js'
import { FOLDER_ENTRIES } from '../git/wire/change-tree.js'
import { ProviderError } from '../../../../core/egress/provider-error.js'
import { GITEA, type GiteaApi } from './api.js'
import { repositorySegments } from './repository.js'

/** Entries of a page: Gitea's own default and maximum. */
const TREE_PAGE = 1000
/** Entries that are read, folders included. */
const ENTRIES_LIMIT = 2 * TREE_LIMIT
/** What JSON contains instead of bytes that are no UTF-8. */
const REPLACEMENT = '\ufffd'
const KINDS: Readonly<Record<string, GitFile['kind']>> = { 120000: 'symlink', 160000: 'submodule' }

const Entry = Type.Object({
  path: Type.String(),
  mode: Type.String({ pattern: '^[0-7]{5,6}$' }),
  type: Type.String(),
  sha: Type.String({ pattern: '^[0-9a-f]{40}$' }),
  size: Type.Optional(Type.Integer()),
})
const Tree = Type.Object({ tree: Type.Union([Type.Array(Entry), Type.Null()]), truncated: Type.Boolean(), total_count: Type.Integer() })

export class GiteaTrees {
  readonly #api: GiteaApi

  constructor(api: GiteaApi) {
    this.#api = api
  }

  /** @throws ProviderError too_large above `TREE_LIMIT` */
  async list(repository: string, commitSha: string, signal: AbortSignal): Promise<GitFile[]> {
    const entries = await this.#entries(repository, commitSha, true, signal)
    const files = entries
      .filter(({ type }) => type !== 'tree')
      .map(({ path, mode, sha, size }): GitFile => {
        const kind = KINDS[mode] ?? 'file'
        return { path, kind, blobSha: sha, size: kind === 'submodule' ? null : (size ?? null) }
      })
    if (files.length > TREE_LIMIT) throw tooLarge()
    return sortedByPath(files)
  }

  /** Returns the entries of one folder. @param isCommit whether the id is that of a commit, for its root */
  async read(repository: string, id: string, isCommit: boolean, signal: AbortSignal): Promise<TreeEntry[]> {
    const found = await this.#entries(repository, id, false, signal)
    if (found.length > FOLDER_ENTRIES) throw new ProviderError('too_large', { provider: GITEA, details: { limit: FOLDER_ENTRIES } })
    const entries = found.map(({ path, mode, sha }) => ({ mode: mode.replace(/^0+/, ''), name: Buffer.from(path, 'utf8').toString('latin1'), id: sha }))
    // The new tree is written from these entries: an entry that is lost or altered here would change a file that the commit does not change.
    if (found.some(({ path }) => path.includes(REPLACEMENT))) throw new ProviderError('unsupported', { provider: GITEA, details: { what: 'file_name' } })
    if (!isCommit && treeObject(entries).id !== id) throw malformedAnswer(GITEA)
    return entries
  }

  async #entries(repository: string, id: string, recursive: boolean, signal: AbortSignal) {
    const path = [...repositorySegments(repository), 'git', 'trees', id]
    const entries: Type.Static<typeof Entry>[] = []
    let characters = 0
    for (let page = 1; ; page++) {
      const query = { ...(recursive ? { recursive } : {}), per_page: TREE_PAGE, page }
      const { tree, truncated, total_count } = await this.#api.get(Tree, { path, query, what: 'commit', signal }).catch((error: unknown) => {
        throw isUnknown(error) ? new ProviderError('not_found', { provider: GITEA, details: { what: 'commit' } }) : error
      })
      if (total_count > ENTRIES_LIMIT || entries.length > ENTRIES_LIMIT || characters > 2 * PATHS_CHARACTERS) throw tooLarge()
      // A page may be shorter than requested.
      if (tree !== null && tree.length > TREE_PAGE) throw malformedAnswer(GITEA)
      for (const entry of tree ?? []) {
        entries.push(entry)
        characters += entry.path.length
      }
      if (truncated && (tree ?? []).length > 0) continue
      if (entries.length !== total_count) throw malformedAnswer(GITEA)
      return entries
    }
  }
}

/** An unknown id is 400 here. */
function isUnknown(error: unknown): boolean {
  return error instanceof ProviderError && error.failure === 'refused' && error.details.status === 400
}

function tooLarge(): ProviderError {
  return new ProviderError('too_large', { provider: GITEA, details: { limit: TREE_LIMIT } })
}
