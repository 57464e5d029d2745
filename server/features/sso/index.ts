/** Sign-in through identity providers: their settings, the policy of an organization, logins by OpenID Connect, and the preview of SAML. */
import { sealedField } from '../../core/auth/reseal.js'
import type { OpenWing, Wing } from '../../core/wing.js'
import { accounts } from '../accounts/index.js'
import { identityPolicyRoutes } from './identity-policy/routes.js'
import { IdentityPolicyService } from './identity-policy/service.js'
import { sealedFor } from './identity-providers/connection.js'
import { identityProviderRoutes } from './identity-providers/routes.js'
import { IdentityProvidersService } from './identity-providers/service.js'
import { IDENTITY_PROVIDER_DOMAINS, IDENTITY_PROVIDERS } from './identity-providers/store.js'
import { OidcClient } from './oidc/client.js'
import type { OidcGateway } from './oidc/gateway.js'
import { samlRoutes } from './saml/routes.js'
import { discoveryRoutes } from './sso/discovery-routes.js'
import { loginMembers } from './sso/login-members.js'
import { ssoRoutes } from './sso/routes.js'
import { SsoService } from './sso/service.js'
import { SSO_STATES, SsoStates } from './sso/states.js'
import { LINKED_IDENTITIES } from './sso/store.js'

declare module '../../core/wing.js' {
  interface Provided {
    readonly oidc?: OidcGateway
  }
}

export const sso: Wing = {
  collections: [SSO_STATES, LINKED_IDENTITIES, IDENTITY_PROVIDERS, IDENTITY_PROVIDER_DOMAINS],
  sealed: [sealedField({ collection: IDENTITY_PROVIDERS, field: 'client_secret', purpose: 'identityProvider', place: sealedFor })],
  open(context): OpenWing {
    const { config, address, storage, identities, throttles, quotas, guard, http, provided, log, clock } = context
    const { members, domains, hooks } = context.get(accounts)
    const oidc = provided.oidc ?? new OidcClient({ http, allowsPlain: config.allowPrivateTargets })
    const providers = new IdentityProvidersService({
      identities,
      domains,
      guard,
      quotas,
      address,
      allowPrivateTargets: config.allowPrivateTargets,
      unlinking: (scope, providerId) => service.unlinking(scope, providerId),
    })
    const service: SsoService = new SsoService({
      identities,
      members: loginMembers(members, (scope, userId) => hooks.hasDirectoryGroups(scope, userId)),
      domains,
      providers,
      gateway: oidc,
      states: new SsoStates(storage, identities.secrets, config.ssoStateTtlSeconds, clock),
      throttles,
      quotas,
      address,
      log,
    })
    hooks.loginUrlOf = (organizationId) => service.loginUrlOf(organizationId)
    return {
      routes: [
        ...identityPolicyRoutes(new IdentityPolicyService({ identities, quotas, providers, onMappings: (scope) => hooks.changingMappings(scope) })),
        ...identityProviderRoutes(providers, { domains, oidc, throttles }),
        ...ssoRoutes(service),
        ...samlRoutes(address),
        ...discoveryRoutes({ providers, throttles, address }),
      ],
    }
  },
}
