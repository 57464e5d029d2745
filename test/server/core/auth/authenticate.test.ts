import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { formatKey, hashKeySecret, newKeySecret, newPublicId, SCIM_TOKEN_PREFIX } from '../../../../server/core/auth/api-keys.js'
import { createAuthenticate, type FoundKey, type FoundScimToken } from '../../../../server/core/auth/authenticate.js'
import type { Credential } from '../../../../server/core/auth/credentials.js'
import { IdentityCache } from '../../../../server/core/auth/identity-cache.js'
import { DEFAULT_IDENTITY_POLICY, type IdentityPolicy, newOrganization, type OrganizationDocument } from '../../../../server/core/auth/organizations.js'
import type { SessionDocument } from '../../../../server/core/auth/sessions.js'
import { AccessTokens } from '../../../../server/core/auth/tokens.js'
import { newUserDocument, type UserDocument } from '../../../../server/core/auth/users.js'
import { ApiError, type ErrorReason } from '../../../../server/core/errors.js'
import { type MembershipDocument, newMembership } from '../../../../server/core/tenancy/memberships.js'

const HERE = { path: null, header: null }

/** A world of two organizations, a user in the first, and a key of it; every reading of it is counted. */
function setUp() {
  const clock = { now: Date.parse('2026-01-02T03:04:05Z') }
  const read = (): number => clock.now
  const at = new Date(clock.now)
  const [tokens, cache] = [new AccessTokens(randomBytes(32), read), new IdentityCache(read, read)]
  const tokenHashKey = randomBytes(32)
  const world = {
    users: new Map<string, UserDocument>([['u', newUserDocument({ _id: 'u', email: 'u@x.test', display_name: 'U', password_hash: null, default_organization_id: 'a' }, at)]]),
    organizations: new Map<string, OrganizationDocument>(['a', 'b', 'c'].map((id) => [id, newOrganization(id, id, id, '', at)])),
    memberships: [newMembership('m1', 'a', 'u', 'engineer', at), newMembership('m2', 'b', 'u', 'org_admin', at)] as MembershipDocument[],
    sessions: new Map<string, SessionDocument>([['s', { _id: 's', user_id: 'u', organization_id: 'a', epoch: 1, created_at: at, expires_at: new Date(clock.now + 3600_000) }]]),
    keys: new Map<string, FoundKey>(),
    reads: 0,
    admins: new Set<string>(),
    includesSso: true,
    uses: [] as string[],
    scimTokens: new Map<string, FoundScimToken>(),
  }
  const counted = async <T>(value: T): Promise<T> => {
    world.reads += 1
    return value
  }
  const authenticate = createAuthenticate({
    cache,
    tokens,
    sessions: { byId: (id) => counted(world.sessions.get(id) ?? null) },
    users: { byId: (id) => counted(world.users.get(id) ?? null), isPlatformAdmin: ({ email_key }) => world.admins.has(email_key) },
    organizations: { byId: (id) => counted(world.organizations.get(id) ?? null) },
    memberships: {
      of: (organization, user) => counted(world.memberships.find(({ organization_id, user_id }) => organization_id === organization && user_id === user) ?? null),
      ofUser: (user) => counted(world.memberships.filter(({ user_id }) => user_id === user)),
    },
    findKey: (publicId) => counted(world.keys.get(publicId) ?? null),
    keyUsed: ({ keyId }) => world.uses.push(keyId),
    findScimToken: (publicId) => counted(world.scimTokens.get(publicId) ?? null),
    scimTokenUsed: ({ tokenId }) => world.uses.push(tokenId),
    includesSso: () => world.includesSso,
    tokenHashKeys: [tokenHashKey],
    clock: read,
  })
  const token = tokens.sign({ userId: 'u', sessionId: 's', organizationId: 'a', issuedAt: at, expiresAt: new Date(clock.now + 3600_000) })
  const user: Credential = { kind: 'token', token, via: 'bearer' }
  const parts = { publicId: newPublicId(), secret: newKeySecret() }
  world.keys.set(parts.publicId, {
    keyId: 'k',
    organizationId: 'a',
    name: 'CI',
    ownerId: 'u',
    scopes: ['projects:write'],
    secretHash: hashKeySecret(tokenHashKey, parts),
    expiresAt: null,
    lastUsedAt: null,
  })
  const key: Credential = { kind: 'api_key', key: formatKey(parts) }
  const scim: Credential = { kind: 'scim_token', token: formatKey(parts, SCIM_TOKEN_PREFIX) }
  const secretHash = hashKeySecret(tokenHashKey, parts, SCIM_TOKEN_PREFIX)
  world.scimTokens.set(parts.publicId, { tokenId: 't', organizationId: 'a', name: 'Okta', secretHash, expiresAt: null, lastUsedAt: null })
  const session = (fields: Partial<SessionDocument>): void => void world.sessions.set('s', { ...world.sessions.get('s')!, ...fields })
  const policy = (id: string, fields: Partial<IdentityPolicy>): void =>
    void world.organizations.set(id, { ...world.organizations.get(id)!, identity_policy: { ...DEFAULT_IDENTITY_POLICY, ...fields } })
  const change = (id: string, fields: Partial<UserDocument>): void => void world.users.set(id, { ...world.users.get(id)!, ...fields })
  return { authenticate, cache, clock, world, user, key, scim, parts, change, session, policy }
}

async function refuses(answer: Promise<unknown>, reason: ErrorReason): Promise<void> {
  await assert.rejects(answer, (error) => error instanceof ApiError && error.reason === reason)
}

test('a session is its user, in its organization, with the permissions of the role there', async () => {
  const { authenticate, user } = setUp()
  const principal = await authenticate(user, HERE)
  assert.ok(principal.kind === 'user')
  assert.deepEqual([principal.userId, principal.sessionId, principal.organizationId, principal.role, principal.via], ['u', 's', 'a', 'engineer', 'bearer'])
  assert.ok(principal.permissions.has('project:edit') && !principal.permissions.has('member:manage'))
})

test('a key is bound to its organization, with the permissions of its scopes', async () => {
  const { authenticate, key } = setUp()
  const principal = await authenticate(key, { path: 'a', header: 'a' })
  assert.ok(principal.kind === 'api_key')
  assert.deepEqual([principal.keyId, principal.organizationId], ['k', 'a'])
  assert.deepEqual([...principal.permissions].sort(), ['project:create', 'project:edit', 'project:view', 'workspace:create'])
  await refuses(authenticate(key, { path: null, header: 'b' }), 'organization_not_yours')
  await refuses(authenticate(key, { path: null, header: 'nowhere' }), 'organization_not_yours')
  await refuses(authenticate(key, { path: 'b', header: null }), 'resource_missing')
  await refuses(authenticate(key, { path: 'a', header: 'b' }), 'organization_not_yours')
})

test('the path goes before the header, and each must be an own organization', async () => {
  const { authenticate, user } = setUp()
  const organizationOf = async (path: string | null, header: string | null) => (await authenticate(user, { path, header })).organizationId
  assert.equal(await organizationOf(null, 'b'), 'b')
  assert.equal(await organizationOf('b', null), 'b')
  assert.equal(await organizationOf('b', 'a'), 'b')
  await refuses(organizationOf('c', null), 'resource_missing')
  await refuses(organizationOf('nowhere', null), 'resource_missing')
  await refuses(organizationOf(null, 'c'), 'organization_not_yours')
  await refuses(organizationOf('a', 'c'), 'organization_not_yours')
  await refuses(organizationOf(null, 'x'.repeat(10_000)), 'organization_not_yours')
  await refuses(organizationOf('a\nb', null), 'resource_missing')
})

test('a platform admin holds every permission everywhere, where there is an organization', async () => {
  const { authenticate, user, world } = setUp()
  world.admins.add('u@x.test')
  const principal = await authenticate(user, { path: null, header: 'c' })
  assert.ok(principal.kind === 'user')
  assert.deepEqual([principal.organizationId, principal.role, principal.isPlatformAdmin], ['c', null, true])
  assert.ok(principal.permissions.has('member:manage'))
  await refuses(authenticate(user, { path: 'nowhere', header: null }), 'resource_missing')
  await refuses(authenticate(user, { path: null, header: 'nowhere' }), 'organization_not_yours')
})

test('a busy caller costs no reading, and no reading is older than a second', async () => {
  const { authenticate, user, key, world, clock } = setUp()
  for (const credential of [user, key]) {
    const first = await authenticate(credential, HERE)
    const { reads } = world
    for (let at = 0; at < 100; at++) assert.equal(await authenticate(credential, HERE), first)
    assert.equal(world.reads, reads)
    clock.now += 1000
    await authenticate(credential, HERE)
    assert.ok(world.reads > reads)
  }
  assert.deepEqual(world.uses, ['k', 'k'])
})

test('of many at once one reads', async () => {
  const { authenticate, key, world } = setUp()
  await Promise.all(Array.from({ length: 50 }, () => authenticate(key, HERE)))
  assert.equal(world.reads, 2)
})

test('who came by cookie is not taken for who came by header', async () => {
  const { authenticate, user } = setUp()
  assert.ok(user.kind === 'token')
  await authenticate(user, HERE)
  const principal = await authenticate({ ...user, via: 'cookie' }, HERE)
  assert.ok(principal.kind === 'user' && principal.via === 'cookie')
})

test('what another instance revokes is refused within a second', async () => {
  const ends: readonly ((setting: ReturnType<typeof setUp>) => void)[] = [
    ({ world }) => world.sessions.delete('s'),
    ({ change }) => change('u', { is_active: false }),
    ({ change }) => change('u', { session_epoch: 2 }),
    ({ world }) => world.users.delete('u'),
    ({ world }) => world.memberships.shift(),
  ]
  for (const end of ends) {
    const setting = setUp()
    const { authenticate, user, clock } = setting
    await authenticate(user, HERE)
    end(setting)
    clock.now += 999
    await refuses(authenticate(user, HERE), 'credential_invalid')
  }
})

test('what this instance revokes is refused at once', async () => {
  const { authenticate, user, key, world, cache } = setUp()
  await authenticate(user, HERE)
  await authenticate(key, HERE)
  world.sessions.clear()
  world.keys.clear()
  cache.forget({ user: 'u' })
  cache.forget({ key: 'k' })
  await refuses(authenticate(user, HERE), 'credential_invalid')
  await refuses(authenticate(key, HERE), 'credential_invalid')
})

test('a suspended organization refuses sessions and keys, whichever way it is named', async () => {
  const { authenticate, user, key, world } = setUp()
  world.organizations.set('a', { ...world.organizations.get('a')!, is_active: false })
  await refuses(authenticate(user, HERE), 'organization_suspended')
  await refuses(authenticate(user, { path: 'a', header: null }), 'organization_suspended')
  await refuses(authenticate(key, HERE), 'organization_suspended')
  assert.equal((await authenticate(user, { path: null, header: 'b' })).organizationId, 'b')
})

test('a session of no organization goes to the one that its user has by now', async () => {
  const { authenticate, user, world, change, clock } = setUp()
  world.sessions.set('s', { ...world.sessions.get('s')!, organization_id: null })
  assert.equal((await authenticate(user, HERE)).organizationId, 'a')
  change('u', { default_organization_id: 'b' })
  clock.now += 1000
  assert.equal((await authenticate(user, HERE)).organizationId, 'b')
  world.memberships.length = 0
  clock.now += 1000
  assert.equal((await authenticate(user, HERE)).organizationId, null)
})

test("a token of another's session is refused", async () => {
  const { authenticate, user, world } = setUp()
  world.sessions.set('s', { ...world.sessions.get('s')!, user_id: 'someone else' })
  await refuses(authenticate(user, HERE), 'credential_invalid')
})

test('a key with another secret is refused, and so is what is no key', async () => {
  const { authenticate, parts, world } = setUp()
  const asKey = (key: string): Credential => ({ kind: 'api_key', key })
  await refuses(authenticate(asKey(formatKey({ ...parts, secret: newKeySecret() })), HERE), 'credential_invalid')
  await refuses(authenticate(asKey(formatKey({ ...parts, publicId: newPublicId() })), HERE), 'credential_invalid')
  const { reads } = world
  for (const key of ['', 'svk_', 'x'.repeat(44), 'x'.repeat(100_000)]) await refuses(authenticate(asKey(key), HERE), 'credential_invalid')
  assert.equal(world.reads, reads)
})

test('the end of a session or key counts from its moment, also for who is known', async () => {
  const { authenticate, user, key, parts, world, clock } = setUp()
  const end = new Date(clock.now + 200)
  world.keys.set(parts.publicId, { ...world.keys.get(parts.publicId)!, expiresAt: end })
  world.sessions.set('s', { ...world.sessions.get('s')!, expires_at: end })
  await authenticate(key, HERE)
  await authenticate(user, HERE)
  clock.now += 200
  await refuses(authenticate(key, HERE), 'credential_invalid')
  await refuses(authenticate(user, HERE), 'credential_invalid')
})

test('a session of an identity provider reaches the organization of the provider alone', async () => {
  const { authenticate, user, session } = setUp()
  session({ provider_id: 'p' })
  const principal = await authenticate(user, { path: 'a', header: 'a' })
  assert.ok(principal.kind === 'user')
  assert.deepEqual([principal.organizationId, principal.role, principal.providerId], ['a', 'engineer', 'p'])
  await refuses(authenticate(user, { path: null, header: 'b' }), 'organization_not_yours')
  await refuses(authenticate(user, { path: 'b', header: null }), 'resource_missing')
})

test('an identity provider makes nobody a platform admin', async () => {
  const { authenticate, user, session, world } = setUp()
  world.admins.add('u@x.test')
  session({ provider_id: 'p' })
  const principal = await authenticate(user, HERE)
  assert.ok(principal.kind === 'user')
  assert.deepEqual([principal.isPlatformAdmin, principal.permissions.has('member:manage')], [false, false])
  await refuses(authenticate(user, { path: null, header: 'c' }), 'organization_not_yours')
})

test('an organization that requires its provider refuses passwords, wherever the session was opened', async () => {
  const { authenticate, user, session, policy, world } = setUp()
  policy('b', { sso_required: true })
  await authenticate(user, HERE)
  await refuses(authenticate(user, { path: null, header: 'b' }), 'sso_required')
  await refuses(authenticate(user, { path: 'b', header: null }), 'sso_required')
  assert.equal((await authenticate(user, { path: null, header: 'b', isAccount: true })).organizationId, 'b')
  world.includesSso = false
  assert.equal((await authenticate(user, { path: null, header: 'b' })).organizationId, 'b')
  world.includesSso = true
  policy('b', { sso_required: true, break_glass_user_ids: ['u'] })
  assert.equal((await authenticate(user, { path: 'b', header: 'b' })).organizationId, 'b')
  policy('c', { sso_required: true })
  world.admins.add('u@x.test')
  assert.equal((await authenticate(user, { path: 'c', header: null })).organizationId, 'c')
  policy('a', { sso_required: true })
  session({ provider_id: 'p' })
  assert.equal((await authenticate(user, { path: 'a', header: null })).organizationId, 'a')
})

test('an organization that requires a second factor refuses sessions without one', async () => {
  const { authenticate, user, session, policy, world } = setUp()
  policy('b', { require_two_factor: true })
  await refuses(authenticate(user, { path: null, header: 'b' }), 'second_factor_missing')
  world.admins.add('u@x.test')
  await refuses(authenticate(user, { path: 'b', header: null }), 'second_factor_missing')
  assert.equal((await authenticate(user, { path: 'b', header: null, isAccount: true })).organizationId, 'b')
  session({ has_second_factor: true })
  assert.equal((await authenticate(user, { path: 'b', header: 'b' })).organizationId, 'b')
  policy('a', { require_two_factor: true })
  session({ has_second_factor: false, provider_id: 'p' })
  assert.equal((await authenticate(user, { path: 'a', header: null })).organizationId, 'a')
})

test('a token for provisioning is bound to its organization, and is no API key', async () => {
  const { authenticate, scim, key, world, parts } = setUp()
  const caller = await authenticate(scim, { path: null, header: 'a' })
  assert.ok(caller.kind === 'scim_token')
  assert.deepEqual([caller.tokenId, caller.organizationId, caller.permissions.size], ['t', 'a', 0])
  await refuses(authenticate(scim, { path: null, header: 'b' }), 'organization_not_yours')
  // The secret of one kind is not valid as the other, although both have the same parts here.
  world.keys.set(parts.publicId, { ...world.keys.get(parts.publicId)!, secretHash: world.scimTokens.get(parts.publicId)!.secretHash })
  await refuses(authenticate(key, HERE), 'credential_invalid')
  world.scimTokens.clear()
  await refuses(authenticate(scim, HERE), 'credential_invalid')
})
