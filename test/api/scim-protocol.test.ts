/** What RFC 7644 says about every request, over HTTP: errors (3.12), versions (3.14), attributes of responses (3.9), pages and orders (3.4.2), and PATCH (3.5.2). */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Actor, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer, Client } from '../support/client.js'
import { createResource, createScimToken, type Group, GROUPS, type List, ok, provision, SCIM, scimRefused, type User, USERS } from '../support/provisioning.js'
import { addingMembers, ENTERPRISE_URN, GROUP_URN, LIST_URN, named, operations, PATCH_URN, SEARCH_URN, setting, USER_URN } from '../support/scim-messages.js'
import { DEFAULT_STORE } from '../support/stores.js'

const NOBODYS = '00000000-0000-4000-8000-000000000000'

describe(`the protocol of SCIM, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor
  let scim: Client
  let sequence = 0

  before(async () => {
    app = await startTestApp()
    admin = await bootstrap(app.client)
    scim = (await createScimToken(admin)).client
  })
  after(() => app?.close())

  const fresh = (): string => `p${++sequence}@example.test`
  const user = (further: object = {}): Promise<User> => createResource(scim, USERS, named(fresh(), further))
  const group = (displayName: string, ...ids: readonly string[]): Promise<Group> =>
    createResource(scim, GROUPS, { schemas: [GROUP_URN], displayName, members: ids.map((value) => ({ value })) })
  const put = <Body = User>(path: string, body: object, headers = {}): Promise<Answer<Body>> => scim.call('PUT', path, { body, headers })

  /** Status and `scimType` of refusals, by the method, the path and the body. `{user}`, `{group}`, `{taken}`: identifiers, and a name that is taken. */
  const REFUSALS: readonly (readonly [status: number, scimType: string | undefined, method: string, path: string, body?: unknown])[] = [
    [400, 'invalidFilter', 'GET', '/Users?filter=userName'],
    [400, 'invalidFilter', 'GET', '/Users?filter=shoeSize%20pr'],
    [400, 'invalidFilter', 'GET', '/Users?filter=active%20gt%20true'],
    [400, 'invalidFilter', 'POST', '/.search', { schemas: [SEARCH_URN], filter: '(userName pr' }],
    [400, 'invalidFilter', 'PATCH', '/Users/{user}', setting('emails[type xx "work"].value', 'a@example.test')],
    [409, 'uniqueness', 'POST', '/Users', named('{taken}')],
    [409, 'uniqueness', 'PUT', '/Users/{user}', named('{taken}')],
    [409, 'uniqueness', 'PATCH', '/Users/{user}', setting('userName', '{taken}')],
    [409, 'uniqueness', 'POST', '/Groups', { schemas: [GROUP_URN], displayName: 'a NAME that is taken' }],
    [409, 'uniqueness', 'PATCH', '/Groups/{group}', setting('displayName', 'A name that is taken')],
    [400, 'mutability', 'PATCH', '/Users/{user}', setting('id', NOBODYS)],
    [400, 'mutability', 'PATCH', '/Users/{user}', setting('meta.created', '2020-01-01T00:00:00Z')],
    [400, 'mutability', 'PATCH', '/Users/{user}', operations({ op: 'add', path: 'groups', value: [{ value: '{group}' }] })],
    [400, 'mutability', 'PATCH', '/Users/{user}', operations({ op: 'remove', path: 'userName' })],
    [400, 'mutability', 'PATCH', '/Groups/{group}', operations({ op: 'remove', path: 'displayName' })],
    [400, 'invalidSyntax', 'POST', '/Users', { userName: 'without-schemas@example.test' }],
    [400, 'invalidSyntax', 'POST', '/Users', { schemas: [GROUP_URN], userName: 'wrong-schema@example.test' }],
    [400, 'invalidSyntax', 'PATCH', '/Users/{user}', { schemas: [PATCH_URN], Operations: [] }],
    [400, 'invalidSyntax', 'PATCH', '/Users/{user}', operations({ op: 'move', path: 'title', value: 'x' })],
    [400, 'invalidSyntax', 'PATCH', '/Users/{user}', { Operations: [{ op: 'add', path: 'title', value: 'x' }] }],
    [400, 'invalidSyntax', 'POST', '/Users/.search', { filter: 'userName pr' }],
    [400, 'invalidPath', 'PATCH', '/Users/{user}', setting('shoeSize', 44)],
    [400, 'invalidPath', 'PATCH', '/Users/{user}', setting('emails.shoeSize', 44)],
    [400, 'invalidPath', 'PATCH', '/Users/{user}', setting('name[familyName eq "x"]', 'y')],
    [400, 'invalidPath', 'PATCH', '/Users/{user}', setting('emails value', 'y')],
    [400, 'noTarget', 'PATCH', '/Users/{user}', operations({ op: 'remove' })],
    [400, 'noTarget', 'PATCH', '/Users/{user}', setting('emails[type eq "fax"].value', 'a@example.test')],
    [400, 'invalidValue', 'POST', '/Users', { schemas: [USER_URN], displayName: 'without userName' }],
    [400, 'invalidValue', 'POST', '/Groups', { schemas: [GROUP_URN] }],
    [400, 'invalidValue', 'POST', '/Groups', { schemas: [GROUP_URN], displayName: 'A group of nobody', members: [{ value: NOBODYS }] }],
    [400, 'invalidValue', 'PUT', '/Users/{user}', { schemas: [USER_URN] }],
    [400, 'invalidValue', 'PATCH', '/Users/{user}', setting('active', 'perhaps')],
    [400, 'invalidValue', 'PATCH', '/Users/{user}', operations({ op: 'add', path: 'title' })],
    [
      400,
      'invalidValue',
      'PATCH',
      '/Users/{user}',
      setting('emails', [
        { value: 'a@example.test', primary: true },
        { value: 'b@example.test', primary: true },
      ]),
    ],
    [400, 'invalidValue', 'GET', '/Users?attributes=userName&excludedAttributes=emails'],
    [404, undefined, 'GET', `/Users/${NOBODYS}`],
    [404, undefined, 'PUT', `/Users/${NOBODYS}`, named('nobody@example.test')],
    [404, undefined, 'PATCH', `/Groups/${NOBODYS}`, setting('displayName', 'x')],
    [404, undefined, 'DELETE', `/Groups/${NOBODYS}`],
    [404, undefined, 'GET', '/Schemas/urn:x'],
    [501, undefined, 'POST', '/Bulk', { schemas: [] }],
    [501, undefined, 'GET', '/Me'],
  ]

  test('RFC 7644, 3.12: each error has its status and its keyword, and changes nothing', async () => {
    const target = await user({ title: 'Lead' })
    const names = { user: target.id, taken: (await user()).userName, group: (await group('A group of the errors')).id }
    await group('A name that is taken')
    const filled = (text: string): string => text.replace(/\{(user|taken|group)\}/g, (_, name: keyof typeof names) => names[name])
    const total = ok(await scim.get<List<User>>(`${USERS}?count=0`)).totalResults
    for (const [status, scimType, method, path, body] of REFUSALS) {
      const raw = body === undefined ? {} : { raw: filled(JSON.stringify(body)), headers: { 'Content-Type': 'application/scim+json' } }
      const answer = await scim.call(method, `${SCIM}${filled(path)}`, raw)
      assert.equal(answer.status, status, `${method} ${path} ${JSON.stringify(body)}: ${answer.text}`)
      assert.equal((answer.body as { scimType?: string }).scimType, scimType, `${method} ${path} ${JSON.stringify(body)}: ${answer.text}`)
      scimRefused(answer, status, scimType)
    }
    assert.deepEqual(ok(await scim.get<User>(`${USERS}/${target.id}`)), target)
    assert.equal(ok(await scim.get<List<User>>(`${USERS}?count=0`)).totalResults, total)
  })

  test('RFC 7644, 3.14: conditions on users and groups', async () => {
    const [{ id, userName }, { id: groupId }] = [await user(), await group('Conditions')]
    for (const [path, changed, whole] of [
      [`${USERS}/${id}`, setting('title', 'x'), named(userName, { nickName: 'x' })],
      [`${GROUPS}/${groupId}`, setting('externalId', 'x'), { schemas: [GROUP_URN], displayName: 'Conditions 2' }],
    ] as const) {
      assert.equal((await scim.get(path)).headers.get('etag'), 'W/"1"', path)
      for (const tag of ['W/"1"', '"1"', '*', 'W/"7", W/"1"']) {
        const known = await scim.get(path, { headers: { 'If-None-Match': tag } })
        assert.deepEqual([known.status, known.text, known.headers.get('etag')], [304, '', 'W/"1"'], `${path} ${tag}`)
        // RFC 9110, 13.1.2: a change is refused if its condition is false.
        for (const [method, body] of [
          ['PATCH', changed],
          ['PUT', whole],
          ['DELETE', undefined],
        ] as const)
          scimRefused(await scim.call(method, path, { headers: { 'If-None-Match': tag }, ...(body === undefined ? {} : { body }) }), 412)
      }
      for (const [method, body] of [
        ['PATCH', changed],
        ['PUT', whole],
        ['DELETE', undefined],
      ] as const)
        scimRefused(await scim.call(method, path, { headers: { 'If-Match': 'W/"2"' }, ...(body === undefined ? {} : { body }) }), 412)
      assert.equal((await scim.get(path, { headers: { 'If-None-Match': 'W/"2"' } })).headers.get('etag'), 'W/"1"', 'nothing has changed')
      const patched = await scim.patch(path, changed, { headers: { 'If-Match': 'W/"7", W/"1"', 'If-None-Match': 'W/"2"' } })
      assert.deepEqual([Math.floor(patched.status / 100), patched.headers.get('etag')], [2, 'W/"2"'], patched.text)
      const replaced = await put(path, whole, { 'If-Match': '"2"' })
      assert.deepEqual([replaced.status, replaced.headers.get('etag'), replaced.body.meta.version], [200, 'W/"3"', 'W/"3"'])
      assert.equal((await put(path, whole, { 'If-Match': '*' })).headers.get('etag'), 'W/"3"', 'the same content is no change')
      assert.equal((await scim.delete(path, { headers: { 'If-Match': 'W/"3"' } })).status, 204)
    }
  })

  test('the version of a user changes with the groups, is the same in every response, and is no obstacle to a change of the user', async () => {
    const { id, meta } = await user()
    const path = `${USERS}/${id}`
    const versions: string[] = [meta.version]
    /** The version in all responses, which must be one that the user did not have before. */
    const changedBy = async (change: Promise<unknown>): Promise<void> => {
      await change
      const whole = await scim.get<User>(path)
      const { version } = whole.body.meta
      assert.equal(versions.includes(version), false, version)
      versions.push(version)
      assert.equal(whole.headers.get('etag'), version)
      for (const query of ['?attributes=userName', '?excludedAttributes=groups', '?attributes=meta.version'])
        assert.equal((await scim.get(`${path}${query}`)).headers.get('etag'), version, query)
      const filter = encodeURIComponent(`id eq "${id}"`)
      for (const query of ['', '&excludedAttributes=groups', '&attributes=meta.version'])
        assert.equal(ok(await scim.get<List<User>>(`${USERS}?filter=${filter}${query}`)).Resources[0].meta.version, version, query)
      const found = ok(await scim.get<List<User>>(`${USERS}?filter=${encodeURIComponent(`meta.version eq "${version.replaceAll('"', '\\"')}" and userName pr`)}`))
      assert.ok(
        found.Resources.some((one) => one.id === id),
        'by its version',
      )
      const searched = ok(await scim.post<List<User>>(`${SCIM}/.search`, { schemas: [SEARCH_URN], filter: `id eq "${id}"`, attributes: ['meta'] }))
      assert.equal(searched.Resources[0].meta.version, version)
      for (const former of versions) assert.equal((await scim.get(path, { headers: { 'If-None-Match': former } })).status, former === version ? 304 : 200)
    }
    const one = await group('Versions', id)
    await changedBy(Promise.resolve())
    await changedBy(scim.patch(`${GROUPS}/${one.id}`, setting('displayName', 'Versions 2')))
    await changedBy(group('More versions', id))
    const [beforeChange] = versions.slice(-1)
    await changedBy(scim.delete(`${GROUPS}/${one.id}`))
    assert.equal((await scim.patch(path, setting('title', 'x'), { headers: { 'If-Match': beforeChange } })).status, 200, 'only the groups have changed since')
    scimRefused(await scim.patch(path, setting('title', 'y'), { headers: { 'If-Match': beforeChange } }), 412)
  })

  test('RFC 7644, 3.9: attributes and excludedAttributes hold for every response with a resource', async () => {
    const body = named(fresh(), { title: 'Lead', emails: [{ value: fresh(), type: 'work' }], [ENTERPRISE_URN]: { department: 'SOC', costCenter: '1' } })
    const query = `?attributes=Title,emails.value,${ENTERPRISE_URN}:department`
    const shown = { title: 'Lead', emails: [{ value: body.emails[0].value }], [ENTERPRISE_URN]: { department: 'SOC' } }
    const created = await scim.post<User>(`${USERS}${query}`, body)
    const { id } = created.body
    const expected = { schemas: [USER_URN, ENTERPRISE_URN], id, ...shown }
    assert.deepEqual([created.status, created.body], [201, expected])
    assert.ok(created.headers.get('location')?.endsWith(`${USERS}/${id}`))
    const path = `${USERS}/${id}`
    assert.deepEqual(ok(await scim.get(`${path}${query}`)), expected)
    assert.deepEqual(ok(await put(`${path}${query}`, body)), expected)
    assert.deepEqual(ok(await scim.patch(`${path}${query}`, setting('nickName', 'x'))), expected)
    const filter = `filter=${encodeURIComponent(`id eq "${id}"`)}`
    const list = { schemas: [LIST_URN], totalResults: 1, itemsPerPage: 1, startIndex: 1, Resources: [expected] }
    assert.deepEqual(ok(await scim.get(`${USERS}${query}&${filter}`)), list)
    const search = { schemas: [SEARCH_URN], filter: `id eq "${id}"`, attributes: query.slice('?attributes='.length).split(',') }
    for (const at of [USERS, SCIM]) assert.deepEqual(ok(await scim.post(`${at}/.search`, search)), list)
    // What is always returned cannot be excluded.
    const rest = await scim.get<User>(`${path}?excludedAttributes=id,schemas,meta,emails.type,${ENTERPRISE_URN},nickName,active`)
    assert.deepEqual(ok(rest), { schemas: expected.schemas, id, userName: body.userName, title: 'Lead', emails: [{ value: body.emails[0].value }] })
  })

  test('RFC 7644, 3.4.2.3 and 3.4.2.4: pages begin at 1, counts at 0, and orders take the primary value', async () => {
    const mark = 'Paged'
    const emails = (work: string, home: string) => [
      { value: work, type: 'work' },
      { value: home, type: 'home', primary: true },
    ]
    const names = ['b', 'C', 'a', null]
    for (const [at, familyName] of names.entries())
      await user({
        userType: mark,
        externalId: `page${at}`,
        ...(familyName === null ? {} : { name: { familyName } }),
        emails: emails(`w${9 - at}-${fresh()}`, `h${at}-${fresh()}`),
      })
    const page = async (further: string) => ok(await scim.get<List<User>>(`${USERS}?filter=${encodeURIComponent(`userType eq "${mark}"`)}${further}`))
    const order = async (further: string) => (await page(further)).Resources.map(({ externalId }) => Number(externalId?.slice(-1)))
    for (const startIndex of ['0', '-3', '1', ''])
      assert.deepEqual([(await page(`&startIndex=${startIndex}`)).startIndex, (await order(`&startIndex=${startIndex}`)).length], [1, 4])
    for (const count of ['0', '-1']) {
      const { totalResults, itemsPerPage, Resources } = await page(`&count=${count}`)
      assert.deepEqual([totalResults, itemsPerPage, Resources], [4, 0, []], count)
    }
    const beyond = await page('&startIndex=5')
    assert.deepEqual([beyond.totalResults, beyond.startIndex, beyond.itemsPerPage, beyond.Resources], [4, 5, 0, []])
    assert.deepEqual(await order('&sortBy=name.familyName'), [2, 0, 1, 3], 'in any letter case; without a value last')
    assert.deepEqual(await order('&sortBy=name.familyName&sortOrder=descending'), [3, 1, 0, 2])
    assert.deepEqual(await order('&sortBy=emails'), [0, 1, 2, 3], 'by the primary value')
    assert.deepEqual(await order('&sortBy=emails.value&sortOrder=Descending&startIndex=2&count=2'), [2, 1])
    const { startIndex, Resources } = ok(
      await scim.post<List<User>>(`${USERS}/.search`, { schemas: [SEARCH_URN], filter: `userType eq "${mark}"`, sortBy: 'emails', startIndex: -1, count: 2 }),
    )
    assert.deepEqual([startIndex, Resources.map(({ externalId }) => externalId)], [1, ['page0', 'page1']])
  })

  test('RFC 7644, 3.4.2.2: the store and memory select the same users, for each operator and in groups', async () => {
    const mark = 'Filtered'
    const made = [
      { displayName: 'Ana', externalId: 'E-1', title: 'Lead', emails: ['ana@x.example.test'] },
      { displayName: 'ana maria', externalId: 'e-1', emails: ['maria@x.example.test', 'ana@y.example.test'], active: false },
      { displayName: 'Rui', externalId: 'E-2', title: 'Engineer', emails: ['rui@y.example.test'] },
    ]
    const users: User[] = []
    for (const { emails, ...rest } of made)
      users.push(await user({ ...rest, userType: mark, emails: emails.map((value, at) => ({ value, type: at === 0 ? 'work' : 'home', primary: at === 0 })) }))
    const [created] = users.map(({ meta }) => meta.created)
    const TABLE: readonly (readonly [filter: string, found: readonly number[]])[] = [
      ['displayName eq "ANA"', [0]],
      ['displayName ne "ana"', [1, 2]],
      ['displayName sw "aNa"', [0, 1]],
      ['displayName ew "A"', [0, 1]],
      ['displayName co "N"', [0, 1]],
      ['displayName gt "ana"', [1, 2]],
      ['displayName ge "ana"', [0, 1, 2]],
      ['displayName lt "ana maria"', [0]],
      ['displayName le "ana maria"', [0, 1]],
      ['externalId eq "e-1"', [1]],
      ['externalId eq "E-1"', [0]],
      ['externalId sw "E"', [0, 2]],
      ['title pr', [0, 2]],
      ['not (title pr)', [1]],
      ['title eq null', [1]],
      ['active eq true', [0, 2]],
      ['active ne true', [1]],
      ['active eq "False"', [1]],
      ['active pr', [0, 1, 2]],
      [`meta.created ge "${created}"`, [0, 1, 2]],
      [`meta.created lt "${created}"`, []],
      [`meta.created eq "${created.replace('Z', '+00:00')}" and displayName eq "ana"`, [0]],
      ['emails.value eq "ANA@Y.example.test"', [1]],
      ['emails co "@x."', [0, 1]],
      ['emails[type eq "work" and value co "@y."]', [2]],
      ['emails.type eq "work" and emails.value co "@y."', [1, 2]],
      ['emails[type eq "home" or value sw "rui"]', [1, 2]],
      ['emails[not (type eq "work")]', [1]],
      ['emails[primary eq true].value sw "maria"', [1]],
      ['displayName eq "rui" or displayName eq "ana" and active eq false', [2]],
      ['(displayName eq "rui" or displayName eq "ana") and active eq true', [0, 2]],
      ['not (displayName eq "rui") and active eq true', [0]],
      ['not (displayName eq "rui" or active eq false)', [0]],
    ]
    const indexesOf = ({ Resources }: List<User>) => Resources.map(({ id }) => users.findIndex((one) => one.id === id)).sort()
    for (const [filter, found] of TABLE) {
      const marked = `userType eq "${mark}" and (${filter})`
      assert.deepEqual(indexesOf(ok(await scim.get<List<User>>(`${USERS}?filter=${encodeURIComponent(marked)}`))), found, filter)
      // Without an attribute that the store does not know: where it can, the store selects.
      const own = ok(await scim.get<List<User>>(`${USERS}?filter=${encodeURIComponent(filter)}`))
      assert.deepEqual(
        indexesOf(own).filter((at) => at >= 0),
        found,
        filter,
      )
      const everywhere = ok(await scim.post<List<User>>(`${SCIM}/.search`, { schemas: [SEARCH_URN], filter: marked }))
      assert.deepEqual(indexesOf(everywhere), found, filter)
    }
  })

  test('RFC 7644, 3.5: read-only attributes of a body are ignored; a value that becomes primary takes this from the other', async () => {
    const { id, userName, meta } = await user()
    const path = `${USERS}/${id}`
    const one = await group('Read-only', id)
    const replaced = ok(
      await put(
        path,
        named(userName, { id: NOBODYS, meta: { created: '2000-01-01T00:00:00Z', version: 'W/"99"' }, groups: [{ value: NOBODYS }], title: 'Lead', name: { familyName: 'S' } }),
      ),
    )
    assert.deepEqual([replaced.id, replaced.meta.created, replaced.groups?.map(({ value }) => value), replaced.title], [id, meta.created, [one.id], 'Lead'])
    // Without a path: read-only keys are ignored, sub-attributes that are not named stay.
    const changed = ok(await scim.patch<User>(path, operations({ op: 'replace', value: { id: NOBODYS, groups: [], 'name.givenName': 'A', title: null } }))) as User & {
      name: object
    }
    assert.deepEqual([changed.id, changed.title, changed.name, changed.groups?.length], [id, undefined, { familyName: 'S', givenName: 'A' }, 1])
    const first = { value: 'first@example.test', type: 'work', primary: true }
    const second = { value: 'second@example.test', type: 'home', primary: true }
    ok(await scim.patch(path, operations({ op: 'add', path: 'phoneNumbers', value: [first] })))
    const { phoneNumbers } = ok(await scim.patch<User & { phoneNumbers: object[] }>(path, operations({ op: 'add', path: 'phoneNumbers', value: [second] })))
    assert.deepEqual(phoneNumbers, [{ ...first, primary: false }, second])
    // `active` cannot be without a value.
    assert.equal(ok(await scim.patch<User>(path, operations({ op: 'remove', path: 'active' }))).active, true)
  })

  test('members of a group are added twice, removed twice, and never lost', async () => {
    const [one, two] = [await provision(scim, `m${++sequence}`), await provision(scim, `m${++sequence}`)]
    const { id } = await group('Members', one)
    for (let at = 0; at < 2; at++) assert.equal((await scim.patch(`${GROUPS}/${id}`, operations(addingMembers(one, two)))).headers.get('etag'), 'W/"2"')
    for (let at = 0; at < 2; at++)
      assert.equal((await scim.patch(`${GROUPS}/${id}`, operations({ op: 'remove', path: `members[value eq "${one}"]` }))).headers.get('etag'), 'W/"3"')
    const found = ok(await scim.get<Group>(`${GROUPS}/${id}`))
    assert.deepEqual(
      found.members!.map(({ value }) => value),
      [two],
    )
  })
})
