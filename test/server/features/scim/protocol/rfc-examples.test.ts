/** The messages and schemas that RFC 7643 and RFC 7644 print, each as it stands there. Their filters are in filter.test.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSchemaResource, serviceProviderConfig } from '../../../../../server/features/scim/protocol/discovery.js'
import { applyPatch, readPatch } from '../../../../../server/features/scim/protocol/patch.js'
import { listResponse, readQuery, readSearchRequest, selectPage } from '../../../../../server/features/scim/protocol/query.js'
import { readResource, replaceResource } from '../../../../../server/features/scim/protocol/read-resource.js'
import { GROUP_TYPE, USER_TYPE } from '../../../../../server/features/scim/protocol/resource-types.js'
import type { ScimObject } from '../../../../../server/features/scim/protocol/resource.js'
import * as RFC from '../../../../support/scim-rfc.js'
import { FULL_USER, TOUR_GUIDES } from '../../../../support/scim.js'
import { ENTERPRISE_URN as ENTERPRISE, GROUP_URN as GROUP, USER_URN as USER } from '../../../../support/scim-messages.js'

const BASE = 'https://example.com/v2'
const { password, groups, ...BABS } = FULL_USER
const patched = (message: object, resource: object = BABS, type = USER_TYPE): ScimObject => applyPatch(type, resource as ScimObject, readPatch(message)).resource
const inGroup = (message: object, ids: readonly string[]): unknown => {
  const after = patched(message, { ...TOUR_GUIDES, members: ids.map((value) => ({ value })) }, GROUP_TYPE)
  return (after.members as ScimObject[] | undefined)?.map(({ value }) => value)
}
const JENSEN = '2819c223-7f76-453a-919d-413861904646'
const SMITH = '08e1d05d...473d93df9210'

test('RFC 7644, 3.3: the resource of a POST', () => {
  assert.deepEqual(readResource(USER_TYPE, RFC.POST_REQUEST), RFC.POST_REQUEST)
})

test('RFC 7644, 3.5.1: a PUT replaces the attributes of the client, and empty lists unassign', () => {
  const { resource, isChanged } = replaceResource(USER_TYPE, { ...BABS, roles: [{ value: 'r' }] }, RFC.PUT_REQUEST)
  const { roles, ...sent } = RFC.PUT_REQUEST
  assert.deepEqual([resource, isChanged], [{ ...sent, meta: BABS.meta }, true])
})

test('RFC 7644, 3.4.2: a response with the attributes that a client names', () => {
  const users = [
    { schemas: [USER], id: JENSEN, userName: 'bjensen', title: 'Guide' },
    { schemas: [USER], id: 'c75ad752-64ae-4823-840d-ffa80929976c', userName: 'jsmith' },
  ]
  const query = readQuery(USER_TYPE, { attributes: 'userName' })
  const { schemas, totalResults, Resources } = listResponse(USER_TYPE, query, selectPage(query, users))
  // The RFC's example leaves out `schemas`, which its section 3.9 always returns.
  assert.deepEqual([schemas, totalResults], [['urn:ietf:params:scim:api:messages:2.0:ListResponse'], 2])
  assert.deepEqual(
    Resources,
    users.map(({ schemas, id, userName }) => ({ schemas, id, userName })),
  )
})

test('RFC 7644, 3.4.3: the search of the RFC finds displayName by its beginning', () => {
  const people = ['Smith, James', 'SMITH Family', 'A Smith'].map((displayName, n) => ({ schemas: [USER], id: `u${n}`, userName: `u${n}`, displayName }))
  const query = readQuery(USER_TYPE, readSearchRequest(RFC.SEARCH_REQUEST))
  const { totalResults, startIndex, Resources } = listResponse(USER_TYPE, query, selectPage(query, people))
  assert.deepEqual([totalResults, startIndex, Resources.map(({ displayName }) => displayName)], [2, 1, ['Smith, James', 'SMITH Family']])
})

test('RFC 7644, 3.5.2.1: add', () => {
  assert.deepEqual(inGroup(RFC.ADD_MEMBER, ['m']), ['m', JENSEN])
  const { nickName, emails } = patched(RFC.ADD_ATTRIBUTES, { ...BABS, nickName: undefined, emails: undefined })
  assert.deepEqual([nickName, emails], ['Babs', [{ value: 'babs@jensen.org', type: 'home' }]])
})

test('RFC 7644, 3.5.2.2: remove', () => {
  assert.deepEqual(inGroup(RFC.REMOVE_MEMBER, ['m', '2819c223-7f76-...413861904646']), ['m'])
  assert.deepEqual(inGroup(RFC.REMOVE_MEMBERS, ['m', JENSEN]), undefined)
  assert.deepEqual(patched(RFC.REMOVE_EMAIL).emails, [{ value: 'babs@jensen.org', type: 'home' }])
  assert.deepEqual(inGroup(RFC.EXCHANGE_MEMBER, ['2819c223...919d-413861904646', 'm']), ['m', SMITH])
})

test('RFC 7644, 3.5.2.3: replace', () => {
  assert.deepEqual(inGroup(RFC.REPLACE_MEMBERS, ['m']), ['2819c223...413861904646', SMITH])
  const [{ value }] = RFC.REPLACE_ADDRESS.Operations
  assert.deepEqual(patched(RFC.REPLACE_ADDRESS).addresses, [value, BABS.addresses[1]])
  assert.deepEqual(patched(RFC.REPLACE_STREET).addresses, [{ ...BABS.addresses[0], streetAddress: '1010 Broadway Ave' }, BABS.addresses[1]])
  const replaced = patched(RFC.REPLACE_ATTRIBUTES, { ...BABS, emails: [{ value: 'old@example.com' }], nickName: 'B' })
  assert.deepEqual([replaced.emails, replaced.nickName], [RFC.REPLACE_ATTRIBUTES.Operations[0].value.emails, 'Babs'])
})

/** What the RFC says about an attribute that says no more than its name. */
const ASSUMED = { type: 'string', multiValued: false, required: false, caseExact: false, mutability: 'readWrite', returned: 'default', uniqueness: 'none' }

/** `path.characteristic: here, not there` for each difference; an attribute that only one side has: its path. */
function differences(here: readonly ScimObject[], rfc: Readonly<Record<string, RFC.Characteristics>>, prefix = ''): string[] {
  const names = new Set([...Object.keys(rfc), ...here.map(({ name }) => String(name))])
  return [...names].flatMap((name) => {
    const own = here.find((one) => one.name === name)
    const path = `${prefix}${name}`
    if (own === undefined || rfc[name] === undefined) return [path]
    const { sub = {}, ...characteristics } = rfc[name]
    const expected = { ...ASSUMED, ...characteristics }
    const found = Object.entries(expected).flatMap(([key, value]) => {
      // The service publishes caseExact for texts alone, as the RFC's own schemas do.
      if (key === 'caseExact' && own[key] === undefined && ['boolean', 'complex'].includes(expected.type)) return []
      return JSON.stringify(own[key]) === JSON.stringify(value) ? [] : [`${path}.${key}: ${JSON.stringify(own[key])}, not ${JSON.stringify(value)}`]
    })
    return [...found, ...differences((own.subAttributes ?? []) as ScimObject[], sub, `${path}.`)]
  })
}
const differing = (urn: string, rfc: Readonly<Record<string, RFC.Characteristics>>): string[] => differences(findSchemaResource(urn, BASE)?.attributes as ScimObject[], rfc).sort()

test('RFC 7643, 8.7.1: the schemas differ from those of the RFC in these places only', () => {
  // Identifiers and addresses are compared with their letter case. There is no password, and groups have no groups as members.
  assert.deepEqual(differing(USER, RFC.USER_ATTRIBUTES), [
    'groups.$ref.caseExact: true, not false',
    'groups.$ref.referenceTypes: ["Group"], not ["User","Group"]',
    'groups.type.canonicalValues: ["direct"], not ["direct","indirect"]',
    'groups.value.caseExact: true, not false',
    'password',
    'profileUrl.caseExact: true, not false',
  ])
  // Entra ID sends the manager's identifier without the address.
  assert.deepEqual(differing(ENTERPRISE, RFC.ENTERPRISE_ATTRIBUTES), [
    'manager.$ref.caseExact: true, not false',
    'manager.$ref.required: false, not true',
    'manager.value.caseExact: true, not false',
    'manager.value.required: false, not true',
  ])
  // The RFC says REQUIRED of displayName in its text (4.2), and false in its schema. The address of a member follows from its identifier.
  assert.deepEqual(differing(GROUP, RFC.GROUP_ATTRIBUTES), [
    'displayName.required: true, not false',
    'members.$ref.caseExact: true, not false',
    'members.$ref.mutability: "readOnly", not "immutable"',
    'members.$ref.referenceTypes: ["User"], not ["User","Group"]',
    'members.type.canonicalValues: ["User"], not ["User","Group"]',
    'members.value.caseExact: true, not false',
    'members.value.required: true, not false',
  ])
})

test('RFC 7643, 8.5: the configuration has the members of the RFC', () => {
  const config = serviceProviderConfig(BASE)
  const members = ['patch', 'bulk', 'filter', 'changePassword', 'sort', 'etag', 'authenticationSchemes', 'meta', 'schemas']
  assert.deepEqual(Object.keys(config).sort(), members.sort())
  assert.deepEqual(config.filter, { supported: true, maxResults: 200 })
  const [scheme] = config.authenticationSchemes as ScimObject[]
  assert.deepEqual([scheme.type, scheme.name, scheme.primary], ['oauthbearertoken', 'OAuth Bearer Token', true])
})
