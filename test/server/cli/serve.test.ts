/** `serve` as a process: an error at the start is one line, and a signal stops it in order. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { SMALL_RULESET, startServiceProcess } from '../../support/service-process.js'
import { BASE } from '../../workers/support/rulesets.js'

const CLI = fileURLToPath(new URL('../../../server/cli/main.js', import.meta.url))
const MAIN = fileURLToPath(new URL('../../../server/main.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'detection-content-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const run = (args: readonly string[], env: Record<string, string>) =>
  spawnSync(process.execPath, args, {
    env: { PATH: process.env.PATH, NATIVE_SERVICE_DATA_DIR: folder, NATIVE_SERVICE_LOG_LEVEL: 'silent', NATIVE_SERVICE_WORKERS: '1', ...SMALL_RULESET, ...env },
    encoding: 'utf8',
    timeout: 60_000,
  })

test('an unknown setting is one line and exit code 2', () => {
  const { status, stderr, stdout } = run([CLI, 'serve'], { NATIVE_SERVICE_PROT: '80' })
  assert.equal(status, 2)
  assert.equal(stderr, 'detection-content serve: NATIVE_SERVICE_PROT is not a setting of this service\n')
  assert.equal(stdout, '')
})

test('an error at the start is in the language of the call, and in English in the log', () => {
  const unknown = run([CLI, 'serve', '--locale', 'pt-BR'], { NATIVE_SERVICE_PROT: '80' })
  assert.deepEqual([unknown.status, unknown.stderr], [2, 'detection-content serve: NATIVE_SERVICE_PROT não é uma configuração deste serviço\n'])
  const dataDir = mkdtempSync(join(folder, 'secret-'))
  const secret = join(dataDir, 'secret.key')
  writeFileSync(secret, 'short')
  const wrong = run([CLI, 'serve'], { NATIVE_SERVICE_DATA_DIR: dataDir, NATIVE_SERVICE_PORT: '0', NATIVE_SERVICE_LOG_LEVEL: 'fatal', LANG: 'pt_BR.UTF-8' })
  assert.equal(wrong.status, 1)
  assert.ok(wrong.stderr.includes(`detection-content serve: ${secret} não contém uma chave secreta; restaure o arquivo, ou defina NATIVE_SERVICE_SECRET_KEY\n`), wrong.stderr)
  assert.ok(wrong.stdout.includes(`${secret} contains no secret; restore it, or set NATIVE_SERVICE_SECRET_KEY`), wrong.stdout)
})

test('an unreachable MongoDB is one line, without the password of its address', () => {
  const url = 'mongodb://user:the-password@127.0.0.1:1/content?serverSelectionTimeoutMS=300'
  const { status, stderr } = run([MAIN], { NATIVE_SERVICE_MONGODB_URL: url, NATIVE_SERVICE_SECRET_KEY: 'x'.repeat(32) })
  assert.equal(status, 1)
  assert.match(stderr, /^[^\n]+\n$/)
  assert.ok(!stderr.includes('the-password'))
})

test('a missing ruleset folder is one line', () => {
  const { status, stderr } = run([MAIN], { NATIVE_SERVICE_DEFAULT_RULESET_DIR: join(folder, 'nothing') })
  assert.equal(status, 1)
  assert.match(stderr, /^[^\n]+nothing[^\n]*\n$/)
})

test('a default ruleset with which Wazuh would not start is one line, with file, line and code', () => {
  const ruleset = join(folder, 'ruleset')
  for (const { kind, filename, content } of BASE) {
    mkdirSync(join(ruleset, kind), { recursive: true })
    writeFileSync(join(ruleset, kind, filename), content)
  }
  writeFileSync(join(ruleset, 'rules', '0002-broken.xml'), '<group name="broken,">\n<rule id="1" level="high"><description>Broken</description></rule></group>')
  const env = { NATIVE_SERVICE_DEFAULT_RULESET_DIR: ruleset, NATIVE_SERVICE_PORT: '0' }
  const { status, stderr, stdout } = run([MAIN], env)
  assert.equal(status, 1)
  assert.match(stderr, /^NATIVE_SERVICE_DEFAULT_RULESET_DIR: Wazuh would not start with this ruleset: rules\/0002-broken\.xml:2: rule_level_invalid \(errors: 1\)\n$/)
  assert.equal(stdout, '')
  assert.match(run([CLI, 'serve', '--locale', 'pt-BR'], env).stderr, /o Wazuh não iniciaria com este conjunto de regras: rules\/0002-broken\.xml:2: rule_level_invalid/)
})

test('a secret key that is not that of the store is one line; the option that accepts it works for one start', async (t) => {
  const dataDir = mkdtempSync(join(folder, 'fingerprint-'))
  const env = { ...SMALL_RULESET, NATIVE_SERVICE_DATA_DIR: dataDir, NATIVE_SERVICE_PORT: '0' }
  assert.equal(await (await startServiceProcess(env)).stop('SIGTERM'), 0)
  rmSync(join(dataDir, 'secret.key'))
  const refused = run([MAIN], { ...env, NATIVE_SERVICE_LOG_LEVEL: 'info' })
  assert.equal(refused.status, 1)
  assert.match(refused.stderr, /^the secret key is not the one that the store was created with: [^\n]+--accept-new-secret-key[^\n]+\n$/)
  assert.deepEqual({ ...JSON.parse(refused.stdout), time: '' }, { level: 'fatal', time: '', msg: refused.stderr.trimEnd() })
  const inPortuguese = run([CLI, 'serve', '--locale', 'pt-BR'], env)
  assert.match(inPortuguese.stderr, /^detection-content serve: a chave secreta não é aquela com que o armazenamento foi criado: [^\n]+\n$/)
  const accepted = await startServiceProcess(env, ['--accept-new-secret-key'])
  assert.match(accepted.output(), /"level":"warn"[^\n]+takes a new secret key: sessions, API keys/)
  assert.equal(await accepted.stop('SIGTERM'), 0)
  const service = await startServiceProcess(env)
  try {
    await t.test('a port in use is one line', () => {
      const elsewhere = mkdtempSync(join(folder, 'port-'))
      const taken = run([MAIN], { NATIVE_SERVICE_PORT: new URL(service.origin).port, NATIVE_SERVICE_DATA_DIR: elsewhere })
      assert.equal(taken.status, 1)
      assert.match(taken.stderr, /^[^\n]+EADDRINUSE[^\n]*\n$/)
    })
  } finally {
    assert.equal(await service.stop('SIGTERM'), 0)
  }
  assert.match(service.output(), /"msg":"stopped"/)
})

test('an unknown argument of the service is one line and exit code 2', () => {
  const { status, stderr } = run([MAIN, '--accept-new-key'], { NATIVE_SERVICE_PORT: '0' })
  assert.deepEqual([status, stderr], [2, '--accept-new-key is not an option of the service; its only option is --accept-new-secret-key\n'])
})

test('a data folder with a file in place of the store is one line', () => {
  const elsewhere = mkdtempSync(join(folder, 'damaged-'))
  mkdirSync(join(elsewhere, 'store'))
  writeFileSync(join(elsewhere, 'store', 'store.sqlite'), 'this is a text, and no database at all. '.repeat(500))
  const damaged = run([MAIN], { NATIVE_SERVICE_PORT: '0', NATIVE_SERVICE_DATA_DIR: elsewhere })
  assert.equal(damaged.status, 1)
  assert.match(damaged.stderr, /^[^\n]+store\.sqlite can't be used as a store: [^\n]+\n$/)
})
