/** Projection, order, pages and the messages of lists: RFC 7644, 3.4.2.3 to 3.4.3 and 3.9. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  PAGE_DEFAULT,
  PAGE_LIMIT,
  type QueryParameters,
  listResponse,
  readQuery,
  readSearchRequest,
  SEARCH_SCHEMA,
  selectPage,
} from '../../../../../server/features/scim/protocol/query.js'
import { project, readProjection } from '../../../../../server/features/scim/protocol/projection.js'
import { GROUP_TYPE, USER_TYPE } from '../../../../../server/features/scim/protocol/resource-types.js'
import type { ScimObject } from '../../../../../server/features/scim/protocol/resource.js'
import { ENTERPRISE_USER, FULL_USER, refuses, TOUR_GUIDES } from '../../../../support/scim.js'
import { ENTERPRISE_URN as ENTERPRISE, USER_URN as USER } from '../../../../support/scim-messages.js'

const shown = (attributes?: string | string[], excluded?: string | string[], resource: object = ENTERPRISE_USER): ScimObject =>
  project(USER_TYPE, resource as ScimObject, readProjection(USER_TYPE, attributes, excluded))

test('RFC 7644, 3.9: attributes=userName shows it with what is always returned', () => {
  const { id, userName } = FULL_USER
  assert.deepEqual(shown('userName', undefined, FULL_USER), { schemas: [USER], id, userName })
})

test('attributes: names in any letter case, with URNs, and sub-attributes', () => {
  const { schemas, id } = ENTERPRISE_USER
  assert.deepEqual(shown(`USERNAME, name.FamilyName,emails.value,${USER}:title`), {
    schemas,
    id,
    userName: 'bjensen@example.com',
    name: { familyName: 'Jensen' },
    title: 'Tour Guide',
    emails: [{ value: 'bjensen@example.com' }, { value: 'babs@jensen.org' }],
  })
  assert.deepEqual(shown(`${ENTERPRISE}:department,${ENTERPRISE}:manager.value`)[ENTERPRISE], {
    department: 'Tour Operations',
    manager: { value: '26118915-6090-4610-87e4-49d8ca9f808d' },
  })
  assert.deepEqual(shown(ENTERPRISE)[ENTERPRISE], ENTERPRISE_USER[ENTERPRISE])
  assert.deepEqual(shown(['meta.lastModified', 'name', 'name.givenName']), { schemas, id, name: FULL_USER.name, meta: { lastModified: FULL_USER.meta.lastModified } })
})

test('excludedAttributes: everything else, and never without id and schemas', () => {
  const { password, ...visible } = ENTERPRISE_USER
  const { groups, emails, meta, ...rest } = visible
  assert.deepEqual(shown(undefined, 'groups,emails,meta,id,schemas'), rest)
  const { givenName, ...name } = FULL_USER.name
  assert.deepEqual(shown(undefined, `name.givenName,${ENTERPRISE}`, { ...ENTERPRISE_USER }).name, name)
  assert.equal(ENTERPRISE in shown(undefined, ENTERPRISE), false)
  assert.equal('members' in project(GROUP_TYPE, TOUR_GUIDES as ScimObject, readProjection(GROUP_TYPE, undefined, 'members')), false)
})

test('an attribute that no schema declares is never shown, and unknown names are ignored', () => {
  assert.deepEqual(shown('password,__proto__,constructor,shoeSize'), { schemas: ENTERPRISE_USER.schemas, id: FULL_USER.id })
  assert.equal('password' in shown(), false)
  assert.deepEqual(shown(undefined, '__proto__,shoeSize'), shown())
  refuses(() => shown('userName', 'title'), 'parameters_exclusive', 'invalidValue')
})

const USERS: ScimObject[] = [
  { id: 'd', userName: 'Delta', title: 'b', emails: [{ value: 'z@x' }, { value: 'a@x', primary: true }], active: true, meta: { lastModified: '2020-01-01T00:00:00Z' } },
  { id: 'a', userName: 'alpha', active: false, meta: { lastModified: '2020-01-01T02:00:00+03:00' } },
  { id: 'c', userName: 'Charlie', title: 'a', emails: [{ value: 'b@x' }], meta: { lastModified: '2021-01-01T00:00:00Z' } },
  { id: 'b', userName: 'bravo', title: 'B', emails: [{ value: 'c@x' }], active: true },
]
const ids = (parameters: QueryParameters): string =>
  selectPage(readQuery(USER_TYPE, parameters), USERS)
    .resources.map(({ id }) => String(id))
    .join('')

test('sortBy: letter case as the attribute says, dates as times, the primary value, missing values last', () => {
  assert.equal(ids({}), 'abcd')
  assert.equal(ids({ sortBy: 'userName' }), 'abcd')
  assert.equal(ids({ sortBy: 'USERNAME', sortOrder: 'Descending' }), 'dcba')
  assert.equal(ids({ sortBy: 'title' }), 'cbda')
  assert.equal(ids({ sortBy: 'title', sortOrder: 'descending' }), 'adbc')
  assert.equal(ids({ sortBy: 'emails' }), 'dcba')
  assert.equal(ids({ sortBy: 'emails.value', sortOrder: 'ascending' }), 'dcba')
  assert.equal(ids({ sortBy: 'meta.lastModified' }), 'adcb')
  assert.equal(ids({ sortBy: 'active' }), 'abdc')
  refuses(() => ids({ sortBy: 'shoeSize' }), 'sort_attribute_wrong', 'invalidValue')
  refuses(() => ids({ sortBy: 'name' }), 'sort_attribute_wrong', 'invalidValue')
  refuses(() => ids({ sortBy: '__proto__' }), 'sort_attribute_wrong', 'invalidValue')
  refuses(() => ids({ sortBy: 'userName', sortOrder: 'up' }), 'parameter_wrong', 'invalidValue')
})

test('pages: RFC 7644, 3.4.2.4', () => {
  const page = (startIndex?: string | number, count?: string | number): unknown => {
    const query = readQuery(USER_TYPE, { startIndex, count, attributes: 'id' })
    const { schemas, Resources, ...counts } = listResponse(USER_TYPE, query, selectPage(query, USERS))
    assert.deepEqual(schemas, ['urn:ietf:params:scim:api:messages:2.0:ListResponse'])
    return { ...counts, ids: Resources.map(({ id }) => id) }
  }
  assert.deepEqual(page(), { totalResults: 4, itemsPerPage: 4, startIndex: 1, ids: ['a', 'b', 'c', 'd'] })
  assert.deepEqual(page('2', '2'), { totalResults: 4, itemsPerPage: 2, startIndex: 2, ids: ['b', 'c'] })
  assert.deepEqual(page(4, 10), { totalResults: 4, itemsPerPage: 1, startIndex: 4, ids: ['d'] })
  assert.deepEqual(page(5, 10), { totalResults: 4, itemsPerPage: 0, startIndex: 5, ids: [] })
  assert.deepEqual(page('0', '1'), { totalResults: 4, itemsPerPage: 1, startIndex: 1, ids: ['a'] })
  assert.deepEqual(page('-7', '1'), { totalResults: 4, itemsPerPage: 1, startIndex: 1, ids: ['a'] })
  assert.deepEqual(page(1, 0), { totalResults: 4, itemsPerPage: 0, startIndex: 1, ids: [] })
  assert.deepEqual(page(1, -3), { totalResults: 4, itemsPerPage: 0, startIndex: 1, ids: [] })
  assert.equal(readQuery(USER_TYPE, {}).count, PAGE_DEFAULT)
  assert.equal(readQuery(USER_TYPE, { count: '1000000' }).count, PAGE_LIMIT)
  for (const wrong of ['one', '1.5', '1e3', '9'.repeat(30), ' 1', '0x10']) refuses(() => page(wrong), 'parameter_wrong', 'invalidValue')
  refuses(() => page(1, 1.5), 'parameter_wrong', 'invalidValue')
})

test('a page counts all matches of the filter', () => {
  const query = readQuery(USER_TYPE, { filter: 'title pr', sortBy: 'userName', startIndex: 2, count: 1 })
  const { resources, total } = selectPage(query, USERS)
  assert.deepEqual([resources.map(({ id }) => id), total], [['c'], 3])
})

test('RFC 7644, 3.4.3: a search request has the parameters of a query', () => {
  const body = { schemas: [SEARCH_SCHEMA], attributes: ['displayName', 'userName'], filter: 'displayName sw "smith"', startIndex: 1, count: 10 }
  const { schemas, ...parameters } = body
  assert.deepEqual(readSearchRequest(body), { ...parameters, sortBy: undefined, sortOrder: undefined, excludedAttributes: undefined })
  const query = readQuery(USER_TYPE, readSearchRequest(body))
  assert.deepEqual([query.filter?.kind, query.startIndex, query.count], ['compare', 1, 10])
  refuses(() => readSearchRequest({ filter: 'title pr' }), 'schema_missing', 'invalidSyntax')
  refuses(() => readSearchRequest('x'), 'body_wrong', 'invalidSyntax')
  refuses(() => readSearchRequest({ ...body, filter: 5 }), 'parameter_wrong', 'invalidValue')
  refuses(() => readSearchRequest({ ...body, attributes: [5] }), 'parameter_wrong', 'invalidValue')
  refuses(() => readSearchRequest({ ...body, count: '10' }), 'parameter_wrong', 'invalidValue')
})
