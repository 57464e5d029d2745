/** `backup` and `restore` through the command line, with data of a service: between both kinds of store, and their refusals. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { addMember, bootstrap, createKey, login } from '../../support/actors.js'
import { startTestApp } from '../../support/app.js'
import { Client } from '../../support/client.js'
import { openEmbeddedStorage } from '../../../server/core/storage/embedded/index.js'
import { MIGRATIONS_COLLECTION } from '../../../server/core/storage/migrations/index.js'
import { SMALL_RULESET, startServiceProcess } from '../../support/service-process.js'
import { REPLICA_SET, TEST_SECRET } from '../../support/stores.js'
import { call } from './call.js'

const CLI = fileURLToPath(new URL('../../../server/cli/main.js', import.meta.url))
const RULE = { files: [{ filename: 'a.xml', kind: 'rules', scope: 'adhoc', content: '<group name="a,"><rule id="100100" level="3"><description>a</description></rule></group>' }] }
const PASSWORD = 'the-password'

const folder = mkdtempSync(join(tmpdir(), 'detection-content-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const at = (...names: string[]): string => join(folder, ...names)
const source = at('source')
const file = at('first.gz')

/** A call in a process of its own, which ends. Most calls are made in this one, as a start takes longer than they do. */
function runProcess(args: readonly string[], env: Record<string, string> = {}): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8', cwd: folder, timeout: 60_000 })
  return { code: status, stdout, stderr }
}

/** Documents of a backup, by collection and id. Texts cannot be compared, because MongoDB writes `_id` first. */
function documentsOf(path: string): Record<string, unknown> {
  const lines = gunzipSync(readFileSync(path)).toString().split('\n').slice(1, -2)
  return Object.fromEntries(lines.map((line) => JSON.parse(line) as [string, { _id: string }]).map(([collection, document]) => [`${collection}/${document._id}`, document]))
}

interface Known {
  readonly email: string
  readonly organizationId: string
  readonly key: string
}

/** Operations that need all of the data: a login, a key, the audit log. */
async function assertServes(env: Readonly<Record<string, string>>, { email, organizationId, key }: Known): Promise<void> {
  const { client, close } = await startTestApp({ env: { NATIVE_SERVICE_SECRET_KEY: TEST_SECRET, ...env } })
  try {
    const again = await login(client, email)
    assert.equal(again.organizationId, organizationId)
    assert.equal((await client.as({ key }).post('/analysis/validate', RULE)).status, 200)
    const { body } = await again.client.get<{ action: string }[]>('/platform/audit?limit=200')
    assert.ok(body.filter(({ action }) => action === 'api_key.created').length >= 30)
  } finally {
    await close()
  }
}

test('a backup of a newer version is refused, because this version would omit unknown data', async () => {
  const newer = at('newer')
  mkdirSync(newer)
  const storage = await openEmbeddedStorage({ directory: join(newer, 'store') })
  await storage.prepare([MIGRATIONS_COLLECTION])
  await storage.open(MIGRATIONS_COLLECTION).insert({ _id: '9999', kind: 'applied' })
  await storage.close()
  const { code, stderr } = await call(['backup', '--data-dir', newer, at('newer.gz')])
  assert.equal(code, 1)
  assert.match(stderr, /^detection-content: [^\n]+migration 9999[^\n]+\n$/)
  assert.ok(!readdirSync(folder).includes('newer.gz'))
})

describe('backup and restore', () => {
  let known: Known

  before(async () => {
    const service = await startServiceProcess({
      ...SMALL_RULESET,
      NATIVE_SERVICE_DATA_DIR: source,
      NATIVE_SERVICE_SECRET_KEY: TEST_SECRET,
      NATIVE_SERVICE_API_RATE_LIMIT_ENABLED: 'false',
    })
    try {
      const admin = await bootstrap(new Client(service.origin))
      await addMember(admin, 'engineer', 'engineer@example.test')
      for (let n = 0; n < 29; n++) await createKey(admin, ['analysis:run'], `key ${n} 😀`)
      const { key, client } = await createKey(admin, ['analysis:run'], 'kept')
      assert.equal((await client.post('/analysis/validate', RULE)).status, 200)
      known = { email: admin.email, organizationId: admin.organizationId, key }

      const beside = await call(['backup', '--data-dir', source, at('beside.gz')])
      assert.equal(beside.code, 0, beside.stderr)
      assert.equal(beside.stdout.split(' ')[0], String(Object.keys(documentsOf(at('beside.gz'))).length))
    } finally {
      await service.stop('SIGTERM')
    }
    const written = runProcess(['backup', '--data-dir', source, file])
    assert.equal(written.code, 0, written.stderr)
    assert.match(written.stdout, /^\d+ documents of \d+ collections written to .+first\.gz, as of \d{4}-\d\d-\d\dT[\d:.]+Z\n$/)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(written.stdout.split(' ')[0], String(Object.keys(documentsOf(file)).length))
    let now = 0
    const watched = await call(['backup', '--data-dir', source, at('watched.gz')], { clock: () => (now += 1000) })
    assert.match(watched.stderr, /^(?:backup: \d+ documents · \d\.\d\/s\n)+$/)
    assert.equal((await call(['backup', '--data-dir', source, at('watched.gz'), '--quiet'], { clock: () => (now += 1000) })).stderr, '')
    const inPortuguese = await call(['backup', '--data-dir', source, at('again.gz'), '--locale', 'pt-BR'])
    assert.match(inPortuguese.stdout, /^\d+ documentos de \d+ coleções gravados em .+again\.gz, no estado de \d{4}-\d\d-\d\dT[\d:.]+Z\n$/)
  })

  for (const store of [REPLICA_SET]) {
    test(`embedded → file → ${store.name} → file → embedded`, { skip: store.skip }, async () => {
      const fresh = await store.fresh()
      const { NATIVE_SERVICE_MONGODB_URL: url } = fresh.env
      const second = at(`${store.name}.gz`)
      const target = at(store.name)
      try {
        // With the setting as well as with the option.
        const there = await call(['restore', file], { env: { NATIVE_SERVICE_MONGODB_URL: url } })
        assert.equal(there.code, 0, there.stderr)
        assert.match(there.stdout, /restored from/)
        const back = runProcess(['backup', '--mongodb-url', url, second])
        assert.equal(back.code, 0, back.stderr)
        assert.deepEqual(documentsOf(second), documentsOf(file))

        const again = await call(['restore', '--mongodb-url', url, file])
        assert.equal(again.code, 1)
        assert.match(again.stderr, /^detection-content: the store is not empty: it has documents in \w+\n$/)

        assert.equal((await call(['restore', '--data-dir', target, second])).code, 0)
        const third = at(`${store.name} again.gz`)
        assert.equal((await call(['backup', '--data-dir', target, third])).code, 0)
        assert.deepEqual(documentsOf(third), documentsOf(file))
        await assertServes(fresh.env, known)
        await assertServes({ NATIVE_SERVICE_DATA_DIR: target }, known)
      } finally {
        await fresh.remove()
      }
    })
  }

  test('a backup contains the fingerprint of its secret key, and the restored store refuses another key', async () => {
    const target = at('another key')
    assert.equal(runProcess(['restore', '--data-dir', target, file]).code, 0)
    // A service with a new data folder generates a secret.
    const { status, stderr } = spawnSync(process.execPath, [CLI, 'serve'], {
      env: { PATH: process.env.PATH, NATIVE_SERVICE_DATA_DIR: target, NATIVE_SERVICE_PORT: '0', NATIVE_SERVICE_LOG_LEVEL: 'silent' },
      encoding: 'utf8',
      timeout: 60_000,
    })
    assert.equal(status, 1)
    assert.match(stderr, /^detection-content serve: the secret key is not the one that the store was created with[^\n]+\n$/)
    // The refused call has written nothing.
    await assertServes({ NATIVE_SERVICE_DATA_DIR: target }, known)
  })

  test('an invalid, truncated or missing file is one error line, and nothing is written', async () => {
    const whole = readFileSync(file)
    writeFileSync(at('cut.gz'), whole.subarray(0, whole.length - 100))
    writeFileSync(at('text.gz'), 'this is no backup')
    mkdirSync(at('a folder'), { recursive: true })
    const wrong: readonly (readonly [string, number, RegExp])[] = [
      ['cut.gz', 1, /truncated/],
      ['text.gz', 1, /not a backup/],
      ['nowhere.gz', 2, /ENOENT[^\n]+nowhere\.gz/],
      ['a folder', 2, /EISDIR/],
    ]
    for (const [name, code, message] of wrong) {
      const refused = await call(['restore', '--data-dir', at('empty'), at(name)])
      assert.equal(refused.code, code, name)
      assert.match(refused.stderr, /^detection-content[^\n]+\n$/, name)
      assert.match(refused.stderr, message)
      assert.equal(refused.stdout, '')
    }
    assert.equal((await call(['restore', '--data-dir', at('empty'), file])).code, 0)
  })

  test('a store that is not empty is not changed', async () => {
    const refused = runProcess(['restore', '--data-dir', source, file])
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /not empty/)
    const inPortuguese = await call(['restore', '--data-dir', source, file, '--locale', 'pt-BR'])
    assert.match(inPortuguese.stderr, /^detection-content: o armazenamento não está vazio: há documentos em \w+\n$/)
    assert.equal((await call(['backup', '--data-dir', source, at('unchanged.gz')])).code, 0)
    assert.deepEqual(documentsOf(at('unchanged.gz')), documentsOf(file))
  })

  test('a backup that cannot be written keeps the older file and leaves no temporary one', async () => {
    const nowhere = await call(['backup', '--data-dir', source, at('no', 'such', 'folder.gz')])
    assert.equal(nowhere.code, 2)
    assert.match(nowhere.stderr, /^detection-content backup: ENOENT[^\n]+\n$/)
    const taken = await call(['backup', '--data-dir', source, at('source')])
    assert.equal(taken.code, 2)
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('unfinished')),
      [],
    )
  })

  test('a call with missing or surplus arguments is one line and a hint', async () => {
    for (const [args, message] of [
      [['backup'], /no file/],
      [['backup', 'a', 'b'], /more than one file/],
      [['restore', '--data-dir', 'a', '--mongodb-url', 'mongodb://127.0.0.1/x', 'file'], /cannot be combined/],
      [['backup', '--data-dir', at('nothing here'), 'file'], /no embedded store in/],
    ] as const) {
      const { code, stderr } = await call(args)
      assert.equal(code, 2, args.join(' '))
      assert.match(stderr, /^detection-content[^\n]+\n$/)
      assert.match(stderr, message)
    }
  })

  test('an unusable address is one line, without its password', async () => {
    for (const url of [
      `mongodb://user:${PASSWORD}@127.0.0.1:1/x?serverSelectionTimeoutMS=300`,
      `mongodb://user:${PASSWORD}@127.0.0.1:1:2/x`,
      `mongodb://user:${PASSWORD}@127.0.0.1:1/x?unknown=1`,
      `mongo://user:${PASSWORD}@127.0.0.1/x`,
    ]) {
      const { code, stderr, stdout } = await call(['backup', '--mongodb-url', url, at('never.gz')])
      assert.equal(code, 1, stderr)
      assert.match(stderr, /^detection-content[^\n]+\n$/, url)
      assert.ok(!stderr.includes(PASSWORD) && !stdout.includes(PASSWORD))
    }
  })
})
