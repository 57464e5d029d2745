/**
 * Normalizes the e-mail addresses of users and invitations (`email-address.ts`). When the addresses of several users become the same, one user gets it: the
 * one whose address was normalized already, else the oldest. The others keep theirs, are logged by id, and can no longer log in with it.
 */
import { emailKeyOf, normalizeEmail } from '#basics'
import { platformCollection, type StoredDocument, type TenantDocument, tenantCollection } from '../contract.js'
import { DuplicateKeyError } from '../errors.js'
import type { Migration } from './migration.js'

// As the collections were when this migration was written.
type Addressed = {
  readonly email: string
  readonly email_key: string
}
const USERS = platformCollection<StoredDocument & Addressed & { readonly created_at: Date }>('users', [])
const INVITATIONS = tenantCollection<TenantDocument & Addressed>('invitations', [])

export const normalizeEmails: Migration = {
  number: 4,
  name: 'normalize-emails',
  async apply(storage, warn) {
    const users = storage.open(USERS)
    const invitations = storage.openTenant(INVITATIONS)
    const changing = []
    // Few, as ASCII addresses are normalized already.
    for await (const { _id, email, email_key, created_at } of users.iterate({})) if (!isNormal({ email, email_key })) changing.push({ _id, email, email_key, created_at })
    changing.sort((one, other) => one.created_at.getTime() - other.created_at.getTime() || (one._id < other._id ? -1 : 1))
    for (const { _id, email, email_key } of changing) {
      try {
        await users.update({ _id, email_key }, { set: normalized(email) })
      } catch (error) {
        if (!(error instanceof DuplicateKeyError)) throw error
        const holder = await users.findOne({ email_key: emailKeyOf(email) })
        // Addresses are not logged.
        warn({ user: _id, same_as: holder?._id }, 'two users have the same normalized e-mail address: the user can no longer log in with it')
      }
    }
    for await (const { _id, email, email_key } of invitations.iterate({})) {
      if (!isNormal({ email, email_key })) await invitations.update({ _id }, { set: normalized(email) })
    }
  },
}

function normalized(email: string): Addressed {
  return { email: normalizeEmail(email), email_key: emailKeyOf(email) }
}

function isNormal({ email, email_key }: Addressed): boolean {
  const { email: wanted, email_key: wantedKey } = normalized(email)
  return email === wanted && email_key === wantedKey
}
