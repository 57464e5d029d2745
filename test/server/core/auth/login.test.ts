/** How a login treats who is there and who isn't: no clock is looked at, as what takes the time is counted. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { createIdentities, IDENTITY_COLLECTIONS, type Identities } from '../../../../server/core/auth/identities.js'
import type { Hasher } from '../../../../server/core/auth/password.js'
import { deriveSecrets } from '../../../../server/core/auth/secrets.js'
import { Throttles } from '../../../../server/core/auth/throttles.js'
import { ApiError } from '../../../../server/core/errors.js'
import { AccountService } from '../../../../server/features/accounts/account/service.js'
import { AUDIT } from '../../../../server/core/audit/store.js'
import { testLimits } from '../../../support/limits.js'
import { openEmbeddedStorage } from '../../../../server/core/storage/embedded/index.js'
import type { PlatformCollection, Storage, StoredDocument, TenantCollection, TenantDocument } from '../../../../server/core/storage/contract.js'
import { COUNTERS, Throttle } from '../../../../server/core/tenancy/counters.js'

const folder = mkdtempSync(join(tmpdir(), 'login-'))
const calls: string[] = []
/** The generation is that of the parameters. */
let generation = 1
const hasher: Hasher = {
  hash: async (password) => {
    calls.push('hash')
    return `${generation}:${password}`
  },
  verify: async (hash, password) => {
    calls.push('verify')
    return hash.slice(hash.indexOf(':') + 1) === password
  },
  isOutdated: (hash) => !hash.startsWith(`${generation}:`),
}
const requestContext = { requestId: 'r', address: '192.0.2.1', locale: 'en-US' } as const
const FOUNDER = { organization_name: 'Acme', email: 'ana@example.test', display_name: 'Ana', password: 'right passphrase' }

let storage: Storage
let identities: Identities
let accounts: AccountService

before(async () => {
  storage = await openEmbeddedStorage({ directory: join(folder, 'store') })
  const definitions = [...IDENTITY_COLLECTIONS, COUNTERS, AUDIT] as unknown as (PlatformCollection<StoredDocument> | TenantCollection<TenantDocument>)[]
  await storage.prepare(definitions)
  const secrets = deriveSecrets('a secret for tests, of more than thirty-two characters')
  identities = createIdentities({ storage, secrets, config: { sessionTtlSeconds: 3600, platformAdminEmails: [] }, limits: testLimits(), hasher })
  accounts = new AccountService({
    identities,
    throttles: new Throttles(new Throttle(storage)),
    notices: { telling: async () => [] },
    config: { selfSignupEnabled: false },
    includesSso: () => true,
    loginUrlOf: async () => null,
  })
  await accounts.bootstrap(FOUNDER, requestContext)
})
after(async () => {
  await storage.close()
  rmSync(folder, { recursive: true, force: true })
})

let addresses = 0
async function attempt(email: string, password: string): Promise<{ reason: string; calls: readonly string[] }> {
  calls.length = 0
  try {
    await accounts.login({ email, password }, { ...requestContext, address: `address ${++addresses}` })
    return { reason: 'none', calls: [...calls] }
  } catch (error) {
    assert.ok(error instanceof ApiError)
    return { reason: error.reason, calls: [...calls] }
  }
}

test('an unknown e-mail and a wrong password cost the same, and say the same', async () => {
  const expected = { reason: 'login_failed', calls: ['verify'] }
  assert.deepEqual(await attempt('nobody@example.test', 'right passphrase'), expected)
  assert.deepEqual(await attempt(FOUNDER.email, 'wrong passphrase'), expected)
  assert.deepEqual(await attempt(FOUNDER.email, 'right passphrase'), { reason: 'none', calls: ['verify'] })
})

test('a deactivated user costs the same', async () => {
  const user = await identities.users.byEmail(FOUNDER.email)
  await identities.users.update({ _id: user?._id ?? '' }, { set: { is_active: false } })
  assert.deepEqual(await attempt(FOUNDER.email, 'wrong passphrase'), { reason: 'login_failed', calls: ['verify'] })
  assert.deepEqual(await attempt(FOUNDER.email, 'right passphrase'), { reason: 'user_inactive', calls: ['verify'] })
  await identities.users.update({ _id: user?._id ?? '' }, { set: { is_active: true } })
})

test('a user without a password costs the same, and has none that is right', async () => {
  const now = new Date()
  await identities.commitAddition([identities.users.adding({ _id: 'sso', email: 'sso@example.test', display_name: 'S', password_hash: null, default_organization_id: null }, now)])
  assert.deepEqual(await attempt('sso@example.test', ''), { reason: 'login_failed', calls: ['verify'] })
})

test('who is throttled costs no hash', async () => {
  const again = async () => {
    calls.length = 0
    await accounts
      .login({ email: FOUNDER.email, password: 'wrong passphrase' }, requestContext)
      .catch((error: ApiError) => assert.equal(error.code === 'unauthorized' || error.code === 'rate_limited', true))
    return [...calls]
  }
  for (let at = 0; at < 5; at++) assert.deepEqual(await again(), ['verify'])
  assert.deepEqual(await again(), [])
})

test('a hash of other parameters is made anew at the next login', async () => {
  generation = 2
  assert.deepEqual(await attempt(FOUNDER.email, 'right passphrase'), { reason: 'none', calls: ['verify', 'hash'] })
  assert.deepEqual(await attempt(FOUNDER.email, 'right passphrase'), { reason: 'none', calls: ['verify'] })
  assert.equal((await identities.users.byEmail(FOUNDER.email))?.password_hash, '2:right passphrase')
})

test('a bootstrap that comes too late costs no hash', async () => {
  calls.length = 0
  await assert.rejects(accounts.bootstrap({ ...FOUNDER, email: 'late@example.test' }, requestContext), /bootstrap_done/)
  assert.deepEqual(calls, [])
})
