/** The files of the playground's page: their encodings, tags, policies and sizes. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { PlaygroundSite } from '../../../server/core/playground-site.js'
import { ASSETS } from '../../support/playground.js'
import { PAGE, SCRIPT, writePage } from '../../support/playground-page.js'

/** Maximum bytes of the whole page, compressed. */
const MAX_BYTES = 1_500_000
const page = writePage()
after(() => page.remove())
const site = new PlaygroundSite(page.folder)
const ask = (name: string, acceptEncoding?: string, ifNoneMatch?: string) => site.answer(name, { acceptEncoding, ifNoneMatch })

test('a file is compressed as the caller accepts it', async () => {
  const decoders = { br: brotliDecompressSync, gzip: gunzipSync, none: (body: Uint8Array) => Buffer.from(body) } as const
  const accepted: readonly (readonly [string | undefined, keyof typeof decoders])[] = [
    [undefined, 'none'],
    ['', 'none'],
    ['identity', 'none'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['GZIP', 'gzip'],
    ['br ; q=0.000, gzip; q = 0', 'none'],
    [',;q=0,,br', 'br'],
    ['brotli', 'none'],
  ]
  for (const [header, encoding] of accepted) {
    const { status, headers, type, body } = await ask('page-ABCD2345.js', header)
    assert.deepEqual([status, headers['Content-Encoding'] ?? 'none', headers.Vary, type], [200, encoding, 'Accept-Encoding', 'text/javascript; charset=utf-8'], header)
    assert.equal(decoders[encoding](body ?? assert.fail()).toString(), SCRIPT)
  }
  assert.equal((await ask('icon-ABCD2345.png', 'br')).headers['Content-Encoding'], undefined, 'pictures are compressed already')
})

test('files with a hash in their names stay in caches for ever, and others are asked for again', async () => {
  assert.equal((await ask('page-ABCD2345.js')).headers['Cache-Control'], 'public, max-age=31536000, immutable')
  for (const name of ['index.html', 'LICENSES.txt']) {
    const { headers } = await ask(name)
    assert.equal(headers['Cache-Control'], 'no-cache')
    const known = await ask(name, 'br', headers.ETag)
    assert.deepEqual([known.status, known.body, known.headers.ETag], [304, null, headers.ETag])
    assert.equal((await ask(name, 'br', '"another"')).status, 200)
  }
})

test('every file has the policy, and the exported page has it in itself', async () => {
  for (const name of site.names) {
    const policy = (await ask(name)).headers['Content-Security-Policy']
    assert.match(policy, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; .*; frame-ancestors 'none'$/)
    assert.doesNotMatch(policy, /'unsafe|https?:|\*|blob:/)
  }
  const exported = (await site.exported('index.html')).toString()
  const element = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(exported) ?? assert.fail(exported)
  assert.equal(exported.replace(element[0], ''), PAGE)
  assert.equal(`${element[1]}; frame-ancestors 'none'`, (await ask('index.html')).headers['Content-Security-Policy'])
  assert.ok(exported.indexOf(element[0]) < exported.indexOf('<script'), 'before what it is about')
  assert.equal((await site.exported('page-ABCD2345.js')).toString(), SCRIPT)
})

test('only names of the folder are files', async () => {
  for (const name of ['', '.', '..', '../package.json', 'page-ABCD2345', 'INDEX.html', '/index.html', 'constructor', '__proto__']) {
    assert.ok(!site.has(name), name)
    await assert.rejects(async () => ask(name), TypeError)
  }
  assert.deepEqual(new PlaygroundSite(join(page.folder, 'nothing')).names, [])
})

test('the built files have hashes in their names, and are small enough for any web server', () => {
  const { names } = new PlaygroundSite()
  assert.deepEqual(
    names.filter((name) => !/-[A-Z0-9]{8}\.\w+$/.test(name) && !['index.html', 'LICENSES.txt'].includes(name)),
    [],
  )
  const sizes = names.map((name) => gzipSync(readFileSync(join(ASSETS, name))).length)
  assert.ok(sizes.length > 5)
  const size = sizes.reduce((sum, each) => sum + each, 0)
  assert.ok(size < MAX_BYTES, `${size} bytes`)
})
