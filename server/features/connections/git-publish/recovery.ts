/**
 * Finishes publications whose process died, or to whose commit the answer was lost. Invariants:
 *  1. it decides only after the lease has ended, when no commit of the run can start any more
 *  2. a commit with the run's trailer on the branch was made by the run: it is recorded. Without one the run is recorded as failed. Neither makes a commit
 *  3. while the forge cannot be asked, the publication stays undecided, and no other begins
 */
import { ApiError } from '../../../core/errors.js'
import type { JobKind } from '../../../core/jobs/runner.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { GIT_BINDINGS, openBinding } from '../git-bindings/service.js'
import { COMMIT_MS, PUBLICATION_RECOVERY } from './lease.js'
import { announce, findCommit, isPassing, type PublishParts } from './publish.js'
import { recordFailure, recordPublished } from './record.js'
import { GIT_PUBLICATIONS, type GitPublicationDocument } from './store.js'

/** Maximum concurrent recoveries of an instance. They are rare, and each is some calls of a forge. */
const CONCURRENCY = 2
const PER_ORGANIZATION = 1
const BY = { actor: { kind: 'system', name: 'git-bindings' }, requestId: null, address: null } as const

export function recoveryJob(parts: PublishParts): JobKind {
  return {
    kind: PUBLICATION_RECOVERY,
    concurrency: CONCURRENCY,
    perOrganization: PER_ORGANIZATION,
    leaseMs: 2 * COMMIT_MS,
    async run({ subject }, scope, signal) {
      const publication = await scope.collection(GIT_PUBLICATIONS).findOne({ _id: subject })
      if (publication === null) return 'done'
      if (publication.expires_at.getTime() > parts.clock()) return { again: publication.expires_at }
      await recoverPublication(parts, scope, publication, signal)
      return 'done'
    },
  }
}

/** @param publication whose lease has ended @throws when the forge cannot be asked now */
export async function recoverPublication(parts: PublishParts, scope: Scope, publication: GitPublicationDocument, signal: AbortSignal): Promise<void> {
  const { pending } = publication
  const fail = (error: unknown): Promise<void> => recordFailure(scope, publication, error, new Date(parts.clock()))
  const binding = await scope.collection(GIT_BINDINGS).findOne({ _id: publication._id })
  if (pending === null || binding === null) return fail(new ApiError('git_publish_interrupted'))
  try {
    const opened = await openBinding(parts.integrations, scope, binding)
    const { gateway } = opened
    const commit = await findCommit(gateway, binding.repository, pending.branch, publication.run_id, signal)
    if (commit === null) return await fail(new ApiError('git_publish_interrupted'))
    const review =
      pending.review === null || gateway.reviews === null ? null : await announce(gateway.reviews, binding, { branch: pending.branch, review: null }, pending.review, signal)
    await recordPublished(scope, publication, { binding, pending, commitSha: commit.sha, review, by: BY, now: new Date(parts.clock()) })
  } catch (error) {
    if (isPassing(error)) throw error
    await fail(error)
  }
}
