import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { deriveSecrets, loadSecrets, readingKeys } from '../../../../server/core/auth/secrets.js'
import { ConfigError } from '../../../../server/core/config.js'

const root = mkdtempSync(join(tmpdir(), 'secrets-'))
after(() => rmSync(root, { recursive: true, force: true }))
const folder = (name: string): string => join(root, name)
const SECRET = 'an operator has chosen this secret of many characters'

test('a generated secret is made once, for its owner only, and stays', async () => {
  const dataDir = folder('once')
  const first = await loadSecrets({ secretKey: null, dataDir })
  assert.deepEqual(await loadSecrets({ secretKey: null, dataDir }), first)
  assert.deepEqual(readdirSync(dataDir), ['secret.key'])
  assert.equal(statSync(join(dataDir, 'secret.key')).mode & 0o777, 0o600)
  assert.equal(Buffer.from(readFileSync(join(dataDir, 'secret.key'), 'utf8').trim(), 'base64url').length, 32)
})

test('processes that start at once get the same secret', async () => {
  const dataDir = folder('at-once')
  const all = await Promise.all(Array.from({ length: 20 }, () => loadSecrets({ secretKey: null, dataDir })))
  assert.equal(new Set(all.map(({ jwt }) => jwt.toString('hex'))).size, 1)
  assert.deepEqual(readdirSync(dataDir), ['secret.key'])
})

test('a file that others could read is closed to them', async () => {
  const dataDir = folder('open')
  await loadSecrets({ secretKey: null, dataDir })
  chmodSync(join(dataDir, 'secret.key'), 0o644)
  await loadSecrets({ secretKey: null, dataDir })
  assert.equal(statSync(join(dataDir, 'secret.key')).mode & 0o777, 0o600)
})

test('a file that is cut short stops the start', async () => {
  const dataDir = folder('short')
  await loadSecrets({ secretKey: null, dataDir })
  writeFileSync(join(dataDir, 'secret.key'), 'short\n')
  await assert.rejects(loadSecrets({ secretKey: null, dataDir }), ConfigError)
})

test("an operator's secret is used as it is, and no file is made", async () => {
  const dataDir = folder('given')
  assert.deepEqual(await loadSecrets({ secretKey: SECRET, dataDir }), deriveSecrets(SECRET))
  assert.equal(existsSync(dataDir), false)
})

test('each purpose has a key of its own', () => {
  const { previous, ...own } = deriveSecrets(SECRET)
  assert.equal(previous, null)
  const keys = Object.values(own).map((key) => key.toString('hex'))
  assert.equal(new Set(keys).size, keys.length)
  assert.ok(keys.every((key) => key.length === 64))
  assert.notDeepEqual(deriveSecrets(`${SECRET}!`).jwt, deriveSecrets(SECRET).jwt)
})

test('the keys of the secret before are kept beside, and today’s come first', async () => {
  const secrets = await loadSecrets({ secretKey: SECRET, secretKeyPrevious: `${SECRET}!`, dataDir: folder('previous') })
  assert.deepEqual(readingKeys(secrets, 'jwt'), [deriveSecrets(SECRET).jwt, deriveSecrets(`${SECRET}!`).jwt])
  assert.deepEqual(readingKeys(deriveSecrets(SECRET), 'jwt'), [deriveSecrets(SECRET).jwt])
})
