/** The settings: what parses, what stops the start, and that the README tells all of them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import test from 'node:test'
import { CONFIG_VARIABLES, ConfigError, readConfig } from '../../../server/core/config.js'

const SECRET = 'x'.repeat(32)
const read = (env: Record<string, string>) => readConfig(Object.fromEntries(Object.entries(env).map(([name, value]) => [`NATIVE_SERVICE_${name}`, value])))

test('an empty environment gives the defaults of the contract', () => {
  const config = readConfig({ PATH: '/bin', HOME: '/root' })
  assert.equal(config.host, '127.0.0.1')
  assert.equal(config.port, 8080)
  assert.equal(config.mongodbUrl, null)
  assert.equal(config.dataDir, resolve('data'))
  assert.equal(config.customContentDir, resolve('data/custom'))
  assert.equal(config.rulesetCacheMb, 256)
  assert.equal(config.taskTimeoutMs, 10_000)
  assert.equal(config.sessionTtlSeconds, 43_200)
  assert.equal(config.invitationTtlSeconds, 604_800)
  assert.equal(config.passwordResetTtlSeconds, 3600)
  assert.equal(config.ssoStateTtlSeconds, 600)
  assert.equal(config.maxRequestBytes, 8_388_608)
  assert.equal(config.rateLimitPerMinute, 120)
  assert.equal(config.rateLimitPerHour, 5000)
  assert.equal(config.rateLimitEnabled, true)
  assert.equal(config.sseConnectionsPerUser, 5)
  assert.equal(config.docsExposure, 'off')
  assert.equal(config.playgroundEnabled, true)
  assert.equal(config.selfSignupEnabled, false)
  assert.equal(config.billingGateway, 'disabled')
  assert.equal(config.logLevel, 'info')
})

test('each process has two threads at least, unless the setting says otherwise', () => {
  const machine = { cores: 2, memory: 8 * 1024 ** 3, platform: 'linux' } as const
  const workersOf = (env: Record<string, string>) => readConfig(env, machine).workers
  assert.equal(workersOf({}), 2)
  assert.equal(workersOf({ NATIVE_SERVICE_PROCESSES: '3' }), 6)
  assert.equal(workersOf({ NATIVE_SERVICE_PROCESSES: '2', NATIVE_SERVICE_WORKERS: '2' }), 2)
  assert.equal(readConfig({}, { ...machine, cores: 1 }).workers, 2)
})

test('a login at a provider may take a second at least', () => {
  assert.equal(read({ SSO_STATE_TTL_SECONDS: '1' }).ssoStateTtlSeconds, 1)
  assert.throws(() => read({ SSO_STATE_TTL_SECONDS: '0' }), { name: 'ConfigError' })
})

test('a sender of mail is an address, with or without a name', () => {
  for (const from of ['content@localhost', 'Content <content@example.com>', '"Content, Team" <content@example.com>']) assert.equal(read({ MAIL_FROM: from }).mailFrom, from)
})

test('prices are read by plan and interval', () => {
  assert.deepEqual(read({ STRIPE_PRICES: 'team.month=price_1, team.year=price_2,' }).stripePrices, [
    { plan: 'team', interval: 'month', price: 'price_1' },
    { plan: 'team', interval: 'year', price: 'price_2' },
  ])
})

test('an unknown variable with the prefix stops the start, and is named', () => {
  assert.throws(() => read({ PROT: '8080' }), { name: 'ConfigError', message: 'NATIVE_SERVICE_PROT is not a setting of this service' })
})

test('a value that does not parse stops the start with one line that names it and does not show it', () => {
  const wrong: readonly (readonly [string, string])[] = [
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '1e3'],
    ['PORT', ''],
    ['HOST', ''],
    ['WORKERS', '0'],
    ['RULESET_CACHE_MB', '1.5'],
    ['API_RATE_LIMIT_ENABLED', 'yes'],
    ['DOCS_EXPOSURE', 'all'],
    ['PLAYGROUND', 'on'],
    ['DEFAULT_LOCALE', 'fr-FR'],
    ['LOG_LEVEL', 'loud'],
    ['BILLING_GATEWAY', 'paypal'],
    ['BILLING_SUCCESS_PATH', '//other.example'],
    ['BILLING_SUCCESS_PATH', 'https://other.example'],
    ['BILLING_SUCCESS_PATH', '/\\other.example'],
    ['BILLING_SUCCESS_PATH', '/paid#here'],
    ['GATEWAY_WEBHOOK_SECRET', ''],
    ['STRIPE_SECRET_KEY', 'pk_live_51Abc'],
    ['STRIPE_PUBLISHABLE_KEY', 'sk_live_51Abc'],
    ['STRIPE_PRICES', 'team=price_1'],
    ['STRIPE_PRICES', 'team.week=price_1'],
    ['STRIPE_PRICES', 'team.month=price_1,team.month=price_2'],
    ['STRIPE_PRICES', 'team.month=price_1,team.year=price_1'],
    ['BILLING_TRIAL_DAYS', '731'],
    ['SECRET_KEY', 'short secret'],
    ['METRICS_TOKEN', ''],
    ['METRICS_TOKEN', 'a token of many words that no header can hold'],
    ['SMTP_URL', 'http://user:password@mail'],
    ['MONGODB_URL', 'postgres://user:password@db'],
    ['PUBLIC_BASE_URL', 'ftp://host'],
    ['PUBLIC_BASE_URL', 'https://content.example/?page=1'],
    ['PUBLIC_BASE_URL', 'https://content.example/#top'],
    ['API_PUBLIC_BASE_URL', 'https://user:password@content.example/api/v1'],
    ['SMTP_URL', 'smtp:///mail'],
    ['MAIL_FROM', 'the security team'],
    ['MAIL_FROM', 'Security <>'],
    ['MAIL_FROM', 'a@example.com, b@example.com'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '10.0.0.0/8/8'],
    ['TRUSTED_PROXIES', 'proxy.local'],
    ['PLATFORM_ADMIN_EMAILS', 'nobody'],
    ['PLATFORM_ADMIN_EMAILS', 'ana@example.com,ru\u200bi@example.com'],
    ['SESSION_TTL_SECONDS', '99999999999999999999'],
  ]
  for (const [name, value] of wrong) {
    assert.throws(
      () => read({ [name]: value }),
      (error: Error) =>
        error instanceof ConfigError && error.message.startsWith(`NATIVE_SERVICE_${name}: `) && !error.message.includes('\n') && (value === '' || !error.message.includes(value)),
      `${name}=${value}`,
    )
  }
})

test('what is wrong is told in both languages, and logged in English', () => {
  const told: readonly (readonly [env: Record<string, string>, english: string, portuguese: string])[] = [
    [{ PROT: '80' }, 'PROT is not a setting of this service', 'PROT não é uma configuração deste serviço'],
    [
      { MONGODB_URL: 'mongodb://db/content' },
      'SECRET_KEY is required when NATIVE_SERVICE_MONGODB_URL is set',
      'SECRET_KEY é obrigatória quando NATIVE_SERVICE_MONGODB_URL está definida',
    ],
    [{ HOST: '' }, 'HOST: must not be empty', 'HOST: não pode ser vazia'],
    [{ SECRET_KEY: 'x' }, 'SECRET_KEY: must have at least 16 characters', 'SECRET_KEY: deve ter pelo menos 16 caracteres'],
    [{ METRICS_TOKEN: 'a b' }, 'METRICS_TOKEN: must consist of letters, digits and ._~+/=-', 'METRICS_TOKEN: só pode ter letras, dígitos e ._~+/=-'],
    [{ PORT: 'x' }, 'PORT: must be a whole number from 0 to 65535', 'PORT: deve ser um número inteiro de 0 a 65535'],
    [{ TRUSTED_PROXIES: '::1/129' }, 'TRUSTED_PROXIES: must be a whole number from 0 to 128', 'TRUSTED_PROXIES: deve ser um número inteiro de 0 a 128'],
    [{ SELF_SIGNUP_ENABLED: 'yes' }, 'SELF_SIGNUP_ENABLED: must be true or false', 'SELF_SIGNUP_ENABLED: deve ser true ou false'],
    [{ DOCS_EXPOSURE: 'all' }, 'DOCS_EXPOSURE: must be one of off, admin, public', 'DOCS_EXPOSURE: deve ser um destes: off, admin, public'],
    [
      { SMTP_URL: 'http://mail' },
      'SMTP_URL: must be a URL that begins with smtp:// or smtps:// and a host',
      'SMTP_URL: deve ser uma URL que comece com smtp:// ou smtps:// e um host',
    ],
    [
      { PUBLIC_BASE_URL: 'http://host/?a' },
      'PUBLIC_BASE_URL: must be a URL without a user, a query and a fragment',
      'PUBLIC_BASE_URL: deve ser uma URL sem usuário, sem query e sem fragmento',
    ],
    [
      { MAIL_FROM: 'nobody' },
      'MAIL_FROM: must be an e-mail address, or a name and <an e-mail address>',
      'MAIL_FROM: deve ser um endereço de e-mail, ou um nome e <um endereço de e-mail>',
    ],
    [{ MONGODB_URL: 'db' }, 'MONGODB_URL: must begin with mongodb:// or mongodb+srv://', 'MONGODB_URL: deve começar com mongodb:// ou mongodb+srv://'],
    [
      { PLATFORM_ADMIN_EMAILS: 'nobody' },
      'PLATFORM_ADMIN_EMAILS: must be e-mail addresses, comma separated',
      'PLATFORM_ADMIN_EMAILS: devem ser endereços de e-mail separados por vírgulas',
    ],
    [{ TRUSTED_PROXIES: 'x' }, 'TRUSTED_PROXIES: must be addresses or CIDRs, comma separated', 'TRUSTED_PROXIES: devem ser endereços ou CIDRs separados por vírgulas'],
  ]
  for (const [env, english, portuguese] of told) {
    assert.throws(
      () => read(env),
      (error: Error) => {
        assert.ok(error instanceof ConfigError)
        assert.deepEqual(
          [error.message, error.localize('en-US'), error.localize('pt-BR')],
          [english, english, portuguese].map((text) => `NATIVE_SERVICE_${text}`),
        )
        return true
      },
      english,
    )
  }
})

test('MongoDB needs a secret of the operator, since instances must agree on it', () => {
  assert.throws(() => read({ MONGODB_URL: 'mongodb://localhost/content' }), ConfigError)
  assert.equal(read({ MONGODB_URL: 'mongodb://a:1,b:2/content?replicaSet=rs0', SECRET_KEY: SECRET }).secretKey, SECRET)
})

test('proxies, e-mails and addresses are read', () => {
  const config = read({ TRUSTED_PROXIES: '10.0.0.0/8, ::1', PLATFORM_ADMIN_EMAILS: ' Ana@Example.com,ｒｕｉ@example.com ', PUBLIC_BASE_URL: 'https://content.example.com/' })
  assert.ok(config.trustedProxies?.check('10.1.2.3') && config.trustedProxies.check('::1', 'ipv6') && !config.trustedProxies.check('11.0.0.1'))
  assert.deepEqual(config.platformAdminEmails, ['ana@example.com', 'rui@example.com'])
  assert.equal(config.publicBaseUrl, 'https://content.example.com')
})

test('the README tells every setting', () => {
  const readme = readFileSync(new URL('../../../../server/README.md', import.meta.url), 'utf8')
  const missing = CONFIG_VARIABLES.map(({ name }) => name.replace('NATIVE_SERVICE_', '')).filter((name) => !readme.includes(`\`${name}\``))
  assert.deepEqual(missing, [])
})
