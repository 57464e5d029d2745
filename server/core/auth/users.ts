/** Users who log in. A user belongs to the instance, and to organizations through memberships. */
import { emailKeyOf, normalizeEmail } from '#basics'
import type { LocalePreference } from '../i18n/locale.js'
import { type Collection, type Filter, platformCollection, type Storage, type StoredDocument, type Update, type Write } from '../storage/contract.js'
import { findPage, type Page, type PageOptions } from '../tenancy/page.js'

export interface UserDocument extends StoredDocument {
  /** As the user wrote it, normalized. Mail goes to this address, never to another spelling in a request. */
  readonly email: string
  /** `emailKeyOf` of the e-mail; unique. */
  readonly email_key: string
  readonly display_name: string
  /** Null: the user has no password (single sign-on) until a reset sets one. */
  readonly password_hash: string | null
  readonly is_active: boolean
  readonly is_platform_admin: boolean
  readonly locale: LocalePreference | null
  /** The organization of a login that does not name one. */
  readonly default_organization_id: string | null
  /** Sessions with another epoch are invalid. One write ends all sessions of the user, including those being opened at that moment. */
  readonly session_epoch: number
  /** Counts memberships added to an existing user. Each commit matches and increments it, because the limit of memberships is checked before. */
  readonly memberships_revision: number
  /** When the user last logged in; null or missing: never, or before version 0.3. */
  readonly last_login_at?: Date | null
  /** Whether the user has an enabled second factor: a copy for lists, written in the commits that change the factor. Missing: no. */
  readonly has_second_factor?: boolean
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

/** Every order in which platform admins list users. */
const ORDERS = [
  { created_at: -1, _id: -1 },
  { updated_at: -1, _id: -1 },
  { last_login_at: -1, _id: -1 },
  { email: 1, _id: 1 },
] as const

export const USERS = platformCollection<UserDocument>('users', [
  { keys: { email_key: 1 }, unique: true },
  { keys: { is_platform_admin: 1 } },
  ...ORDERS.flatMap((order) => [{ keys: order }, { keys: { is_active: 1, ...order } }, { keys: { has_second_factor: 1, ...order } }] as const),
])

/** Fields of a new user. */
export type NewUser = Pick<UserDocument, '_id' | 'email' | 'display_name' | 'password_hash' | 'default_organization_id'> &
  Partial<Pick<UserDocument, 'is_platform_admin' | 'locale' | 'last_login_at'>>

export class Users {
  readonly #documents: Collection<UserDocument>
  readonly #platformAdmins: ReadonlySet<string>

  /** @param platformAdminEmails users who are platform admins in addition to those in the database */
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

  /** The existing users, by id. */
  async byIds(ids: readonly string[]): Promise<ReadonlyMap<string, UserDocument>> {
    const found = ids.length === 0 ? [] : await this.#documents.find({ _id: { in: ids } })
    return new Map(found.map((user) => [user._id, user]))
  }

  list(filter: Filter<UserDocument>, options: PageOptions<UserDocument>): Promise<Page<UserDocument>> {
    return findPage(this.#documents, filter, options)
  }

  count(filter: Filter<UserDocument>): Promise<number> {
    return this.#documents.count(filter)
  }

  /** Platform admins, including those named in the settings. */
  async platformAdmins(): Promise<UserDocument[]> {
    const named = [...this.#platformAdmins]
    const found = await Promise.all([this.#documents.find({ is_platform_admin: true }), named.length === 0 ? [] : this.#documents.find({ email_key: { in: named } })])
    return [...new Map(found.flat().map((user) => [user._id, user])).values()]
  }

  /** Active platform admins, including those named in the settings. */
  async activePlatformAdmins(): Promise<UserDocument[]> {
    return (await this.platformAdmins()).filter(({ is_active }) => is_active)
  }

  /** Platform admins have every permission in every organization. */
  isPlatformAdmin(user: Pick<UserDocument, 'is_platform_admin' | 'email_key'>): boolean {
    return user.is_platform_admin || this.#platformAdmins.has(user.email_key)
  }

  /**
   * Whether the settings name this e-mail as a platform admin. Only a platform admin may create such a user, because no one else has proved that the address is
   * theirs.
   */
  isReserved(email: string): boolean {
    return this.#platformAdmins.has(emailKeyOf(email))
  }

  /** @throws DuplicateKeyError on `email_key`, by the commit */
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

/** The document of a new user. */
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
