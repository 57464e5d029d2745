/** The SAML preview: the settings, the metadata, and the endpoint that processes nothing. */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Refusal } from '../support/client.js'
import { metadataFaults } from '../support/saml-schema.js'

const BASE = 'https://detection.example.com'
const ACS = '/sso/saml/acs'
const MAX_REQUEST_BYTES = 8 * 1024 * 1024

interface Settings {
  readonly entity_id: string
  readonly acs_url: string
  readonly slo_url: string
  readonly name_id_format: string
}

describe('SAML', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ env: { NATIVE_SERVICE_PUBLIC_BASE_URL: `${BASE}/` } })
  })
  after(() => app?.close())

  test('settings are those of the public address, and of the metadata', async () => {
    const { body } = await app.client.get<Settings>('/sso/saml/sp-config')
    assert.deepEqual(body, {
      entity_id: `${BASE}/api/v1/sso/saml/metadata`,
      acs_url: `${BASE}/api/v1/sso/saml/acs`,
      slo_url: `${BASE}/api/v1/sso/logout`,
      name_id_format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    })
    const metadata = await app.client.get('/sso/saml/metadata')
    assert.equal(metadata.status, 200)
    assert.equal(metadata.headers.get('content-type'), 'application/samlmetadata+xml')
    assert.deepEqual(await metadataFaults(metadata.text), [])
    const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(metadata.text)?.[1]
    assert.deepEqual([attribute('entityID'), attribute('Location')], [body.entity_id, body.acs_url])
    assert.match(metadata.text, new RegExp(`<md:NameIDFormat>${body.name_id_format}</md:NameIDFormat>`))
    // The service processes no logout request.
    assert.doesNotMatch(metadata.text, /SingleLogoutService/)
  })

  test('every address of the settings is one of this service', async () => {
    const { body } = await app.client.get<Settings>('/sso/saml/sp-config')
    const here = (url: string): string => url.replace(BASE, app.client.origin)
    assert.equal((await app.client.get(here(body.entity_id))).status, 200)
    assert.equal((await app.client.post(here(body.acs_url))).status, 501)
    assert.equal((await app.client.post(here(body.slo_url))).status, 302)
  })

  test('a response is answered 501, whatever it is', async () => {
    const admin = await bootstrap(app.client)
    const form = 'application/x-www-form-urlencoded'
    const sent: readonly [string, string | Uint8Array, string?][] = [
      [form, `SAMLResponse=${encodeURIComponent(Buffer.from('<Response/>').toString('base64'))}&RelayState=%2F`],
      ['application/json', '{"a":'],
      ['application/json', '{"a_field_that_nobody_knows":1}'],
      ['text/xml; charset=utf-16', '<Response'],
      ['multipart/form-data; boundary=x', '--x'],
      [form, 'x'.repeat(70_000)],
      [form, Buffer.alloc(1024 * 1024)],
      [form, '', '?RelayState=1&RelayState=2&unknown[$gt]='],
    ]
    const callers = [
      {},
      { Cookie: `service_session=${admin.token}`, Origin: 'https://idp.example.com' },
      { Cookie: 'service_session=a.b.c', Origin: 'null' },
      { Authorization: 'Bearer not a token' },
      { 'X-API-Key': 'svk_wrong', 'X-Org-Id': 'x' },
    ]
    for (const [type, raw, query = ''] of sent) {
      for (const headers of callers) {
        const { status, body, headers: answered, text } = await app.client.call<Refusal>('POST', ACS + query, { raw, headers: { ...headers, 'Content-Type': type } })
        assert.equal(status, 501, text)
        assert.equal(body.code, 'not_implemented')
        assert.equal(answered.get('set-cookie'), null)
      }
    }
    assert.equal((await app.client.get(ACS)).status, 405)
    assert.equal((await app.client.get('/sso/saml/metadata?a=1')).status, 422)
    // The caller with the cookie is still logged in.
    assert.equal((await admin.client.get('/auth/me')).status, 200)
  })

  test('a response is answered before it has arrived, and its length is limited', async () => {
    assert.equal(await announce(MAX_REQUEST_BYTES), 501)
    assert.equal(await announce(MAX_REQUEST_BYTES + 1), 413)
  })

  /** Sends the head of a request and no body. */
  function announce(bytes: number): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest(`${app.client.origin}/api/v1${ACS}`, { method: 'POST', headers: { 'Content-Type': 'text/xml', 'Content-Length': bytes } })
      sent.on('error', reject)
      sent.on('response', (response) => {
        response.resume()
        resolve(response.statusCode)
        sent.destroy()
      })
      sent.flushHeaders()
    })
  }
})
