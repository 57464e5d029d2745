/** Publications that are running. A document is the lease of its binding: one publication of a binding runs at a time, on whichever instance. */
import type { SourceFileEntry } from '../../../content/shared/content.js'
import type { BaseOrigin } from '../../../content/shared/git-base.js'
import { type TenantDocument, tenantCollection } from '../../../core/storage/contract.js'
import type { PublishStrategy } from '../git-bindings/service.js'

/** Its id is the binding's. */
export interface GitPublicationDocument extends TenantDocument {
  /** The run, whose id is in the message of the commit. */
  readonly run_id: string
  /** When another request or the recovery may decide how the publication ended. No commit starts shortly before. */
  readonly expires_at: Date
  /** Stored before the commit starts: what has to be recorded if it was made. Null: no commit was started. */
  readonly pending: PendingCommit | null
}

export interface PendingCommit {
  readonly strategy: PublishStrategy
  /** Branch of the commit. */
  readonly branch: string
  /** The base of the binding after the publication (`shared/git-base.ts`). */
  readonly base_files: readonly SourceFileEntry[]
  readonly base_origin: BaseOrigin | null
  readonly diff_summary: Readonly<Record<string, unknown>>
  /** Title and body of the review; null: a direct commit. */
  readonly review: { readonly title: string; readonly body: string } | null
}

export const GIT_PUBLICATIONS = tenantCollection<GitPublicationDocument>('git_publications', [])
