/** People who log in. A user belongs to the instance, and to organizations by memberships. */
import { emailKeyOf, normalizeEmail } from '#requests'
import type { LocalePreference } from '../i18n/locale.js'
import { type Collection, type Filter, platformCollection, type Storage, type StoredDocument, type Update, type Write } from '../storage/contract.js'
import { findPage, type Page, type PageOptions } from '../tenancy/page.js'

export interface UserDocument extends StoredDocument {
  /** As the user wrote it, normalized. Mail goes to this address, never to another spelling in a request. */
  readonly email: string
  /** `emailKeyOf` of the address; unique. */
  readonly email_key: string
  readonly display_name: string
  /** Null: logs in elsewhere (single sign-on), until a password is set by a reset. */
  readonly password_hash: string | null
  readonly is_active: boolean
  readonly is_platform_admin: boolean
  readonly locale: LocalePreference | null
  /** Where a login goes that names no organization. */
  readonly default_organization_id: string | null
  /** Sessions of another epoch are over: one write ends them all, also those that are being opened at that moment. */
  readonly session_epoch: number
  /** Counts memberships that were added to an existing user. The commit of each matches and increments it: the limit of memberships is looked up before. */
  readonly memberships_revision: number
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

export const USERS = platformCollection<UserDocument>('users', [
  { keys: { email_key: 1 }, unique: true },
  { keys: { created_at: -1, _id: -1 } },
  { keys: { updated_at: -1, _id: -1 } },
  { keys: { email: 1, _id: 1 } },
  { keys: { is_active: 1, created_at: -1, _id: -1 } },
  { keys: { is_active: 1, updated_at: -1, _id: -1 } },
  { keys: { is_active: 1, email: 1, _id: 1 } },
])

/** What is told of a user when one is made. */
export type NewUser = Pick<UserDocument, '_id' | 'email' | 'display_name' | 'password_hash' | 'default_organization_id'> &
  Partial<Pick<UserDocument, 'is_platform_admin' | 'locale'>>

export class Users {
  readonly #documents: Collection<UserDocument>
  readonly #platformAdmins: ReadonlySet<string>

  /** @param platformAdminEmails users who are platform admins beside those that the database says so of */
  constructor(storage: Storage, platformAdminEmails: readonly string[]) {
    this.#documents = storage.open(USERS)
    this.#platformAdmins = new Set(platformAdminEmails.map(emailKeyOf))
  }

  byId(id: string): Promise<UserDocument | null> {
    return this.#documents.findOne({ _id: id })
  }

  byEmail(email: string): Promise<UserDocument | null> {
    return this.#documents.findOne({ email_key: emailKeyOf(email) })
  }

  /** By id; those that are there. */
  async byIds(ids: readonly string[]): Promise<ReadonlyMap<string, UserDocument>> {
    const found = ids.length === 0 ? [] : await this.#documents.find({ _id: { in: ids } })
    return new Map(found.map((user) => [user._id, user]))
  }

  list(filter: Filter<UserDocument>, options: PageOptions<UserDocument>): Promise<Page<UserDocument>> {
    return findPage(this.#documents, filter, options)
  }

  /** Of the active ones. Those named by the settings count. */
  async activePlatformAdmins(): Promise<UserDocument[]> {
    return this.#documents.find({ is_active: true, anyOf: [{ is_platform_admin: true }, { email_key: { in: [...this.#platformAdmins] } }] })
  }

  /** A platform admin holds every permission in every organization. */
  isPlatformAdmin(user: Pick<UserDocument, 'is_platform_admin' | 'email_key'>): boolean {
    return user.is_platform_admin || this.#platformAdmins.has(user.email_key)
  }

  /**
   * Whether whoever has this e-mail is a platform admin by the settings. Such a user is made by a platform admin only: nobody else has shown that the
   * address is theirs.
   */
  isReserved(email: string): boolean {
    return this.#platformAdmins.has(emailKeyOf(email))
  }

  /** @throws DuplicateKeyError of `email_key`, by the commit */
  adding(user: NewUser, now: Date): Write {
    return this.#documents.inserting(newUserDocument(user, now))
  }

  updating(filter: Filter<UserDocument>, update: Update<UserDocument>): Write {
    return this.#documents.updating(filter, update)
  }

  update(filter: Filter<UserDocument>, update: Update<UserDocument>): Promise<UserDocument | null> {
    return this.#documents.update(filter, update)
  }
}

/** The user as stored. */
export function newUserDocument(user: NewUser, now: Date): UserDocument {
  return {
    is_platform_admin: false,
    locale: null,
    ...user,
    email: normalizeEmail(user.email),
    email_key: emailKeyOf(user.email),
    is_active: true,
    session_epoch: 1,
    memberships_revision: 1,
    created_at: now,
    updated_at: now,
    revision: 1,
  }
}
