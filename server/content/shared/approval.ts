/**
 * Finds the approval of a content. The latest decision about exactly this content counts, whichever review it belongs to:
 *  1. an approval is valid until the same content is refused, and again once it is approved after that
 *  2. an approval ends when its review is closed or decided otherwise. A refusal stays, because the author of the review could withdraw it otherwise
 *  3. the project's counter (`decisions_revision`) orders decisions, not a clock
 */
import type { Scope } from '../../core/tenancy/scope.js'
import { REFUSALS, type ReviewDocument, REVIEWS } from './review.js'

/** Returns the review that approves the content; null: it is not approved, or was refused since. A commit that depends on it must match the project as it was read before. */
export async function approvalOf(scope: Scope, projectId: string, contentHash: string): Promise<ReviewDocument | null> {
  const approval = await scope.collection(REVIEWS).findOne({ project_id: projectId, decided_content_hash: contentHash, status: 'approved' }, { sort: { decision_sequence: -1 } })
  if (approval === null) return null
  // An instance of a former version that still runs stores decisions without a sequence. Its refusals must count.
  const { decision_sequence = 0 } = approval
  const refusal = { project_id: projectId, content_hash: contentHash, anyOf: [{ decision_sequence: { gte: decision_sequence } }, { decision_sequence: null }] }
  return (await scope.collection(REFUSALS).findOne(refusal)) === null ? approval : null
}
