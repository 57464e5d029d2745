/**
 * Records that platform admins use organizations in which they are not members, also if they only read. Invariants:
 *  1. the entry is stored before the request reads anything: if it can't be stored, the request is refused
 *  2. an organization gets one entry a day and platform admin, from any number of requests and instances: the id of the entry is made of the three
 */
import { hash } from 'node:crypto'
import { entryCache } from '#workers'
import type { Identities } from '../auth/identities.js'
import type { UserPrincipal } from '../auth/principal.js'
import { DuplicateKeyError } from '../storage/errors.js'
import { auditing } from './service.js'

/** Recorded visits that are cached; an entry takes about 150 bytes. A visit that is not in the cache costs a write that is refused. */
const KNOWN_LIMIT = 10_000
/** Characters of an id; a UUID without hyphens has as many. */
const ID_CHARACTERS = 32

type Visitor = UserPrincipal & { readonly organizationId: string }

export class Visits {
  readonly #identities: Pick<Identities, 'tenancy' | 'organizations' | 'commitAddition' | 'clock'>
  readonly #known = entryCache<true>(KNOWN_LIMIT)

  constructor(identities: Pick<Identities, 'tenancy' | 'organizations' | 'commitAddition' | 'clock'>) {
    this.#identities = identities
  }

  /** Undefined: the visit of today is recorded. */
  record(visitor: Visitor, request: { readonly requestId: string; readonly address: string }): Promise<void> | undefined {
    const now = new Date(this.#identities.clock())
    const key = `${visitor.organizationId}\n${visitor.userId}\n${now.toISOString().slice(0, 10)}`
    return this.#known.has(key) ? undefined : this.#record(key, visitor, request, now)
  }

  async #record(key: string, visitor: Visitor, { requestId, address }: { readonly requestId: string; readonly address: string }, now: Date): Promise<void> {
    const { tenancy, organizations, commitAddition } = this.#identities
    const organization = await organizations.byId(visitor.organizationId)
    const resource = { type: 'organization', id: visitor.organizationId, name: organization?.name ?? '' }
    const id = hash('sha256', key, 'hex').slice(0, ID_CHARACTERS)
    try {
      await commitAddition([auditing(tenancy.of(visitor.organizationId), { actor: visitor, requestId, address }, { id, action: 'organization.entered', resource }, now)])
    } catch (error) {
      // Another request, or another instance, has recorded it.
      if (!(error instanceof DuplicateKeyError)) throw error
    }
    this.#known.set(key, true)
  }
}
