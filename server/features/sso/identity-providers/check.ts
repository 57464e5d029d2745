/** Checks of the settings of a provider that a schema cannot express. Every wrong field is located. */
import type { RequiredClaim } from '../oidc/gateway.js'
import { type FieldIssue, issue } from '../../../core/http/validation/issue.js'
import { domainOf } from '../../accounts/index.js'
import type { IdentityProviderDocument } from './store.js'

/** Where the tenant is in an issuer of Entra ID. */
export const TENANT_PLACEHOLDER = '{tenantid}'
/** Any tenant, to check the rest of such an issuer. */
const SOME_TENANT = '00000000-0000-0000-0000-000000000000'

/** Issuers where anyone has an account, or gets one: without a condition everyone could join. */
const PUBLIC_ISSUERS: ReadonlySet<string> = new Set(['https://accounts.google.com', 'https://appleid.apple.com', 'https://gitlab.com', 'https://www.linkedin.com/oauth'])
/** The tenant of Entra ID that has the personal accounts. */
const PERSONAL_TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad'

/** Settings as they would be stored. */
export type CheckedSettings = Pick<IdentityProviderDocument, 'issuer' | 'discovery_url' | 'tenant_ids' | 'required_claims'>

/** @param allowsPlain whether addresses may be `http:`, because the operator allows private targets */
export function settingsIssues({ issuer, discovery_url, tenant_ids, required_claims }: CheckedSettings, allowsPlain: boolean): FieldIssue[] {
  const isTemplate = issuer.includes(TENANT_PLACEHOLDER)
  const isPublic = PUBLIC_ISSUERS.has(issuer.replace(/\/$/, '')) || issuer.includes(PERSONAL_TENANT) || tenant_ids.includes(PERSONAL_TENANT)
  return [
    ...(isAddress(issuer.replace(TENANT_PLACEHOLDER, SOME_TENANT), allowsPlain, false)
      ? []
      : [issue('/issuer', 'invalid', { type: 'string', format: { words: allowsPlain ? 'plain_url' : 'plain_https_url' } })]),
    ...(discovery_url === null || isAddress(discovery_url, allowsPlain, true)
      ? []
      : [issue('/discovery_url', 'invalid', { type: 'string', format: { words: allowsPlain ? 'metadata_url' : 'metadata_https_url' } })]),
    ...(isTemplate && discovery_url === null ? [issue('/discovery_url', 'required', { words: 'metadata_address' })] : []),
    ...(isPublic && required_claims.length === 0 ? [issue('/required_claims', 'required', { words: 'own_condition' })] : []),
    ...(isTemplate && tenant_ids.length === 0 ? [issue('/tenant_ids', 'required', { words: 'login_tenants' })] : []),
  ]
}

/** The domains in one form each; issues: texts that are no domain. */
export function readDomains(sent: readonly string[]): { readonly domains: readonly string[]; readonly issues: readonly FieldIssue[] } {
  const read = sent.map(domainOf)
  const issues = read.flatMap((domain, index) => (domain === null ? [issue(`/domains/${index}`, 'invalid', { type: 'string', format: 'hostname' })] : []))
  return { domains: [...new Set(read.filter((domain) => domain !== null))], issues }
}

/** Two conditions on one claim would look like alternatives and would both have to hold. */
export function claimIssues(claims: readonly RequiredClaim[]): FieldIssue[] {
  return claims.flatMap(({ claim }, index) => (claims.findIndex((other) => other.claim === claim) < index ? [issue(`/required_claims/${index}/claim`, 'duplicate', null)] : []))
}

function isAddress(text: string, allowsPlain: boolean, mayHaveQuery: boolean): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !(url.protocol === 'https:' || (allowsPlain && url.protocol === 'http:'))) return false
  return url.username === '' && url.password === '' && !text.includes('#') && (mayHaveQuery || !text.includes('?'))
}
