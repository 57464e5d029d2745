/**
 * The table of settings: name, parser, default. The start, the list in server/README.md and the type `Config` are derived from it or checked against it
 * (CONTRACT.md#running). An unknown variable with the prefix, or a value that does not parse, is a `ConfigError` of one line. The texts are in
 * `i18n/messages/<locale>/settings.ts`; a setting without a text does not compile.
 */
import { BlockList, isIP } from 'node:net'
import { availableParallelism, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { defaultProcesses, defaultWorkers, type Machine } from './default-processes.js'
import { emailKeyOf, isEmailAddress } from '#basics'
import { configuration as english } from './i18n/messages/en-US/configuration.js'
import type { settings } from './i18n/messages/en-US/settings.js'
import { configuration as portuguese } from './i18n/messages/pt-BR/configuration.js'
import type { Locale } from './i18n/locale.js'
import { type ErrorParams, type ErrorTexts, LocalizedError } from './i18n/localized-error.js'

export const PREFIX = 'NATIVE_SERVICE_'

const TEXTS = { 'en-US': english, 'pt-BR': portuguese } as const satisfies ErrorTexts<typeof english>

/** A fault in the environment, as one line. It names the variable but never its value, which may be a secret. */
export class ConfigError<Fault extends keyof typeof english = keyof typeof english> extends LocalizedError<typeof english, Fault> {
  override readonly name = 'ConfigError'

  constructor(fault: Fault, params: ErrorParams<typeof english, Fault>) {
    super(TEXTS, fault, params)
  }
}

/** @param variable name for the error message */
type Parse<T> = (value: string, variable: string) => T

interface Variable<T> {
  /** Without the prefix. */
  readonly name: string
  /** @throws ConfigError with what was expected */
  readonly parse: Parse<T>
  readonly fallback: T
}

const MB = 1024 * 1024
/** Upper limit of the cache; a larger value is a mistake. */
const CACHE_MB_LIMIT = 64 * 1024
const WORKERS_LIMIT = 256
/** More processes than a machine has use for: each has an event loop, and a quarter of a core is enough for one. */
export const PROCESSES_LIMIT = 64
/** Longest trial of a subscription at Stripe. */
const TRIAL_DAYS_LIMIT = 730
const DAY_SECONDS = 24 * 60 * 60
const PORT_LIMIT = 65_535
/** Minimum length of the secret key; a shorter one can be guessed. */
export const SECRET_CHARACTERS = 16

const TABLE = {
  host: variable('HOST', text, '127.0.0.1'),
  port: variable('PORT', integer(0, PORT_LIMIT), 8080),
  peerAddress: variable('PEER_ADDRESS', hostAndPort, null as HostAndPort | null),
  mongodbUrl: variable('MONGODB_URL', mongodbUrl, null as string | null),
  dataDir: variable('DATA_DIR', path, resolve('data')),
  secretKey: variable('SECRET_KEY', secret, null as string | null),
  secretKeyPrevious: variable('SECRET_KEY_PREVIOUS', secret, null as string | null),
  defaultRulesetDir: variable('DEFAULT_RULESET_DIR', path, null as string | null),
  customContentDir: variable('CUSTOM_CONTENT_DIR', path, null as string | null),
  workers: variable('WORKERS', integer(1, WORKERS_LIMIT), null as number | null),
  processes: variable('PROCESSES', integer(1, PROCESSES_LIMIT), null as number | null),
  rulesetCacheMb: variable('RULESET_CACHE_MB', integer(1, CACHE_MB_LIMIT), 256),
  taskTimeoutMs: variable('TASK_TIMEOUT_MS', integer(100, 600_000), 10_000),
  sessionTtlSeconds: variable('SESSION_TTL_SECONDS', integer(60, 365 * DAY_SECONDS), 43_200),
  invitationTtlSeconds: variable('INVITATION_TTL_SECONDS', integer(60, 365 * DAY_SECONDS), 604_800),
  passwordResetTtlSeconds: variable('PASSWORD_RESET_TTL_SECONDS', integer(60, 30 * DAY_SECONDS), 3600),
  ssoStateTtlSeconds: variable('SSO_STATE_TTL_SECONDS', integer(1, DAY_SECONDS), 600),
  defaultLocale: variable('DEFAULT_LOCALE', oneOf('pt-BR', 'en-US'), 'pt-BR' as Locale),
  selfSignupEnabled: variable('SELF_SIGNUP_ENABLED', flag, false),
  smtpUrl: variable('SMTP_URL', smtpUrl, null as string | null),
  mailFrom: variable('MAIL_FROM', sender, 'detection-content@localhost'),
  publicBaseUrl: variable('PUBLIC_BASE_URL', httpUrl, null as string | null),
  apiPublicBaseUrl: variable('API_PUBLIC_BASE_URL', httpUrl, null as string | null),
  trustedProxies: variable('TRUSTED_PROXIES', networks, null as BlockList | null),
  maxRequestBytes: variable('MAX_REQUEST_BYTES', integer(1024, 256 * MB), 8 * MB),
  rateLimitEnabled: variable('API_RATE_LIMIT_ENABLED', flag, true),
  rateLimitPerMinute: variable('API_RATE_LIMIT_PER_MINUTE', integer(1, 1_000_000_000), 120),
  rateLimitPerHour: variable('API_RATE_LIMIT_PER_HOUR', integer(1, 1_000_000_000), 5000),
  sseConnectionsPerUser: variable('SSE_CONNECTIONS_PER_USER', integer(1, 100), 5),
  aiRateLimitPerMinute: variable('AI_RATE_LIMIT_PER_MINUTE', integer(1, 1_000_000), 20),
  docsExposure: variable('DOCS_EXPOSURE', oneOf('off', 'admin', 'public'), 'off' as 'off' | 'admin' | 'public'),
  playgroundEnabled: variable('PLAYGROUND', flag, true),
  metricsToken: variable('METRICS_TOKEN', bearerToken, null as string | null),
  platformAdminEmails: variable('PLATFORM_ADMIN_EMAILS', emails, [] as readonly string[]),
  billingGateway: variable('BILLING_GATEWAY', oneOf('disabled', 'mock', 'stripe'), 'disabled' as 'disabled' | 'mock' | 'stripe'),
  billingSuccessPath: variable('BILLING_SUCCESS_PATH', pagePath, '/billing'),
  gatewayWebhookSecret: variable('GATEWAY_WEBHOOK_SECRET', text, null as string | null),
  stripeSecretKey: variable('STRIPE_SECRET_KEY', stripeSecretKey, null as string | null),
  stripePublishableKey: variable('STRIPE_PUBLISHABLE_KEY', stripePublishableKey, null as string | null),
  stripePrices: variable('STRIPE_PRICES', prices, [] as readonly PriceSetting[]),
  billingTrialDays: variable('BILLING_TRIAL_DAYS', integer(0, TRIAL_DAYS_LIMIT), 0),
  aiKnowledgeBasePath: variable('AI_KNOWLEDGE_BASE_PATH', path, null as string | null),
  allowPrivateTargets: variable('ALLOW_PRIVATE_TARGETS', flag, false),
  objectStores: variable('OBJECT_STORES', httpUrls, [] as readonly string[]),
  logLevel: variable('LOG_LEVEL', oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), 'info' as LogLevel),
} satisfies Readonly<Record<keyof typeof settings, Variable<unknown>>>

/** An address of this instance. */
export interface HostAndPort {
  readonly host: string
  readonly port: number
}

/** Which price of Stripe stands for a plan with an interval. */
export interface PriceSetting {
  readonly plan: string
  readonly interval: 'month' | 'year'
  readonly price: string
}

type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

/** The checked settings, with values that depend on others filled in. */
export type Config = { readonly [K in keyof typeof TABLE]: (typeof TABLE)[K]['fallback'] } & {
  readonly customContentDir: string
  readonly workers: number
  readonly processes: number
}

/** A setting, by its name in code. */
export type Setting = keyof typeof TABLE

/** Every variable by its full name, for help texts and the test of the README. */
export const CONFIG_VARIABLES: readonly { readonly setting: Setting; readonly name: string }[] = Object.entries(TABLE).map(([setting, { name }]) => ({
  setting: setting as Setting,
  name: PREFIX + name,
}))

/** The machine that this process runs on, or the part of it that its container may use. */
function thisMachine(): Machine {
  // 0, or more than there is: no limit.
  const limit = process.constrainedMemory()
  return { cores: availableParallelism(), memory: limit > 0 ? Math.min(limit, totalmem()) : totalmem(), platform: process.platform }
}

/** Reads the settings from an environment. @throws ConfigError */
export function readConfig(env: Readonly<Record<string, string | undefined>>, machine: Machine = thisMachine()): Config {
  const known = new Set(CONFIG_VARIABLES.map(({ name }) => name))
  const stray = Object.keys(env).find((name) => name.startsWith(PREFIX) && !known.has(name))
  if (stray !== undefined) throw new ConfigError('unknown', { variable: stray })
  const entries = Object.entries(TABLE).map(([key, { name, parse, fallback }]) => {
    const variable = PREFIX + name
    const value = env[variable]
    if (value === undefined) return [key, fallback]
    try {
      return [key, parse(value.trim(), variable)]
    } catch (error) {
      throw error instanceof ConfigError ? error : new ConfigError('unparsed', { variable })
    }
  })
  const read = Object.fromEntries(entries) as Omit<Config, 'workers' | 'processes'> & { readonly workers: number | null; readonly processes: number | null }
  if (read.mongodbUrl !== null && read.secretKey === null) throw new ConfigError('secret_required', { variable: `${PREFIX}SECRET_KEY`, other: `${PREFIX}MONGODB_URL` })
  const workers = read.workers ?? Math.min(WORKERS_LIMIT, defaultWorkers(machine, read.processes ?? 1))
  const processes = read.processes ?? Math.min(PROCESSES_LIMIT, defaultProcesses(machine, { ...read, workers }))
  if (processes > workers) throw new ConfigError('processes_without_threads', { variable: `${PREFIX}PROCESSES`, other: `${PREFIX}WORKERS`, threads: workers })
  if (read.peerAddress !== null && read.peerAddress.port + processes - 1 > PORT_LIMIT) throw new ConfigError('not_address', { variable: `${PREFIX}PEER_ADDRESS` })
  return { ...read, workers, processes, customContentDir: read.customContentDir ?? join(read.dataDir, 'custom') }
}

function variable<T>(name: string, parse: Parse<NoInfer<T>>, fallback: T): Variable<T> {
  return { name, parse, fallback }
}

function text(value: string, variable: string): string {
  if (value === '') throw new ConfigError('empty', { variable })
  return value
}

function path(value: string, variable: string): string {
  return resolve(text(value, variable))
}

function secret(value: string, variable: string): string {
  if (value.length < SECRET_CHARACTERS) throw new ConfigError('too_short', { variable, characters: SECRET_CHARACTERS })
  return value
}

/** Characters that are allowed after `Bearer` in a header. */
function bearerToken(value: string, variable: string): string {
  if (!/^[A-Za-z0-9._~+/=-]+$/.test(value)) throw new ConfigError('not_bearer', { variable })
  return value
}

function integer(min: number, max: number): Parse<number> {
  return (value, variable) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    if (!(number >= min && number <= max)) throw new ConfigError('not_integer', { variable, min, max })
    return number
  }
}

function flag(value: string, variable: string): boolean {
  if (value !== 'true' && value !== 'false') throw new ConfigError('not_flag', { variable })
  return value === 'true'
}

function oneOf<const V extends string>(...values: readonly V[]): Parse<V> {
  return (value, variable) => {
    if (!(values as readonly string[]).includes(value)) throw new ConfigError('not_choice', { variable, choices: values.join(', ') })
    return value as V
  }
}

function urlOf(value: string, variable: string, protocols: readonly [string, string]): URL {
  const url = parseUrl(value)
  if (url === null || !protocols.includes(url.protocol) || url.hostname === '') {
    const [first, second] = protocols.map((protocol) => `${protocol}//`)
    throw new ConfigError('not_url', { variable, first, second })
  }
  return url
}

function parseUrl(value: string): URL | null {
  try {
    return new URL(value)
  } catch {
    return null
  }
}

/** A base URL; paths are appended to it. */
function httpUrl(value: string, variable: string): string {
  const { username, password } = urlOf(value, variable, ['http:', 'https:'])
  if (username !== '' || password !== '' || /[?#\s]/.test(value)) throw new ConfigError('url_not_plain', { variable })
  return value.replace(/\/+$/, '')
}

function httpUrls(value: string, variable: string): readonly string[] {
  return value.split(',').map((url) => httpUrl(url.trim(), variable))
}

function smtpUrl(value: string, variable: string): string {
  urlOf(value, variable, ['smtp:', 'smtps:'])
  return value
}

/** An address, or a name and an address. Any other value would send mail without a sender. */
function sender(value: string, variable: string): string {
  const address = /^[^<>\p{Cc}]*<([^<>]*)>$/u.exec(value)?.[1] ?? value
  if (!/^[^\s@<>,;:"\\]+@[^\s@<>,;:"\\]+$/.test(address)) throw new ConfigError('not_sender', { variable })
  return value
}

/** `host:port`. An IPv6 address may be in brackets or not: the port is behind the last colon. */
function hostAndPort(value: string, variable: string): HostAndPort {
  const [, host, port] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s/@[\]]+)):(\d{1,5})$/.exec(value)?.filter((part) => part !== undefined) ?? []
  if (host === undefined || Number(port) < 1 || Number(port) > PORT_LIMIT) throw new ConfigError('not_address', { variable })
  return { host, port: Number(port) }
}

/** A list of hosts is not a valid URL for the parser, so only the prefix is checked. The driver reports the rest. */
function mongodbUrl(value: string, variable: string): string {
  if (!/^mongodb(?:\+srv)?:\/\/\S+$/.test(value)) throw new ConfigError('not_mongodb', { variable })
  return value
}

function emails(value: string, variable: string): readonly string[] {
  const all = value
    .split(',')
    .map((email) => email.trim())
    .filter((email) => email !== '')
  if (!all.every(isEmailAddress)) throw new ConfigError('not_emails', { variable })
  return all.map(emailKeyOf)
}

function networks(value: string, variable: string): BlockList {
  const list = new BlockList()
  for (const network of value.split(',').map((part) => part.trim())) {
    const [address, prefix, ...rest] = network.split('/')
    const version = isIP(address)
    const bits = version === 6 ? 128 : 32
    const length = prefix === undefined ? bits : integer(0, bits)(prefix, variable)
    if (version === 0 || rest.length > 0) throw new ConfigError('not_networks', { variable })
    list.addSubnet(address, length, version === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}

/** A path on the site at `PUBLIC_BASE_URL`, with a query string or not. `//host` would be another site. */
function pagePath(value: string, variable: string): string {
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(value) || value.includes('#')) throw new ConfigError('not_path', { variable })
  return value
}

function stripeSecretKey(value: string, variable: string): string {
  if (!/^[sr]k_[A-Za-z0-9_]+$/.test(value)) throw new ConfigError('not_stripe_key', { variable, prefix: 'sk_' })
  return value
}

/** Members see this key, so a secret one in its place must not be accepted. */
function stripePublishableKey(value: string, variable: string): string {
  if (!/^pk_[A-Za-z0-9_]+$/.test(value)) throw new ConfigError('not_stripe_key', { variable, prefix: 'pk_' })
  return value
}

/** `team.month=price_1,team.year=price_2`; a price, and a plan with an interval, at most once. */
function prices(value: string, variable: string): readonly PriceSetting[] {
  const all = value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [, plan, interval, price] = /^([a-z_]{1,40})\.(month|year)=(price_[A-Za-z0-9_]{1,200})$/.exec(entry) ?? []
      if (price === undefined) throw new ConfigError('not_prices', { variable })
      return { plan, interval: interval as PriceSetting['interval'], price }
    })
  const isRepeated = new Set(all.map(({ plan, interval }) => `${plan}.${interval}`)).size < all.length || new Set(all.map(({ price }) => price)).size < all.length
  if (isRepeated) throw new ConfigError('not_prices', { variable })
  return all
}
