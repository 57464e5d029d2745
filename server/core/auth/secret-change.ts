/** Handles a new secret key at the start of the service. */
import type { Log } from '../observability/log.js'
import type { Storage } from '../storage/contract.js'
import { ARGON2, type Hasher } from './password.js'
import { requireSameSecret } from './secret-fingerprint.js'
import type { Secrets } from './secrets.js'

/** @throws ConfigError when the store was created with another secret, unless `acceptNew` */
export async function checkSecret(
  storage: Storage,
  secrets: Secrets,
  log: Log,
  { hasher = ARGON2, acceptNew = false }: { readonly hasher?: Hasher; readonly acceptNew?: boolean },
): Promise<void> {
  const state = await requireSameSecret(storage, secrets, { hasher, acceptNew, now: () => new Date() })
  if (state === 'changed') log.info('the store takes the new secret key; data of the previous key can be read while SECRET_KEY_PREVIOUS is set')
  if (state === 'accepted')
    log.warn(
      'the store takes a new secret key: sessions, API keys, tokens of SCIM, invitations, password resets, authenticators of second factors, client secrets of identity providers, webhook secrets and credentials of integrations of the former key are invalid now',
    )
}

/** Re-encrypts secrets with the current key in the background. Requests can read both forms meanwhile. @returns a function that stops it */
export function startResealing(reseal: (signal: AbortSignal) => Promise<number>, log: Log): () => Promise<void> {
  const stopping = new AbortController()
  const resealing = reseal(stopping.signal).then(
    (count) => log.info({ count }, 'stored secrets are sealed with the new secret key'),
    (error: unknown) => log.error({ err: error }, 'stored secrets could not be sealed with the new secret key; the next start will retry'),
  )
  return () => {
    stopping.abort()
    return resealing
  }
}
