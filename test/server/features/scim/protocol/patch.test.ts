/** PATCH: the examples of RFC 7644, 3.5.2, what Okta and Entra ID send, refusals and limits. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyPatch, OPERATIONS_LIMIT, PATCH_SCHEMA, readPatch } from '../../../../../server/features/scim/protocol/patch.js'
import type { ChangedResource } from '../../../../../server/features/scim/protocol/read-resource.js'
import type { ScimObject } from '../../../../../server/features/scim/protocol/resource.js'
import { GROUP_TYPE, USER_TYPE } from '../../../../../server/features/scim/protocol/resource-types.js'
import { refuses, TOUR_GUIDES } from '../../../../support/scim.js'
import { ENTERPRISE_URN as ENTERPRISE, GROUP_URN as GROUP, USER_URN as USER } from '../../../../support/scim-messages.js'

const BABS: ScimObject = {
  schemas: [USER],
  id: '2819c223-7f76-453a-919d-413861904646',
  userName: 'bjensen',
  title: 'Guide',
  name: { familyName: 'Jensen', givenName: 'Barbara' },
  emails: [
    { value: 'bjensen@example.com', type: 'work', primary: true },
    { value: 'babs@jensen.org', type: 'home' },
  ],
  addresses: [
    { type: 'work', streetAddress: '100 Universal City Plaza', locality: 'Hollywood', region: 'CA', postalCode: '91608', country: 'USA', primary: true },
    { type: 'home', streetAddress: '456 Hollywood Blvd', locality: 'Hollywood' },
  ],
  active: true,
  meta: { resourceType: 'User', created: '2010-01-23T04:56:22Z' },
}
const GUIDES: ScimObject = { schemas: [GROUP], id: 'g', displayName: 'Tour Guides', members: [{ value: 'm1' }, { value: 'm2' }, { value: 'm3' }] }

const patched = (resource: ScimObject, operations: readonly unknown[], type = USER_TYPE): ChangedResource =>
  applyPatch(type, resource, readPatch({ schemas: [PATCH_SCHEMA], Operations: operations }))
const user = (...operations: unknown[]): ScimObject => patched(BABS, operations).resource
const group = (...operations: unknown[]): ScimObject => patched(GUIDES, operations, GROUP_TYPE).resource
const ids = (resource: ScimObject): unknown => (resource.members as ScimObject[] | undefined)?.map(({ value }) => value)

// RFC 7644, 3.5.2.1.

test('add: a member of a group', () => {
  const added = { op: 'add', path: 'members', value: [{ display: 'Babs Jensen', $ref: 'https://example.com/v2/Users/2819c223', value: '2819c223' }] }
  assert.deepEqual(ids(group(added)), ['m1', 'm2', 'm3', '2819c223'])
})

test('add: attributes without a path', () => {
  const value = { emails: [{ value: 'babs@jensen.org', type: 'home' }], nickname: 'Babs' }
  const { nickName, emails } = patched({ ...BABS, emails: undefined }, [{ op: 'add', value }]).resource
  assert.deepEqual({ nickName, emails }, { nickName: 'Babs', emails: [{ value: 'babs@jensen.org', type: 'home' }] })
})

test('add: the sub-attributes of a complex attribute join those that exist', () => {
  assert.deepEqual(user({ op: 'add', path: 'name', value: { middleName: 'Jane', familyName: null } }).name, { givenName: 'Barbara', middleName: 'Jane' })
  assert.deepEqual(user({ op: 'add', path: 'name.honorificPrefix', value: 'Ms.' }).name, { familyName: 'Jensen', givenName: 'Barbara', honorificPrefix: 'Ms.' })
})

test('add: a value that exists changes nothing', () => {
  assert.equal(patched(GUIDES, [{ op: 'add', path: 'members', value: [{ value: 'm1' }, { value: 'm3', display: 'not stored' }] }], GROUP_TYPE).isChanged, false)
  assert.equal(patched(BABS, [{ op: 'add', path: 'emails', value: { value: 'BJENSEN@example.com', type: 'Work' } }]).isChanged, true)
  assert.equal((user({ op: 'add', path: 'emails', value: { value: 'BJENSEN@example.com', type: 'work' } }).emails as []).length, 2)
  assert.equal(patched(BABS, [{ op: 'replace', path: 'title', value: 'Guide' }]).isChanged, false)
  assert.equal(patched(BABS, [{ op: 'replace', path: 'title', value: 'guide' }]).isChanged, true)
})

test('add: a single-valued attribute is replaced', () => {
  assert.equal(user({ op: 'add', path: 'title', value: 'Head' }).title, 'Head')
})

// RFC 7644, 3.5.2.2.

test('remove: one member of a group', () => {
  assert.deepEqual(ids(group({ op: 'remove', path: 'members[value eq "m2"]' })), ['m1', 'm3'])
})

test('remove: all members of a group', () => {
  assert.equal(group({ op: 'remove', path: 'members' }).members, undefined)
})

test('remove: values by a filter of two conditions', () => {
  assert.deepEqual(user({ op: 'remove', path: 'emails[type eq "work" and value ew "example.com"]' }).emails, [{ value: 'babs@jensen.org', type: 'home' }])
})

test('remove and add: one member for another, in one request', () => {
  const operations = [
    { op: 'remove', path: 'members[value eq "m1"]' },
    { op: 'add', path: 'members', value: [{ value: 'm9' }] },
  ]
  assert.deepEqual(ids(group(...operations)), ['m2', 'm3', 'm9'])
})

test('remove: the last value unassigns the attribute, and sub-attributes are removed alone', () => {
  assert.equal('members' in group({ op: 'remove', path: 'members[value pr]' }), false)
  assert.deepEqual(user({ op: 'remove', path: 'name.givenName' }).name, { familyName: 'Jensen' })
  assert.deepEqual(user({ op: 'remove', path: 'emails[type eq "work"].primary' }).emails, [
    { value: 'bjensen@example.com', type: 'work' },
    { value: 'babs@jensen.org', type: 'home' },
  ])
  assert.equal('name' in user({ op: 'remove', path: 'name' }), false)
  assert.equal(
    patched(BABS, [
      { op: 'remove', path: 'nickName' },
      { op: 'remove', path: 'emails[type eq "other"]' },
    ]).isChanged,
    false,
  )
})

// RFC 7644, 3.5.2.3.

test('replace: all members of a group', () => {
  const value = [
    { display: 'Babs Jensen', $ref: 'https://example.com/v2/Users/2819c223', value: '2819c223' },
    { display: 'James Smith', $ref: 'https://example.com/v2/Users/08e1d05d', value: '08e1d05d' },
  ]
  assert.deepEqual(ids(group({ op: 'replace', path: 'members', value })), ['2819c223', '08e1d05d'])
})

test('replace: one address', () => {
  const value = { type: 'work', streetAddress: '911 Universal City Plaza', locality: 'Hollywood', region: 'CA', postalCode: '91608', country: 'US', primary: true }
  assert.deepEqual((user({ op: 'replace', path: 'addresses[type eq "work"]', value }).addresses as ScimObject[])[0], value)
  const lesser = user({ op: 'replace', path: 'addresses[type eq "work"]', value: { type: 'work', streetAddress: 'x' } })
  assert.deepEqual((lesser.addresses as ScimObject[])[0], { type: 'work', streetAddress: 'x' })
})

test('replace: a sub-attribute of one address', () => {
  const [work, home] = user({ op: 'replace', path: 'addresses[type eq "work"].streetAddress', value: '1010 Broadway Ave' }).addresses as ScimObject[]
  assert.deepEqual([work.streetAddress, work.locality, home.streetAddress], ['1010 Broadway Ave', 'Hollywood', '456 Hollywood Blvd'])
})

test('replace: attributes without a path', () => {
  const value = {
    emails: [
      { value: 'bjensen@example.com', type: 'work', primary: true },
      { value: 'babs@jensen.org', type: 'home' },
    ],
    nickname: 'Babs',
  }
  const { nickName, emails } = patched({ ...BABS, emails: [{ value: 'old@example.com' }] }, [{ op: 'replace', value }]).resource
  assert.deepEqual([nickName, emails], ['Babs', value.emails])
})

test('replace: an attribute without a value is added, and null unassigns', () => {
  assert.equal(user({ op: 'replace', path: 'nickName', value: 'Babs' }).nickName, 'Babs')
  assert.equal('title' in user({ op: 'replace', path: 'title', value: null }), false)
  assert.equal('emails' in user({ op: 'replace', path: 'emails', value: [] }), false)
  assert.equal('title' in user({ op: 'replace', value: { title: '' } }), false)
})

test('replace: a sub-attribute of all values', () => {
  assert.deepEqual(
    (user({ op: 'replace', path: 'addresses.country', value: 'US' }).addresses as ScimObject[]).map(({ country }) => country),
    ['US', 'US'],
  )
})

test('replace: a selection without a match has no target', () => {
  refuses(() => user({ op: 'replace', path: 'emails[type eq "other"].value', value: 'x' }), 'target_missing', 'noTarget')
  refuses(() => user({ op: 'replace', path: 'addresses[type eq "other"]', value: { locality: 'x' } }), 'target_missing', 'noTarget')
})

// RFC 7644, 3.5.2: primary.

test('a value that becomes primary takes this from the former one', () => {
  const primaries = (resource: ScimObject): unknown => (resource.emails as ScimObject[]).map(({ primary }) => primary)
  assert.deepEqual(primaries(user({ op: 'add', path: 'emails', value: [{ value: 'n@example.com', primary: true }] })), [false, undefined, true])
  assert.deepEqual(primaries(user({ op: 'replace', path: 'emails[type eq "home"].primary', value: true })), [false, true])
  refuses(
    () =>
      user({
        op: 'replace',
        path: 'emails',
        value: [
          { value: 'a', primary: true },
          { value: 'b', primary: 'True' },
        ],
      }),
    'values_primary',
    'invalidValue',
  )
})

// Okta and Entra ID.

test('Entra ID: operations with a capital, booleans as texts, and paths as keys', () => {
  assert.equal(user({ op: 'Replace', path: 'active', value: 'False' }).active, false)
  const value = { active: 'False', 'name.familyName': 'Smith', 'emails[type eq "work"].value': 'new@example.com', [`${ENTERPRISE}:department`]: 'Sales', displayName: 'B' }
  const result = user({ op: 'REPLACE', value })
  assert.deepEqual([result.active, (result.name as ScimObject).familyName, result.displayName], [false, 'Smith', 'B'])
  assert.deepEqual((result.emails as ScimObject[])[0], { value: 'new@example.com', type: 'work', primary: true })
  assert.deepEqual(result[ENTERPRISE], { department: 'Sales' })
  assert.deepEqual(result.schemas, [USER, ENTERPRISE])
})

test('Entra ID: add to a selection without a match creates the value', () => {
  const { emails } = patched({ ...BABS, emails: undefined }, [{ op: 'Add', path: 'emails[type eq "work"].value', value: 'b@example.com' }]).resource
  assert.deepEqual(emails, [{ type: 'work', value: 'b@example.com' }])
  const { phoneNumbers } = user({ op: 'Add', path: 'phoneNumbers[type eq "Mobile" and primary eq "True"].value', value: '555' })
  assert.deepEqual(phoneNumbers, [{ type: 'Mobile', primary: true, value: '555' }])
  const { addresses } = patched({ ...BABS, addresses: undefined }, [
    { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'Oslo' },
    { op: 'Add', path: 'addresses[type eq "work"].country', value: 'NO' },
  ]).resource
  assert.deepEqual(addresses, [{ type: 'work', locality: 'Oslo', country: 'NO' }])
  refuses(() => user({ op: 'add', path: 'emails[type ne "work" and type ne "home"].value', value: 'x' }), 'target_missing', 'noTarget')
})

test('Entra ID: the manager as a text, and its removal', () => {
  const managed = user({ op: 'Add', path: `${ENTERPRISE}:manager`, value: '26118915' })
  assert.deepEqual(managed[ENTERPRISE], { manager: { value: '26118915' } })
  const short = user({ op: 'Add', path: 'manager', value: [{ $ref: 'https://example.com/v2/Users/26118915', value: '26118915' }] })
  assert.deepEqual([short[ENTERPRISE], short.schemas], [{ manager: { value: '26118915', $ref: 'https://example.com/v2/Users/26118915' } }, [USER, ENTERPRISE]])
  const removed = patched(managed, [{ op: 'Remove', path: `${ENTERPRISE}:manager` }]).resource
  assert.deepEqual([ENTERPRISE in removed, removed.schemas], [false, [USER]])
  const replaced = patched(managed, [{ op: 'replace', path: `${ENTERPRISE}:manager`, value: [{ value: 'x' }] }]).resource
  assert.deepEqual(replaced[ENTERPRISE], { manager: { value: 'x' } })
})

test('Entra ID: remove with values removes these alone', () => {
  assert.deepEqual(ids(group({ op: 'Remove', path: 'members', value: [{ $ref: null, value: 'm2' }] })), ['m1', 'm3'])
  assert.deepEqual(ids(group({ op: 'remove', path: 'members', value: { value: 'm1' } })), ['m2', 'm3'])
  assert.deepEqual(ids(group({ op: 'remove', path: 'members', value: 'm1' })), ['m2', 'm3'])
  assert.deepEqual(ids(group({ op: 'remove', path: 'members', value: [] })), ['m1', 'm2', 'm3'])
  assert.deepEqual(user({ op: 'remove', path: 'emails', value: [{ value: 'babs@jensen.org', type: 'home' }] }).emails, [
    { value: 'bjensen@example.com', type: 'work', primary: true },
  ])
})

test('Okta: a replacement without a path, with the id; members by their ids', () => {
  const renamed = group({ op: 'replace', value: { id: 'another', displayName: 'Renamed', unknown: 1 } })
  assert.deepEqual([renamed.id, renamed.displayName, 'unknown' in renamed], ['g', 'Renamed', false])
  const operations = [
    { op: 'remove', path: 'members[value eq "m1"]' },
    { op: 'remove', path: 'members[value eq "m2"]' },
    { op: 'add', path: 'members', value: [{ value: 'm4', display: 'u@example.com' }] },
  ]
  assert.deepEqual(ids(group(...operations)), ['m3', 'm4'])
  assert.equal(user({ op: 'replace', value: { active: false } }).active, false)
})

test('names in paths ignore letter case, and may have the URN of the schema', () => {
  assert.deepEqual(ids(group({ op: 'remove', path: 'MEMBERS[Value EQ "m1"]' })), ['m2', 'm3'])
  assert.equal(user({ op: 'replace', path: `${USER}:userName`, value: 'babs' }).userName, 'babs')
  assert.equal((user({ op: 'replace', path: `${USER}:name.familyName`, value: 'X' }).name as ScimObject).familyName, 'X')
  assert.deepEqual(user({ op: 'add', path: ENTERPRISE, value: { department: 'Tours' } })[ENTERPRISE], { department: 'Tours' })
  assert.deepEqual(user({ op: 'add', value: { [ENTERPRISE.toUpperCase()]: { Department: 'Tours' } } })[ENTERPRISE], { department: 'Tours' })
  assert.equal(ENTERPRISE in patched(user({ op: 'add', path: ENTERPRISE, value: { department: 'Tours' } }), [{ op: 'remove', path: ENTERPRISE }]).resource, false)
})

// Refusals (RFC 7644, 3.12).

const REFUSED: readonly (readonly [operation: object, fault: Parameters<typeof refuses>[1], scimType: Parameters<typeof refuses>[2]])[] = [
  [{ op: 'remove' }, 'path_required', 'noTarget'],
  [{ op: 'remove', value: { members: [] } }, 'path_required', 'noTarget'],
  [{ op: 'move', path: 'title', value: 'x' }, 'operation_wrong', 'invalidSyntax'],
  [{ path: 'title', value: 'x' }, 'operation_wrong', 'invalidSyntax'],
  [{ op: 'add', path: ['title'], value: 'x' }, 'operation_wrong', 'invalidSyntax'],
  [{ op: 'add', path: 'title' }, 'operation_value_missing', 'invalidValue'],
  [{ op: 'add', value: 'x' }, 'operation_value_missing', 'invalidValue'],
  [{ op: 'replace', value: [{ title: 'x' }] }, 'operation_value_missing', 'invalidValue'],
  [{ op: 'add', path: 'shoeSize', value: '9' }, 'path_unknown', 'invalidPath'],
  [{ op: 'add', path: 'emails.shoeSize', value: '9' }, 'path_unknown', 'invalidPath'],
  [{ op: 'add', path: 'emails[type eq "work"].shoeSize', value: '9' }, 'path_unknown', 'invalidPath'],
  [{ op: 'add', path: 'password', value: 'x' }, 'path_unknown', 'invalidPath'],
  [{ op: 'add', path: '/title', value: 'x' }, 'path_syntax', 'invalidPath'],
  [{ op: 'add', path: 'tit le', value: 'x' }, 'path_syntax', 'invalidPath'],
  [{ op: 'add', path: 'title[value eq "x"]', value: 'x' }, 'path_filter_unsupported', 'invalidPath'],
  [{ op: 'add', path: 'name[familyName eq "x"]', value: {} }, 'path_filter_unsupported', 'invalidPath'],
  [{ op: 'add', path: 'emails.type[value eq "x"]', value: {} }, 'path_filter_unsupported', 'invalidPath'],
  [{ op: 'remove', path: 'emails[type eq]' }, 'filter_syntax', 'invalidFilter'],
  [{ op: 'remove', path: 'emails[type eq "a"' }, 'filter_syntax', 'invalidFilter'],
  [{ op: 'remove', path: 'emails[type eq "a"].value.x' }, 'filter_syntax', 'invalidFilter'],
  [{ op: 'remove', path: `emails[${'('.repeat(30)}type pr` }, 'filter_too_deep', 'invalidFilter'],
  [{ op: 'remove', path: `emails[${' '.repeat(5000)}type pr]` }, 'filter_too_long', 'invalidFilter'],
  [{ op: 'replace', path: 'id', value: 'x' }, 'attribute_read_only', 'mutability'],
  [{ op: 'remove', path: 'meta.created' }, 'attribute_read_only', 'mutability'],
  [{ op: 'add', path: 'groups', value: [{ value: 'g' }] }, 'attribute_read_only', 'mutability'],
  [{ op: 'add', path: 'schemas', value: ['urn:x'] }, 'attribute_read_only', 'mutability'],
  [{ op: 'add', path: `${ENTERPRISE}:manager.displayName`, value: 'x' }, 'attribute_read_only', 'mutability'],
  [{ op: 'remove', path: 'userName' }, 'attribute_required', 'mutability'],
  [{ op: 'replace', path: 'userName', value: '' }, 'attribute_required', 'mutability'],
  [{ op: 'replace', value: { userName: null } }, 'attribute_required', 'mutability'],
  [{ op: 'replace', path: 'title', value: ['x'] }, 'value_wrong', 'invalidValue'],
  [{ op: 'replace', path: 'title', value: 5 }, 'value_wrong', 'invalidValue'],
  [{ op: 'replace', path: 'title', value: 'a\0b' }, 'value_wrong', 'invalidValue'],
  [{ op: 'replace', path: 'name', value: 'Bob' }, 'value_wrong', 'invalidValue'],
  [{ op: 'replace', path: 'active', value: 'maybe' }, 'value_wrong', 'invalidValue'],
  [{ op: 'replace', path: 'emails', value: [[{ value: 'x' }]] }, 'value_wrong', 'invalidValue'],
  [{ op: 'replace', path: ENTERPRISE, value: 'x' }, 'value_wrong', 'invalidValue'],
  [{ op: 'replace', path: 'title', value: 'x'.repeat(1025) }, 'value_too_long', 'invalidValue'],
  [{ op: 'replace', path: 'emails', value: Array(101).fill({ value: 'x' }) }, 'values_too_many', 'invalidValue'],
  [{ op: 'add', path: 'emails', value: Array.from({ length: 99 }, (_, n) => ({ value: `x${n}` })) }, 'values_too_many', 'invalidValue'],
  [{ op: 'add', value: { x509Certificates: Array.from({ length: 20 }, (_, n) => `${n}${'a'.repeat(4000)}`) } }, 'resource_too_large', 'invalidValue'],
  [{ op: 'add', path: '__proto__', value: { polluted: 1 } }, 'path_unknown', 'invalidPath'],
  [{ op: 'add', path: '__proto__.polluted', value: 'x' }, 'path_unknown', 'invalidPath'],
  [{ op: 'add', path: 'constructor.prototype', value: 'x' }, 'path_unknown', 'invalidPath'],
  [{ op: 'add', path: 'name.__proto__', value: 'x' }, 'path_unknown', 'invalidPath'],
  [{ op: 'add', path: `${ENTERPRISE}:__proto__`, value: 'x' }, 'path_unknown', 'invalidPath'],
]

for (const [operation, fault, scimType] of REFUSED) {
  test(`PATCH is refused with ${scimType}: ${JSON.stringify(operation).slice(0, 90)}`, () => refuses(() => user(operation), fault, scimType))
}

test('members of a group keep their identifier', () => {
  refuses(() => group({ op: 'replace', path: 'members[value eq "m1"].value', value: 'm7' }), 'attribute_immutable', 'mutability')
  refuses(() => group({ op: 'replace', path: 'members[value eq "m1"]', value: { value: 'm7' } }), 'attribute_immutable', 'mutability')
  refuses(() => group({ op: 'remove', path: 'members.value' }), 'attribute_required', 'mutability')
  refuses(() => group({ op: 'add', path: 'members', value: [{ type: 'User' }] }), 'value_missing', 'invalidValue')
})

test('names of JavaScript in values are unknown attributes', () => {
  const value = JSON.parse('{"__proto__": {"polluted": "yes"}, "constructor": {"prototype": {"polluted": "yes"}}, "name": {"__proto__": {"polluted": "yes"}, "givenName": "G"}}')
  assert.deepEqual(user({ op: 'add', value }).name, { familyName: 'Jensen', givenName: 'G' })
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
})

for (const [body, fault] of [
  [null, 'body_wrong'],
  [[], 'body_wrong'],
  [{ Operations: [{ op: 'remove', path: 'title' }] }, 'schema_missing'],
  [{ schemas: 'x', Operations: [] }, 'schema_missing'],
  [{ schemas: [PATCH_SCHEMA] }, 'operations_missing'],
  [{ schemas: [PATCH_SCHEMA], Operations: [] }, 'operations_missing'],
  [{ schemas: [PATCH_SCHEMA], Operations: [5] }, 'operation_wrong'],
  [{ schemas: [PATCH_SCHEMA], Operations: Array(OPERATIONS_LIMIT + 1).fill({ op: 'remove', path: 'title' }) }, 'operations_too_many'],
] as const) {
  test(`a message is refused: ${JSON.stringify(body).slice(0, 80)}`, () => refuses(() => readPatch(body), fault, 'invalidSyntax'))
}

test('a refused operation leaves the resource as it was', () => {
  const before = structuredClone(BABS)
  assert.throws(() => user({ op: 'replace', path: 'emails[type eq "work"].value', value: 'x' }, { op: 'remove', path: 'name.givenName' }, { op: 'remove', path: 'userName' }))
  assert.deepEqual(BABS, before)
})

test('a group of nine thousand members takes two thousand more in one operation, and refuses what costs too many comparisons', () => {
  const members = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => ({ value: `${prefix}${n}` }))
  const large: ScimObject = { ...GUIDES, members: members(9000, 'm') }
  assert.equal((patched(large, [{ op: 'add', path: 'members', value: members(2000, 'n') }], GROUP_TYPE).resource.members as []).length, 11_000)
  refuses(() => patched(large, [{ op: 'add', path: 'members', value: members(2001, 'n') }], GROUP_TYPE), 'values_too_many', 'invalidValue')
  const removals = (count: number) => Array.from({ length: count }, (_, n) => ({ op: 'remove', path: `members[value eq "m${n}"]` }))
  assert.equal((patched(large, removals(200), GROUP_TYPE).resource.members as []).length, 8800)
  const repeated = (count: number, operation: (n: number) => object) => Array.from({ length: count }, (_, n) => operation(n))
  for (const operations of [
    removals(1000),
    repeated(20, () => ({ op: 'remove', path: 'members.type' })),
    repeated(100, (n) => ({ op: 'remove', path: 'members', value: [{ value: `x${n}` }] })),
    repeated(100, () => ({ op: 'add', path: 'members', value: [{ value: 'm1' }] })),
    repeated(80, (n) => ({ op: 'add', path: `members[value eq "m${n}"].type`, value: 'User' })),
    repeated(20, () => ({ op: 'add', path: 'members[value pr]', value: { type: 'User' } })),
  ]) {
    refuses(() => patched(large, operations, GROUP_TYPE), 'too_many_comparisons', 'tooMany')
  }
})

test('read-only attributes of a stored resource stay', () => {
  const { resource, isChanged } = patched(TOUR_GUIDES, [{ op: 'add', path: 'externalId', value: 'e' }], GROUP_TYPE)
  assert.deepEqual([resource.id, resource.meta, resource.externalId, isChanged], [TOUR_GUIDES.id, TOUR_GUIDES.meta, 'e', true])
})
