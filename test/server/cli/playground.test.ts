/** The page on a folder of content: what it lists, reads and writes, and what it refuses. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import http from 'node:http'
import { networkInterfaces, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ContentFolder, FOLDER_BYTES } from '../../../server/cli/playground/folder.js'
import { type RunningPlayground, startPlayground, WAITING_LIMIT } from '../../../server/cli/playground/server.js'
import { RulesetSource } from '../../../server/cli/ruleset-source.js'
import { PlaygroundSite } from '../../../server/core/playground-site.js'
import type { BaseFile, Folder, FolderFile, FolderIndex, FolderRefusal } from '../../../server/playground/folder-api.js'
import { PAGE, writePage } from '../../support/playground-page.js'
import { call } from './call.js'

const MAIN = fileURLToPath(new URL('../../../server/cli/main.js', import.meta.url))
const rule = (id: number): string => `<group name="own,"><rule id="${id}" level="3"><description>Rule ${id}</description></rule></group>\n`
const DECODER = '<decoder name="gate"><program_name>^gate</program_name></decoder>\n'
const CASES = '{"cases": [{"name": "a gate", "event_text": "x"}]}\n'
const FILES = {
  'decoders/gate.xml': DECODER,
  'rules/gate.xml': rule(100100),
  'rules/quiet/other.xml': rule(100101),
  'lists/known': 'a:\n',
  'lists/by-site/known': 'b:\r\n',
  'cases/gate.json': CASES,
  'cases/gate.ini': '[gate]\nlog 1 pass = x\n',
  'package.json': '{"name": "content"}\n',
  'notes.txt': 'nothing',
  'node_modules/x/rules/x.xml': rule(1),
  '.git/rules/x.xml': rule(2),
}

const work = realpathSync(mkdtempSync(join(tmpdir(), 'playground-')))
const page = writePage()
after(() => {
  page.remove()
  rmSync(work, { recursive: true, force: true })
})

let last = 0
/** A new folder with these files. */
function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = join(work, `content-${++last}`)
  mkdirSync(folder)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

describe('a folder of content', () => {
  /** By kind and path, as the page sees it, and as `validate` does. */
  async function bothViews(folder: string): Promise<[page: string[], validate: string[]]> {
    const { files } = await (await ContentFolder.open(folder)).look()
    const source = new RulesetSource({ ruleset: 'none', custom: [folder] })
    const seen = Array.from(files.values(), ({ kind, filename, path, content }) => [kind, filename, path, content].join(' | '))
    const validated = source.custom.map((file) => {
      const path = source.pathOf(file).slice(folder.length + 1)
      // A second name is the path in the page, and the path from the caller in the command.
      return [file.kind, file.filename.startsWith(folder) ? path : file.filename, path, file.content].join(' | ')
    })
    return [seen.filter((file) => !file.startsWith('cases')).sort(), validated.sort()]
  }

  it('is seen as `validate` sees it, with the structure of a ruleset or without one', async () => {
    const shapes = [
      FILES,
      Object.fromEntries(Object.entries(FILES).map(([path, content]) => [`content/${path}`, content])),
      { 'one.xml': rule(100100), 'deep/er/two.xml': DECODER, 'deep/one.xml': rule(100102), 'my_decoders.xml': '<!-- none -->', 'x/lists/a/b/c': 'k:v\n', 'x/lists/a.cdb': 'x' },
      { 'lists/a/b/c/d/e/f': 'k:', 'lists/a/b/c/d/e': Buffer.from('') },
    ] as const
    for (const files of shapes.slice(0, 3)) {
      const [seen, validated] = await bothViews(folderOf(files))
      assert.deepEqual(seen, validated)
      assert.ok(seen.length > 3)
    }
    assert.deepEqual(...(await bothViews(folderOf({ 'lists/a/b/c/d/e': 'k:', 'lists/f/a/b/c/d/e': 'k:' }))))
  })

  it('has cases anywhere, and no other JSON', async () => {
    const { files } = await (await ContentFolder.open(folderOf({ ...FILES, 'half.json': '{"cases": [', 'rules/none.json': '[]' }))).look()
    const cases = [...files.values()].filter(({ kind }) => kind === 'cases')
    assert.deepEqual(
      cases.map(({ path }) => path),
      ['cases/gate.ini', 'cases/gate.json', 'half.json'],
    )
  })

  it('has the events that an export of the page has at its top', async () => {
    const { files } = await (await ContentFolder.open(folderOf({ 'rules/a.xml': rule(1), 'events.log': 'one\ntwo\n', 'rules/events.log': 'x', 'other.log': 'x' }))).look()
    assert.deepEqual(
      Array.from(files.values(), ({ kind, path }) => [kind, path]),
      [
        ['events', 'events.log'],
        ['rules', 'rules/a.xml'],
      ],
    )
  })

  it('is refused if a home folder or a disk is named', async () => {
    await assert.rejects(ContentFolder.open(folderOf({ 'a.xml': Buffer.alloc(FOLDER_BYTES / 2), 'b.xml': Buffer.alloc(FOLDER_BYTES / 2 + 1) })), { code: 'folder_too_large' })
    await assert.rejects(ContentFolder.open(folderOf(Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`${index}.xml`, ''])))), {
      code: 'folder_too_large',
      details: { limit: 1000 },
    })
  })
})

interface Sent {
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: string | Uint8Array
  /** Default: the secret. */
  readonly token?: string | null
  readonly signal?: AbortSignal
}

interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  /** As its caller asserts. */
  json<Body>(): Body
}

describe('the API of a folder', () => {
  let folder: string
  let running: RunningPlayground
  let base = ''

  async function serve(waitMs: number): Promise<RunningPlayground> {
    const content = await ContentFolder.open(folder, { lookMs: 10, waitMs })
    const baseFiles = [{ kind: 'rules', filename: '0010-base.xml', content: rule(10) }] as const
    return startPlayground({ site: new PlaygroundSite(page.folder), folder: { content, base: { kind: 'folder', name: 'base', files: 1 }, baseFiles }, port: 0 })
  }

  before(() => {
    base = folderOf({ 'rules/0010-base.xml': rule(10), 'decoders/0010-base.xml': DECODER })
  })
  beforeEach(async () => {
    await running?.close()
    folder = folderOf(FILES)
    running = await serve(60_000)
  })
  after(() => running?.close())

  const secret = (): string => new URL(running.address).hash.slice('#folder='.length)
  /** Sends the path as it is. */
  async function ask(method: string, path: string, { headers = {}, body, token = secret(), signal }: Sent = {}): Promise<Answer> {
    const { hostname, port } = new URL(running.address)
    const own = token === null ? {} : { 'X-Playground-Token': token }
    const sent = http.request({ hostname, port, path, method, headers: { ...own, ...headers }, agent: false, ...(signal === undefined ? {} : { signal }) })
    const answered = new Promise<http.IncomingMessage>((resolve, reject) => sent.once('response', resolve).once('error', reject))
    sent.end(body)
    const response = await answered
    const content = await text(response)
    return { status: response.statusCode ?? 0, headers: response.headers, text: content, json: <Body>() => JSON.parse(content) as Body }
  }
  const fileAt = async (path: string): Promise<FolderFile> => (await ask('GET', `/folder/files/${path}`)).json<FolderFile>()
  const refused = (answer: Answer, status: number, code: string): FolderRefusal => {
    const refusal = answer.json<FolderRefusal>()
    assert.deepEqual([answer.status, refusal.code], [status, code], answer.text)
    return refusal
  }
  const onDisk = (path: string): string => readFileSync(join(folder, path), 'utf8')
  const ifMatch = (etag: string) => ({ 'If-Match': `"${etag}"` })
  /** Everything in a folder, the hidden as well. */
  const listing = (path = folder): string[] => readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()

  it('lists the files with their tags, and the base', async () => {
    const answer = await ask('GET', '/folder')
    const { name, files, base: below, left_out, limits, etag } = answer.json<Folder>()
    assert.deepEqual([answer.status, answer.headers.etag, answer.headers['cache-control']], [200, `"${etag}"`, 'no-store'])
    assert.deepEqual([name, left_out, limits.files, below], [folder.slice(work.length + 1), [], 1000, { kind: 'folder', name: 'base', files: 1 }])
    assert.deepEqual(
      files.map(({ kind, path, filename }) => `${kind} ${path} ${filename}`),
      [
        'cases cases/gate.ini cases/gate.ini',
        'cases cases/gate.json cases/gate.json',
        'decoders decoders/gate.xml gate.xml',
        'lists lists/by-site/known etc/lists/by-site/known',
        'lists lists/known etc/lists/known',
        'rules rules/gate.xml gate.xml',
      ],
    )
    assert.equal(files[3].content, 'b:\r\n')
    assert.equal((await ask('GET', '/folder', { headers: { 'If-None-Match': `"${etag}"` } })).status, 304)
    assert.deepEqual((await ask('GET', '/folder/base')).json<BaseFile[]>(), [{ kind: 'rules', filename: '0010-base.xml', content: rule(10) }])
    const head = await ask('HEAD', '/folder/files/rules/gate.xml')
    assert.deepEqual([head.status, head.text, head.headers.etag], [200, '', `"${files[5].etag}"`])
  })

  it('saves a file that is still the one that was read, and keeps its mode', async () => {
    chmodSync(join(folder, 'rules/gate.xml'), 0o640)
    const read = await fileAt('rules/gate.xml')
    const saved = await ask('PUT', '/folder/files/rules/gate.xml', { headers: ifMatch(read.etag), body: rule(100200) })
    assert.deepEqual([saved.status, saved.json<FolderFile>().content, onDisk('rules/gate.xml')], [200, rule(100200), rule(100200)])
    assert.notEqual(saved.headers.etag, `"${read.etag}"`)
    if (process.platform !== 'win32') assert.equal(statSync(join(folder, 'rules/gate.xml')).mode & 0o777, 0o640)
    assert.deepEqual(
      listing().filter((path) => path.endsWith('.tmp')),
      [],
    )
    // The tag of before.
    const stale = refused(await ask('PUT', '/folder/files/rules/gate.xml', { headers: ifMatch(read.etag), body: rule(100300) }), 412, 'file_changed')
    assert.equal(stale.current?.content, rule(100200))
    writeFileSync(join(folder, 'rules/gate.xml'), rule(100400))
    const changed = refused(await ask('PUT', '/folder/files/rules/gate.xml', { headers: ifMatch(saved.json<FolderFile>().etag), body: rule(100300) }), 412, 'file_changed')
    assert.deepEqual([changed.current?.content, onDisk('rules/gate.xml')], [rule(100400), rule(100400)])
    rmSync(join(folder, 'rules/gate.xml'))
    assert.equal(refused(await ask('PUT', '/folder/files/rules/gate.xml', { headers: ifMatch(changed.current?.etag ?? ''), body: rule(1) }), 412, 'file_changed').current, null)
    refused(await ask('PUT', '/folder/files/lists/known', { body: 'c:\n' }), 428, 'condition_missing')
    assert.equal(onDisk('lists/known'), 'a:\n')
  })

  it('lets one of several savers win', async () => {
    const { etag } = await fileAt('rules/gate.xml')
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => ask('PUT', '/folder/files/rules/gate.xml', { headers: ifMatch(etag), body: rule(100200 + index) })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array<number>(7).fill(412)])
    const [won] = answers.filter(({ status }) => status === 200)
    assert.equal(won.json<FolderFile>().content, onDisk('rules/gate.xml'))
  })

  it('creates and deletes files', async () => {
    const created = await ask('POST', '/folder/files/lists/new%20site/addresses', { body: '203.0.113.:\n' })
    assert.deepEqual([created.status, created.json<FolderFile>().filename], [201, 'etc/lists/new site/addresses'])
    assert.equal(onDisk('lists/new site/addresses'), '203.0.113.:\n')
    const again = refused(await ask('POST', '/folder/files/lists/new%20site/addresses', { body: 'x:\n' }), 409, 'file_exists')
    assert.equal(again.current?.content, '203.0.113.:\n')
    // The file exists, and is no content.
    refused(await ask('POST', '/folder/files/package.json', { body: CASES }), 409, 'file_exists')
    assert.equal(onDisk('package.json'), FILES['package.json'])
    refused(await ask('DELETE', '/folder/files/lists/new%20site/addresses'), 428, 'condition_missing')
    refused(await ask('DELETE', '/folder/files/lists/new%20site/addresses', { headers: ifMatch('wrong') }), 412, 'file_changed')
    const gone = await ask('DELETE', '/folder/files/lists/new%20site/addresses', { headers: ifMatch(created.json<FolderFile>().etag) })
    assert.deepEqual([gone.status, existsSync(join(folder, 'lists/new site/addresses'))], [204, false])
    refused(await ask('GET', '/folder/files/lists/new%20site/addresses'), 404, 'not_found')
    assert.deepEqual(
      listing().filter((path) => path.endsWith('.tmp')),
      [],
    )
  })

  it('creates only what would be found again', async () => {
    const before = listing()
    for (const path of [
      'notes.md',
      'own.xml',
      'rules/quiet/x.xml',
      'rules/x.json.txt',
      'lists/x.cdb',
      '.x.ini',
      'rules/.x.xml',
      'node_modules/x.ini',
      `${'a/'.repeat(9)}x.ini`,
      `${'a'.repeat(200)}.ini`,
    ])
      refused(await ask('POST', `/folder/files/${path}`, { body: rule(1) }), 422, 'path_refused')
    for (const path of ['lists/con:x', 'lists/a%5Cb', 'lists/a%00b', 'lists/%0Aa', 'lists/a%20', 'lists/a.', 'lists/a*', 'lists//a', 'lists/%E2%80%AEa'])
      refused(await ask('POST', `/folder/files/${path}`, { body: 'a:\n' }), 422, 'path_refused')
    refused(await ask('POST', '/folder/files/new.json', { body: '{}' }), 422, 'not_content')
    refused(await ask('POST', '/folder/files/rules/new.xml', { body: Buffer.from([0x3c, 0xff]) }), 422, 'not_utf8')
    assert.deepEqual(listing(), before)
    // A first folder `rules` would hide the file beside it.
    const loose = await ContentFolder.open(folderOf({ 'own.xml': rule(100100) }))
    await assert.rejects(loose.create('rules/new.xml', Buffer.from(rule(1))), { code: 'path_refused' })
    const empty = await ContentFolder.open(folderOf({}))
    assert.equal((await empty.create('rules/new.xml', Buffer.from(rule(1)))).kind, 'rules')
  })

  it('does not save what it cannot read', async () => {
    writeFileSync(join(folder, 'rules/latin.xml'), Buffer.from(rule(100100).replace('Rule', 'R\xe9gle'), 'latin1'))
    const { read_only, content, etag } = await fileAt('rules/latin.xml')
    assert.deepEqual([read_only, content.includes('R\ufffdgle')], [true, true])
    refused(await ask('PUT', '/folder/files/rules/latin.xml', { headers: ifMatch(etag), body: content }), 422, 'not_utf8')
    assert.ok(readFileSync(join(folder, 'rules/latin.xml')).includes(0xe9))
  })

  it('tells of changes by other programs, and of nothing else', async () => {
    const { etag } = (await ask('GET', '/folder')).json<Folder>()
    const wait = (known: string): Promise<Answer> => ask('GET', '/folder/changes', { headers: { 'If-None-Match': `"${known}"` } })
    const waiting = wait(etag)
    writeFileSync(join(folder, 'rules/.swap'), rule(100500))
    renameSync(join(folder, 'rules/.swap'), join(folder, 'rules/gate.xml'))
    rmSync(join(folder, 'lists/known'))
    let index = (await waiting).json<FolderIndex>()
    // The look may have been between the two changes.
    if (index.files.some(({ path }) => path === 'lists/known')) index = (await wait(index.etag)).json<FolderIndex>()
    assert.ok(!index.files.some(({ path }) => path === 'lists/known'))
    assert.equal((await fileAt('rules/gate.xml')).content, rule(100500))
    assert.equal(index.files.find(({ path }) => path === 'rules/gate.xml')?.etag, (await fileAt('rules/gate.xml')).etag)
    refused(await ask('GET', '/folder/changes'), 428, 'condition_missing')
  })

  it('says that nothing has changed, after some time', async () => {
    await running.close()
    running = await serve(50)
    const { etag } = (await ask('GET', '/folder')).json<Folder>()
    writeFileSync(join(folder, 'notes.txt'), 'changed')
    const nothing = await ask('GET', '/folder/changes', { headers: { 'If-None-Match': `"${etag}"` } })
    assert.deepEqual([nothing.status, nothing.text], [304, ''])
  })

  it('has a limit of waiting requests, and forgets those that have left', async () => {
    const { etag: old } = (await ask('GET', '/folder')).json<Folder>()
    const changes = (etag: string, signal?: AbortSignal): Promise<Answer> =>
      ask('GET', '/folder/changes', { headers: { 'If-None-Match': `"${etag}"` }, ...(signal === undefined ? {} : { signal }) })
    const answers = Array.from({ length: WAITING_LIMIT + 1 }, () => changes(old))
    assert.equal(refused(await Promise.race(answers), 429, 'too_many_waiting').limit, WAITING_LIMIT)
    writeFileSync(join(folder, 'rules/gate.xml'), rule(100600))
    assert.deepEqual((await Promise.all(answers)).map(({ status }) => status).sort(), [...Array<number>(WAITING_LIMIT).fill(200), 429])
    const { etag } = (await ask('GET', '/folder')).json<Folder>()
    const leaving = new AbortController()
    const left = Array.from({ length: WAITING_LIMIT + 1 }, () => changes(etag, leaving.signal))
    assert.equal((await Promise.race(left)).status, 429, 'the others wait')
    leaving.abort()
    await Promise.allSettled(left)
    // The server notices a moment later. With the old tag nobody waits.
    while ((await changes(old)).status === 429);
  })

  it('never leaves the folder by a path', async () => {
    const outside = join(work, 'outside.xml')
    writeFileSync(outside, rule(100900))
    const { etag } = await fileAt('rules/gate.xml')
    const paths = [
      '../outside.xml',
      '%2e%2e/outside.xml',
      '..%2Foutside.xml',
      'rules/../../outside.xml',
      'rules/..%5C..%5Coutside.xml',
      `${outside}`,
      '%2Fetc/passwd',
      'rules/gate.xml/',
      'rules//gate.xml',
      './rules/gate.xml',
      '%ff',
    ]
    const before = listing(work)
    for (const path of paths) {
      refused(await ask('GET', `/folder/files/${path}`), 404, 'not_found')
      refused(await ask('PUT', `/folder/files/${path}`, { headers: ifMatch(etag), body: rule(1) }), 404, 'not_found')
      refused(await ask('DELETE', `/folder/files/${path}`, { headers: ifMatch(etag) }), 404, 'not_found')
      const { status } = await ask('POST', `/folder/files/${path}`, { body: rule(1) })
      assert.ok([404, 422].includes(status), path)
    }
    assert.deepEqual([listing(work), readFileSync(outside, 'utf8'), onDisk('rules/gate.xml')], [before, rule(100900), FILES['rules/gate.xml']])
  })

  it('never leaves the folder by a link', async () => {
    const outside = folderOf({ 'secret.xml': rule(100900), 'deep/secret.xml': rule(100901) })
    symlinkSync(join(outside, 'secret.xml'), join(folder, 'rules/link.xml'))
    symlinkSync('gate.xml', join(folder, 'rules/inside.xml'))
    symlinkSync(outside, join(folder, 'lists/linked'))
    const { files, left_out } = (await ask('GET', '/folder')).json<Folder>()
    assert.ok(!JSON.stringify(files).includes('10090'))
    assert.deepEqual(left_out, [
      { path: 'lists/linked', reason: 'link' },
      { path: 'rules/inside.xml', reason: 'link' },
      { path: 'rules/link.xml', reason: 'link' },
    ])
    for (const path of ['rules/link.xml', 'rules/inside.xml', 'lists/linked/secret.xml']) refused(await ask('GET', `/folder/files/${path}`), 404, 'not_found')
    refused(await ask('POST', '/folder/files/rules/link.xml', { body: rule(1) }), 409, 'file_exists')
    refused(await ask('POST', '/folder/files/lists/linked/new', { body: 'a:\n' }), 422, 'path_refused')
    refused(await ask('POST', '/folder/files/lists/linked/deep/new', { body: 'a:\n' }), 422, 'path_refused')
    // A folder that becomes a link after it was read.
    const { etag } = await fileAt('rules/gate.xml')
    writeFileSync(join(outside, 'gate.xml'), FILES['rules/gate.xml'])
    rmSync(join(folder, 'rules'), { recursive: true })
    symlinkSync(outside, join(folder, 'rules'))
    for (const [method, body] of [
      ['PUT', rule(1)],
      ['DELETE', ''],
    ] as const) {
      const { status } = await ask(method, '/folder/files/rules/gate.xml', { headers: ifMatch(etag), body })
      assert.equal(status, 412)
    }
    assert.deepEqual(listing(outside), ['deep', 'deep/secret.xml', 'gate.xml', 'secret.xml'])
    assert.equal(readFileSync(join(outside, 'gate.xml'), 'utf8'), FILES['rules/gate.xml'])
  })

  it('needs the secret for everything but the page', async () => {
    assert.ok(secret().length >= 43)
    for (const token of [null, '', 'x', secret().slice(1), `${secret()}x`, encodeURIComponent(`${secret()} `)])
      for (const [method, path] of [
        ['GET', '/folder'],
        ['GET', '/folder/base'],
        ['GET', '/folder/files/rules/gate.xml'],
        ['PUT', '/folder/files/rules/gate.xml'],
        ['POST', '/folder/files/rules/x.xml'],
        ['DELETE', '/folder/files/rules/gate.xml'],
        ['GET', '/folder/changes'],
        ['GET', '/folder/nothing'],
      ])
        refused(await ask(method, path, { token, ...(method === 'PUT' || method === 'POST' ? { body: rule(1) } : {}) }), 401, 'token_refused')
    refused(await ask('GET', `/folder?token=${secret()}`, { token: null }), 401, 'token_refused')
    const { status, text } = await ask('GET', '/', { token: null })
    assert.deepEqual([status, text], [200, PAGE])
  })

  it('is not for the names of other sites (DNS rebinding)', async () => {
    const { port } = new URL(running.address)
    for (const host of [
      'attacker.example',
      `attacker.example:${port}`,
      `127.0.0.1.attacker.example:${port}`,
      '127.0.0.1',
      '127.0.0.1:1',
      `localhost.:${port}`,
      `0.0.0.0:${port}`,
      `user@127.0.0.1:${port}`,
    ])
      for (const path of ['/', '/folder']) refused(await ask('GET', path, { headers: { Host: host } }), 421, 'host_refused')
    assert.equal((await ask('GET', '/folder', { headers: { Host: `LOCALHOST:${port}` } })).status, 200)
  })

  it('is not for requests that other sites send, even with the secret', async () => {
    const { origin, port } = new URL(running.address)
    const foreign = [
      { Origin: 'https://attacker.example' },
      { Origin: 'null' },
      { Origin: `http://localhost:${port}` },
      { Origin: `https://127.0.0.1:${port}` },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
    ]
    for (const headers of foreign) refused(await ask('GET', '/folder', { headers }), 403, 'origin_refused')
    const preflight = await ask('OPTIONS', '/folder', {
      token: null,
      headers: { Origin: 'https://attacker.example', 'Access-Control-Request-Method': 'PUT', 'Access-Control-Request-Headers': 'x-playground-token' },
    })
    assert.equal(preflight.status, 403)
    const own = await ask('GET', '/folder', { headers: { Origin: origin, 'Sec-Fetch-Site': 'same-origin' } })
    assert.equal(own.status, 200)
    for (const { headers } of [preflight, own]) {
      assert.deepEqual(
        Object.keys(headers).filter((name) => name.startsWith('access-control')),
        [],
      )
      assert.deepEqual([headers['cross-origin-resource-policy'], headers['x-frame-options'], headers['x-content-type-options']], ['same-origin', 'DENY', 'nosniff'])
    }
  })

  it('takes no huge body, however its length is told', async () => {
    const { etag } = await fileAt('rules/gate.xml')
    const body = Buffer.alloc(FOLDER_BYTES + 1, 0x20)
    for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }])
      assert.equal(refused(await ask('PUT', '/folder/files/rules/gate.xml', { headers: { ...ifMatch(etag), ...headers }, body }), 413, 'folder_too_large').limit, FOLDER_BYTES)
    // With the other files it is too much.
    refused(await ask('PUT', '/folder/files/rules/gate.xml', { headers: ifMatch(etag), body: body.subarray(0, FOLDER_BYTES - 10) }), 413, 'folder_too_large')
    assert.equal(onDisk('rules/gate.xml'), FILES['rules/gate.xml'])
  })

  it('says what another program has made too large, or unreadable', async () => {
    truncateSync(join(folder, 'rules/gate.xml'), FOLDER_BYTES + 1)
    assert.deepEqual((await ask('GET', '/folder')).json<Folder>().left_out, [{ path: 'rules/gate.xml', reason: 'too_large' }])
    for (const name of ['a', 'b']) truncateSync(join(folder, 'lists', name === 'a' ? 'known' : 'by-site/known'), FOLDER_BYTES - 100)
    refused(await ask('GET', '/folder'), 413, 'folder_too_large')
    rmSync(join(folder, 'lists'), { recursive: true })
    assert.equal((await ask('GET', '/folder')).status, 200)
    rmSync(folder, { recursive: true })
    assert.deepEqual(refused(await ask('GET', '/folder'), 500, 'failed'), { code: 'failed', system: 'ENOENT' })
  })

  it('has no other methods and addresses', async () => {
    for (const [method, path, allow] of [
      ['POST', '/folder', 'GET, HEAD'],
      ['PATCH', '/folder/files/rules/gate.xml', 'GET, HEAD, POST, PUT, DELETE'],
      ['POST', '/', 'GET, HEAD'],
      ['HEAD', '/folder/changes', 'GET'],
    ]) {
      const answer = await ask(method, path)
      assert.deepEqual([answer.status, answer.headers.allow], [405, allow], path)
    }
    for (const path of ['/folder/', '/folder/files', '/folder/files/', '/folders', '/../package.json', '/index.html/', '/%2e%2e/app.js', '/manifest.json'])
      refused(await ask('GET', path), 404, 'not_found')
  })

  it('is heard on 127.0.0.1 only', async () => {
    const { port } = new URL(running.address)
    const others = Object.values(networkInterfaces()).flatMap((list = []) => list.filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address))
    for (const address of others) await assert.rejects(fetch(`http://${address}:${port}/`), { name: 'TypeError' })
    assert.equal(new URL(running.address).hostname, '127.0.0.1')
  })

  it('does not exist without a folder', async () => {
    const alone = await startPlayground({ site: new PlaygroundSite(page.folder), folder: null, port: 0 })
    try {
      assert.equal(new URL(alone.address).hash, '')
      assert.equal(await (await fetch(alone.address)).text(), PAGE)
      assert.equal((await fetch(new URL('/folder', alone.address))).status, 404)
    } finally {
      await alone.close()
    }
  })

  it('is started by the command, and ends with a signal', async () => {
    const child = spawn(process.execPath, [MAIN, 'playground', folder, '--ruleset', base, '--port', '0'], {
      env: { PATH: process.env.PATH, LANG: 'en_US.UTF-8' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const [first] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
      const { origin, hash } = new URL(/^Playground: (http:\S+)\n/.exec(first)?.[1] ?? assert.fail(first))
      const headers = { 'X-Playground-Token': hash.slice('#folder='.length) }
      const opened = (await (await fetch(`${origin}/folder`, { headers })).json()) as Folder
      assert.deepEqual([opened.files.length, opened.base], [6, { kind: 'folder', name: base.slice(work.length + 1), files: 2 }])
      assert.equal(((await (await fetch(`${origin}/folder/base`, { headers })).json()) as BaseFile[]).length, 2)
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      assert.deepEqual(await ended, [0, null])
    } finally {
      child.kill('SIGKILL')
    }
  })
})

describe('the exported page', () => {
  const site = new PlaygroundSite()
  it('is all files of the build, in a new folder', { skip: !site.hasPage && 'the page is not built' }, async () => {
    const folder = join(work, 'public/site')
    const { code, stdout } = await call(['playground', '--export', folder])
    assert.deepEqual([code, stdout], [0, `${site.names.length} files written to ${folder}\n`])
    assert.deepEqual(readdirSync(folder).sort(), [...site.names].sort())
    const written = readFileSync(join(folder, 'index.html'), 'utf8')
    assert.match(written, /<meta http-equiv="Content-Security-Policy"/)
    // Relative addresses only.
    assert.doesNotMatch(written, /(?:src|href)="(?:\/|[a-z]+:)/)
    assert.equal((await call(['playground', '--export', folder])).code, 2)
  })
})
