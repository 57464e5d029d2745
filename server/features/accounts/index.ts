/** Accounts, their credentials and sessions, members of organizations and of projects, invitations, API keys, and domains. */
import { placeOf, SECOND_FACTORS } from '../../core/auth/second-factors.js'
import { platformSealedField } from '../../core/auth/reseal.js'
import { PLAYGROUND_PATH } from '../../core/playground-site.js'
import type { Write } from '../../core/storage/contract.js'
import type { Scope } from '../../core/tenancy/scope.js'
import type { OpenWing, Wing } from '../../core/wing.js'
import { accountNoticeJob } from './account-notices/job.js'
import { AccountNotices } from './account-notices/service.js'
import { ACCOUNT_NOTICES } from './account-notices/store.js'
import { firstPage } from './account/first-page.js'
import { setupPage } from './account/page.js'
import { accountRoutes } from './account/routes.js'
import { AccountService } from './account/service.js'
import { apiKeyRoutes } from './api-keys/routes.js'
import { ApiKeysService } from './api-keys/service.js'
import { API_KEYS, ApiKeyStore } from './api-keys/store.js'
import { credentialRoutes } from './credentials/routes.js'
import { CredentialsService } from './credentials/service.js'
import { networkTxt, type ReadTxt } from './dns/txt.js'
import { domainRoutes } from './domains/routes.js'
import { DomainsService } from './domains/service.js'
import { DOMAIN_PROOFS, DOMAINS } from './domains/store.js'
import { invitationPage } from './invitations/page.js'
import { invitationRoutes } from './invitations/routes.js'
import { InvitationsService } from './invitations/service.js'
import { INVITATIONS, InvitationStore } from './invitations/store.js'
import { memberRoutes } from './members/routes.js'
import { MembersService } from './members/service.js'
import { RESET_PATH, resetPage } from './password-reset/page.js'
import { passwordResetRoutes } from './password-reset/routes.js'
import { PasswordResetService } from './password-reset/service.js'
import { PASSWORD_RESETS, PasswordResetStore } from './password-reset/store.js'
import { projectMemberRoutes } from './project-members/routes.js'
import { ProjectMembersService } from './project-members/service.js'
import { sessionRoutes } from './sessions/routes.js'
import { SessionsService } from './sessions/service.js'

export { logAddresses } from './account/log-addresses.js'
export type { AccountNotices } from './account-notices/service.js'
export { type ApiKeysService, expiryIssue } from './api-keys/service.js'
export { DOMAIN_CHARACTERS, type DomainsService, domainOf, domainOfEmail, isSharedDomain } from './domains/service.js'
export type { InvitationsService } from './invitations/service.js'
export type { AdmissionOutcome, Admitted, GroupsOfUsers, MembersService } from './members/service.js'

declare module '../../core/wing.js' {
  interface Provided {
    readonly readTxt?: ReadTxt
  }
}

/** What later wings know about accounts. Until one sets them, no organization has an identity provider or a directory. */
export interface AccountHooks {
  /** The address of the login through the identity provider of an organization; null: it has none. */
  loginUrlOf: (organizationId: string) => Promise<string | null>
  /** Whether a directory decides about the groups of the user, so that a login does not. */
  hasDirectoryGroups: (scope: Scope, userId: string) => Promise<boolean>
  /** Writes for the commit that removes a member. */
  removingMember: (scope: Scope, userId: string, now: Date) => readonly Write[]
  /** Writes for the commit that changes the roles of groups. */
  changingMappings: (scope: Scope) => Promise<readonly Write[]>
}

/** The part of the accounts that other wings use. */
export interface Accounts extends OpenWing {
  readonly members: MembersService
  readonly invitations: InvitationsService
  readonly keys: ApiKeysService
  readonly domains: DomainsService
  readonly notices: AccountNotices
  /** The write that ends all links to a new password that a user has got. */
  readonly discardResets: (userId: string) => Write
  readonly hooks: AccountHooks
}

export const accounts: Wing<Accounts> = {
  collections: [ACCOUNT_NOTICES, API_KEYS, DOMAINS, DOMAIN_PROOFS, INVITATIONS, PASSWORD_RESETS],
  platformSealed: [platformSealedField({ collection: SECOND_FACTORS, field: 'secret', purpose: 'secondFactor', place: ({ _id }) => placeOf(_id) })],
  open({ config, address, storage, identities, throttles, mail, quotas, includesSso, outbox, notices, jobs, provided, log, opened }) {
    const { tenancy, clock } = identities
    const hooks: AccountHooks = {
      loginUrlOf: async () => null,
      hasDirectoryGroups: async () => false,
      removingMember: () => [],
      changingMappings: async () => [],
    }
    const accountNotices = new AccountNotices({ storage, identities, jobs, notices })
    const account = new AccountService({ identities, throttles, notices: accountNotices, config, includesSso, loginUrlOf: (organizationId) => hooks.loginUrlOf(organizationId) })
    const resets = new PasswordResetStore(storage)
    const discardResets: Accounts['discardResets'] = (userId) => resets.discardingAllOf(userId)
    const credentials = new CredentialsService({ identities, accounts: account, throttles, notices: accountNotices, discardResets })
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
    const domains = new DomainsService({ identities, quotas, throttles, readTxt: provided.readTxt ?? networkTxt() })
    const members = new MembersService({ identities, throttles, quotas, keys, domains, onRemoving: (...removal) => hooks.removingMember(...removal) })
    const next = { address, hasPublicDocument: config.docsExposure === 'public' }
    return {
      members,
      invitations,
      keys,
      domains,
      notices: accountNotices,
      discardResets,
      hooks,
      routes: [
        ...accountRoutes(account, address),
        ...credentialRoutes(credentials),
        ...sessionRoutes(new SessionsService(identities)),
        ...passwordResetRoutes(passwordReset),
        ...memberRoutes(members),
        ...invitationRoutes(invitations, account.sessionTtlSeconds),
        ...apiKeyRoutes(keys),
        ...domainRoutes(domains),
        ...projectMemberRoutes(new ProjectMembersService({ identities, members, notices })),
      ],
      pages: [
        firstPage({ account, resetPath: RESET_PATH, next, hasPlayground: () => opened().some(({ files }) => files?.has(PLAYGROUND_PATH) === true) }),
        setupPage(account, (view, request, context) => keys.createFor(tenancy.of(view.current!.organization._id), view.user, request, context), next, clock),
        resetPage(passwordReset, next),
        invitationPage(invitations, next),
      ],
      jobs: [accountNoticeJob({ storage, users: identities.users, mail, jobs, address })],
      credentials: { findKey: (publicId) => keys.find(publicId), keyUsed: (key, hash) => keys.used(key, hash) },
      close: () => keys.settled(),
    }
  },
}
