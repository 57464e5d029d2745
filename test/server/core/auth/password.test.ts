import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import test from 'node:test'
import { ARGON2, argon2Hasher, type Hasher, MEMORY_KIB, Passwords } from '../../../../server/core/auth/password.js'
import { ApiError } from '../../../../server/core/errors.js'
import { testLimits } from '../../../support/limits.js'

const [ANA, BOB, CLEO] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((address) => ({ address }))

/** Counts, and lets the test say when work is done. */
class SlowHasher implements Hasher {
  verified = 0
  running = 0
  most = 0
  readonly #waiting: (() => void)[] = []
  isHeld = false

  async hash(password: string): Promise<string> {
    await this.#work()
    return `hash of ${password}`
  }

  async verify(hash: string, password: string): Promise<boolean> {
    this.verified += 1
    await this.#work()
    return hash === `hash of ${password}`
  }

  isOutdated(): boolean {
    return false
  }

  release(): void {
    this.isHeld = false
    for (const done of this.#waiting.splice(0)) done()
  }

  async #work(): Promise<void> {
    this.running += 1
    this.most = Math.max(this.most, this.running)
    if (this.isHeld) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.running -= 1
  }
}

/** In a process of its own, which argon2 0.45 ends with a segmentation fault on Node 20. Before a newer version is taken, this runs on each line of Node. */
test(`argon2 hashes on Node ${process.version}`, () => {
  const module = JSON.stringify(new URL('../../../../server/core/auth/password.js', import.meta.url).href)
  const script = `const { ARGON2 } = await import(${module}); process.stdout.write(await ARGON2.hash('a long passphrase'))`
  const { stdout, stderr, signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })
  assert.equal(signal, null, 'the package argon2 ends the process on this Node')
  assert.match(stdout, /^\$argon2id\$v=19\$/, stderr)
})

test('hashes are argon2id with 19 MiB or more, and salted', async () => {
  const passwords = new Passwords(testLimits())
  const [one, other] = await Promise.all([passwords.hash('a long passphrase', ANA), passwords.hash('a long passphrase', ANA)])
  const [, kind, version, parameters] = one.split('$')
  assert.deepEqual([kind, version, parameters.split(',').sort()], ['argon2id', 'v=19', [`m=${MEMORY_KIB}`, 'p=1', 't=2']])
  assert.ok(MEMORY_KIB >= 19 * 1024)
  assert.notEqual(one, other)
  assert.equal(await passwords.verify(one, 'a long passphrase', ANA), true)
  assert.equal(await passwords.verify(one, 'a long passphrasE', ANA), false)
})

test('letters count as they look, whatever code points a keyboard sends', async () => {
  const passwords = new Passwords(testLimits())
  assert.equal(await passwords.verify(await passwords.hash('caf\u00e9 com leite', ANA), 'cafe\u0301 com leite', ANA), true)
})

test('without a user as much is hashed as with one, and nothing matches', async () => {
  const hasher = new SlowHasher()
  const passwords = new Passwords(testLimits(), hasher)
  assert.equal(await passwords.verify('hash of secret passphrase', 'secret passphrase', ANA), true)
  assert.equal(hasher.verified, 1)
  assert.equal(await passwords.verify('hash of secret passphrase', 'wrong passphrase', ANA), false)
  assert.equal(hasher.verified, 2)
  assert.equal(await passwords.verify(null, 'secret passphrase', ANA), false)
  assert.equal(hasher.verified, 3)
})

test('the hash for nobody has the same parameters, so it takes as long', async () => {
  const seen: string[] = []
  const passwords = new Passwords(testLimits(), { ...ARGON2, verify: (hash) => Promise.resolve(seen.push(hash) === 0) })
  await passwords.verify(null, 'anything at all', ANA)
  assert.equal(ARGON2.isOutdated(seen[0]), false)
})

test('few hashes run at once, one of an address, and addresses have turns alternately', async () => {
  const hasher = new SlowHasher()
  const passwords = new Passwords(testLimits({ password_hashes: { waiting: 5 } }), hasher)
  await passwords.verify(null, 'the hash for nobody is made', ANA)
  hasher.isHeld = true
  hasher.most = 0
  const order: string[] = []
  const results = Promise.allSettled([
    ...Array.from({ length: 5 }, (_, index) => passwords.hash('a long passphrase', ANA).then(() => order.push(`ana ${index}`))),
    passwords.hash('a long passphrase', BOB).then(() => order.push('bob')),
    passwords.hash('a long passphrase', CLEO).then(() => order.push('cleo')),
    passwords.hash('one too many', { address: '192.0.2.4' }),
  ])
  await new Promise((resolve) => setImmediate(resolve))
  hasher.release()
  const refused = (await results).filter((result) => result.status === 'rejected')
  assert.equal(hasher.most, 2)
  assert.ok(order.indexOf('cleo') < order.indexOf('ana 2'), order.join(', '))
  assert.equal(refused.length, 1)
  for (const { reason } of refused) {
    assert.ok(reason instanceof ApiError)
    assert.equal(reason.reason, 'limit_reached')
    assert.ok(Number(reason.headers['Retry-After']) > 0)
  }
  assert.equal(await passwords.hash('there is room again', ANA), 'hash of there is room again')
})

test('a failure leaves room for the next', async () => {
  let fails = false
  const hasher: Hasher = { hash: (password) => (fails ? Promise.reject(new Error('no memory')) : Promise.resolve(password)), verify: async () => true, isOutdated: () => false }
  const passwords = new Passwords(testLimits(), hasher)
  fails = true
  await assert.rejects(passwords.hash('a long passphrase', ANA), /no memory/)
  fails = false
  assert.equal(await passwords.hash('a long passphrase', ANA), 'a long passphrase')
})

// Made by the package `argon2` 0.45.1, whose parameters stand in another order. Data of earlier versions holds such hashes.
const STORED_HASH = '$argon2id$v=19$m=19456,p=1,t=2$JXQ6J7JGcuUl5Ojk+/zoQw$TiBFhbTRErF4uYJ+eJACn5YtPmQWhJWRthrWx2RdwAI'
/** Made by `@node-rs/argon2` 2.2.1, which versions until 0.2 used. */
const RUST_HASH = '$argon2id$v=19$m=19456,t=2,p=1$frv4J9mrW5fM4tHNs1yZLA$vcgKDoT/SOTC4Yf6VzFoKb4X8JwkDVGwdlnCJMUVE84'
const STRONGER_HASH = '$argon2id$v=19$m=65536,p=4,t=3$W9xm/ph7EeF0uKDW495F0A$8cLhrkhHZN+AnG6Rgfy/sAWIV0ej5NVDaPgApNuCZiA'
const ARGON2I_HASH = '$argon2i$v=19$m=19456,p=1,t=2$MW9QQpjk8AtEcm176xtM/w$SUR+oQa5Bo8QZjy3iwbLVWe9XeTGVQ2qhAeDb0v+bPU'

test('hashes of earlier versions are verified', async () => {
  const passwords = new Passwords(testLimits())
  for (const stored of [STORED_HASH, RUST_HASH]) {
    assert.equal(await passwords.verify(stored, 'cafe\u0301 com leite', ANA), true)
    assert.equal(await passwords.verify(stored, 'cafe com leite', ANA), false)
    assert.equal(passwords.isOutdated(stored), false)
  }
  assert.equal(await passwords.verify(STRONGER_HASH, 'a long passphrase', ANA), true)
  assert.equal(await passwords.verify(ARGON2I_HASH, 'a long passphrase', ANA), true)
})

test('hashes of other parameters or kinds are outdated', async () => {
  const parameters = { memoryCost: MEMORY_KIB, timeCost: 2, parallelism: 1 }
  for (const other of [{ memoryCost: 8192 }, { timeCost: 1 }, { parallelism: 2 }]) {
    assert.equal(ARGON2.isOutdated(await argon2Hasher({ ...parameters, ...other }).hash('a long passphrase')), true, JSON.stringify(other))
  }
  assert.equal(ARGON2.isOutdated(ARGON2I_HASH), true)
  assert.equal(ARGON2.isOutdated(await ARGON2.hash('a long passphrase')), false)
})
