/**
 * Copies the order of decisions to its new name: `decided_turn` of reviews and `turn` of refusals become `decision_sequence`. The former fields stay in the
 * documents that have them, because an update cannot remove a field. Nothing reads them.
 */
import { type Collection, type TenantDocument, tenantCollection } from '../contract.js'
import type { Migration } from './migration.js'

// As the collections were when this migration was written.
interface Decided extends TenantDocument {
  readonly decision_sequence?: number
  readonly decided_turn?: number
  readonly turn?: number
}
const REVIEWS = tenantCollection<Decided>('reviews', [])
const REFUSALS = tenantCollection<Decided>('review_refusals', [])

export const renameDecisionSequence: Migration = {
  number: 5,
  name: 'rename-decision-sequence',
  async apply(storage) {
    await copySequence(storage.openTenant(REVIEWS), 'decided_turn')
    await copySequence(storage.openTenant(REFUSALS), 'turn')
  },
}

/** Copies the field. An update matches the value that was read, so a document that changed meanwhile is read again. */
async function copySequence(collection: Collection<Decided>, from: 'decided_turn' | 'turn'): Promise<void> {
  const uncopied = { decision_sequence: null }
  for (let isStale = true; isStale; ) {
    isStale = false
    for await (const { _id, [from]: sequence } of collection.iterate(uncopied)) {
      const updated = await collection.update({ _id, ...uncopied, [from]: sequence ?? null }, { set: { decision_sequence: sequence ?? 0 } })
      if (updated === null) isStale = true
    }
  }
}
