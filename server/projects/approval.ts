/**
 * Whether content is approved. Of all decisions about exactly that content the latest counts, whichever review it was made in:
 *  1. an approval holds until someone refuses the same content, and again once someone approves it after that
 *  2. an approval goes with its review, when that is closed or decided otherwise; a refusal stays, or whoever opened the review could unsay it
 *  3. later is what the project counted later (`decisions_revision`), not what a clock says
 */
import type { Scope } from '../tenancy/scope.js'
import { REFUSALS, type ReviewDocument, REVIEWS } from './review.js'

/** The review that approves the content; null: it is not approved, or was refused since. For a commit that stands on it, read after the project. */
export async function approvalOf(scope: Scope, projectId: string, contentHash: string): Promise<ReviewDocument | null> {
  const [approval, refusal] = await Promise.all([
    scope.collection(REVIEWS).findOne({ project_id: projectId, decided_content_hash: contentHash, status: 'approved' }, { sort: { decided_turn: -1 } }),
    scope.collection(REFUSALS).findOne({ project_id: projectId, content_hash: contentHash }, { sort: { turn: -1 } }),
  ])
  return approval !== null && (refusal === null || refusal.turn < approval.decided_turn) ? approval : null
}
