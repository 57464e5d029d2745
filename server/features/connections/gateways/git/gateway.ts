/**
 * What the service needs of a forge; one file beside this one implements it for each provider (`index.ts` is the table), and
 * `test/contracts/git-gateway.ts` runs on all of them. Invariants:
 *  1. every method throws `ApiError`s only: a `ProviderError`, or `target_refused`; the credential is in none of them
 *  2. lists are read to the end, or to a limit below; beyond it the method throws `too_large`
 *  3. nothing is written except by `commit`, `openReview`, `updateReview`, `setStatus` and `setComment`
 *  4. `commit` never replaces a commit: it adds one to the head that the caller names, or throws `head_moved`
 */
import type { GitFile } from '#git'
import type { AnswerReader } from '../../../../core/egress/reader.js'

export { BRANCHES_LIMIT, FILE_BYTES, type GitFile, PATHS_CHARACTERS, TREE_LIMIT } from '#git'

/** Repositories that are listed. */
export const REPOSITORIES_LIMIT = 10_000
/** Characters of all answers of which one list is read. 10,000 repositories of GitHub have 65 million. */
export const LIST_CHARACTERS = 128 * 1024 * 1024
/** Bytes of a repository that is fetched over plain Git, one commit deep. */
export const FETCH_BYTES = 64 * 1024 * 1024
/** Calls of a provider that run at the same time for one operation. */
export const CALLS_AT_ONCE = 8
/** Time limit of one call. */
export const CALL_TIMEOUT_MS = 30_000

/** Keys are fields of the contract. */
export interface GitCapabilities {
  readonly supports_repository_listing: boolean
  readonly supports_branch_listing: boolean
  readonly supports_scan_discovery: boolean
  readonly supports_explicit_paths: boolean
  readonly supports_direct_publish: boolean
  readonly supports_review_publish: boolean
  readonly supports_app_auth: boolean
  readonly supports_webhook_sync: boolean
  readonly supports_pagination: boolean
}

export interface GitRepository {
  /** `owner/name`, as the other methods take it. */
  readonly fullName: string
  readonly defaultBranch: string
  readonly isPrivate: boolean
}

export interface GitBranch {
  readonly name: string
  readonly commitSha: string
  readonly isProtected: boolean
}

export interface GitCommit {
  readonly sha: string
  readonly message: string
  readonly authorName: string
  readonly authoredAt: Date
  /** Null: the provider has no page for it. */
  readonly url: string | null
}

export interface FileChange {
  readonly path: string
  /** Null: the file is deleted. */
  readonly content: Uint8Array | null
  /** Blob that the file has in the parent commit; null: it does not exist there. */
  readonly blobSha: string | null
}

export interface NewCommit {
  readonly branch: string
  /** The head of the branch that the caller has seen. With `createsBranch`: the commit at which the branch begins. */
  readonly parentSha: string
  /** The branch does not exist and is created. Throws `head_moved` if it exists. */
  readonly createsBranch: boolean
  readonly message: string
  /** At least one. */
  readonly changes: readonly FileChange[]
}

export type ReviewState = 'open' | 'merged' | 'closed'

/** A pull or merge request. */
export interface GitReview {
  readonly number: number
  readonly url: string
  readonly state: ReviewState
  readonly title: string
  readonly sourceBranch: string
  readonly targetBranch: string
  /** Head commit of the source branch. */
  readonly headSha: string
  /** The commit that merged it; null: not merged, or unknown. */
  readonly mergeSha: string | null
  /** Null: the provider has not computed it yet. */
  readonly isMergeable: boolean | null
}

export interface NewReview {
  readonly sourceBranch: string
  readonly targetBranch: string
  readonly title: string
  /** Markdown. */
  readonly body: string
}

export interface CommitStatus {
  /** `canceled`: the check will not end. A provider without it shows an error. */
  readonly state: 'pending' | 'success' | 'failure' | 'error' | 'canceled'
  /** Name of the check; a status replaces the one of the same name. */
  readonly context: string
  /** One line. The gateway cuts it to what the provider allows. */
  readonly description: string
  /** Null: the status has no link. */
  readonly url: string | null
}

export interface GitGateway {
  listRepositories(signal: AbortSignal): Promise<readonly GitRepository[]>
  /** Sorted by name, as texts of JavaScript are. */
  listBranches(repository: string, signal: AbortSignal): Promise<readonly GitBranch[]>
  /** Returns a branch with its head. @throws ProviderError not_found */
  getBranch(repository: string, branch: string, signal: AbortSignal): Promise<GitBranch>
  /** Returns all files of a commit, sorted by path, as texts of JavaScript are. */
  listFiles(repository: string, commitSha: string, signal: AbortSignal): Promise<readonly GitFile[]>
  /** Returns the bytes of a file of the commit. @throws ProviderError too_large above `FILE_BYTES` */
  readFile(repository: string, commitSha: string, file: GitFile, signal: AbortSignal): Promise<Uint8Array>
  /** Returns the newest commits of a branch, the newest first. @param limit 1-100 */
  listCommits(repository: string, branch: string, limit: number, signal: AbortSignal): Promise<readonly GitCommit[]>
  /** A file keeps its mode; a new one is plain. @throws ProviderError head_moved, branch_protected; not_found if the branch does not exist and is not to be created */
  commit(repository: string, commit: NewCommit, signal: AbortSignal): Promise<GitCommit>
  /** Reviews, statuses and comments; null: the provider has none of them (plain Git). */
  readonly reviews: ReviewGateway | null
}

export interface ReviewGateway {
  /** Returns the open review from one branch to another; null: there is none. */
  findOpenReview(repository: string, branches: Pick<NewReview, 'sourceBranch' | 'targetBranch'>, signal: AbortSignal): Promise<GitReview | null>
  getReview(repository: string, number: number, signal: AbortSignal): Promise<GitReview>
  openReview(repository: string, review: NewReview, signal: AbortSignal): Promise<GitReview>
  updateReview(repository: string, number: number, change: Pick<NewReview, 'title' | 'body'>, signal: AbortSignal): Promise<GitReview>
  setStatus(repository: string, commitSha: string, status: CommitStatus, signal: AbortSignal): Promise<void>
  /** Creates the comment of this account that contains the marker, or replaces its text. Comments of others remain. @param marker an HTML comment, part of the body */
  setComment(repository: string, number: number, marker: string, body: string, signal: AbortSignal): Promise<void>
}

/** What a forge's webhook reports. */
export type GitEvent =
  | { readonly kind: 'push'; readonly repository: string; readonly branch: string; readonly headSha: string }
  /** A review was opened, or its head changed. */
  | { readonly kind: 'review'; readonly repository: string; readonly number: number; readonly sourceBranch: string; readonly targetBranch: string; readonly headSha: string }
  | { readonly kind: 'review_closed'; readonly repository: string; readonly number: number; readonly isMerged: boolean }
  /** Anything else, which is answered 200 and ignored: a ping, a tag, a deleted branch. */
  | { readonly kind: 'ignored' }

export interface WebhookRequest {
  header(name: string): string | undefined
  readonly body: Uint8Array
}

/** Largest delivery that is read. Those of forges have some ten kilobytes; a push of two thousand commits is cut by them. */
export const DELIVERY_BYTES = 1024 * 1024

/** Reads deliveries of a forge's webhook. */
export interface GitWebhooks {
  /** Whether the signature or token is the binding's. Compares in constant time. */
  isAuthentic(request: WebhookRequest, secret: string): boolean
  /** The provider's id of the delivery, the same when it is sent again; null: it has none, and a hash of the body is used. */
  deliveryId(request: WebhookRequest): string | null
  /** Null: the body cannot be read. @throws as `readAnswer` for a body that no thread reads now */
  parse(request: WebhookRequest, reader: AnswerReader): Promise<GitEvent | null>
}
