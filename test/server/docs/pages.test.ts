/** Access to the interface document, and that its pages load nothing from other hosts. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { pages } from '../../../server/docs/pages.js'
import { healthRoutes } from '../../../server/core/http/health-routes.js'
import { ADMIN_TOKEN, fakeAuthenticate, KEY, startHttp, type TestService, TOKEN } from '../core/http/support/service.js'

async function exposed(docsExposure: 'off' | 'admin' | 'public', run: (service: TestService) => Promise<void>): Promise<void> {
  const page = pages({
    config: { docsExposure, apiPublicBaseUrl: null },
    address: { api: 'http://127.0.0.1:18080/api/v1' },
    routes: healthRoutes,
    authenticate: fakeAuthenticate,
    version: '1.2.3',
  })
  const service = await startHttp({ routes: healthRoutes, pages: page })
  try {
    await run(service)
  } finally {
    await service.close()
  }
}

const PAGES = ['/openapi.json', '/docs', '/redoc', '/docs/schemas', '/redoc/requests']

test('off: the pages do not exist, not even for an admin', () =>
  exposed('off', async (service) => {
    for (const path of PAGES) assert.equal((await service.call('GET', path, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })).status, 404)
  }))

test('admin: a platform admin sees the pages, and others get 404', () =>
  exposed('admin', async (service) => {
    for (const path of [...PAGES, '/docs/page.css', '/docs/try.js']) {
      const sent: Record<string, string>[] = [{}, { 'x-api-key': KEY }, { authorization: `Bearer ${TOKEN}` }, { authorization: 'Bearer wrong' }, { authorization: 'Basic x' }]
      for (const headers of sent) {
        const answer = await service.call('GET', path, { headers })
        assert.equal(answer.status, 404)
        assert.equal(answer.body.code, 'not_found')
      }
      assert.equal((await service.call('GET', path, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })).status, 200)
      assert.equal((await service.call('GET', path, { headers: { cookie: `service_session=${ADMIN_TOKEN}` } })).status, 200)
    }
  }))

test('public: the pages load everything from this service', () =>
  exposed('public', async (service) => {
    const document = await service.call('GET', '/openapi.json')
    assert.equal(document.body.openapi, '3.1.0')
    assert.equal(document.body.info.version, '1.2.3')
    assert.ok(document.body.paths['/health'])
    for (const path of ['/docs', '/redoc']) {
      const page = await service.call('GET', path)
      assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
      assert.match(
        String(page.headers['content-security-policy']),
        path === '/docs' ? /^default-src 'none';.* script-src 'self'; connect-src 'self'$/ : /^default-src 'none';(?!.*script-src)/,
      )
      assert.doesNotMatch(String(page.headers['content-security-policy']), /unsafe|\*|data:|blob:/)
      assert.equal(page.headers['x-frame-options'], 'DENY')
      const head = page.text.slice(0, page.text.indexOf('<body>'))
      const loaded = [...head.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link)
      assert.deepEqual(loaded, ['docs/icon.svg', 'docs/page.css', ...(path === '/docs' ? ['docs/try.js'] : [])])
      for (const link of [...loaded, 'openapi.json', 'docs', 'redoc']) {
        const asset = await service.call('GET', `/${link}`)
        assert.equal(asset.status, 200, link)
        assert.ok(asset.text.length > 50)
      }
      assert.doesNotMatch(page.text, /<script>|<style|\sstyle=|\son\w+=|javascript:/)
    }
    assert.equal((await service.call('POST', '/docs')).status, 405)
    for (const path of ['/docs/package.json', '/docs/', '/docsschemas', '/redoc/page.css']) assert.equal((await service.call('GET', path)).status, 404, path)
    assert.equal((await service.call('GET', '/docs/../../package.json')).status, 404)
  }))
