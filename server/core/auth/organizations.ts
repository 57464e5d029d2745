/**
 * Organizations, which are the tenants. Documents that belong to an organization are reached through its `Scope`; this file is about the organizations
 * themselves.
 */
import { randomBytes } from 'node:crypto'
import { ApiError } from '../errors.js'
import { type Collection, type Filter, platformCollection, type Storage, type StoredDocument, type Update, type Write } from '../storage/contract.js'
import type { EnterpriseRole } from '../tenancy/permissions.js'
import type { PlanCode } from '../tenancy/plans.js'
import { findPage, type Page, type PageOptions } from '../tenancy/page.js'
import { DuplicateKeyError } from '../storage/errors.js'

export interface OrganizationDocument extends StoredDocument {
  readonly slug: string
  readonly name: string
  readonly description: string
  /** False: suspended. */
  readonly is_active: boolean
  /** Why a platform admin suspended it, for its members; null or missing: it is active, or no reason was given. */
  readonly suspension_reason?: string | null
  /** Since when; null or missing: it is active, or was suspended before version 0.3. */
  readonly suspended_at?: Date | null
  /** A copy for lists (`tenancy/plan-grants.ts`); null or missing: `free`. */
  readonly plan_id?: PlanCode | null
  /**
   * Incremented by each commit that changes a role, removes a member or creates an API key, so that concurrent ones conflict. Two commits can't remove the last
   * admin, and a removed member can't leave a new API key behind.
   */
  readonly members_revision: number
  /** Default: `DEFAULT_KEY_POLICY`. */
  readonly key_policy?: KeyPolicy
  /** Default: `DEFAULT_IDENTITY_POLICY`. */
  readonly identity_policy?: IdentityPolicy
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

/** Settings of an organization for its API keys. */
export interface KeyPolicy {
  /** Whether removing a member revokes the API keys that the member owns. */
  readonly end_keys_of_former_members: boolean
}

export const DEFAULT_KEY_POLICY: KeyPolicy = { end_keys_of_former_members: false }

/** Settings of an organization for how its members sign in (CONTRACT.md#identity-policy). */
export interface IdentityPolicy {
  /** Sessions that were opened with a password do not reach the organization. */
  readonly sso_required: boolean
  /** Members to whom `sso_required` does not apply, for the day on which the provider fails. */
  readonly break_glass_user_ids: readonly string[]
  /** Sessions that were opened with a password need a second factor. */
  readonly require_two_factor: boolean
  /** Roles of members whom the provider or SCIM puts into these groups. */
  readonly group_mappings: readonly GroupMapping[]
}

export interface GroupMapping {
  /** Name of the group, as the provider sends it. Case matters. */
  readonly group: string
  /** Role in the organization, or in the project. */
  readonly role: EnterpriseRole
  readonly project_id?: string
}

export const DEFAULT_IDENTITY_POLICY: IdentityPolicy = { sso_required: false, break_glass_user_ids: [], require_two_factor: false, group_mappings: [] }

/** Every order in which platform admins list organizations. */
const ORDERS = [
  { created_at: -1, _id: -1 },
  { updated_at: -1, _id: -1 },
  { name: 1, _id: 1 },
] as const

export const ORGANIZATIONS = platformCollection<OrganizationDocument>('organizations', [
  { keys: { slug: 1 }, unique: true },
  ...ORDERS.flatMap((order) => [{ keys: order }, { keys: { is_active: 1, ...order } }, { keys: { plan_id: 1, ...order } }] as const),
])

const SLUG_CHARACTERS = 48
const SUFFIX_BYTES = 4
/** Each attempt has 32 random bits. */
const SLUG_ATTEMPTS = 5

export class Organizations {
  readonly #documents: Collection<OrganizationDocument>

  constructor(storage: Storage) {
    this.#documents = storage.open(ORGANIZATIONS)
  }

  byId(id: string): Promise<OrganizationDocument | null> {
    return this.#documents.findOne({ _id: id })
  }

  /** The existing documents, by id. */
  async byIds(ids: readonly string[]): Promise<ReadonlyMap<string, OrganizationDocument>> {
    const found = ids.length === 0 ? [] : await this.#documents.find({ _id: { in: ids } })
    return new Map(found.map((organization) => [organization._id, organization]))
  }

  /** Ids of all organizations, in no defined order. */
  async *ids(): AsyncGenerator<string, void, undefined> {
    for await (const { _id } of this.#documents.iterate({})) yield _id
  }

  list(filter: Filter<OrganizationDocument>, options: PageOptions<OrganizationDocument>): Promise<Page<OrganizationDocument>> {
    return findPage(this.#documents, filter, options)
  }

  count(filter: Filter<OrganizationDocument>): Promise<number> {
    return this.#documents.count(filter)
  }

  /**
   * Calls `create` with one slug after the other: first the slug of the name, then with random letters added. @throws DuplicateKeyError when the last slug is
   * taken too
   */
  async withSlug<T>(name: string, create: (slug: string) => Promise<T>): Promise<T> {
    const base = slugOf(name)
    for (let attempt = 1; ; attempt++) {
      try {
        return await create(attempt === 1 ? base : `${base}-${randomBytes(SUFFIX_BYTES).toString('hex')}`)
      } catch (error) {
        const isTaken = error instanceof DuplicateKeyError && error.collection === ORGANIZATIONS.name && error.fields.includes('slug')
        if (!isTaken || attempt === SLUG_ATTEMPTS) throw error
      }
    }
  }

  adding(organization: OrganizationDocument): Write {
    return this.#documents.inserting(organization)
  }

  updating(filter: Filter<OrganizationDocument>, update: Update<OrganizationDocument>): Write {
    return this.#documents.updating(filter, update)
  }
}

/** The refusal of requests for a suspended organization. Its members learn the reason. */
export function suspended({ _id, suspension_reason = null }: Pick<OrganizationDocument, '_id' | 'suspension_reason'>): ApiError {
  return new ApiError('organization_suspended', { details: { organization_id: _id, reason: suspension_reason } })
}

/** The document of a new organization. */
export function newOrganization(id: string, slug: string, name: string, description: string, now: Date): OrganizationDocument {
  return { _id: id, slug, name, description, is_active: true, members_revision: 1, created_at: now, updated_at: now, revision: 1 }
}

/** Converts a name to lower-case letters, digits and hyphens; accents are removed. @param fallback slug of a name without letters or digits */
export function slugOf(name: string, fallback = 'organization'): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_CHARACTERS)
    .replace(/^-+|-+$/g, '')
  return slug === '' ? fallback : slug
}
