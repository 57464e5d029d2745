/** Identity providers of organizations under test. */
import assert from 'node:assert/strict'
import type { IdentityProviderRecord } from '../../server/features/sso/identity-providers/schema.js'
import type { Actor } from './actors.js'

export const providersOf = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/identity-providers`

/** Public, and never asked. */
const ISSUER = 'https://9.9.9.9'

/** A provider of the admin's organization; without further fields it is one that nobody can log in with. */
export async function createProvider(admin: Actor, fields: Readonly<Record<string, unknown>> = {}): Promise<IdentityProviderRecord> {
  const sent = { name: 'Company login', kind: 'oidc', issuer: ISSUER, client_id: 'detection-content', ...fields }
  const { status, body, text } = await admin.client.post<IdentityProviderRecord>(providersOf(admin), sent)
  assert.equal(status, 200, text)
  return body
}
