/** Provisioning by SCIM 2.0: users and groups of a directory, the roles that follow its groups, and its tokens. */
import type { OpenWing, Wing } from '../../core/wing.js'
import { accounts } from '../accounts/index.js'
import { scimTokenRoutes } from './scim-tokens/routes.js'
import { ScimTokensService } from './scim-tokens/service.js'
import { SCIM_TOKENS, ScimTokenStore } from './scim-tokens/store.js'
import { scimDiscoveryRoutes } from './scim/discovery-routes.js'
import { scimGroupRoutes } from './scim/group-routes.js'
import { SCIM_GROUP_MEMBERS, SCIM_GROUPS, SCIM_STATES } from './scim/group-store.js'
import { ScimGroups } from './scim/groups.js'
import { SCIM_PATH } from './scim/http.js'
import { MembersSync } from './scim/members-sync.js'
import { SCIM_ROLE_NOTES, ScimRoles } from './scim/scim-roles.js'
import { scimSearchRoutes } from './scim/search-routes.js'
import { scimUserRoutes } from './scim/user-routes.js'
import { SCIM_USERS } from './scim/user-store.js'
import { ScimUsers } from './scim/users.js'

export const scim: Wing = {
  collections: [SCIM_TOKENS, SCIM_USERS, SCIM_GROUPS, SCIM_GROUP_MEMBERS, SCIM_STATES, SCIM_ROLE_NOTES],
  open(context): OpenWing {
    const { address, identities, throttles, quotas, jobs, log, clock } = context
    const { members, keys, domains, discardResets, hooks } = context.get(accounts)
    const base = (): string => `${address.api}${SCIM_PATH}`
    const tokens = new ScimTokenStore({
      tenancy: identities.tenancy,
      clock,
      onError: (error) => log.warn({ err: error }, 'the last use of a token for provisioning could not be stored'),
    })
    const provisioning = new ScimTokensService({ identities, tokens, keys, quotas })
    const sync = new MembersSync(identities)
    const users = new ScimUsers({
      identities,
      members,
      sync,
      domains,
      tokens: provisioning,
      throttles,
      groups: {
        groupsOf: (scope, userIds) => groups.groupsOf(scope, userIds),
        forgetting: (scope, userId, now) => groups.forgetting(scope, userId, now),
        renaming: (scope, userId, display) => groups.renaming(scope, userId, display),
        admitting: (scope, userId, now) => roles.admitting(scope, userId, now),
        admitted: (scope, userId, actor) => roles.changed(scope, [userId], actor),
      },
      discardResets,
      base,
    })
    const roles = new ScimRoles({
      members,
      jobs,
      identities,
      namesOf: (scope, userIds) => groups.namesOf(scope, userIds),
      membersOf: (scope) => groups.everyMembership(scope),
      hasGroups: (scope) => groups.hasAny(scope),
      roleOf: (scope, tokenId) => provisioning.defaultRole(scope, tokenId),
    })
    const groups: ScimGroups = new ScimGroups({ users: { displaysOf: (scope, userIds) => users.displaysOf(scope, userIds) }, roles, quotas, identities, base })
    hooks.hasDirectoryGroups = (scope, userId) => groups.decideFor(scope, userId)
    hooks.removingMember = (...removal) => sync.removing(...removal)
    hooks.changingMappings = (scope) => roles.markingAll(scope)
    return {
      routes: [
        ...scimTokenRoutes(provisioning, address, SCIM_PATH),
        ...scimDiscoveryRoutes(address),
        ...scimUserRoutes(users),
        ...scimGroupRoutes(groups),
        ...scimSearchRoutes([(...search) => users.candidates(...search), (...search) => groups.candidates(...search)]),
      ],
      jobs: [roles.job()],
      credentials: { findScimToken: (publicId) => tokens.find(publicId), scimTokenUsed: (token, hash) => tokens.used(token, hash) },
      close: () => tokens.settled(),
    }
  },
}
