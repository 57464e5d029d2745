/** SCIM over HTTP: media types, discovery, and refusals in the form of RFC 7644, on every route below its path. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Route } from '../../server/core/http/route.js'
import { SCIM_BODY_BYTES } from '../../server/features/scim/scim/http.js'
import { type Actor, anonymous, bootstrap, createKey } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer, Client } from '../support/client.js'
import { BILLED } from '../support/plans.js'
import { createScimToken, type List, SCIM, type ScimToken, scimRefused } from '../support/provisioning.js'
import { LIST_URN } from '../support/scim-messages.js'
import { DEFAULT_STORE } from '../support/stores.js'
import { withApp } from './steps.js'

const NOBODYS = '00000000-0000-4000-8000-000000000000'

type Discovered = List<{ readonly id: string; readonly meta: { readonly location: string } }>

describe(`SCIM over HTTP, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor
  let token: ScimToken
  let routes: readonly Route[]

  before(async () => {
    app = await startTestApp()
    admin = await bootstrap(app.client)
    token = await createScimToken(admin)
    routes = app.service.routes.filter(({ errorForm }) => errorForm !== undefined)
    assert.ok(routes.length > 10)
  })
  after(() => app?.close())

  const pathOf = ({ path }: Route): string => path.replace(/\{\w+\}/g, NOBODYS)
  const call = (client: Client, route: Route, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    client.call(route.method, pathOf(route), route.body === undefined ? { headers } : { body: Object.values(route.bodyExamples ?? {})[0], headers })

  test('every route below the path is of SCIM, and takes nothing but a token for provisioning', async () => {
    assert.deepEqual(
      app.service.routes.filter(({ path, access }) => path.startsWith(`${SCIM}/`) !== (access.kind === 'scim')).map(({ id }) => id),
      [],
    )
    const { client: key } = await createKey(admin, ['admin:*'])
    const wrong = [
      anonymous(app.client),
      key,
      admin.client,
      anonymous(app.client).as({ token: `scim_${'0'.repeat(40)}` }),
      anonymous(app.client).as({ headers: { Authorization: 'Basic YTpi' } }),
    ]
    for (const route of routes) {
      for (const client of wrong) {
        const answer = await call(client, route)
        scimRefused(answer, 401)
        assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer /)
      }
      assert.notEqual((await call(token.client, route)).status, 401)
    }
  })

  test('a token for provisioning is valid for nothing else', async () => {
    for (const path of ['/auth/me', '/platform/projects', `/platform/organizations/${admin.organizationId}/scim-tokens`])
      assert.equal((await token.client.get(path)).status, 401, path)
  })

  test('unknown paths and methods are refused in the form of SCIM', async () => {
    for (const path of ['', '/', '/Nothing', '/Users/a/b', '/users']) scimRefused(await token.client.get(`${SCIM}${path}`), 404)
    scimRefused(await token.client.get(`${SCIM}/Schemas/%ff`), 400)
    // Other paths are not of SCIM, even if they begin like it.
    for (const path of ['/scim/v2x', '/scim', '/scim/v1/Users']) assert.equal((await token.client.get<{ code: string }>(path)).body.code, 'not_found')
    const wrong = await token.client.call('DELETE', `${SCIM}/Schemas`)
    scimRefused(wrong, 405)
    assert.equal(wrong.headers.get('allow'), 'GET, HEAD, OPTIONS')
  })

  test('bodies are JSON of at most 1 MB, under either media type', async () => {
    const withBody = routes.filter(({ body }) => body !== undefined)
    assert.ok(withBody.length > 3)
    for (const route of withBody) {
      const send = (raw: string, type: string) => token.client.call(route.method, pathOf(route), { raw, headers: { 'Content-Type': type } })
      scimRefused(await send('a=1', 'application/x-www-form-urlencoded'), 415)
      for (const type of ['application/scim+json', 'application/json', 'application/scim+json; charset=utf-8']) {
        scimRefused(await send('{"a":', type), 400, 'invalidSyntax')
        scimRefused(await send('[]', type), 400, 'invalidValue')
        scimRefused(await send('{"__proto__":{}}', type), 400, 'invalidValue')
      }
      scimRefused(await send(`{"a":"${'x'.repeat(SCIM_BODY_BYTES)}"}`, 'application/scim+json'), 413)
      const large = await send(`{"a":"${'x'.repeat(SCIM_BODY_BYTES - 10)}"}`, 'application/scim+json')
      assert.notEqual(large.status, 413)
    }
  })

  test('refusals are in the language of the request', async () => {
    const { detail } = scimRefused(await token.client.get(`${SCIM}/Nothing`, { headers: { 'x-locale': 'pt-BR' } }), 404)
    assert.match(detail, /^Não há nada neste caminho\./)
  })

  test('another organization in X-Org-Id is refused', async () => {
    scimRefused(await token.client.get(`${SCIM}/Schemas`, { organization: NOBODYS }), 403)
  })

  test('RFC 7644, 4: the discovery endpoints answer with lists and single resources, at their own addresses', async () => {
    const config = await token.client.get<{ patch: object; bulk: { supported: boolean }; meta: { location: string } }>(`${SCIM}/ServiceProviderConfig`)
    assert.deepEqual([config.status, config.headers.get('content-type')], [200, 'application/scim+json'])
    assert.deepEqual([config.body.patch, config.body.bulk.supported], [{ supported: true }, false])
    assert.equal(config.body.meta.location, `${app.client.origin}/api/v1${SCIM}/ServiceProviderConfig`)
    for (const [path, ids] of [
      ['/ResourceTypes', ['User', 'Group']],
      ['/Schemas', null],
    ] as const) {
      // Parameters of lists do not apply.
      const { status, body, text } = await token.client.get<Discovered>(`${SCIM}${path}?startIndex=2&count=1&attributes=name&sortBy=name`)
      assert.equal(status, 200, text)
      assert.deepEqual([body.schemas, body.startIndex, body.totalResults], [[LIST_URN], 1, body.Resources.length])
      if (ids !== null)
        assert.deepEqual(
          body.Resources.map(({ id }) => id),
          ids,
        )
      for (const resource of body.Resources) {
        for (const id of [resource.id, resource.id.toUpperCase(), encodeURIComponent(resource.id)])
          assert.deepEqual((await token.client.get(`${SCIM}${path}/${id}`)).body, resource)
        assert.deepEqual((await token.client.get(resource.meta.location)).body, resource)
      }
      scimRefused(await token.client.get(`${SCIM}${path}?filter=${encodeURIComponent('id eq "User"')}`), 403)
      scimRefused(await token.client.get(`${SCIM}${path}/Nothing`), 404)
    }
    scimRefused(await token.client.get(`${SCIM}/ServiceProviderConfig?filter=`), 403)
    assert.equal((await token.client.call('HEAD', `${SCIM}/Schemas`)).status, 200)
  })

  test('optional parts that the service does not have are answered 501', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const sent = method === 'GET' || method === 'DELETE' ? {} : { raw: '{}', headers: { 'Content-Type': 'application/scim+json' } }
      scimRefused(await token.client.call(method, `${SCIM}/Me?attributes=userName`, sent), 501)
    }
    scimRefused(await token.client.post(`${SCIM}/Bulk`, { Operations: [] }), 501)
  })
})

test('a plan without requests left is answered 429 with Retry-After, so that clients send the request again', () =>
  withApp({ env: BILLED }, async (app) => {
    const { client } = await createScimToken(await bootstrap(app.client))
    let answer = await client.get(`${SCIM}/Schemas`)
    for (let sent = 0; sent < 700 && answer.status === 200; sent++) answer = await client.get(`${SCIM}/Schemas`)
    scimRefused(answer, 429)
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
  }))
