/** A MongoDB without transactions: every command refuses it with one line that explains the solution, and nothing is written. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { MongoClient } from 'mongodb'
import { type StartedMongod, skipWithoutMongod, startMongod } from '../../support/mongod.js'
import { TEST_SECRET } from '../../support/stores.js'
import { call } from './call.js'

const CLI = fileURLToPath(new URL('../../../server/cli/main.js', import.meta.url))
const MAIN = fileURLToPath(new URL('../../../server/main.js', import.meta.url))
const ENGLISH = /^(detection-content(?: serve)?: )?this MongoDB is a standalone, which has no transactions: [^\n]+--replSet rs0[^\n]+rs\.initiate\(\)[^\n]+\n$/
const PORTUGUESE = /^detection-content(?: serve)?: este MongoDB é um servidor isolado, que não tem transações: [^\n]+--replSet rs0[^\n]+rs\.initiate\(\)[^\n]+\n$/

describe('a standalone MongoDB', { skip: skipWithoutMongod() }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'detection-content-'))
  let mongod: StartedMongod
  let url: string

  before(async () => {
    mongod = await startMongod({ standalone: true })
    url = mongod.url('content')
  })
  after(async () => {
    await mongod?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const settings = () => ({ NATIVE_SERVICE_DATA_DIR: folder, NATIVE_SERVICE_MONGODB_URL: url, NATIVE_SERVICE_SECRET_KEY: TEST_SECRET, NATIVE_SERVICE_PORT: '0' })
  const run = (args: readonly string[]) => spawnSync(process.execPath, args, { env: { PATH: process.env.PATH, ...settings() }, encoding: 'utf8', cwd: folder, timeout: 60_000 })

  test('keeps the service from starting, with one line on stderr and one in the log', () => {
    const { status, stderr, stdout } = run([MAIN])
    assert.equal(status, 1)
    assert.match(stderr, ENGLISH)
    assert.deepEqual({ ...JSON.parse(stdout), time: '' }, { level: 'fatal', time: '', msg: stderr.trimEnd() })
    assert.match(run([CLI, 'serve', '--locale', 'pt-BR']).stderr, PORTUGUESE)
  })

  test('can be neither backed up nor restored into', async () => {
    const file = join(folder, 'backup.gz')
    for (const command of ['backup', 'restore']) {
      const { code, stderr } = await call([command, file], { env: settings() })
      assert.equal(code, 1, stderr)
      assert.match(stderr, ENGLISH)
      assert.match((await call([command, file, '--mongodb-url', url, '--locale', 'pt-BR'], { env: settings() })).stderr, PORTUGUESE)
    }
    assert.equal(existsSync(file), false)
    const client = new MongoClient(url)
    try {
      assert.deepEqual(await client.db().listCollections().toArray(), [])
    } finally {
      await client.close()
    }
  })
})
