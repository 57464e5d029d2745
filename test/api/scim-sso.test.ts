/**
 * Users of SCIM who sign in through a provider, on two instances where the store takes two: who decides about the account, its roles and its admission.
 *  - the account is SCIM's: a sign-in changes neither its name nor its e-mail
 *  - the roles are those of the groups of SCIM while the organization has any, else those of the claims
 *  - a deactivated user stays out, whatever the provider says
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Actor, addMember, anonymous, createKey } from '../support/actors.js'
import type { Client } from '../support/client.js'
import { openStream } from '../support/event-stream.js'
import { atOrigin, type Instances, withInstances } from '../support/instances.js'
import { type CertifiedProvider, startCertifiedProvider } from '../support/openid/certified.js'
import { ProvenDomains } from '../support/openid/domains.js'
import { type LinkedProvider, linkProvider, notSignedIn, PRIVATE_TARGETS, signedIn, signIn } from '../support/openid/sign-in.js'
import type { OpenidAccount } from '../support/openid/provider.js'
import { UserAgent } from '../support/openid/user-agent.js'
import { createResource, createScimToken, type Group, GROUPS, ok, provision, type User, USERS } from '../support/provisioning.js'
import { addingMembers, GROUP_URN, named, operations, setting } from '../support/scim-messages.js'
import { ALL_STORES, waitFor } from './steps.js'

interface Stage extends Instances {
  readonly openid: CertifiedProvider
  readonly provider: LinkedProvider
  /** The directory, at one instance or the other. */
  readonly scim: (index: number) => Client
}

interface Member {
  readonly user_id: string
  readonly email: string
  readonly display_name: string
  readonly role: string
}

const ROLE_OF_TOKEN = 'read_only'

for (const store of ALL_STORES) {
  test(`users of SCIM at a provider, ${store.name}`, { skip: store.skip }, async (t) => {
    const openid = await startCertifiedProvider()
    const domains = new ProvenDomains()
    try {
      await withInstances(store, { env: PRIVATE_TARGETS, readTxt: domains.readTxt }, async (instances) => {
        const { admin, apps } = instances
        await domains.prove(admin, 'example.test')
        const provider = await linkProvider(admin, openid, { groups_claim: 'groups' })
        const { client, token } = await createScimToken(admin, { default_role: ROLE_OF_TOKEN })
        await run(t, { ...instances, openid, provider, scim: (index) => (index === 0 ? client : anonymous(apps[index % apps.length].client).as({ token })) })
      })
    } finally {
      await openid.close()
    }
  })
}

async function run(t: TestContext, stage: Stage): Promise<void> {
  const { app, apps, admin, openid, provider, scim } = stage
  const members = async (): Promise<readonly Member[]> => (await admin.client.get<Member[]>(`/auth/organizations/${admin.organizationId}/members?limit=200`)).body
  const memberOf = async (userId: string): Promise<Member | undefined> => (await members()).find(({ user_id }) => user_id === userId)
  const roleOf = async (userId: string): Promise<string | undefined> => (await memberOf(userId))?.role
  const claims = (email: string, groups: readonly string[], name = 'Of The Provider') => ({ email, email_verified: true, name, groups })
  /** Signs in. @returns the token of the session */
  const enters = async (account: OpenidAccount): Promise<string> => {
    const agent = new UserAgent()
    return signedIn(agent, await signIn(agent, app.client.origin, provider, account))
  }
  const staysOut = async (account: OpenidAccount): Promise<void> => {
    const before = (await members()).length
    const agent = new UserAgent()
    notSignedIn(agent, await signIn(agent, app.client.origin, provider, account), 403)
    assert.equal((await members()).length, before, 'nobody joined')
  }
  const map = async (...group_mappings: object[]): Promise<unknown> =>
    ok(await admin.client.patch(`/platform/organizations/${admin.organizationId}/identity-policy`, { group_mappings }))

  await t.test('a sign-in changes neither the name nor the e-mail of the account', async () => {
    const { id } = await createResource(scim(0), USERS, named('ana@example.test', { displayName: 'Of The Directory' }))
    const account = openid.addAccountWith(claims('ana@example.test', []))
    await enters(account)
    openid.setClaims(account, claims('renamed@example.test', [], 'Renamed'))
    await enters(account)
    const [{ email, display_name }, user] = [(await memberOf(id))!, ok(await scim(0).get<User>(`${USERS}/${id}`))]
    assert.deepEqual([email, display_name], ['ana@example.test', 'Of The Directory'])
    assert.deepEqual([user.userName, user.displayName, user.meta.version], ['ana@example.test', 'Of The Directory', 'W/"1"'])
  })

  await t.test('claims give roles until the organization has a group of SCIM, and to members who were not provisioned', async () => {
    await map({ group: 'Leads', role: 'security_content_lead' }, { group: 'Reviewers', role: 'reviewer' })
    const id = await provision(scim(0), 'rui')
    const account = openid.addAccountWith(claims('rui@example.test', ['Leads']))
    await enters(account)
    assert.equal(await roleOf(id), 'security_content_lead', 'of the claim, as the organization has no groups')
    const other = await addMember(admin, 'engineer', 'invited@example.test')
    const invited = openid.addAccountWith(claims('invited@example.test', ['Reviewers']))
    const reviewers = await createResource<Group>(scim(0), GROUPS, { schemas: [GROUP_URN], displayName: 'Reviewers', members: [{ value: id }] })
    assert.equal(await roleOf(id), 'reviewer', 'of the group')
    await enters(account)
    assert.equal(await roleOf(id), 'reviewer', 'not of the claim')
    await enters(invited)
    assert.equal(await roleOf(other.userId), 'reviewer', 'of the claim')
    assert.equal((await scim(1).patch(`${GROUPS}/${reviewers.id}`, operations({ op: 'remove', path: `members[value eq "${id}"]` }))).status, 204)
    await enters(account)
    assert.equal(await roleOf(id), ROLE_OF_TOKEN, 'of the token, as no group gives one')
    // The validation of a provider says the same as a sign-in.
    assert.equal((await scim(0).delete(`${GROUPS}/${reviewers.id}`)).status, 204)
    await enters(account)
    assert.equal(await roleOf(id), 'security_content_lead', 'of the claim again, after the last group')
    await map()
  })

  await t.test('a deactivated user is out on every instance, stays out, and is admitted again by the directory alone', async () => {
    const id = await provision(scim(0), 'eva')
    const account = openid.addAccountWith(claims('eva@example.test', []))
    const token = await enters(account)
    const clients = apps.map(({ client }) => anonymous(client).as({ token }))
    for (const client of clients) assert.equal((await client.get('/platform/projects')).status, 200)
    const streams = await Promise.all(clients.map((client) => openStream(client)))
    for (const stream of streams) await stream.unread()
    // At one instance, with sessions and streams at both.
    assert.equal(ok(await scim(0).patch<User>(`${USERS}/${id}`, setting('active', false))).active, false)
    assert.equal((await clients[0].get('/platform/projects')).status, 401, 'at once where it was changed')
    for (const client of clients) await waitFor(async () => ((await client.get('/platform/projects')).status === 401 ? true : undefined))
    for (const stream of streams) await stream.ended()
    await staysOut(account)
    await staysOut(openid.addAccountWith(claims('eva@example.test', [])))
    assert.equal(ok(await scim(1).get<User>(`${USERS}/${id}`)).active, false, 'the attempts activate nobody')
    ok(await scim(1).patch(`${USERS}/${id}`, setting('active', true)))
    assert.equal((await anonymous(app.client).as({ token }).get('/auth/me')).status, 401, 'the former session remains ended')
    assert.equal(
      (
        await anonymous(app.client)
          .as({ token: await enters(account) })
          .get('/platform/projects')
      ).status,
      200,
    )
  })

  await t.test('a user who is created inactive, or deleted, does not sign in until the directory creates an active one', async () => {
    await createResource(scim(0), USERS, named('later@example.test', { active: false }))
    await staysOut(openid.addAccountWith(claims('later@example.test', [])))
    const id = await provision(scim(0), 'gone')
    const account = openid.addAccountWith(claims('gone@example.test', []))
    await enters(account)
    assert.equal((await scim(1).delete(`${USERS}/${id}`)).status, 204)
    await staysOut(account)
    assert.equal(await provision(scim(0), 'gone'), id)
    await enters(account)
  })

  await t.test('the administrators are told of the keys of a user of the provider, at whichever instance the user is deactivated', async () => {
    const member: Actor = await addMember(admin, 'org_admin', 'keys@example.test')
    const session = await enters(openid.addAccountWith(claims(member.email, [])))
    await createKey({ ...member, client: atOrigin({ ...member, token: session }, app.client) }, ['analysis:run'])
    ok(await scim(1).patch(`${USERS}/${member.userId}`, setting('active', false)))
    await waitFor(async () => (await admin.client.get<{ items: { kind: string }[] }>('/notifications')).body.items.find(({ kind }) => kind === 'api_key.owner_left'))
  })

  await t.test('groups that two instances change at once have all their members, and the roles of all of them', async () => {
    await map({ group: 'Busy', role: 'reviewer' })
    const ids = await Promise.all(Array.from({ length: 5 }, (_, at) => provision(scim(at), `busy${at}`)))
    const group = await createResource<Group>(scim(0), GROUPS, { schemas: [GROUP_URN], displayName: 'Busy', members: ids.slice(0, 2).map((value) => ({ value })) })
    const changes = [...ids.slice(2).map((id) => addingMembers(id)), ...ids.slice(0, 2).map((id) => ({ op: 'remove', path: `members[value eq "${id}"]` }))]
    const answers = await Promise.all(changes.map((change, at) => scim(at).patch(`${GROUPS}/${group.id}`, operations(change))))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [204])
    for (const index of [0, 1]) {
      const { members: found, meta } = ok(await scim(index).get<Group>(`${GROUPS}/${group.id}`))
      assert.deepEqual([found!.map(({ value }) => value).sort(), meta.version], [ids.slice(2).sort(), `W/"${1 + changes.length}"`])
    }
    const roles = [ROLE_OF_TOKEN, ROLE_OF_TOKEN, ...ids.slice(2).map(() => 'reviewer')].join()
    await waitFor(async () => ((await Promise.all(ids.map(roleOf))).join() === roles ? true : undefined))
    // A name at both instances at once.
    const raced = await Promise.all(ids.map((_, at) => scim(at).post(GROUPS, { schemas: [GROUP_URN], displayName: 'Raced' })))
    assert.deepEqual(raced.map(({ status }) => status).sort(), [201, ...ids.slice(1).map(() => 409)])
  })
}
