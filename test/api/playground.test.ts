/** The page of the playground, as the service sends it: to everybody, with caches, and only its own files. */
import assert from 'node:assert/strict'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { WINGS } from '../../server/features.js'
import { playground } from '../../server/features/playground/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { PAGE, SCRIPT, writePage } from '../support/playground-page.js'
import { withApp } from './steps.js'

describe('the playground', () => {
  const page = writePage()
  let app: TestApp
  before(async () => {
    app = await startTestApp({ playgroundFolder: page.folder })
  })
  after(async () => {
    await app?.close()
    page.remove()
  })

  /** Sends the path as it is. */
  async function ask(path: string, { method = 'GET', headers = {} }: { method?: string; headers?: http.OutgoingHttpHeaders } = {}) {
    const { hostname, port } = new URL(app.client.origin)
    const sent = http.request({ hostname, port, path, method, headers, agent: false }).end()
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => sent.once('response', resolve).once('error', reject))
    return { status: response.statusCode, headers: response.headers, text: await text(response) }
  }

  test('is a page for everybody, with files that caches keep', async () => {
    const { status, headers, text } = await ask('/playground/')
    // It says whose page it is, and on what content is compiled.
    const sent = PAGE.replace('<head>', '<head><meta name="service" content="../api/v1" data-reference="true" data-custom="false">')
    assert.deepEqual([status, headers['content-type'], text], [200, 'text/html; charset=utf-8', sent])
    assert.deepEqual([headers['cache-control'], headers.vary, headers['x-content-type-options'], headers['x-frame-options']], ['no-cache', 'Accept-Encoding', 'nosniff', 'DENY'])
    assert.match(String(headers['content-security-policy']), /^default-src 'none'; .*connect-src 'self'; .*frame-ancestors 'none'$/)
    const known = await ask('/playground/', { headers: { 'If-None-Match': headers.etag } })
    assert.deepEqual([known.status, known.text, known.headers.etag], [304, '', headers.etag])
    const script = await ask('/playground/page-ABCD2345.js')
    assert.deepEqual([script.status, script.text, script.headers['cache-control']], [200, SCRIPT, 'public, max-age=31536000, immutable'])
    const packed = await ask('/playground/page-ABCD2345.js', { headers: { 'Accept-Encoding': 'gzip' } })
    assert.equal(packed.headers['content-encoding'], 'gzip')
    assert.ok(Number(packed.headers['content-length']) < SCRIPT.length / 5)
    assert.equal((await ask('/api/v1/health')).headers['cache-control'], 'no-store')
  })

  test('is found without the last slash, below any folder of a proxy', async () => {
    const { status, headers } = await ask('/playground')
    assert.deepEqual([status, headers.location], [308, 'playground/'])
  })

  test('answers HEAD and OPTIONS, and no other method', async () => {
    const head = await ask('/playground/', { method: 'HEAD' })
    assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', (await ask('/playground/')).headers['content-length']])
    const options = await ask('/playground/', { method: 'OPTIONS' })
    assert.deepEqual([options.status, options.headers.allow], [204, 'GET, HEAD, OPTIONS'])
    for (const method of ['POST', 'PUT', 'DELETE']) assert.equal((await ask('/playground/', { method })).status, 405)
  })

  test('has no files but those of the build', async () => {
    const paths = [
      '..',
      '../app.js',
      '%2e%2e/app.js',
      '..%2fapp.js',
      '..\\app.js',
      './index.html',
      '/index.html',
      'index.html/',
      'index.html%00',
      '//etc/passwd',
      'manifest.json',
      'x',
    ]
    for (const path of paths) assert.equal((await ask(`/playground/${path}`)).status, 404, path)
    assert.equal((await ask('/playground/index.html?v=1')).status, 200)
  })

  test('logs paths of its files only', async () => {
    await ask('/playground/page-ABCD2345.js?secret')
    await ask('/playground/secret')
    const routes = app.log.map((line) => (JSON.parse(line) as { route?: string }).route)
    assert.ok(routes.includes('/playground/page-ABCD2345.js'))
    assert.ok(!app.log.join('').includes('secret'))
  })

  test('can be turned off, left out, or not be built', async () => {
    const options = [{ env: { NATIVE_SERVICE_PLAYGROUND: 'false' } }, { wings: WINGS.filter((wing) => wing !== playground) }, { playgroundFolder: `${page.folder}/nothing` }]
    for (const option of options)
      await withApp({ playgroundFolder: page.folder, ...option }, async ({ client, log }) => {
        for (const path of ['/playground', '/playground/', '/playground/page-ABCD2345.js']) assert.equal((await client.get(`${client.origin}${path}`)).status, 404, path)
        const first = await client.get(`${client.origin}/`, { headers: { Accept: 'text/html' } })
        assert.equal(first.status, 200)
        assert.doesNotMatch(first.text, /playground/i)
        assert.equal(
          log.some((line) => line.includes('was not built')),
          'playgroundFolder' in option,
        )
      })
  })
})
