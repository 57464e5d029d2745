/**
 * What a provider may say about whom: attacks by an organization that runs its own provider, which says whatever it likes, against accounts of other organizations,
 * operators of the instance, and members of its own.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { MEMBERSHIPS } from '../../server/core/tenancy/memberships.js'
import { USERS } from '../../server/core/auth/users.js'
import { type Actor, addMember, anonymous, bootstrap, createKey, login, PASSWORD, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type CertifiedProvider, PATHS, startCertifiedProvider } from '../support/openid/certified.js'
import { ProvenDomains } from '../support/openid/domains.js'
import { editJson } from '../support/openid/front.js'
import type { OpenidAccount } from '../support/openid/provider.js'
import { type LinkedProvider, linkProvider, notSignedIn, PRIVATE_TARGETS, signedIn, signIn } from '../support/openid/sign-in.js'
import type { Claims } from '../support/openid/signed-token.js'
import { UserAgent } from '../support/openid/user-agent.js'
import { from, PROXIED, refused, SIGNUP } from './steps.js'

interface Me {
  readonly user: { readonly id: string; readonly email: string; readonly is_platform_admin: boolean }
  readonly current_organization: { readonly id: string }
  readonly organizations: readonly { readonly id: string }[]
}

const FUTURE_ADMIN = 'future-operator@example.test'

describe('what a provider says of people', () => {
  const domains = new ProvenDomains()
  let app: TestApp
  let operator: Actor
  /** Runs its own provider. */
  let attacker: Actor
  let victim: Actor
  let openid: CertifiedProvider
  let provider: LinkedProvider
  let sequence = 0

  const attempt = async (account: OpenidAccount, at = provider) => {
    const agent = new UserAgent()
    return { agent, page: await signIn(agent, app.client.origin, at, account) }
  }
  const enters = async (account: OpenidAccount, at = provider): Promise<{ readonly token: string; readonly me: Me }> => {
    const { agent, page } = await attempt(account, at)
    const token = signedIn(agent, page)
    return { token, me: (await app.client.get<Me>('/auth/me', { token })).body }
  }
  const refusedEntry = async (account: OpenidAccount, status = 403, at = provider) => {
    const { agent, page } = await attempt(account, at)
    return notSignedIn(agent, page, status)
  }
  const claims = (email: unknown, more: Claims = { email_verified: true }): OpenidAccount => openid.addAccountWith({ email, name: 'Somebody', ...more })
  const userOf = (email: string) => app.service.storage.open(USERS).findOne({ email })
  const membersOf = async ({ organizationId }: Actor): Promise<number> => app.service.storage.open(MEMBERSHIPS).count({ organization_id: organizationId })
  const fresh = (): string => `person${++sequence}@example.test`

  before(async () => {
    openid = await startCertifiedProvider()
    app = await startTestApp({ env: { ...PRIVATE_TARGETS, ...SIGNUP, ...PROXIED, NATIVE_SERVICE_PLATFORM_ADMIN_EMAILS: FUTURE_ADMIN }, readTxt: domains.readTxt })
    operator = await bootstrap(app.client, 'operator@operators.example')
    attacker = await register(app.client.as(from('10.1.0.1')), 'attacker')
    victim = await register(app.client.as(from('10.1.0.2')), 'victim')
    provider = await linkProvider(attacker, openid)
  })
  let membersBefore: readonly [number, number]
  beforeEach(async () => {
    membersBefore = [await membersOf(victim), await membersOf(operator)]
  })
  after(async () => {
    await app?.close()
    await openid?.close()
  })

  /** Asserts that nobody joined an organization of the victims. */
  const nobodyJoined = async (): Promise<void> => assert.deepEqual([await membersOf(victim), await membersOf(operator)], membersBefore)

  test("the e-mail of another organization's user opens nothing, and links nothing", async () => {
    const members = await membersOf(attacker)
    for (const email of [victim.email, victim.email.toUpperCase(), ` ${victim.email} `]) {
      const { agent, page } = await attempt(claims(email))
      assert.ok(page.status >= 400 && page.status < 500, `${email}: ${page.text}`)
      notSignedIn(agent, page, page.status)
    }
    assert.equal(await membersOf(attacker), members)
    await nobodyJoined()
    assert.equal((await login(app.client, victim.email)).userId, victim.userId)
  })

  test('the e-mail of an operator opens nothing, whether the account exists or not', async () => {
    await refusedEntry(claims(operator.email))
    const { agent, page } = await attempt(claims(FUTURE_ADMIN))
    assert.ok(page.status >= 400 && page.status < 500, page.text)
    notSignedIn(agent, page, page.status)
    await nobodyJoined()
  })

  test('an operator who is a member signs in only if the domain is proven, and then as a member alone', async () => {
    const path = `/auth/organizations/${attacker.organizationId}/invitations`
    const invited = await attacker.client.post<{ token: string }>(path, { email: operator.email, role: 'read_only' })
    assert.equal((await anonymous(app.client).post(`/auth/invitations/${invited.body.token}/accept`, { password: PASSWORD })).status, 200)
    const account = claims(operator.email)
    await refusedEntry(account)
    await domains.prove(attacker, 'operators.example')
    const { token, me } = await enters(account)
    assert.deepEqual([me.user.is_platform_admin, me.current_organization.id, me.organizations.length], [false, attacker.organizationId, 1])
    const session = app.client.as({ token })
    const administrative = app.service.routes.filter(({ path: template, method }) => method === 'GET' && template.startsWith('/platform/admin/') && !template.includes('{'))
    assert.ok(administrative.length > 0)
    for (const { path: template } of administrative) refused(await session.get(template), 403, 'forbidden')
    refused(await session.patch(`/platform/admin/users/${victim.userId}`, { is_active: false }), 403, 'forbidden')
    refused(await session.get('/platform/projects', { organization: victim.organizationId }), 403, 'forbidden')
    refused(await session.get('/platform/projects', { organization: operator.organizationId }), 403, 'forbidden')
    refused(await session.get(`/auth/organizations/${operator.organizationId}/members`), 404, 'not_found')
  })

  test('a session of a provider reads nothing of the other organizations of its user, on any route', async () => {
    const MARK = 'mark-of-the-other-organization'
    const other = await register(app.client.as(from('10.1.0.7')), MARK, 'both@elsewhere.example')
    assert.equal((await other.client.post('/platform/projects', { name: MARK })).status, 200)
    await createKey(other, ['analysis:run'], MARK)
    const email = fresh()
    const both = await addMember(attacker, 'org_admin', email)
    const invited = await other.client.post<{ token: string }>(`/auth/organizations/${other.organizationId}/invitations`, { email, role: 'org_admin' })
    assert.equal((await anonymous(app.client).post(`/auth/invitations/${invited.body.token}/accept`, { password: PASSWORD })).status, 200)
    const { token } = await enters(claims(email))
    const session = app.client.as({ token })
    const withPassword = await login(app.client, email)
    assert.equal(both.userId, withPassword.userId)
    let read = 0
    for (const { path, method } of app.service.routes) {
      if (method !== 'GET' || path.includes('stream')) continue
      const filled = path.replace('{organization_id}', other.organizationId)
      if (filled.includes('{')) continue
      const { status, text } = await session.get(filled)
      for (const found of [MARK, other.organizationId]) assert.ok(!text.includes(found), `${path} answers ${status} with ${found}`)
      if (status === 200) read += 1
    }
    assert.ok(read > 10, `${read}`)
    // The same user with a password reads it.
    assert.ok((await withPassword.client.get('/platform/projects', { organization: other.organizationId })).text.includes(MARK))
  })

  test('an e-mail of a proven domain joins, with a session of that organization alone', async () => {
    await domains.prove(attacker, 'proven.example')
    const other = await register(app.client.as(from('10.1.0.3')), 'proven', 'boss@proven.example')
    const { token, me } = await enters(claims('boss@proven.example'))
    assert.deepEqual([me.user.id, me.organizations.map(({ id }) => id)], [other.userId, [attacker.organizationId]])
    const session = app.client.as({ token })
    refused(await session.get('/platform/projects', { organization: other.organizationId }), 403, 'forbidden')
    refused(await session.get(`/auth/organizations/${other.organizationId}/members`), 404, 'not_found')
    // A subdomain is another domain.
    await register(app.client.as(from('10.1.0.4')), 'subdomain', 'boss@sub.proven.example')
    await refusedEntry(claims('boss@sub.proven.example'))
  })

  test('a session of a provider changes neither the password nor the second factor, and opens no other session', async () => {
    const email = fresh()
    const member = await addMember(attacker, 'engineer', email)
    const { token } = await enters(claims(email))
    const session = app.client.as({ token })
    for (const [path, body] of [
      ['/auth/me/password', { current_password: PASSWORD, new_password: 'an entirely new passphrase' }],
      ['/auth/me/second-factor', { password: PASSWORD }],
      ['/auth/me/second-factor/recovery-codes', { code: '000000' }],
    ] as const) {
      const answer = await session.post(path, body)
      assert.ok(answer.status >= 400 && answer.status < 500, `${path}: ${answer.status} ${answer.text}`)
    }
    assert.equal((await login(app.client, email)).userId, member.userId)
    // The list shows, and ends, the sessions of the provider alone.
    const own = await login(app.client, email)
    const listed = await session.get<readonly { readonly id: string }[]>('/auth/me/sessions')
    assert.equal(listed.body.length, 1)
    await session.delete('/auth/me/sessions')
    assert.equal((await own.client.get('/auth/me')).status, 200)
  })

  describe('an address', () => {
    const UNVERIFIED: Readonly<Record<string, Claims>> = {
      'that is not verified': { email_verified: false },
      'whose verification is not said': {},
      'whose verification is the text "false"': { email_verified: 'false' },
      'whose verification is null': { email_verified: null },
      'whose verification is another text': { email_verified: 'yes' },
      'whose verification is a number': { email_verified: 1 },
      'whose verification is a list': { email_verified: [true] },
      'whose verification is an object': { email_verified: { verified: true } },
    }
    for (const [name, more] of Object.entries(UNVERIFIED))
      test(`${name} is refused`, async () => {
        const members = await membersOf(attacker)
        const known = await addMember(attacker, 'org_admin', fresh())
        for (const email of [fresh(), known.email]) {
          const { agent, page } = await attempt(claims(email, more))
          assert.ok(page.status === 400 || page.status === 403, `${page.status} ${page.text}`)
          notSignedIn(agent, page, page.status)
        }
        assert.equal(await membersOf(attacker), members + 1)
      })

    test('whose verification is the text "true" is accepted, as some providers send it', async () => {
      await enters(claims(fresh(), { email_verified: 'true' }))
    })

    test('of a trusted provider is accepted if it says nothing, and refused if it says no', async () => {
      const trusted = await linkProvider(attacker, openid, { name: 'trusted', trust_email: true })
      await enters(claims(fresh(), {}), trusted)
      for (const email_verified of [false, 'false']) {
        const { agent, page } = await attempt(claims(fresh(), { email_verified }), trusted)
        assert.ok(page.status === 400 || page.status === 403, `${page.status} ${page.text}`)
        notSignedIn(agent, page, page.status)
      }
      // Trust is about verification, and opens no account of others.
      await refusedEntry(claims(victim.email, {}), 403, trusted)
    })

    const WRONG: Readonly<Record<string, unknown>> = {
      'is missing': undefined,
      'is empty': '',
      'is no text': 7,
      'is a list': ['list@example.test', 'second@example.test'],
      'is an object': { value: 'object@example.test' },
      'has a name': '"Ana" <named@example.test>',
      'has two addresses': 'one@example.test,two@example.test',
      'has a line break': 'line@example.test\r\nBcc: other@example.test',
      'has a null character': 'null@example.test\u0000.proven.example',
      'has two at signs': 'a@proven.example@example.test',
      'has no domain': 'nobody@',
      'is too long': `${'x'.repeat(300)}@example.test`,
      'has invisible characters': 'vic\u200btim@example.test',
    }
    for (const [name, email] of Object.entries(WRONG))
      test(`that ${name} is refused`, async () => {
        const members = await membersOf(attacker)
        const { agent, page } = await attempt(claims(email))
        assert.ok(page.status >= 400 && page.status < 500, `${page.status} ${page.text}`)
        notSignedIn(agent, page, page.status)
        assert.equal(await membersOf(attacker), members)
      })

    test('that is missing in the token is read from userinfo', async () => {
      const quiet = await startCertifiedProvider({ hasClaimsInToken: false })
      try {
        const linked = await linkProvider(attacker, quiet, { name: 'userinfo' })
        const email = fresh()
        const account = await quiet.addAccount(email)
        const { me } = await enters(account, linked)
        assert.equal(me.user.email, email)
        assert.ok(quiet.front.callsTo(PATHS.userinfo).length > 0)

        for (const change of [
          (answer: Claims) => ({ ...answer, sub: 'another' }),
          ({ sub: _, ...answer }: Claims) => answer,
          (answer: Claims) => ({ ...answer, sub: [answer.sub] }),
          (answer: Claims) => ({ ...answer, sub: `${String(answer.sub)} ` }),
        ]) {
          const altering = quiet.front.alter(PATHS.userinfo, editJson(change))
          const { agent, page } = await attempt(await quiet.addAccount(fresh()), linked)
          assert.ok(altering.count() > 0)
          assert.ok(page.status >= 400 && page.status !== 500, `${page.status} ${page.text}`)
          notSignedIn(agent, page, page.status)
          altering.end()
        }
        const unverified = quiet.addAccountWith({ email: fresh(), email_verified: false })
        const { agent, page } = await attempt(unverified, linked)
        notSignedIn(agent, page, page.status)
        assert.ok(page.status === 400 || page.status === 403)
      } finally {
        await quiet.close()
      }
    })

    test('of a token is not replaced, and not verified, by userinfo', async () => {
      const altering = openid.front.alter(
        PATHS.userinfo,
        editJson<Claims>((answer) => ({ ...answer, email: 'other@example.test', email_verified: true })),
      )
      const email = fresh()
      const { agent, page } = await attempt(claims(email, { email_verified: false }))
      assert.ok(page.status === 400 || page.status === 403, page.text)
      notSignedIn(agent, page, page.status)
      const { me } = await enters(claims(fresh()))
      assert.notEqual(me.user.email, 'other@example.test')
      altering.end()
    })
  })

  describe('a linked account', () => {
    test('stays the account of its subject when the provider sends the address of somebody else', async () => {
      const [member, admin] = [await addMember(attacker, 'engineer', fresh()), await addMember(attacker, 'org_admin', fresh())]
      const account = claims(member.email)
      assert.equal((await enters(account)).me.user.id, member.userId)
      for (const email of [admin.email, victim.email, operator.email]) {
        openid.setClaims(account, { email, email_verified: true, name: 'Somebody' })
        const { agent, page } = await attempt(account)
        if (page.status === 302) assert.equal((await app.client.get<Me>('/auth/me', { token: signedIn(agent, page) })).body.user.id, member.userId, email)
        else notSignedIn(agent, page, page.status)
      }
    })

    test('is not the account of the same subject at another provider, or at another issuer of the same provider', async () => {
      const member = await addMember(attacker, 'engineer', fresh())
      const account = openid.addAccountWith({ email: member.email, email_verified: true }, 'shared-subject')
      assert.equal((await enters(account)).me.user.id, member.userId)
      const second = await startCertifiedProvider()
      try {
        const email = fresh()
        const same = second.addAccountWith({ email, email_verified: true }, 'shared-subject')
        const linked = await linkProvider(attacker, second, { name: 'second issuer' })
        assert.equal((await enters(same, linked)).me.user.email, email)
        // The first provider, moved to the other issuer.
        const moved = await linkProvider(attacker, openid, { name: 'to move' })
        const mover = openid.addAccountWith({ email: member.email, email_verified: true }, 'moving-subject')
        assert.equal((await enters(mover, moved)).me.user.id, member.userId)
        const client = await second.register()
        await client.redirectTo(`${app.client.origin}/api/v1/sso/oidc/callback?provider_id=${moved.id}`)
        const patched = await attacker.client.patch(moved.path, { issuer: second.issuer, client_id: client.clientId, client_secret: client.clientSecret })
        assert.equal(patched.status, 200, patched.text)
        const thief = second.addAccountWith({ email: fresh(), email_verified: true }, 'moving-subject')
        const { me } = await enters(thief, { ...moved, openid: second })
        assert.notEqual(me.user.id, member.userId)
      } finally {
        await second.close()
      }
    })

    test('is not joined by the subject of an organization that had the same issuer', async () => {
      const email = fresh()
      const account = openid.addAccountWith({ email, email_verified: true }, 'two-organizations')
      const first = (await enters(account)).me.user.id
      const elsewhere = await linkProvider(victim, openid, { name: 'same issuer' })
      // There the account is no member, and the domain is not proven.
      await refusedEntry(account, 403, elsewhere)
      assert.equal((await enters(account)).me.user.id, first)
    })

    test('that is inactive does not sign in', async () => {
      const member = await addMember(attacker, 'engineer', fresh())
      const account = claims(member.email)
      await enters(account)
      assert.equal((await operator.client.patch(`/platform/admin/users/${member.userId}`, { is_active: false })).status, 200)
      await refusedEntry(account)
    })

    test('that was expelled does not come back by its link, unless the domain is proven', async () => {
      const member = await addMember(attacker, 'engineer', fresh())
      const account = claims(member.email)
      await enters(account)
      const path = `/auth/organizations/${attacker.organizationId}/members`
      const [{ id }] = (await attacker.client.get<{ id: string }[]>(`${path}?user_id=${member.userId}`)).body
      assert.equal((await attacker.client.delete(`${path}/${id}`)).status, 204)
      await refusedEntry(account)
    })
  })

  test('people of a suspended organization do not sign in', async () => {
    const other = await register(app.client.as(from('10.1.0.9')), 'suspended')
    const linked = await linkProvider(other, openid, { name: 'of a suspended organization' })
    const account = claims(fresh())
    await enters(account, linked)
    assert.equal((await operator.client.patch(`/platform/admin/organizations/${other.organizationId}`, { is_active: false })).status, 200)
    const agent = new UserAgent()
    const page = await agent.request(`${app.client.origin}/api/v1/sso/oidc/${linked.id}/login`, { headers: { Accept: 'application/json' } })
    assert.ok(page.status === 404 || page.status === 403, page.text)
  })

  test('names and other claims do harm nobody', async () => {
    const email = fresh()
    const name = `<script>alert(1)</script>${'\u202e'}${'x'.repeat(5_000)}\r\nBcc: a@b`
    const account = openid.addAccountWith({ email, email_verified: true, name, preferred_username: { $gt: '' }, groups: [{ $ne: null }, '__proto__', 7] })
    await enters(account)
    const user = await userOf(email)
    assert.ok(user !== null)
    assert.ok(user.display_name.length <= 120, 'as long as other names')
    assert.doesNotMatch(user.display_name, /[\r\n\u202e]/)
  })
})
