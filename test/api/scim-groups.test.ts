/** Groups of SCIM over HTTP: their members, names, versions, and concurrent changes. Roles are in scim-roles.test.ts. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Actor, bootstrap, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer, Client } from '../support/client.js'
import { createResource, createScimToken, type Group, GROUPS, type List, ok, provision, SCIM, scimRefused } from '../support/provisioning.js'
import { addingMembers as adding, GROUP_URN, operations, PATCH_URN, SEARCH_URN } from '../support/scim-messages.js'
import { ALL_STORES, SIGNUP } from './steps.js'

const NOBODYS = '00000000-0000-4000-8000-000000000000'

for (const store of ALL_STORES) {
  describe(`groups of SCIM, ${store.name}`, () => {
    let app: TestApp
    let admin: Actor
    let client: Client
    let sequence = 0

    before(async () => {
      app = await startTestApp({ store, env: SIGNUP })
      admin = await bootstrap(app.client)
      client = (await createScimToken(admin)).client
    })
    after(() => app?.close())

    const user = () => provision(client, `user${++sequence}`)
    const create = (displayName: string, ids: readonly string[] = []): Promise<Group> =>
      createResource(client, GROUPS, { schemas: [GROUP_URN], displayName, members: ids.map((value) => ({ value })) })
    const read = async ({ id }: Pick<Group, 'id'>): Promise<Group> => (await client.get<Group>(`${GROUPS}/${id}`)).body
    const idsIn = async (group: Pick<Group, 'id'>): Promise<string[]> => ((await read(group)).members ?? []).map(({ value }) => value).sort()
    const patch = ({ id }: Pick<Group, 'id'>, Operations: readonly object[], headers = {}) =>
      client.call<Group>('PATCH', `${GROUPS}/${id}`, { body: operations(...Operations), headers })
    const find = async (filter: string, further = '') => ok(await client.get<List<Group>>(`${GROUPS}?filter=${encodeURIComponent(filter)}${further}`))

    test('a group is created with its members, and shown at its own address', async () => {
      const [one, two] = [await user(), await user()]
      const answer = await client.post<Group>(GROUPS, {
        schemas: [GROUP_URN, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
        id: 'mine',
        externalId: 'e-1',
        DisplayName: 'Tour Guides',
        members: [{ value: one, display: 'ignored' }, { value: two, type: 'User' }, { value: one }],
        meta: { resourceType: 'Group' },
        unknown: 1,
      })
      assert.equal(answer.status, 201, answer.text)
      const { id, meta, members, ...rest } = answer.body
      assert.deepEqual(rest, { schemas: [GROUP_URN], externalId: 'e-1', displayName: 'Tour Guides' })
      assert.deepEqual(
        members!.map(({ value, $ref, type }) => [value, $ref, type]).sort(),
        [one, two].map((value) => [value, `${app.client.origin}/api/v1${SCIM}/Users/${value}`, 'User']).sort(),
      )
      assert.equal(meta.location, `${app.client.origin}/api/v1${GROUPS}/${id}`)
      assert.deepEqual([answer.headers.get('location'), answer.headers.get('etag'), meta.version, meta.resourceType], [meta.location, 'W/"1"', 'W/"1"', 'Group'])
      assert.deepEqual((await client.get<Group>(meta.location)).body, answer.body)
      assert.equal((await client.get(`${GROUPS}/${id}`, { headers: { 'If-None-Match': 'W/"1"' } })).status, 304)
    })

    test('names are unique in any letter case, in one organization', async () => {
      const first = await create('Analysts')
      scimRefused(await client.post(GROUPS, { schemas: [GROUP_URN], displayName: 'ANALYSTS' }), 409, 'uniqueness')
      const second = await create('Others')
      scimRefused(await patch(second, [{ op: 'replace', path: 'displayName', value: 'analysts' }]), 409, 'uniqueness')
      // Its own name in another letter case is no conflict.
      assert.equal((await patch(first, [{ op: 'Replace', path: 'displayName', value: 'ANALYSTS' }])).status, 204)
      assert.equal((await read(first)).displayName, 'ANALYSTS')
      const elsewhere = await register(app.client, `o${++sequence}`)
      const other = (await createScimToken(elsewhere)).client
      assert.equal((await other.post(GROUPS, { schemas: [GROUP_URN], displayName: 'Analysts' })).status, 201)
    })

    test('another organization sees and changes nothing', async () => {
      const member = await user()
      const group = await create('Secret', [member])
      const other = (await createScimToken(await register(app.client, `o${++sequence}`))).client
      const path = `${GROUPS}/${group.id}`
      const list = await other.get<List<Group>>(GROUPS)
      assert.deepEqual([list.body.totalResults, list.body.Resources], [0, []])
      assert.equal((await other.get<List<Group>>(`${GROUPS}?filter=${encodeURIComponent(`members eq "${member}"`)}`)).body.totalResults, 0)
      scimRefused(await other.get(path), 404)
      scimRefused(await other.call('PATCH', path, { body: { schemas: [PATCH_URN], Operations: [{ op: 'remove', path: 'members' }] } }), 404)
      scimRefused(await other.call('PUT', path, { body: { schemas: [GROUP_URN], displayName: 'x' } }), 404)
      scimRefused(await other.delete(path), 404)
      scimRefused(await other.post(GROUPS, { schemas: [GROUP_URN], displayName: 'Theirs', members: [{ value: member }] }), 400, 'invalidValue')
      assert.deepEqual(await idsIn(group), [member])
    })

    test('members are provisioned users; groups and unknown identifiers are refused, and nothing changes', async () => {
      const [one, group] = [await user(), await create('Strict')]
      for (const member of [{ value: NOBODYS }, { value: group.id, type: 'Group' }, { value: one, type: 'Group' }, { type: 'User' }]) {
        scimRefused(await patch(group, [adding(one), { op: 'add', path: 'members', value: [member] }]), 400, 'invalidValue')
        scimRefused(await client.post(GROUPS, { schemas: [GROUP_URN], displayName: 'Never', members: [member] }), 400, 'invalidValue')
      }
      assert.deepEqual([await idsIn(group), (await read(group)).meta.version, (await find('displayName eq "Never"')).totalResults], [[], 'W/"1"', 0])
    })

    test('PATCH adds and removes members in all spellings, and counts versions', async () => {
      const [a, b, c] = [await user(), await user(), await user()]
      const group = await create('Changing', [a])
      const step = async (operations: readonly object[], expected: readonly string[], version: string) => {
        const answer = await patch(group, operations)
        assert.deepEqual([answer.status, answer.text, answer.headers.get('etag')], [204, '', `W/"${version}"`], answer.text)
        assert.deepEqual([await idsIn(group), (await read(group)).meta.version], [[...expected].sort(), `W/"${version}"`])
      }
      await step([adding(b, c)], [a, b, c], '2')
      // What is there already changes nothing.
      await step([adding(b)], [a, b, c], '2')
      await step([{ op: 'Remove', path: 'members', value: [{ $ref: null, value: b }] }], [a, c], '3')
      await step([{ op: 'remove', path: `members[value eq "${b}"]` }], [a, c], '3')
      await step(
        [
          { op: 'remove', path: `members[value eq "${a}"]` },
          { op: 'Add', path: 'members', value: [{ $ref: null, value: b }] },
        ],
        [b, c],
        '4',
      )
      await step([{ op: 'replace', path: 'members', value: [{ value: a, display: 'x' }] }], [a], '5')
      await step([{ op: 'add', value: { members: [{ value: b }], externalId: 'e' } }], [a, b], '6')
      await step([{ op: 'remove', path: `members[value eq "${a}" or value eq "${c}"]` }], [b], '7')
      await step([{ op: 'replace', value: { id: group.id, displayName: 'Changed' } }], [b], '8')
      await step([{ op: 'remove', path: 'members' }], [], '9')
      const { displayName, externalId, members } = await read(group)
      assert.deepEqual([displayName, externalId, members], ['Changed', 'e', undefined])
      scimRefused(await patch(group, [{ op: 'remove', path: 'displayName' }]), 400, 'mutability')
      scimRefused(await patch(group, [{ op: 'replace', path: 'id', value: 'x' }]), 400, 'mutability')
      scimRefused(await patch(group, [{ op: 'add', path: 'owners', value: 'x' }]), 400, 'invalidPath')
    })

    test('PATCH answers with the group if the request names attributes', async () => {
      const [a, group] = [await user(), await create('Answering')]
      const path = `${GROUPS}/${group.id}`
      const body = { schemas: [PATCH_URN], Operations: [adding(a)] }
      const named = await client.call<Group>('PATCH', `${path}?attributes=displayName,members.value`, { body })
      assert.deepEqual([named.status, named.body], [200, { schemas: [GROUP_URN], id: group.id, displayName: 'Answering', members: [{ value: a }] }])
      const without = await client.call<Group>('PATCH', `${path}?excludedAttributes=members,meta`, { body })
      assert.deepEqual([without.status, without.body], [200, { schemas: [GROUP_URN], id: group.id, displayName: 'Answering' }])
      scimRefused(
        await client.call('PATCH', `${path}?attributes=id&excludedAttributes=members`, { body: { ...body, Operations: [{ op: 'remove', path: 'members' }] } }),
        400,
        'invalidValue',
      )
      assert.deepEqual(await idsIn(group), [a])
    })

    test('PUT replaces the name, the external id and all members', async () => {
      const [a, b] = [await user(), await user()]
      const group = await create('Replaced', [a])
      const put = (body: object) => client.call<Group>('PUT', `${GROUPS}/${group.id}`, { body: { schemas: [GROUP_URN], ...body } })
      const replaced = await put({ id: group.id, displayName: 'Replaced 2', externalId: 'e', members: [{ value: b }] })
      assert.deepEqual([replaced.status, replaced.body.displayName, replaced.body.externalId, replaced.body.members?.map(({ value }) => value)], [200, 'Replaced 2', 'e', [b]])
      assert.equal(replaced.headers.get('etag'), 'W/"2"')
      const emptied = await put({ displayName: 'Replaced 2' })
      assert.deepEqual([emptied.status, emptied.body.members, 'externalId' in emptied.body], [200, undefined, false])
      scimRefused(await put({ members: [] }), 400, 'invalidValue')
      scimRefused(await client.call('PUT', `${GROUPS}/${NOBODYS}`, { body: { schemas: [GROUP_URN], displayName: 'x' } }), 404)
    })

    test('If-Match refuses what was changed meanwhile', async () => {
      const [a, group] = [await user(), await create('Matched')]
      assert.equal((await patch(group, [adding(a)], { 'If-Match': 'W/"1"' })).status, 204)
      scimRefused(await patch(group, [{ op: 'remove', path: 'members' }], { 'If-Match': 'W/"1"' }), 412)
      scimRefused(await client.call('PUT', `${GROUPS}/${group.id}`, { body: { schemas: [GROUP_URN], displayName: 'x' }, headers: { 'If-Match': '"1"' } }), 412)
      scimRefused(await client.delete(`${GROUPS}/${group.id}`, { headers: { 'If-Match': 'W/"1"' } }), 412)
      assert.deepEqual(await idsIn(group), [a])
      assert.equal((await client.delete(`${GROUPS}/${group.id}`, { headers: { 'If-Match': 'W/"2"' } })).status, 204)
      scimRefused(await client.get(`${GROUPS}/${group.id}`), 404)
      scimRefused(await client.delete(`${GROUPS}/${group.id}`), 404)
    })

    test('lists filter, sort and page; members are found by their identifier', async () => {
      const [a, b] = [await user(), await user()]
      const red = await create('Zone Red', [a, b])
      const blue = await create('Zone blue', [b])
      const names = ({ Resources }: List<Group>) => Resources.map(({ displayName }) => displayName)
      assert.deepEqual(names(await find('displayName eq "zone RED"')), ['Zone Red'])
      assert.deepEqual(names(await find('displayName sw "ZONE"', '&sortBy=displayName')), ['Zone blue', 'Zone Red'])
      assert.deepEqual(names(await find('displayName co "one"', '&sortBy=displayName&sortOrder=descending')), ['Zone Red', 'Zone blue'])
      assert.deepEqual(names(await find(`members eq "${a}"`)), ['Zone Red'])
      assert.deepEqual(names(await find(`id eq "${red.id}" and members eq "${b}"`, '&excludedAttributes=members')), ['Zone Red'])
      assert.deepEqual(names(await find(`id eq "${blue.id}" and members eq "${a}"`)), [])
      assert.deepEqual(names(await find(`members[value eq "${b}" and type eq "User"] and not (displayName eq "zone red")`)), ['Zone blue'])
      assert.deepEqual(names(await find(`displayName sw "zone" and not (members.value eq "${a}")`)), ['Zone blue'])
      assert.deepEqual(names(await find('displayName sw "zone" and members pr', '&sortBy=displayName')), ['Zone blue', 'Zone Red'])
      const [found] = (await find(`members eq "${a}"`)).Resources
      assert.deepEqual(found.members!.map(({ value }) => value).sort(), [a, b].sort())
      assert.equal((await find(`members eq "${a}"`, '&attributes=displayName')).Resources[0].members, undefined)
      const page = await find('displayName sw "zone"', '&sortBy=displayName&startIndex=2&count=1')
      assert.deepEqual([page.totalResults, page.itemsPerPage, page.startIndex, names(page)], [2, 1, 2, ['Zone Red']])
      assert.deepEqual((await find('displayName sw "zone"', '&count=0')).totalResults, 2)
      const searched = await client.post<List<Group>>(`${GROUPS}/.search`, {
        schemas: [SEARCH_URN],
        filter: `members eq "${b}"`,
        sortBy: 'displayName',
        attributes: ['displayName'],
      })
      assert.deepEqual([searched.status, names(searched.body)], [200, ['Zone blue', 'Zone Red']])
      scimRefused(await client.get(`${GROUPS}?filter=${encodeURIComponent('owners pr')}`), 400, 'invalidFilter')
      scimRefused(await client.get(`${GROUPS}?count=x`), 400, 'invalidValue')
    })

    test('writers at once: each adds or removes its own member, and all take effect', async () => {
      const ids = await Promise.all(Array.from({ length: 12 }, user))
      const group = await create('Busy', ids.slice(0, 4))
      const changes = [...ids.slice(4).map((id) => adding(id)), ...ids.slice(0, 2).map((id) => ({ op: 'remove', path: `members[value eq "${id}"]` }))]
      const answers: Answer[] = await Promise.all(changes.map((change) => patch(group, [change])))
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [204])
      assert.deepEqual([await idsIn(group), (await read(group)).meta.version], [ids.slice(2).sort(), `W/"${1 + changes.length}"`])
      // The same member, added by all at once.
      const late = await user()
      assert.deepEqual([...new Set((await Promise.all(ids.map(() => patch(group, [adding(late)])))).map(({ status }) => status))], [204])
      assert.deepEqual([await idsIn(group), (await read(group)).meta.version], [[...ids.slice(2), late].sort(), `W/"${2 + changes.length}"`])
      // The same name, created by all at once.
      const created = await Promise.all(ids.map(() => client.post(GROUPS, { schemas: [GROUP_URN], displayName: 'Raced' })))
      assert.deepEqual(created.map(({ status }) => status).sort(), [201, ...ids.slice(1).map(() => 409)])
    })

    test('changes of groups are audited, with the token and the members', async () => {
      const a = await user()
      const group = await create('Audited')
      await patch(group, [adding(a), { op: 'replace', path: 'displayName', value: 'Audited 2' }])
      await client.delete(`${GROUPS}/${group.id}`)
      const { body } = await admin.client.get<{ action: string; actor_type: string; diff: Record<string, { before: unknown; after: unknown }> }[]>(
        `/platform/audit?resource_id=${group.id}`,
      )
      assert.deepEqual(body.map(({ action, actor_type }) => [action, actor_type]).sort(), [
        ['scim_group.created', 'scim_token'],
        ['scim_group.deleted', 'scim_token'],
        ['scim_group.updated', 'scim_token'],
      ])
      const { diff } = body.find(({ action }) => action === 'scim_group.updated')!
      assert.deepEqual(diff, {
        display_name: { before: 'Audited', after: 'Audited 2' },
        member_count: { before: 0, after: 1 },
        members_added: { before: null, after: [a] },
      })
    })
  })
}
