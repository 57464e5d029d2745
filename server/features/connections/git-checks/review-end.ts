/** The job that records that the review of a publication was merged or closed, after the forge reported it. */
import type { JobKind } from '../../../core/jobs/runner.js'
import type { IntegrationsService } from '../integrations/service.js'
import { GIT_BINDINGS, openBinding } from '../git-bindings/service.js'
import { recordReviewEnd } from '../git-publish/service.js'

/** Its subject is the binding. */
export const REVIEW_END = 'git.review_end'

/** Maximum concurrent jobs of an instance; each is one call of a forge. */
const CONCURRENCY = 4
const PER_ORGANIZATION = 2
const LEASE_MS = 60_000
/** Attempts while the forge cannot be asked. Afterwards the next publication or review-status records it. */
const ATTEMPTS = 8

export interface ReviewEndParts {
  readonly integrations: Pick<IntegrationsService, 'openGit'>
  readonly clock: () => number
}

export function reviewEndJob({ integrations, clock }: ReviewEndParts): JobKind {
  return {
    kind: REVIEW_END,
    concurrency: CONCURRENCY,
    perOrganization: PER_ORGANIZATION,
    leaseMs: LEASE_MS,
    async run({ subject, failures }, scope, signal) {
      const binding = await scope.collection(GIT_BINDINGS).findOne({ _id: subject })
      if (binding === null || binding.review === null || binding.integration_id === null || failures > ATTEMPTS) return 'done'
      const { gateway } = await openBinding(integrations, scope, binding)
      if (gateway.reviews === null) return 'done'
      await recordReviewEnd(scope, subject, await gateway.reviews.getReview(binding.repository, binding.review.number, signal), new Date(clock()))
      return 'done'
    },
  }
}
