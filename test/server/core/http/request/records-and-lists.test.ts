/** Versions of records, and pages of lists. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Type from 'typebox'
import { requireMatch } from '../../../../../server/core/etag.js'
import { IF_MATCH_SCHEMA } from '../../../../../server/core/http/request/etag.js'
import { listQuery, pageLinks } from '../../../../../server/core/http/request/list-query.js'
import { defineRoute, PUBLIC } from '../../../../../server/core/http/route.js'
import { startHttp, type TestService } from '../support/service.js'

const common = { tag: 'Test', summary: 'Test', description: 'Test.', access: PUBLIC } as const
const Any = { 200: { description: 'Fine.', schema: Type.Any() } }
const TOTAL = 120
/** The pattern of `If-Match` in the interface document. */
const DECLARED = new RegExp(IF_MATCH_SCHEMA.pattern)
const ListOfThings = listQuery({ sort: ['created_at', 'name'], filters: { status: Type.Optional(Type.Enum(['open', 'closed'])) } })
const routes = [
  defineRoute({ ...common, id: 'get', method: 'GET', path: '/record', responses: Any, etag: true, handle: async () => ({ body: { a: 1 }, etag: 'v7' }) }),
  defineRoute({
    ...common,
    id: 'patch',
    method: 'PATCH',
    path: '/record',
    etag: true,
    ifMatch: true,
    responses: Any,
    handle: async ({ ifMatch }) => {
      requireMatch('v7', ifMatch)
      return { body: { ifMatch }, etag: 'v8' }
    },
  }),
  defineRoute({ ...common, id: 'list', method: 'GET', path: '/list', query: ListOfThings, responses: Any, handle: async ({ query }) => ({ body: query, total: TOTAL }) }),
]

let service: TestService
let named: TestService
before(async () => {
  service = await startHttp({ routes })
  named = await startHttp({ routes, config: { apiPublicBaseUrl: 'https://content.example/api/v1' } })
})
after(() => Promise.all([service.close(), named.close()]))

test('a record has an ETag, and a caller with that version is answered 304', async () => {
  const get = await service.call('GET', '/record')
  assert.equal(get.headers.etag, '"v7"')
  for (const header of ['"v7"', 'W/"v7"', '"v1", "v7"', '*']) {
    const known = await service.call('GET', '/record', { headers: { 'if-none-match': header } })
    assert.equal(known.status, 304, header)
    assert.equal(known.text, '')
    assert.equal(known.headers.etag, '"v7"')
    assert.equal(known.headers['cache-control'], 'no-store')
  }
  for (const header of ['"v8"', 'v7', '']) assert.equal((await service.call('GET', '/record', { headers: { 'if-none-match': header } })).status, 200, header)
})

test('If-Match reaches the handler without its quotes, and an outdated one is 412', async () => {
  const patch = (header?: string) => service.call('PATCH', '/record', { headers: header === undefined ? {} : { 'If-Match': header } })
  assert.deepEqual((await patch()).body, { ifMatch: null })
  assert.deepEqual((await patch('*')).body, { ifMatch: null })
  const changed = await patch('"v7"')
  assert.deepEqual(changed.body, { ifMatch: ['v7'] })
  assert.equal(changed.headers.etag, '"v8"')
  assert.equal((await patch('"v6"')).status, 412)
  assert.equal((await patch('""')).status, 412)
  for (const bad of ['v7', '"v7', 'v7"', '"a" "v7"', '"v7"x', '"v7", b', '*, "v7"', '"v7", *', 'w/"v7"', 'W/ "v7"', '"a"b"', '', ',', ' , ,']) {
    const refused = await patch(bad)
    assert.equal(refused.status, 400, bad)
    assert.match(refused.body.message, /If-Match/)
    assert.doesNotMatch(bad, DECLARED)
  }
})

test('If-Match may list several versions, one of which must match; a weak tag never matches (RFC 9110, 13.1.1)', async () => {
  const patch = (header: string | string[]) => service.call('PATCH', '/record', { headers: { 'If-Match': header } })
  const lists = ['"v6", "v7"', '"v7","v8"', '"v6"\t ,, "v7" ,', ', "v7"', '"a,b", "v7"', 'W/"v7", "v7"', '"", "v7"', ['"v6"', '"v7"']]
  for (const list of lists) {
    assert.equal((await patch(list)).status, 200, String(list))
    assert.match(String(list), DECLARED)
  }
  assert.deepEqual((await patch('"a,b", W/"v6", "é", "v7"')).body, { ifMatch: ['a,b', 'é', 'v7'] })
  for (const list of ['"v6", "v8"', 'W/"v7"', '"v6", W/"v7"', 'W/"v6", W/"v7"', '"v6,v7"', '"v6,", ",v7"']) {
    assert.equal((await patch(list)).status, 412, list)
    assert.match(list, DECLARED)
  }
})

test('the length of If-Match is limited, and blanks cost no time', async () => {
  const patch = (header: string) => service.call('PATCH', '/record', { headers: { 'If-Match': header } })
  const most = `${'"v6", '.repeat(682)}"v7"`
  assert.equal(most.length, 4096)
  assert.equal((await patch(most)).status, 200)
  assert.equal((await patch(`"a", ${most}`)).status, 400)
  assert.equal((await patch(`"v6"${' '.repeat(4000)}, "v7"`)).status, 200)
  for (const filler of [' ', ', ', '"" ']) assert.equal((await patch(`"v7"${filler.repeat(1300)}x`)).status, 400, filler)
})

test('a list has defaults, and reports its total and the neighbouring pages', async () => {
  const first = await service.call('GET', '/list')
  assert.deepEqual(first.body, { limit: 50, offset: 0, sort: 'created_at', order: 'desc' })
  assert.equal(first.headers['x-total-count'], '120')
  assert.equal(first.headers.link, '</api/v1/list?limit=50&offset=0>; rel="first", </api/v1/list?limit=50&offset=50>; rel="next", </api/v1/list?limit=50&offset=100>; rel="last"')
  const middle = await named.call('GET', '/list?offset=50&limit=50&sort=name&order=asc&status=open')
  assert.deepEqual(middle.body, { limit: 50, offset: 50, sort: 'name', order: 'asc', status: 'open' })
  const page = (offset: number): string => `<https://content.example/api/v1/list?offset=${offset}&limit=50&sort=name&order=asc&status=open>`
  assert.equal(middle.headers.link, `${page(0)}; rel="first", ${page(0)}; rel="prev", ${page(100)}; rel="next", ${page(100)}; rel="last"`)
  const beyond = await service.call('GET', '/list?offset=500')
  assert.match(String(beyond.headers.link), /offset=100&limit=50>; rel="prev"/)
  assert.doesNotMatch(String(beyond.headers.link), /next/)
})

test('no link leads to a page that would be refused', () => {
  const link = pageLinks(new URL('http://a/list'), 3_000_000, 200, 1_000_000)
  assert.match(link, /offset=1000000>; rel="last"/)
  assert.doesNotMatch(link, /next/)
  assert.match(pageLinks(new URL('http://a/list'), 3_000_000, 30, 0), /offset=999990>; rel="last"/)
})

test('a forged host appears in no link', async () => {
  assert.doesNotMatch(String((await service.call('GET', '/list', { headers: { host: 'evil.example' } })).headers.link), /evil/)
})

test('parameters of a list are checked against their limits', async () => {
  for (const query of ['limit=0', 'limit=201', 'limit=', 'offset=-1', 'offset=1.5', 'offset=1000001', 'sort=password', 'order=up', 'status=', 'status=other', 'limit=1&limit=1']) {
    assert.equal((await service.call('GET', `/list?${query}`)).status, 422, query)
  }
  assert.equal((await service.call('GET', '/list?limit=200')).status, 200)
})
