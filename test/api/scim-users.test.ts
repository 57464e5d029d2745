/** Users of SCIM over HTTP: provisioned, adopted, changed, deactivated, deleted. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Actor, addMember, anonymous, bootstrap, createKey, login, PASSWORD, register } from '../support/actors.js'
import type { TestApp } from '../support/app.js'
import type { Client } from '../support/client.js'
import { createResource, createScimToken, type List, ok, SCIM, scimRefused, type User, USERS } from '../support/provisioning.js'
import { ENTERPRISE_USER, FULL_USER } from '../support/scim.js'
import { ENTERPRISE_URN as ENTERPRISE, named, operations, PATCH_URN as PATCH, SEARCH_URN as SEARCH, setting, USER_URN as USER } from '../support/scim-messages.js'
import { ALL_STORES, refused, SIGNUP, waitFor, withApp } from './steps.js'

interface Stage {
  readonly app: TestApp
  readonly admin: Actor
  readonly scim: Client
  /** Proves a domain of the admin's organization. */
  readonly prove: (domain: string) => Promise<void>
  readonly members: () => Promise<readonly { readonly user_id: string; readonly email: string; readonly display_name: string; readonly role: string }[]>
}

function withStage(store: (typeof ALL_STORES)[number], run: (stage: Stage) => Promise<void>): Promise<void> {
  const texts: string[] = []
  return withApp({ store, env: SIGNUP, readTxt: async () => texts }, async (app) => {
    const admin = await bootstrap(app.client)
    const { client: scim } = await createScimToken(admin)
    const domains = `/platform/organizations/${admin.organizationId}/domains`
    await run({
      app,
      admin,
      scim,
      async prove(domain) {
        const { body } = await admin.client.post<{ id: string; txt_record: { value: string } }>(domains, { domain })
        texts.push(body.txt_record.value)
        assert.equal((await admin.client.post(`${domains}/${body.id}/verify`)).status, 200)
      },
      members: async () => (await admin.client.get<[]>(`/auth/organizations/${admin.organizationId}/members?limit=200`)).body,
    })
  })
}

const filtered = (scim: Client, filter: string, further = '') => scim.get<List<User>>(`${USERS}?filter=${encodeURIComponent(filter)}${further}`)

const created = (scim: Client, body: object): Promise<User> => createResource(scim, USERS, body)

for (const store of ALL_STORES) {
  describe(`users of SCIM, ${store.name}`, { skip: store.skip }, () => {
    test('a created user is a member with an account, and has the location and the tag of the resource', () =>
      withStage(store, async ({ scim, admin, members }) => {
        const { password: _, id: __, meta: ___, groups: ____, ...rest } = ENTERPRISE_USER
        const { displayName: _____, ...manager } = rest[ENTERPRISE].manager
        const sent = { ...rest, [ENTERPRISE]: { ...rest[ENTERPRISE], manager } }
        const answer = await scim.post<User>(USERS, ENTERPRISE_USER)
        assert.equal(answer.status, 201, answer.text)
        const { id, meta, ...shown } = answer.body
        assert.deepEqual(shown, sent)
        assert.deepEqual(shown.schemas, [USER, ENTERPRISE])
        assert.notEqual(id, FULL_USER.id)
        assert.deepEqual([answer.headers.get('location'), answer.headers.get('etag'), meta.resourceType], [meta.location, meta.version, 'User'])
        assert.equal(meta.version, 'W/"1"')
        assert.deepEqual(ok(await scim.get<User>(meta.location)), answer.body)
        const member = (await members()).find(({ user_id }) => user_id === id)
        assert.deepEqual([member?.email, member?.display_name, member?.role], ['bjensen@example.com', 'Babs Jensen', 'read_only'])
        const { body } = await admin.client.get<{ action: string; actor_type: string; actor_name: string }[]>(`/platform/audit?order=asc&limit=200`)
        const entries = body.filter(({ actor_type }) => actor_type === 'scim_token').map(({ action, actor_name }) => [action, actor_name])
        assert.deepEqual(entries.sort(), [
          ['member.added', 'directory'],
          ['scim_user.created', 'directory'],
          ['user.created', 'directory'],
        ])
      }))

    test('the role is that of the token, and the account is that of the primary e-mail, else of userName', () =>
      withStage(store, async ({ admin, members }) => {
        const { client } = await createScimToken(admin, { default_role: 'engineer' })
        await created(client, named('one', { emails: [{ value: 'other@a.example' }, { value: 'one@a.example', primary: true }], name: { givenName: 'O', familyName: 'Ne' } }))
        await created(client, named('Two@a.example', { displayName: ' T\nwo ' }))
        await created(client, named('three', { emails: 'three@a.example' }))
        scimRefused(await client.post(USERS, named('four', { emails: [{ value: 'no address' }] })), 400, 'invalidValue')
        scimRefused(await client.post(USERS, { schemas: [USER], emails: [{ value: 'five@a.example' }] }), 400, 'invalidValue')
        scimRefused(await client.post(USERS, { userName: 'six@a.example' }), 400, 'invalidSyntax')
        const found = (await members()).filter(({ role }) => role === 'engineer').map(({ email, display_name }) => [email, display_name])
        assert.deepEqual(found.sort(), [
          ['Two@a.example', 'T wo'],
          ['one@a.example', 'O Ne'],
          ['three@a.example', 'three'],
        ])
      }))

    test('userName is unique without regard to letter case; of two requests at once one creates the user', () =>
      withStage(store, async ({ scim, members }) => {
        const answers = await Promise.all([...Array(6)].map((_, at) => scim.post(USERS, named(at % 2 === 0 ? 'Twin@a.example' : 'twin@A.example', { nickName: String(at) }))))
        assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409])
        for (const answer of answers.filter(({ status }) => status === 409)) scimRefused(answer, 409, 'uniqueness')
        assert.equal((await members()).length, 2)
        // The same account under another name.
        scimRefused(await scim.post(USERS, named('another', { emails: [{ value: 'twin@a.example' }] })), 409, 'uniqueness')
        const other = await created(scim, named('other@a.example'))
        scimRefused(await scim.patch(`${USERS}/${other.id}`, setting('userName', 'TWIN@a.example')), 409, 'uniqueness')
      }))

    test('members who were not provisioned are found and adopted, with one identifier', () =>
      withStage(store, async ({ scim, admin, members }) => {
        const member = await addMember(admin, 'engineer', 'Invited@a.example')
        const { Resources } = ok(await filtered(scim, 'userName eq "invited@A.example"'))
        assert.deepEqual(
          Resources.map(({ id, userName, active, emails }) => [id, userName, active, emails]),
          [[member.userId, 'Invited@a.example', true, [{ value: 'Invited@a.example', type: 'work', primary: true }]]],
        )
        const second = await addMember(admin, 'engineer', 'second@a.example')
        assert.equal(ok(await scim.get<User>(`${USERS}/${second.userId}`)).userName, 'second@a.example')
        await addMember(admin, 'engineer', 'third@a.example')
        const all = ok(await scim.get<List<User>>(USERS))
        assert.deepEqual([all.totalResults, all.Resources.map(({ userName }) => userName).sort()], [4, ['Invited@a.example', admin.email, 'second@a.example', 'third@a.example']])
        // Adopted by a POST, or by a change; the role remains.
        const adopted = await created(scim, named('third@a.example', { externalId: 'x3' }))
        scimRefused(await scim.post(USERS, named('third@a.example')), 409, 'uniqueness')
        assert.equal(ok(await scim.get<User>(`${USERS}/${adopted.id}`)).externalId, 'x3')
        assert.equal(ok(await scim.patch<User>(`${USERS}/${member.userId}`, setting('externalId', 'x1'))).externalId, 'x1')
        assert.deepEqual((await members()).map(({ role }) => role).sort(), ['engineer', 'engineer', 'engineer', 'org_admin'])
        // Someone else may have the name that a member would get.
        const taken = await created(scim, named('fourth@a.example', { emails: [{ value: 'someone@a.example' }] }))
        const fourth = await addMember(admin, 'engineer', 'fourth@a.example')
        assert.deepEqual([ok(await scim.get<User>(`${USERS}/${fourth.userId}`)).userName, taken.id === fourth.userId], [fourth.userId, false])
      }))

    test('an account of another organization joins only with a proven domain', () =>
      withStage(store, async ({ app, scim, prove }) => {
        const outside = await register(app.client, 'outside', 'ana@b.example')
        assert.match(scimRefused(await scim.post(USERS, named('ana@b.example')), 403).detail, /domain/)
        await prove('b.example')
        assert.equal((await created(scim, named('ana@b.example', { displayName: 'Renamed' }))).id, outside.userId)
        // Its name and its e-mail are not this organization's.
        assert.equal((await outside.client.get<{ user: { display_name: string } }>('/auth/me')).body.user.display_name, 'outside')
        scimRefused(await scim.patch(`${USERS}/${outside.userId}`, setting('emails[primary eq true].value', 'x@b.example')), 400, 'noTarget')
        scimRefused(await scim.patch(`${USERS}/${outside.userId}`, setting('userName', 'new@b.example')), 403)
        ok(await scim.patch(`${USERS}/${outside.userId}`, setting('displayName', 'Renamed again')))
        assert.equal((await outside.client.get<{ user: { display_name: string } }>('/auth/me')).body.user.display_name, 'outside')
      }))

    test('a deactivated user is out at once, everywhere, and is admitted again with the same identifier', () =>
      withStage(store, async ({ app, scim, admin, members }) => {
        const member = await addMember(admin, 'engineer', 'leaving@a.example')
        const second = await login(app.client, member.email)
        await createKey(await addMember(admin, 'org_admin', 'keys@a.example'), ['analysis:run'])
        const path = `${USERS}/${member.userId}`
        // As Entra ID and Okta send it.
        const { active, meta } = ok(await scim.patch<User>(path, { schemas: [PATCH], Operations: [{ op: 'Replace', value: { active: 'False' } }] }))
        assert.equal(active, false)
        for (const { client } of [member, second]) assert.equal((await client.get('/auth/me')).status, 401)
        assert.equal((await members()).length, 2)
        assert.deepEqual(
          ok(await filtered(scim, 'active eq false')).Resources.map(({ id }) => id),
          [member.userId],
        )
        scimRefused(await scim.post(USERS, named(member.email)), 409, 'uniqueness')
        // Without a proven domain the organization may not admit an account that its owner uses.
        scimRefused(await scim.patch(path, setting('active', true)), 403)
        assert.equal(ok(await scim.get<User>(path)).meta.version, meta.version)
        const provisioned = await created(scim, named('own@a.example'))
        for (const state of [false, true, false, true]) assert.equal(ok(await scim.patch<User>(`${USERS}/${provisioned.id}`, setting('active', state))).active, state)
        assert.ok((await members()).some(({ user_id }) => user_id === provisioned.id))
        // PUT without `active` leaves it as it is.
        ok(await scim.patch(`${USERS}/${provisioned.id}`, setting('active', false)))
        assert.equal(ok(await scim.call<User>('PUT', `${USERS}/${provisioned.id}`, { body: named('own@a.example') })).active, false)
        const told = await scim.get(`${USERS}/${provisioned.id}`)
        assert.equal(told.status, 200)
      }))

    test('keys of a deprovisioned user', (t) =>
      withStage(store, async ({ scim, admin, prove }) => {
        const paths = { keys: `/platform/organizations/${admin.organizationId}/api-keys`, policy: `/platform/organizations/${admin.organizationId}/key-policy` }
        const works = async ({ client }: { readonly client: Client }): Promise<boolean> => (await client.get(paths.keys)).status === 200
        const told = (kind: string) =>
          waitFor(async () => (await admin.client.get<{ items: { kind: string; title: string }[] }>('/notifications')).body.items.find((notice) => notice.kind === kind))
        const owners = [await addMember(admin, 'org_admin', 'deactivated@a.example'), await addMember(admin, 'org_admin', 'deleted@a.example')]
        const [ofDeactivated, ofDeleted] = [await createKey(owners[0], ['admin:*'], 'first'), await createKey(owners[1], ['admin:*'], 'second')]
        await t.test('remain, and the administrators are told', async () => {
          ok(await scim.patch(`${USERS}/${owners[0].userId}`, setting('active', false)))
          await told('api_key.owner_left')
          assert.ok(await works(ofDeactivated), 'what an organization runs does not stop because somebody leaves')
        })
        await t.test('end by the policy, also those of users who left before', async () => {
          assert.equal((await admin.client.patch(paths.policy, { end_keys_of_former_members: true })).status, 200)
          assert.deepEqual([await works(ofDeactivated), await works(ofDeleted)], [false, true])
          assert.equal((await scim.delete(`${USERS}/${owners[1].userId}`)).status, 204)
          assert.ok(!(await works(ofDeleted)))
          assert.match((await told('api_key.owner_left_revoked')).title, /: 1$/)
        })
        await t.test('do not come back with the user', async () => {
          await prove('a.example')
          ok(await scim.patch(`${USERS}/${owners[0].userId}`, setting('active', true)))
          assert.ok(!(await works(ofDeactivated)))
          assert.deepEqual((await admin.client.get(paths.keys)).body, [])
        })
        const trail = await admin.client.get<{ resource_name: string }[]>('/platform/audit?action=api_key.revoked')
        assert.deepEqual(trail.body.map(({ resource_name }) => resource_name).sort(), ['first', 'second'])
      }))

    test('a user who is created inactive is no member, and has an identifier', () =>
      withStage(store, async ({ scim, members }) => {
        const user = await created(scim, named('later@a.example', { active: false }))
        assert.deepEqual([user.active, (await members()).length], [false, 1])
        assert.equal(ok(await scim.patch<User>(`${USERS}/${user.id}`, setting('active', true))).id, user.id)
        assert.equal((await members()).length, 2)
      }))

    test('a deleted user is gone and out; the same name can be created again', () =>
      withStage(store, async ({ scim, members }) => {
        const { id } = await created(scim, named('gone@a.example'))
        assert.equal((await scim.delete(`${USERS}/${id}`, { headers: { 'If-Match': 'W/"9"' } })).status, 412)
        assert.equal((await scim.delete(`${USERS}/${id}`, { headers: { 'If-Match': 'W/"1"' } })).status, 204)
        for (const method of ['GET', 'DELETE']) scimRefused(await scim.call(method, `${USERS}/${id}`), 404)
        scimRefused(await scim.patch(`${USERS}/${id}`, setting('title', 'x')), 404)
        assert.equal((await members()).length, 1)
        assert.equal(ok(await filtered(scim, 'userName eq "gone@a.example"')).totalResults, 0)
        assert.equal((await created(scim, named('gone@a.example'))).id, id)
        // Deleted while inactive.
        ok(await scim.patch(`${USERS}/${id}`, setting('active', false)))
        assert.equal((await scim.delete(`${USERS}/${id}`)).status, 204)
      }))

    test('the last administrator cannot be deprovisioned', () =>
      withStage(store, async ({ scim, admin }) => {
        const path = `${USERS}/${admin.userId}`
        assert.match(scimRefused(await scim.patch(path, setting('active', false)), 409).detail, /org_admin/)
        scimRefused(await scim.delete(path), 409)
        assert.equal(ok(await scim.get<User>(path)).active, true)
        assert.equal((await admin.client.get('/auth/me')).status, 200)
      }))

    test('a member who was removed in the service is inactive, and active again when invited', () =>
      withStage(store, async ({ scim, admin }) => {
        const member = await addMember(admin, 'engineer', 'removed@a.example')
        ok(await scim.get(`${USERS}/${member.userId}`))
        const collection = `/auth/organizations/${admin.organizationId}/members`
        const [{ id }] = (await admin.client.get<{ id: string }[]>(`${collection}?user_id=${member.userId}`)).body
        assert.equal((await admin.client.delete(`${collection}/${id}`)).status, 204)
        assert.equal(ok(await scim.get<User>(`${USERS}/${member.userId}`)).active, false)
        assert.equal(ok(await filtered(scim, 'active eq true')).totalResults, 1)
      }))

    test('If-Match and If-None-Match compare weakly', () =>
      withStage(store, async ({ scim }) => {
        const { id, meta } = await created(scim, named('tags@a.example'))
        const path = `${USERS}/${id}`
        for (const tag of [meta.version, '"1"', '*', 'W/"8", W/"1"']) assert.equal((await scim.get(path, { headers: { 'If-None-Match': tag } })).status, 304, tag)
        assert.equal((await scim.get(path, { headers: { 'If-None-Match': 'W/"2"' } })).status, 200)
        const changed = await scim.patch<User>(path, setting('title', 'Lead'), { headers: { 'If-Match': meta.version } })
        assert.deepEqual([changed.status, changed.headers.get('etag'), changed.body.meta.version], [200, 'W/"2"', 'W/"2"'])
        for (const call of ['PATCH', 'PUT', 'DELETE'])
          scimRefused(
            await scim.call(call, path, {
              headers: { 'If-Match': meta.version },
              ...(call === 'DELETE' ? {} : { body: call === 'PUT' ? named('tags@a.example') : setting('title', 'x') }),
            }),
            412,
          )
        scimRefused(await scim.patch(path, setting('title', 'x'), { headers: { 'If-Match': 'nonsense' } }), 400)
        // A request that changes nothing leaves the version.
        assert.equal(ok(await scim.patch<User>(path, setting('title', 'Lead'))).meta.version, 'W/"2"')
      }))

    test('of two writers at once none loses a change', () =>
      withStage(store, async ({ scim }) => {
        const { id } = await created(scim, named('busy@a.example'))
        const attributes = ['title', 'nickName', 'displayName', 'userType', 'locale', 'timezone', 'externalId', 'preferredLanguage']
        await Promise.all(attributes.map(async (name) => ok(await scim.patch(`${USERS}/${id}`, setting(name, `set-${name}`)))))
        const user = ok(await scim.get<Record<string, unknown>>(`${USERS}/${id}`))
        assert.deepEqual(
          attributes.map((name) => user[name]),
          attributes.map((name) => `set-${name}`),
        )
        // Deactivated and changed at once.
        await Promise.all([scim.patch(`${USERS}/${id}`, setting('active', false)), scim.patch(`${USERS}/${id}`, setting('title', 'last'))].map(async (call) => ok(await call)))
        const { active, title } = ok(await scim.get<User>(`${USERS}/${id}`))
        assert.deepEqual([active, title], [false, 'last'])
      }))

    test('lists have exact pages, filters, orders and projections', () =>
      withStage(store, async ({ scim, admin }) => {
        for (let at = 0; at < 7; at++)
          await created(scim, named(`u${at}@a.example`, { externalId: `x${6 - at}`, displayName: at % 2 === 0 ? 'Even' : 'Odd', name: { familyName: `F${9 - at}` } }))
        const names = ({ Resources }: List<User>) => Resources.map(({ userName }) => userName.slice(0, 2))
        const seen: string[] = []
        for (let startIndex = 1; startIndex <= 9; startIndex += 3) {
          const page = ok(await scim.get<List<User>>(`${USERS}?startIndex=${startIndex}&count=3`))
          assert.deepEqual([page.totalResults, page.startIndex, page.itemsPerPage], [8, startIndex, page.Resources.length])
          seen.push(...page.Resources.map(({ userName }) => userName))
        }
        // In the order of creation; the admin is stored by the first list.
        assert.deepEqual(seen, [...Array.from({ length: 7 }, (_, at) => `u${at}@a.example`), admin.email])
        const none = ok(await scim.get<List<User>>(`${USERS}?count=0`))
        assert.deepEqual([none.totalResults, none.Resources], [8, []])
        assert.equal(ok(await scim.get<List<User>>(`${USERS}?startIndex=100`)).totalResults, 8)
        assert.deepEqual(names(ok(await filtered(scim, 'userName sw "u"', '&sortBy=userName&sortOrder=descending&count=2'))), ['u6', 'u5'])
        // Evaluated in memory.
        assert.deepEqual(names(ok(await filtered(scim, 'name.familyName gt "F4" and userName sw "u"', '&sortBy=name.familyName&startIndex=2&count=2'))), ['u3', 'u2'])
        assert.deepEqual(names(ok(await filtered(scim, 'displayName eq "even" and not (externalId eq "x6")', '&sortBy=externalId'))), ['u6', 'u4', 'u2'])
        assert.equal(ok(await filtered(scim, 'externalId eq "X1"')).totalResults, 0)
        assert.equal(ok(await filtered(scim, 'emails[type eq "work" and value eq "admin@example.test"]')).Resources[0].id, admin.userId)
        assert.deepEqual(ok(await scim.get<List<User>>(`${USERS}?attributes=userName&count=1&sortBy=userName`)).Resources, [
          { schemas: [USER], id: admin.userId, userName: admin.email } as unknown as User,
        ])
        assert.deepEqual(Object.keys(ok(await filtered(scim, 'externalId eq "x1"', '&excludedAttributes=meta,name,active')).Resources[0]).sort(), [
          'displayName',
          'externalId',
          'id',
          'schemas',
          'userName',
        ])
        const searched = ok(
          await scim.post<List<User>>(`${USERS}/.search`, { schemas: [SEARCH], filter: 'userName sw "u"', sortBy: 'externalId', count: 2, attributes: ['userName'] }),
        )
        assert.deepEqual([searched.totalResults, names(searched)], [7, ['u6', 'u5']])
        const everywhere = ok(
          await scim.post<List<User>>(`${SCIM}/.search`, {
            schemas: [SEARCH],
            filter: 'userName sw "u" and meta.resourceType eq "User"',
            sortBy: 'userName',
            startIndex: 3,
            count: 2,
          }),
        )
        assert.deepEqual([everywhere.totalResults, names(everywhere)], [7, ['u2', 'u3']])
        assert.equal(ok(await scim.post<List<User>>(`${SCIM}/.search`, { schemas: [SEARCH], filter: 'members pr' })).totalResults, 0)
        // Unknown parameters are ignored; wrong ones are refused.
        assert.equal((await scim.get(`${USERS}?aadOptscim062020=1&filter=`)).status, 200)
        scimRefused(await filtered(scim, 'userName xx "a"'), 400, 'invalidFilter')
        for (const wrong of ['count=many', 'sortBy=nothing', 'sortOrder=up', 'attributes=id&excludedAttributes=id', 'count=1&count=2'])
          scimRefused(await scim.get(`${USERS}?${wrong}`), 400, 'invalidValue')
        scimRefused(await scim.post(`${USERS}/.search`, { filter: 'id pr' }), 400, 'invalidSyntax')
      }))

    test("an account's e-mail follows only where the organization may speak for both", () =>
      withStage(store, async ({ app, scim, admin, prove, members }) => {
        const { id } = await created(scim, named('old@a.example'))
        const emailOf = async (userId: string) => (await members()).find(({ user_id }) => user_id === userId)?.email
        // Nobody has proven that the new address is the organization's.
        scimRefused(await scim.patch(`${USERS}/${id}`, setting('userName', 'victim@b.example')), 403)
        await prove('a.example')
        scimRefused(await scim.patch(`${USERS}/${id}`, setting('userName', 'victim@b.example')), 403)
        ok(await scim.patch(`${USERS}/${id}`, setting('userName', 'New@a.example')))
        assert.equal(await emailOf(id), 'New@a.example')
        const { body } = await admin.client.get<{ action: string; diff: Record<string, unknown> }[]>(`/platform/audit?resource_id=${id}&action=user.updated`)
        assert.deepEqual(body[0].diff, { email: { before: 'old@a.example', after: 'New@a.example' }, display_name: { before: 'old', after: 'New' } })
        // An address of another account, and an account that its owner brought along.
        await register(app.client, 'taken', 'taken@a.example')
        scimRefused(await scim.patch(`${USERS}/${id}`, setting('userName', 'taken@a.example')), 409, 'uniqueness')
        const brought = await addMember(admin, 'engineer', 'own@mailbox.example')
        scimRefused(await scim.patch(`${USERS}/${brought.userId}`, operations({ op: 'replace', path: 'emails', value: [{ value: 'stolen@a.example', primary: true }] })), 403)
        assert.equal(await emailOf(brought.userId), 'own@mailbox.example')
        assert.equal((await anonymous(app.client).post('/auth/login', { email: brought.email, password: PASSWORD })).status, 200)
      }))

    test('the token of another organization sees and changes nothing', () =>
      withStage(store, async ({ app, scim }) => {
        const { id } = await created(scim, named('mine@a.example', { externalId: 'mine' }))
        const other = await register(app.client, 'other')
        const { client } = await createScimToken(other)
        for (const filter of ['userName eq "mine@a.example"', 'externalId eq "mine"', `id eq "${id}"`, 'emails.value eq "mine@a.example"', 'userName pr and externalId pr'])
          assert.equal(ok(await filtered(client, filter)).totalResults, 0, filter)
        assert.deepEqual(
          ok(await client.get<List<User>>(USERS)).Resources.map(({ id: found }) => found),
          [other.userId],
        )
        for (const [method, body] of [
          ['GET', undefined],
          ['PUT', named('mine@a.example')],
          ['PATCH', setting('title', 'x')],
          ['DELETE', undefined],
        ] as const)
          scimRefused(await client.call(method, `${USERS}/${id}`, body === undefined ? {} : { body }), 404)
        scimRefused(await client.post(USERS, named('mine@a.example')), 403)
        assert.equal(ok(await scim.get<User>(`${USERS}/${id}`)).meta.version, 'W/"1"')
        refused(await other.client.get(`/auth/organizations/${other.organizationId}/members/${id}`), 404, 'not_found')
      }))
  })
}
