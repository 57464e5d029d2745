/** The secret of a binding's inbound webhook: stored sealed, bound to organization and binding, and shown once. */
import { randomBytes } from 'node:crypto'
import { seal, unsealWithAny } from '../../../core/auth/sealing.js'
import { readingKeys, type Secrets } from '../../../core/auth/secrets.js'
import { type GitBindingDocument, sealedForBinding } from './store.js'

/** As long as the key of SHA-256, with which forges sign. */
const SECRET_BYTES = 32

type Place = Pick<GitBindingDocument, '_id' | 'organization_id'>

/** Returns a new secret, in plain text for the caller and sealed for the store. */
export function newWebhookSecret(secrets: Secrets, place: Place): { readonly secret: string; readonly sealed: string } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  return { secret, sealed: seal(secrets.integrationCredentials, secret, sealedForBinding(place)) }
}

/** @throws UnsealError */
export function openWebhookSecret(secrets: Secrets, binding: Place & Pick<GitBindingDocument, 'webhook_secret'>): string {
  return unsealWithAny(readingKeys(secrets, 'integrationCredentials'), binding.webhook_secret, sealedForBinding(binding))
}
