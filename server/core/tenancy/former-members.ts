/**
 * People who were removed from an organization, or deprovisioned. A login through the organization's provider makes other people members, but not these: only an
 * administrator or SCIM can add them again. Every method takes the organization.
 */
import { type Collection, platformCollection, type Storage, type StoredDocument, type Write } from '../storage/contract.js'

/** `_id` is the organization and the user. */
export interface FormerMemberDocument extends StoredDocument {
  readonly removed_at: Date
}

export const FORMER_MEMBERS = platformCollection<FormerMemberDocument>('former_members', [])

export class FormerMembers {
  readonly #documents: Collection<FormerMemberDocument>

  constructor(storage: Storage) {
    this.#documents = storage.open(FORMER_MEMBERS)
  }

  async has(organizationId: string, userId: string): Promise<boolean> {
    return (await this.#documents.findOne({ _id: idOf(organizationId, userId) })) !== null
  }

  /** The writes for the commit of a removal. */
  adding(organizationId: string, userId: string, now: Date): Write[] {
    const _id = idOf(organizationId, userId)
    return [this.#documents.deletingMany({ _id }), this.#documents.inserting({ _id, removed_at: now })]
  }

  /** The write that lets a person in again. */
  forgetting(organizationId: string, userId: string): Write {
    return this.#documents.deletingMany({ _id: idOf(organizationId, userId) })
  }
}

function idOf(organizationId: string, userId: string): string {
  return `${organizationId}:${userId}`
}
