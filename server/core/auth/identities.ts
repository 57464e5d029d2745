/** Creates the parts that know users, organizations and sessions, once for all services. */
import type { Config } from '../config.js'
import type { Limits } from '../limits/limits.js'
import type { CollectionDefinition, Storage, Write } from '../storage/contract.js'
import { Forgetting } from '../tenancy/forgetting.js'
import { FORMER_MEMBERS, FormerMembers } from '../tenancy/former-members.js'
import { MEMBERSHIPS, Memberships } from '../tenancy/memberships.js'
import { Tenancy } from '../tenancy/scope.js'
import { IdentityCache } from './identity-cache.js'
import { type AffectedIdentity, IDENTITY_CHANGES, IdentityChanges } from './identity-changes.js'
import { IdentityWatch } from './identity-watch.js'
import { INSTANCE, Instance } from './instance.js'
import { LOGIN_CHALLENGES, LoginChallenges } from './login-challenges.js'
import { ORGANIZATIONS, Organizations } from './organizations.js'
import { ARGON2, type Hasher, Passwords } from './password.js'
import { SECOND_FACTORS, SecondFactors } from './second-factors.js'
import { SECRET_FINGERPRINTS } from './secret-fingerprint.js'
import { readingKeys, type Secrets } from './secrets.js'
import { SESSIONS, Sessions } from './sessions.js'
import { AccessTokens } from './tokens.js'
import { USERS, Users } from './users.js'

/** Collections to prepare before use. */
export const IDENTITY_COLLECTIONS: readonly CollectionDefinition[] = [
  INSTANCE,
  SECRET_FINGERPRINTS,
  USERS,
  ORGANIZATIONS,
  MEMBERSHIPS,
  FORMER_MEMBERS,
  SESSIONS,
  SECOND_FACTORS,
  LOGIN_CHALLENGES,
  IDENTITY_CHANGES,
]

export interface Identities {
  readonly instance: Instance
  readonly users: Users
  readonly organizations: Organizations
  readonly memberships: Memberships
  readonly formerMembers: FormerMembers
  readonly sessions: Sessions
  readonly secondFactors: SecondFactors
  readonly challenges: LoginChallenges
  readonly tenancy: Tenancy
  readonly tokens: AccessTokens
  readonly passwords: Passwords
  readonly cache: IdentityCache
  /** Once started, invalidates cache entries that other instances have changed. */
  readonly watch: IdentityWatch
  readonly secrets: Secrets
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** As `Storage.commit`, for a change that takes permissions away. It takes effect in all processes of this instance at once, on other instances within a second. */
  commit(writes: readonly Write[], ...affected: readonly [AffectedIdentity, ...AffectedIdentity[]]): Promise<void>
  /** The same for a change that only adds permissions. The cache is not invalidated; open sessions see the change within seconds. */
  commitAddition(writes: readonly Write[]): Promise<void>
}

export interface IdentityOptions {
  readonly storage: Storage
  readonly secrets: Secrets
  readonly config: Pick<Config, 'sessionTtlSeconds' | 'platformAdminEmails'>
  readonly limits: Pick<Limits, 'acquireQueued'>
  readonly clock?: () => number
  /** For tests. */
  readonly hasher?: Hasher
  /** Default: there are no other processes. */
  readonly forgetting?: Forgetting
}

export function createIdentities({ storage, secrets, config, limits, clock = Date.now, hasher = ARGON2, forgetting = new Forgetting() }: IdentityOptions): Identities {
  const tokens = new AccessTokens(secrets.jwt, clock, readingKeys(secrets, 'jwt').slice(1))
  const cache = new IdentityCache(clock)
  const changes = new IdentityChanges(storage)
  const forget = forgetting.topic<readonly AffectedIdentity[]>('identities', (affected) => {
    for (const one of affected) cache.forget(one)
  })
  return {
    instance: new Instance(storage),
    users: new Users(storage, config.platformAdminEmails),
    organizations: new Organizations(storage),
    memberships: new Memberships(storage),
    formerMembers: new FormerMembers(storage),
    sessions: new Sessions(storage, tokens, config.sessionTtlSeconds),
    secondFactors: new SecondFactors(storage, secrets, clock),
    challenges: new LoginChallenges(storage, secrets, clock),
    tenancy: new Tenancy(storage),
    tokens,
    passwords: new Passwords(limits, hasher),
    cache,
    watch: new IdentityWatch(cache, changes),
    secrets,
    clock,
    async commit(writes, ...affected) {
      try {
        await changes.announce(affected, (announcing) => storage.commit([...writes, ...announcing]))
      } finally {
        // Also after a failure: when the database stops responding, the result of the commit is unknown.
        await forget(affected)
      }
    },
    async commitAddition(writes) {
      await storage.commit(writes)
    },
  }
}
