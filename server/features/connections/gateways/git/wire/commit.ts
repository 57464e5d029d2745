/** A commit that is pushed over smart HTTP with the head that the caller has seen as its condition. */
import { ProviderError } from '../../../../../core/egress/provider-error.js'
import type { GitCommit, NewCommit } from '../gateway.js'
import { commitObject, parseCommit } from '#git'
import { changeTree, type ReadTree } from './change-tree.js'
import { providerMessage } from '../../../../../core/egress/answers.js'
import type { GitRemote } from './remote.js'

/** The author of commits. The provider shows beside it who has pushed. */
const PERSON = { name: 'Detection Content', email: 'detection-content@users.noreply.invalid' }
/** What servers say about a push that a rule of the branch refuses. */
const PROTECTED = /protected branch|hook declined|not allowed to push/i

export interface CommitParts {
  readonly remote: GitRemote
  readonly provider: string
  readonly now: number
}

export interface CommitRequest {
  readonly repository: string
  readonly commit: NewCommit
  /** Head of the branch as it was just read; null: it does not exist. */
  readonly head: string | null
  treesOfParent(): Promise<{ readonly rootId: string; readonly readTree: ReadTree }>
  /** Reads the head again, after a refused push. */
  headNow(): Promise<string | null>
  readonly url: ((sha: string) => string) | null
}

/** @throws ProviderError head_moved, branch_protected, not_found, refused */
export async function commitTo(
  { remote, provider, now }: CommitParts,
  { repository, commit, head, treesOfParent, headNow, url }: CommitRequest,
  signal: AbortSignal,
): Promise<GitCommit> {
  const { branch, parentSha, createsBranch, message, changes } = commit
  if (createsBranch ? head !== null : head !== null && head !== parentSha) throw new ProviderError('head_moved', { provider })
  if (!createsBranch && head === null) throw new ProviderError('not_found', { provider, details: { what: 'branch' } })
  const { rootId, readTree } = await treesOfParent()
  const changed = await changeTree(rootId, changes, readTree, provider)
  const created = commitObject({ tree: changed.rootId, parent: parentSha, person: PERSON, at: new Date(now), message })
  const oldHead = createsBranch ? null : parentSha
  const refusal = await remote.push(repository, { branch, oldHead, newHead: created.id, objects: [...changed.objects, created] }, signal)
  if (refusal !== null) {
    // Servers word a moved head differently; the head itself is certain.
    if ((await headNow()) !== oldHead) throw new ProviderError('head_moved', { provider })
    if (PROTECTED.test(`${refusal.reason}\n${refusal.message}`)) throw new ProviderError('branch_protected', { provider })
    throw new ProviderError('refused', { provider, details: { status: null, provider_message: providerMessage(`${refusal.reason} ${refusal.message}`, remote.secrets) } })
  }
  const { message: written, authorName, authoredAt } = parseCommit(created.bytes)
  return { sha: created.id, message: written, authorName, authoredAt, url: url?.(created.id) ?? null }
}
