/**
 * Mounts the resources of identity: accounts, members, keys, single sign-on, provisioning and the users of the instance.
 * `ResourceParts` are those of `index.ts`, which mounts the others beside them.
 */
import { type AnyPlatformSealedField, type AnySealedField, platformSealedField, sealedField } from '../core/auth/reseal.js'
import { placeOf, SECOND_FACTORS } from '../core/auth/second-factors.js'
import type { FormPage } from '../core/http/pages/form-pages.js'
import type { Route } from '../core/http/route.js'
import type { JobKind } from '../core/jobs/runner.js'
import type { CollectionDefinition } from '../core/storage/contract.js'
import type { ResourceParts } from './parts.js'
import { firstPage } from '../features/accounts/account/first-page.js'
import { setupPage } from '../features/accounts/account/page.js'
import { accountNoticeJob } from '../features/accounts/account-notices/job.js'
import { AccountNotices } from '../features/accounts/account-notices/service.js'
import { ACCOUNT_NOTICES } from '../features/accounts/account-notices/store.js'
import { accountRoutes } from '../features/accounts/account/routes.js'
import { AccountService } from '../features/accounts/account/service.js'
import { apiKeyRoutes } from '../features/accounts/api-keys/routes.js'
import { ApiKeysService } from '../features/accounts/api-keys/service.js'
import { API_KEYS, ApiKeyStore } from '../features/accounts/api-keys/store.js'
import { domainRoutes } from '../features/accounts/domains/routes.js'
import { DomainsService } from '../features/accounts/domains/service.js'
import { DOMAIN_PROOFS, DOMAINS } from '../features/accounts/domains/store.js'
import { credentialRoutes } from '../features/accounts/credentials/routes.js'
import { CredentialsService } from '../features/accounts/credentials/service.js'
import { sealedFor as sealedForProvider } from '../features/sso/identity-providers/connection.js'
import { identityProviderRoutes } from '../features/sso/identity-providers/routes.js'
import { IdentityProvidersService } from '../features/sso/identity-providers/service.js'
import { IDENTITY_PROVIDER_DOMAINS, IDENTITY_PROVIDERS } from '../features/sso/identity-providers/store.js'
import { identityPolicyRoutes } from '../features/sso/identity-policy/routes.js'
import { IdentityPolicyService } from '../features/sso/identity-policy/service.js'
import { invitationPage } from '../features/accounts/invitations/page.js'
import { invitationRoutes } from '../features/accounts/invitations/routes.js'
import { InvitationsService } from '../features/accounts/invitations/service.js'
import { INVITATIONS, InvitationStore } from '../features/accounts/invitations/store.js'
import { memberRoutes } from '../features/accounts/members/routes.js'
import { MembersService } from '../features/accounts/members/service.js'
import { RESET_PATH, resetPage } from '../features/accounts/password-reset/page.js'
import { passwordResetRoutes } from '../features/accounts/password-reset/routes.js'
import { PasswordResetService } from '../features/accounts/password-reset/service.js'
import { PASSWORD_RESETS, PasswordResetStore } from '../features/accounts/password-reset/store.js'
import { platformUserRoutes } from '../features/platform/platform-users/routes.js'
import { PlatformUsersService } from '../features/platform/platform-users/service.js'
import { samlRoutes } from '../features/sso/saml/routes.js'
import { scimDiscoveryRoutes } from '../features/scim/scim/discovery-routes.js'
import { scimGroupRoutes } from '../features/scim/scim/group-routes.js'
import { exceptProvisioned, SCIM_ROLE_NOTES, ScimRoles } from '../features/scim/scim/scim-roles.js'
import { SCIM_GROUP_MEMBERS, SCIM_GROUPS, SCIM_STATES } from '../features/scim/scim/group-store.js'
import { ScimGroups } from '../features/scim/scim/groups.js'
import { SCIM_PATH } from '../features/scim/scim/http.js'
import { MembersSync } from '../features/scim/scim/members-sync.js'
import { scimSearchRoutes } from '../features/scim/scim/search-routes.js'
import { scimUserRoutes } from '../features/scim/scim/user-routes.js'
import { SCIM_USERS } from '../features/scim/scim/user-store.js'
import { ScimUsers } from '../features/scim/scim/users.js'
import { scimTokenRoutes } from '../features/scim/scim-tokens/routes.js'
import { ScimTokensService } from '../features/scim/scim-tokens/service.js'
import { SCIM_TOKENS, ScimTokenStore } from '../features/scim/scim-tokens/store.js'
import { ssoRoutes } from '../features/sso/sso/routes.js'
import { SsoService } from '../features/sso/sso/service.js'
import { SSO_STATES, SsoStates } from '../features/sso/sso/states.js'
import { LINKED_IDENTITIES } from '../features/sso/sso/store.js'
import { sessionRoutes } from '../features/accounts/sessions/routes.js'
import { SessionsService } from '../features/accounts/sessions/service.js'
import { discoveryRoutes } from '../features/sso/sso/discovery-routes.js'

/** What the other resources, the job runner and the HTTP application take of the identity. */
export interface IdentityResources {
  readonly members: MembersService
  readonly invitations: InvitationsService
  readonly keys: ApiKeysService
  readonly scimTokens: ScimTokenStore
  readonly routes: readonly Route[]
  readonly pages: readonly FormPage[]
  readonly jobs: readonly JobKind[]
}

/** The collections of these resources. */
export const IDENTITY_COLLECTIONS: readonly CollectionDefinition[] = [
  ACCOUNT_NOTICES,
  API_KEYS,
  SCIM_TOKENS,
  SCIM_USERS,
  SCIM_GROUPS,
  SCIM_GROUP_MEMBERS,
  SCIM_STATES,
  SCIM_ROLE_NOTES,
  DOMAINS,
  DOMAIN_PROOFS,
  SSO_STATES,
  LINKED_IDENTITIES,
  IDENTITY_PROVIDERS,
  IDENTITY_PROVIDER_DOMAINS,
  INVITATIONS,
  PASSWORD_RESETS,
]

/** Their sealed texts of organizations in the store. */
export const IDENTITY_SEALED_FIELDS: readonly AnySealedField[] = [
  sealedField({ collection: IDENTITY_PROVIDERS, field: 'client_secret', purpose: 'identityProvider', place: sealedForProvider }),
]

/** Their sealed texts in collections of the instance. */
export const PLATFORM_SEALED_FIELDS: readonly AnyPlatformSealedField[] = [
  platformSealedField({ collection: SECOND_FACTORS, field: 'secret', purpose: 'secondFactor', place: ({ _id }) => placeOf(_id) }),
]

export function createIdentityResources(parts: ResourceParts): IdentityResources {
  const { config, address, storage, identities, throttles, mail, quotas, includesSso, outbox, notices, jobs, guard, log, clock } = parts
  const { tenancy } = identities
  const accountNotices = new AccountNotices({ storage, identities, jobs, notices })
  const account = new AccountService({ identities, throttles, notices: accountNotices, config, includesSso, loginUrlOf: (organizationId) => sso.loginUrlOf(organizationId) })
  const resets = new PasswordResetStore(storage)
  const credentials = new CredentialsService({ identities, accounts: account, throttles, notices: accountNotices, discardResets: (userId) => resets.discardingAllOf(userId) })
  const passwordReset = new PasswordResetService({ identities, resets, throttles, notices: accountNotices, mail, config, address })
  const invitations = new InvitationsService({ identities, invitations: new InvitationStore(tenancy), accounts: account, quotas, includesSso, throttles, mail, config, address })
  const keys = new ApiKeysService({
    identities,
    keys: new ApiKeyStore(tenancy),
    outbox,
    notices,
    quotas,
    onError: (error) => log.warn({ err: error }, 'the last use of an API key could not be stored'),
  })
  const scimTokens = new ScimTokenStore({
    tenancy,
    clock,
    onError: (error) => log.warn({ err: error }, 'the last use of a token for provisioning could not be stored'),
  })
  const provisioning = new ScimTokensService({ identities, tokens: scimTokens, keys, quotas })
  const domains = new DomainsService({ identities, quotas, throttles, readTxt: parts.readTxt })
  const identityProviders = new IdentityProvidersService({
    identities,
    domains,
    guard,
    quotas,
    address,
    allowPrivateTargets: config.allowPrivateTargets,
    unlinking: (scope, providerId) => sso.unlinking(scope, providerId),
  })
  const membersSync = new MembersSync(identities)
  const members = new MembersService({ identities, throttles, quotas, keys, domains, onRemoving: (...removal) => membersSync.removing(...removal) })
  const scimUsers = new ScimUsers({
    identities,
    members,
    sync: membersSync,
    domains,
    tokens: provisioning,
    throttles,
    groups: {
      groupsOf: (scope, userIds) => scimGroups.groupsOf(scope, userIds),
      forgetting: (scope, userId, now) => scimGroups.forgetting(scope, userId, now),
      renaming: (scope, userId, display) => scimGroups.renaming(scope, userId, display),
      admitting: (scope, userId, now) => scimRoles.admitting(scope, userId, now),
      admitted: (scope, userId, actor) => scimRoles.changed(scope, [userId], actor),
    },
    discardResets: (userId) => resets.discardingAllOf(userId),
    base: () => `${address.api}${SCIM_PATH}`,
  })
  const scimRoles = new ScimRoles({
    members,
    jobs,
    identities,
    namesOf: (scope, userIds) => scimGroups.namesOf(scope, userIds),
    membersOf: (scope) => scimGroups.everyMembership(scope),
    hasGroups: (scope) => scimGroups.hasAny(scope),
    roleOf: (scope, tokenId) => provisioning.defaultRole(scope, tokenId),
  })
  const scimGroups: ScimGroups = new ScimGroups({
    users: { displaysOf: (scope, userIds) => scimUsers.displaysOf(scope, userIds) },
    roles: scimRoles,
    quotas,
    identities,
    base: () => `${address.api}${SCIM_PATH}`,
  })
  const sso: SsoService = new SsoService({
    identities,
    members: exceptProvisioned(members, (scope, userId) => scimGroups.decideFor(scope, userId)),
    domains,
    providers: identityProviders,
    gateway: parts.oidc,
    states: new SsoStates(storage, identities.secrets, config.ssoStateTtlSeconds, clock),
    throttles,
    quotas,
    address,
    log,
  })
  const next = { address, hasPublicDocument: config.docsExposure === 'public' }
  return {
    members,
    invitations,
    keys,
    scimTokens,
    routes: [
      ...accountRoutes(account, address),
      ...credentialRoutes(credentials),
      ...sessionRoutes(new SessionsService(identities)),
      ...passwordResetRoutes(passwordReset),
      ...memberRoutes(members),
      ...invitationRoutes(invitations, account.sessionTtlSeconds),
      ...apiKeyRoutes(keys),
      ...identityPolicyRoutes(new IdentityPolicyService({ identities, quotas, providers: identityProviders, onMappings: (scope) => scimRoles.markingAll(scope) })),
      ...identityProviderRoutes(identityProviders, { domains, oidc: parts.oidc, throttles }),
      ...ssoRoutes(sso),
      ...samlRoutes(address),
      ...discoveryRoutes({ providers: identityProviders, throttles, address }),
      ...domainRoutes(domains),
      ...platformUserRoutes(new PlatformUsersService(identities, accountNotices)),
      ...scimTokenRoutes(provisioning, address, SCIM_PATH),
      ...scimDiscoveryRoutes(address),
      ...scimUserRoutes(scimUsers),
      ...scimGroupRoutes(scimGroups),
      ...scimSearchRoutes([(...search) => scimUsers.candidates(...search), (...search) => scimGroups.candidates(...search)]),
    ],
    pages: [
      firstPage(account, RESET_PATH, next),
      setupPage(account, (view, request, context) => keys.createFor(identities.tenancy.of(view.current!.organization._id), view.user, request, context), next, identities.clock),
      resetPage(passwordReset, next),
      invitationPage(invitations, next),
    ],
    jobs: [accountNoticeJob({ storage, users: identities.users, mail, jobs, address }), scimRoles.job()],
  }
}
