/** Publication to Git for the API: preflight, publish, review status. */
import type { Actor } from '../../../core/auth/request-context.js'
import { subjectOf } from '../../../core/auth/principal.js'
import { ApiError } from '../../../core/errors.js'
import type { GitReview } from '../gateways/git/gateway.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { auditContext } from '../../../core/audit/service.js'
import { GIT_RUNS, type GitBindingDocument, type GitBindingsService, newRun, openBinding, type RunCause } from '../git-bindings/service.js'
import { beginPublication } from './lease.js'
import { type Plan, planPublication } from './plan.js'
import { summaryOf } from './present.js'
import { currentBinding, openReviewOf, type Publication, publish, type PublishParts, UncertainCommitError } from './publish.js'
import { recordEnd, recordFailure } from './record.js'
import { recoverPublication } from './recovery.js'
import { GIT_PUBLICATIONS, type GitPublicationDocument } from './store.js'

export { fileSetOf } from './file-sets.js'
export { recordReviewEnd } from './record.js'
export { GIT_PUBLICATIONS } from './store.js'

/** The caller, and the signal that stops reading and measuring. */
export interface PublishActor extends Actor {
  readonly signal: AbortSignal
}

type Lease = Omit<GitPublicationDocument, 'organization_id'>

export interface GitPublishParts extends PublishParts {
  readonly bindings: Pick<GitBindingsService, 'get' | 'changeable'>
}

export class GitPublishService {
  readonly #parts: GitPublishParts

  constructor(parts: GitPublishParts) {
    this.#parts = parts
  }

  /** Plans a publication and stores what it would change. @throws ApiError resource_missing, binding_orphaned, and those of the provider */
  async preflight(scope: Scope, bindingId: string, actor: PublishActor): Promise<{ readonly runId: string; readonly plan: Plan }> {
    const { bindings, clock } = this.#parts
    const opened = await openBinding(this.#parts.integrations, scope, await bindings.changeable(scope, bindingId))
    const plan = await planPublication(this.#parts, opened, { scope, locale: actor.locale, signal: actor.signal })
    const status = plan.merged.conflicts.length === 0 ? 'succeeded' : 'conflict'
    const run = newRun(opened.binding, 'preflight', status, causeOf(actor), new Date(clock()), { commit_sha: plan.head.commitSha, diff_summary: summaryOf(plan) })
    await scope.collection(GIT_RUNS).insert(run)
    return { runId: run._id, plan }
  }

  /** @throws ApiError resource_missing, project_archived, binding_orphaned, git_publish_running, git_conflicts, git_gate_failed, review_branch_moved, and those of the provider */
  async publish(scope: Scope, bindingId: string, actor: PublishActor): Promise<Publication & { readonly runId: string }> {
    const opened = await openBinding(this.#parts.integrations, scope, await this.#parts.bindings.changeable(scope, bindingId))
    const lease = await this.#begin(scope, opened.binding, actor)
    try {
      // A recovery may have recorded an earlier publication meanwhile.
      const binding = await currentBinding(scope, bindingId)
      const caller = { scope, locale: actor.locale, signal: actor.signal, by: auditContext(actor) }
      return { runId: lease.run_id, ...(await publish(this.#parts, { ...opened, binding }, lease, caller)) }
    } catch (error) {
      if (error instanceof UncertainCommitError) throw error.cause
      const now = new Date(this.#parts.clock())
      if (error instanceof ApiError && error.reason === 'git_conflicts')
        await recordEnd(scope, lease, { status: 'conflict', diff_summary: { conflicts: error.details.conflict_count } }, now)
      else await recordFailure(scope, lease, error, now)
      throw error
    }
  }

  /** Returns the review of the last publication, also if it was just found merged or closed; null: none. @throws ApiError resource_missing, and those of the provider */
  async reviewStatus(scope: Scope, bindingId: string, signal: AbortSignal): Promise<GitReview | null> {
    const binding = await this.#parts.bindings.get(scope, bindingId)
    if (binding.review === null) return null
    const opened = await openBinding(this.#parts.integrations, scope, binding)
    if (opened.gateway.reviews === null) return null
    const review = await opened.gateway.reviews.getReview(binding.repository, binding.review.number, signal)
    if (review.state !== 'open') await openReviewOf(opened, { scope, signal }, this.#parts)
    return review
  }

  /** Begins a publication. One whose lease has ended is finished first. @throws ApiError git_publish_running, and those of the provider */
  async #begin(scope: Scope, binding: GitBindingDocument, actor: PublishActor): Promise<Lease> {
    const before = await scope.collection(GIT_PUBLICATIONS).findOne({ _id: binding._id })
    if (before !== null && before.expires_at.getTime() <= this.#parts.clock()) await recoverPublication(this.#parts, scope, before, actor.signal)
    return beginPublication(this.#parts, scope, binding, causeOf(actor))
  }
}

function causeOf({ principal }: Actor): RunCause {
  return { trigger: 'request', startedBy: subjectOf(principal) }
}
