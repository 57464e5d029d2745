/** Which collections belong to no organization, and what finds a document before its organization is known: a new one of either is decided here. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { COLLECTIONS } from '../../../../server/features.js'
import type { CollectionDefinition, TenantCollection, TenantDocument } from '../../../../server/core/storage/contract.js'

const SOURCES = fileURLToPath(new URL('../../../../../server/', import.meta.url))

/** Documents of the instance, or of users, who may be members of several organizations. */
const PLATFORM: readonly string[] = [
  'account_notices',
  'ai_config',
  'counters',
  'daily_counts',
  'daily_jobs',
  'former_members',
  'gateway_events',
  'gateway_reconciliations',
  'idempotency_keys',
  'identity_changes',
  'instance',
  'instances',
  'job_failures',
  'jobs',
  'login_challenges',
  'memberships',
  'migrations',
  'mock_subscriptions',
  'organizations',
  'password_resets',
  'peers',
  'restores',
  'second_factors',
  'secret_fingerprints',
  'sessions',
  'sse_connections',
  'sso_states',
  'users',
]

/** Indexes of lists over all organizations, which platform admins alone have. */
const INSTANCE_WIDE: ReadonlySet<string> = new Set(['feedback_reports', 'audit_events'])

/** What a caller presents who names no organization: each is a secret, or public, or an id that platform admins alone may name. */
const LOCATORS: Readonly<Record<string, readonly string[]>> = {
  api_keys: ['public_id'],
  domain_proofs: ['domain'],
  feedback_reports: ['_id'],
  gateway_subscriptions: ['_id'],
  git_bindings: ['hook_id'],
  identity_provider_domains: ['_id'],
  identity_providers: ['_id'],
  invitations: ['token_hash'],
  scim_tokens: ['public_id'],
}

const isTenant = (definition: CollectionDefinition): definition is TenantCollection<TenantDocument> => definition.kind === 'tenant'

test('every collection has a name of its own', () => {
  const names = COLLECTIONS.map(({ name }) => name)
  assert.deepEqual(names.length, new Set(names).size)
  assert.ok(names.length > 40)
})

test('every collection that the sources declare is prepared', () => {
  const declared = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => [...readFileSync(join(SOURCES, path), 'utf8').matchAll(/\b(?:tenant|platform)Collection<\w+>\(\s*'(\w+)'/g)].map(([, name]) => name))
  // A migration declares the collections that it changes as they were.
  assert.deepEqual(COLLECTIONS.map(({ name }) => name).sort(), [...new Set(declared)].sort())
})

test('every collection belongs to organizations, but those that are named here', () => {
  assert.deepEqual(
    COLLECTIONS.filter((definition) => !isTenant(definition))
      .map(({ name }) => name)
      .sort(),
    PLATFORM,
  )
})

test('documents are found without an organization by the fields that are named here', () => {
  const found = COLLECTIONS.filter(isTenant).filter(({ locators }) => locators.length > 0)
  assert.deepEqual(Object.fromEntries(found.map(({ name, locators }) => [name, locators])), LOCATORS)
})

test('an index of a collection of organizations begins with the organization, unless it is for all of them', () => {
  for (const { name, indexes, locators } of COLLECTIONS.filter(isTenant).filter((definition) => !INSTANCE_WIDE.has(definition.name)))
    for (const { keys, unique, expireAfterSeconds } of indexes) {
      const [first] = Object.keys(keys)
      const isLocator = unique === true && Object.keys(keys).length === 1 && locators.includes(first)
      assert.ok(first === 'organization_id' || isLocator || expireAfterSeconds !== undefined, `${name}: ${JSON.stringify(keys)}`)
    }
})
