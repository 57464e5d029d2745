/** Credentials of integrations: sealed when they are stored, and opened for the gateways only. */
import { createPrivateKey } from 'node:crypto'
import { seal, UnsealError, unsealWithAny } from '../../../core/auth/sealing.js'
import { ApiError } from '../../../core/errors.js'
import type { ProviderCredentials } from '../gateways/connection.js'
import { CREDENTIAL_FIELDS } from './providers.js'
import type { CredentialsInput } from './schema.js'
import type { CredentialKind, IntegrationDocument } from './store.js'

/** What is sealed: credentials of a forge or a CI system, or the address of a chat's incoming webhook. */
export type StoredCredentials = ProviderCredentials | { readonly kind: 'webhook'; readonly webhookUrl: string }

/** Returns the place to which the credentials are bound when they are sealed. */
export function sealedFor({ organization_id, _id }: Pick<IntegrationDocument, 'organization_id' | '_id'>): string {
  return `integration:${organization_id}:${_id}`
}

/** Returns the form of the sent fields; null: they are no complete form. */
export function credentialKindOf(input: CredentialsInput): CredentialKind | null {
  const sent = Object.keys(input).sort().join()
  const found = Object.entries(CREDENTIAL_FIELDS).find(([, names]) => [...names].sort().join() === sent)
  return found === undefined ? null : (found[0] as CredentialKind)
}

/** @param input fields of this form */
export function credentialsOf(kind: CredentialKind, input: CredentialsInput): StoredCredentials {
  const { token = '', username = '', password = '', app_id = '', private_key = '', installation_id = '', webhook_url = '' } = input
  switch (kind) {
    case 'none':
      return { kind }
    case 'token':
      return { kind, token }
    case 'password':
      return { kind, username, password }
    case 'app':
      return { kind, appId: app_id, privateKey: private_key, installationId: installation_id }
    case 'webhook':
      return { kind, webhookUrl: webhook_url }
  }
}

/** Whether a text is an RSA key in PEM, with which GitHub Apps sign. */
export function isPrivateKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}

/** Null: there are none to store. */
export function sealCredentials(key: Buffer, credentials: StoredCredentials, of: Pick<IntegrationDocument, 'organization_id' | '_id'>): string | null {
  return credentials.kind === 'none' ? null : seal(key, JSON.stringify(credentials), sealedFor(of))
}

type Sealed = Pick<IntegrationDocument, 'organization_id' | '_id' | 'credentials'>

/** @param keys of `Secrets`, for reading @throws UnsealError */
export function unsealCredentials(keys: readonly Buffer[], integration: Sealed): StoredCredentials {
  if (integration.credentials === null) return { kind: 'none' }
  return JSON.parse(unsealWithAny(keys, integration.credentials, sealedFor(integration))) as StoredCredentials
}

/** @throws ApiError credentials_unreadable */
export function openCredentials(keys: readonly Buffer[], integration: Sealed): StoredCredentials {
  try {
    return unsealCredentials(keys, integration)
  } catch (error) {
    if (error instanceof UnsealError) throw new ApiError('credentials_unreadable')
    throw error
  }
}
