/** Decisions of reviews are ordered by the project's count of them, and refusals stay: orders those that were made before, by their time, below all that come. */
import { type TenantDocument, tenantCollection } from '../contract.js'
import type { Migration } from './migration.js'

// As they were when this was written: what they become later is not of this migration.
interface Review extends TenantDocument {
  readonly status: string
  readonly decided_at: Date | null
  readonly decided_content_hash: string | null
  readonly decided_turn?: number
  readonly refused_content_hash?: string | null
  readonly refused_turn?: number
}

const REVIEWS = tenantCollection<Review>('reviews', [])
const REFUSED = ['changes_requested', 'rejected']

export const orderDecisions: Migration = {
  number: 3,
  name: 'order-decisions',
  async apply(storage) {
    const reviews = storage.openTenant(REVIEWS)
    const unordered = { decided_turn: { $exists: false } }
    for await (const { _id, status, decided_at, decided_content_hash } of reviews.iterate(unordered)) {
      const turn = decided_at === null ? 0 : decided_at.getTime() - Number.MAX_SAFE_INTEGER
      const isRefused = REFUSED.includes(status)
      const fields = { decided_turn: turn, refused_turn: isRefused ? turn : 0, refused_content_hash: isRefused ? decided_content_hash : null }
      await reviews.update({ _id, ...unordered }, { $set: fields })
    }
  },
}
