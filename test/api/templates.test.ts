/** The catalog of templates over HTTP. */
import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import { CATEGORIES, KINDS } from '../../server/content/templates/template.js'
import { templateRoutes } from '../../server/content/templates/routes.js'
import type { TemplateCatalogResponse, TemplateRecord } from '../../server/content/templates/schema.js'
import { KEY, LONELY_TOKEN, READER_TOKEN, startHttp, TOKEN, type TestService } from '../server/core/http/support/service.js'

describe('templates', () => {
  let service: TestService
  const get = (path: string, token = TOKEN, headers: Readonly<Record<string, string>> = {}) =>
    service.call('GET', path, { headers: { authorization: `Bearer ${token}`, ...headers } })
  const list = async (query = '', headers: Readonly<Record<string, string>> = {}): Promise<TemplateCatalogResponse> => {
    const { status, body, text } = await get(`/templates${query}`, TOKEN, headers)
    assert.equal(status, 200, text)
    return body
  }
  const ids = async (query: string, headers: Readonly<Record<string, string>> = {}): Promise<string[]> => (await list(query, headers)).templates.map(({ id }) => id)

  before(async () => {
    service = await startHttp({ routes: templateRoutes() })
  })
  after(() => service.close())

  test('the whole catalog is returned, with its categories in their order', async () => {
    const { templates, categories, total } = await list()
    assert.ok(total >= 40)
    assert.equal(templates.length, total)
    assert.deepEqual(
      categories.map(({ id }) => id),
      CATEGORIES,
    )
    assert.equal(
      categories.reduce((sum, { count }) => sum + count, 0),
      total,
    )
    assert.deepEqual(Object.keys(templates[0]), ['id', 'title', 'description', 'category', 'kind', 'platform', 'attack_ids', 'tags', 'xml', 'tips'])
  })

  test('one template equals that in the catalog', async () => {
    const [first] = (await list()).templates
    const { status, body } = await get(`/templates/${first.id}`)
    assert.equal(status, 200)
    assert.deepEqual(body, first)
  })

  test('texts are in the language of the request, identifiers and XML in no language', async () => {
    const read = async (locale: string): Promise<TemplateRecord> => (await get('/templates/ssh-root-login-outside-admin-network', TOKEN, { 'x-locale': locale })).body
    const [english, portuguese] = [await read('en-US'), await read('pt-BR')]
    assert.match(english.title, /^SSH login as root/)
    assert.match(portuguese.title, /^Login SSH como root/)
    assert.notDeepEqual(english.tips, portuguese.tips)
    const same = ({ id, category, kind, platform, attack_ids, tags, xml }: TemplateRecord) => ({ id, category, kind, platform, attack_ids, tags, xml })
    assert.deepEqual(same(english), same(portuguese))
  })

  test('a missing template is reported in the error format, with its detail', async () => {
    const { status, headers, body } = await get('/templates/no-such-template')
    assert.equal(status, 404)
    assert.deepEqual(Object.keys(body).sort(), ['code', 'debug_id', 'detail', 'details', 'hint', 'message'])
    assert.equal(body.code, 'not_found')
    assert.equal(body.detail, 'template_not_found')
    assert.deepEqual(body.details, {})
    assert.equal(body.debug_id, headers['x-request-id'])
    const portuguese = await get('/templates/constructor', TOKEN, { 'x-locale': 'pt-BR' })
    assert.equal(portuguese.status, 404)
    assert.notEqual(portuguese.body.message, body.message)
    for (const id of ['-', '%00', '%F0%9F%94%A5', 'x'.repeat(129)]) assert.equal((await get(`/templates/${id}`)).body.detail, 'template_not_found', id)
  })

  test('filters select the matching templates', async () => {
    for (const category of CATEGORIES) {
      const { templates, categories, total } = await list(`?category=${category}`)
      assert.ok(templates.every((template) => template.category === category))
      assert.deepEqual(categories, [{ id: category, count: total }])
    }
    const all = (await list()).templates
    const leaves = async (query: string, isLeft: (template: TemplateRecord) => boolean): Promise<void> => {
      const left = all.filter(isLeft).map(({ id }) => id)
      assert.notDeepEqual(left, [], query)
      assert.deepEqual(await ids(query), left, query)
    }
    for (const kind of KINDS) await leaves(`?kind=${kind}`, (template) => template.kind === kind)
    await leaves('?platform=aws', ({ platform }) => platform.includes('aws'))
    assert.deepEqual(await ids('?kind=decoder&category=authentication'), [])
    assert.deepEqual(await list('?kind=decoder&category=authentication'), { templates: [], categories: [], total: 0 })
  })

  test('a technique includes its sub-techniques, and not those with a longer number', async () => {
    const below = (await list('?attack_id=T1110')).templates
    assert.ok(below.some(({ attack_ids }) => attack_ids.includes('T1110.003')))
    assert.ok(below.every(({ attack_ids }) => attack_ids.some((id) => id.startsWith('T1110'))))
    const exactly = (await list('?attack_id=T1078.004')).templates
    assert.ok(exactly.length > 0 && exactly.every(({ attack_ids }) => attack_ids.includes('T1078.004')))
    assert.deepEqual(await ids('?attack_id=T9999'), [])
  })

  test('all words must be found, ignoring case and accents, in the language of the request', async () => {
    assert.deepEqual(await ids('?q=KEYCLOAK'), ['keycloak-events'])
    assert.deepEqual(await ids('?q=keycloak%20decoder'), ['keycloak-events'])
    assert.deepEqual(await ids('?q=keycloak%20dropbear'), [])
    assert.ok((await ids('?q=horario', { 'x-locale': 'pt-BR' })).includes('login-outside-business-hours'))
    assert.ok(!(await ids('?q=horario')).includes('login-outside-business-hours'))
    assert.ok((await ids('?q=%20t1110.003%20')).includes('keycloak-events'))
  })

  test('unknown query parameters are refused', async () => {
    for (const query of [
      'category=other',
      'kind=rules',
      'platform=amiga',
      'attack_id=1110',
      'attack_id=T1110.1',
      'q=',
      'limit=10',
      'category=ids&category=cloud',
      `q=${'x'.repeat(101)}`,
    ]) {
      const { status, body } = await get(`/templates?${query}`)
      assert.equal(status, 422, query)
      assert.equal(body.code, 'request_validation_failed')
    }
    assert.equal((await get('/templates/keycloak-events?locale=en')).status, 422)
  })

  test('every member can read it, in an organization and with a session', async () => {
    assert.equal((await get('/templates', READER_TOKEN)).status, 200)
    assert.equal((await get('/templates', LONELY_TOKEN)).status, 403)
    for (const path of ['/templates', '/templates/keycloak-events']) {
      assert.equal((await service.call('GET', path)).status, 401)
      assert.equal((await service.call('GET', path, { headers: { 'x-api-key': KEY } })).status, 401)
      assert.equal((await service.call('POST', path, { headers: { authorization: `Bearer ${TOKEN}` }, json: {} })).status, 405)
    }
  })
})
