/** Authentication with the credentials of all wings. */
import { type AuthenticateParts, createAuthenticate } from './authenticate.js'
import type { Authenticate } from './credentials.js'
import type { Identities } from './identities.js'
import { readingKeys } from './secrets.js'
import type { IncludesSso } from './session-reach.js'

type WingCredentials = Pick<AuthenticateParts, 'findKey' | 'keyUsed' | 'findScimToken' | 'scimTokenUsed'>

/** Credentials of a wing that is not loaded: there are none. */
const NONE: WingCredentials = { findKey: async () => null, keyUsed: () => {}, findScimToken: async () => null, scimTokenUsed: () => {} }

export function authenticateWith(identities: Identities, wings: readonly { readonly credentials?: Partial<WingCredentials> }[], includesSso: IncludesSso): Authenticate {
  const { cache, tokens, sessions, users, organizations, memberships, secrets, clock } = identities
  const credentials: WingCredentials = Object.assign({}, NONE, ...wings.map((wing) => wing.credentials))
  return createAuthenticate({ cache, tokens, sessions, users, organizations, memberships, ...credentials, includesSso, tokenHashKeys: readingKeys(secrets, 'tokenHash'), clock })
}
