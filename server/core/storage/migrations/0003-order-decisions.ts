/**
 * Gives decisions of reviews a sequence number, and stores refusals by content hash. Existing decisions get negative numbers by their time, below all future
 * numbers, which are counted by the project. A review that is decided during the migration is processed again.
 */
import { type TenantDocument, tenantCollection } from '../contract.js'
import { StaleWriteError } from '../errors.js'
import type { Migration } from './migration.js'

// As the collections were when this migration was written.
interface Review extends TenantDocument {
  readonly project_id: string
  readonly status: string
  readonly decided_at: Date | null
  readonly decided_content_hash: string | null
  readonly decided_turn?: number
}

interface Refusal extends TenantDocument {
  readonly project_id: string
  readonly review_id: string
  readonly content_hash: string
  readonly turn: number
}

const REVIEWS = tenantCollection<Review>('reviews', [])
const REFUSALS = tenantCollection<Refusal>('review_refusals', [])
const REFUSED = ['changes_requested', 'rejected']

export const orderDecisions: Migration = {
  number: 3,
  name: 'order-decisions',
  async apply(storage) {
    const reviews = storage.openTenant(REVIEWS)
    const refusals = storage.openTenant(REFUSALS)
    const unordered = { decided_turn: null }
    for (let isMissing = true; isMissing; ) {
      isMissing = false
      for await (const { _id, organization_id, project_id, status, decided_at, decided_content_hash } of reviews.iterate(unordered)) {
        const turn = decided_at === null ? 0 : decided_at.getTime() - Number.MAX_SAFE_INTEGER
        const refusal = { _id, organization_id, project_id, review_id: _id, content_hash: decided_content_hash ?? '', turn }
        try {
          await storage.commit([
            reviews.updating({ _id, ...unordered, status, decided_at, decided_content_hash }, { set: { decided_turn: turn } }),
            ...(REFUSED.includes(status) ? [refusals.inserting(refusal)] : []),
          ])
        } catch (error) {
          if (!(error instanceof StaleWriteError)) throw error
          isMissing = true
        }
      }
    }
  },
}
