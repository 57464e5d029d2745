/** Bodies of POST and PUT: the examples of RFC 7643, section 8, and what is refused or left out. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readResource, replaceResource } from '../../../../../server/features/scim/protocol/read-resource.js'
import { GROUP_TYPE, USER_TYPE } from '../../../../../server/features/scim/protocol/resource-types.js'
import { GROUP_MEMBERS_LIMIT } from '../../../../../server/features/scim/protocol/schemas/group.js'
import { CANDIDATES_LIMIT } from '../../../../../server/features/scim/protocol/store-query.js'
import { MEMBERS_LIMIT } from '../../../../../server/core/tenancy/memberships.js'
import { ENTERPRISE_USER, FULL_USER, MINIMAL_USER, refuses, TOUR_GUIDES } from '../../../../support/scim.js'
import { ENTERPRISE_URN as ENTERPRISE, GROUP_URN as GROUP, USER_URN as USER } from '../../../../support/scim-messages.js'

const user = (fields: object) => readResource(USER_TYPE, { schemas: [USER], userName: 'b', ...fields })

test('RFC 7643, 8.1: a minimal user, without the attributes of the service', () => {
  assert.deepEqual(readResource(USER_TYPE, MINIMAL_USER), { schemas: [USER], userName: 'bjensen@example.com' })
})

test('RFC 7643, 8.2: a full user, without the password', () => {
  const { id, meta, groups, password, ...kept } = FULL_USER
  assert.deepEqual(readResource(USER_TYPE, FULL_USER), kept)
})

test('RFC 7643, 8.3: a user with the enterprise extension', () => {
  const { displayName, ...manager } = ENTERPRISE_USER[ENTERPRISE].manager
  const read = readResource(USER_TYPE, ENTERPRISE_USER)
  assert.deepEqual(read[ENTERPRISE], { ...ENTERPRISE_USER[ENTERPRISE], manager })
  assert.deepEqual(read.schemas, [USER, ENTERPRISE])
})

test('RFC 7643, 8.4: a group', () => {
  const members = TOUR_GUIDES.members.map(({ value }) => ({ value }))
  assert.deepEqual(readResource(GROUP_TYPE, TOUR_GUIDES), { schemas: [GROUP], displayName: 'Tour Guides', members })
})

test('names ignore letter case, and are returned as the schema writes them', () => {
  const body = { SCHEMAS: [USER.toUpperCase()], USERNAME: 'b', Name: { FAMILYNAME: 'J' }, [ENTERPRISE.toUpperCase()]: { DEPARTMENT: 'd' } }
  assert.deepEqual(readResource(USER_TYPE, body), { schemas: [USER, ENTERPRISE], userName: 'b', name: { familyName: 'J' }, [ENTERPRISE]: { department: 'd' } })
})

test('unknown attributes and unassigned values are left out', () => {
  const odd = user({ shoeSize: 9, name: { nick: 'x', givenName: null }, emails: [], title: '', 'urn:example:ext': { a: 1 }, [ENTERPRISE]: { other: 1 }, active: 'True' })
  assert.deepEqual(odd, { schemas: [USER], userName: 'b', active: true })
  const hostile = JSON.parse('{"__proto__": {"x": 1}, "constructor": {"prototype": {}}, "hasOwnProperty": 1, "name": {"__proto__": {"x": 1}}}')
  assert.deepEqual(user(hostile), { schemas: [USER], userName: 'b' })
  assert.deepEqual(user({ emails: ['a@example.com', null, { value: 'A@example.com' }] }).emails, [{ value: 'A@example.com' }])
})

test('a value or a body of another form is refused', () => {
  refuses(() => readResource(USER_TYPE, null), 'body_wrong', 'invalidSyntax')
  refuses(() => readResource(USER_TYPE, [MINIMAL_USER]), 'body_wrong', 'invalidSyntax')
  refuses(() => readResource(USER_TYPE, { userName: 'b' }), 'schema_missing', 'invalidSyntax')
  refuses(() => readResource(USER_TYPE, { schemas: [GROUP], userName: 'b' }), 'schema_missing', 'invalidSyntax')
  refuses(() => readResource(USER_TYPE, { schemas: [USER] }), 'value_missing', 'invalidValue')
  refuses(() => user({ userName: '' }), 'value_missing', 'invalidValue')
  refuses(() => user({ userName: ['b'] }), 'value_wrong', 'invalidValue')
  refuses(() => user({ userName: { value: 'b' } }), 'value_wrong', 'invalidValue')
  refuses(() => user({ name: ['x'] }), 'value_wrong', 'invalidValue')
  refuses(() => user({ title: '\ud800' }), 'value_wrong', 'invalidValue')
  refuses(() => user({ x509Certificates: [{ value: 'not base64!' }] }), 'value_wrong', 'invalidValue')
  refuses(() => user({ [ENTERPRISE]: 'x' }), 'value_wrong', 'invalidValue')
  refuses(
    () =>
      user({
        emails: [
          { value: 'a', primary: true },
          { value: 'b', primary: true },
        ],
      }),
    'values_primary',
    'invalidValue',
  )
  refuses(() => readResource(GROUP_TYPE, { schemas: [GROUP], displayName: 'g', members: [{ type: 'User' }] }), 'value_missing', 'invalidValue')
})

test('values have limits', () => {
  assert.equal(String(user({ title: 'x'.repeat(1024) }).title).length, 1024)
  refuses(() => user({ title: 'x'.repeat(1025) }), 'value_too_long', 'invalidValue')
  refuses(() => user({ emails: Array.from({ length: 101 }, (_, n) => ({ value: `${n}` })) }), 'values_too_many', 'invalidValue')
  refuses(() => user({ ims: Array.from({ length: 70 }, (_, n) => ({ value: `${n}`.padEnd(1000) })) }), 'resource_too_large', 'invalidValue')
  const members = Array.from({ length: GROUP_MEMBERS_LIMIT }, (_, n) => ({ value: `${n}`.padStart(36, '0'), type: 'User' }))
  const group = { schemas: [GROUP], displayName: 'g', members: [...members, ...members].slice(0, GROUP_MEMBERS_LIMIT) }
  assert.equal((readResource(GROUP_TYPE, group).members as []).length, GROUP_MEMBERS_LIMIT)
  refuses(() => readResource(GROUP_TYPE, { ...group, members: [...members, { value: 'one more' }] }), 'values_too_many', 'invalidValue')
})

test('a group can have all members of an organization, and a query can read all', () => {
  assert.deepEqual([GROUP_MEMBERS_LIMIT, CANDIDATES_LIMIT], [MEMBERS_LIMIT, MEMBERS_LIMIT])
  // A directory of 10,000 users fits beside the admin who connects it.
  assert.ok(MEMBERS_LIMIT > 10_000)
})

test('PUT keeps read-only attributes, unassigns what it omits, and tells whether anything changed', () => {
  const current = { ...readResource(USER_TYPE, ENTERPRISE_USER), id: FULL_USER.id, meta: FULL_USER.meta, groups: FULL_USER.groups }
  const replaced = replaceResource(USER_TYPE, current, { schemas: [USER], id: 'another', userName: 'babs', groups: [], meta: {} })
  assert.deepEqual(replaced, { resource: { schemas: [USER], id: FULL_USER.id, userName: 'babs', groups: FULL_USER.groups, meta: FULL_USER.meta }, isChanged: true })
  assert.equal(replaceResource(USER_TYPE, current, ENTERPRISE_USER).isChanged, false)
})
