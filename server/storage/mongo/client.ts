/** The connection to MongoDB: the driver's options, and what kind of MongoDB it is. Only one with transactions is taken: a replica set, or a sharded cluster. */
import { MongoClient, type MongoClientOptions } from 'mongodb'
import { StandaloneMongoError, StoreError } from '../errors.js'

/** Used when the URL names no database. */
const DEFAULT_DATABASE = 'detection_content'
/** A request waits this long for a MongoDB that is away; long enough for what an election usually takes. */
const SELECTION_MS = 5_000
/** How often the driver looks whether MongoDB is there; a host that falls silent is noticed after this and `CONNECT_MS`. */
const HEARTBEAT_MS = 5_000
const CONNECT_MS = 5_000
/** Per instance. MongoDB spends about 1 MB on a connection; more than these only queue up inside of it. */
const POOL = 64

/** Unauthorized, UserNotFound, AuthenticationFailed, and Atlas' own. */
const REFUSED_CODES: ReadonlySet<unknown> = new Set([11, 13, 18, 8000])

/** The URL or its user can't be used. The message is without the URL's secrets, and there is no cause, which may have them. */
export class MongoAddressError extends StoreError<'user_refused' | 'url_refused'> {
  override readonly name = 'MongoAddressError'
}

export interface Connection {
  readonly client: MongoClient
  readonly database: string
  /** Of the server; empty: it does not say. */
  readonly version: string
}

/** Connects, and asks once. @throws MongoAddressError, StandaloneMongoError; the driver's errors, which never hold the URL */
export async function connect(url: string): Promise<Connection> {
  const client = clientOf(url)
  try {
    const hello = await client.db('admin').command({ hello: 1 })
    // A standalone takes the first write of a transaction and refuses it then.
    if (typeof hello.setName !== 'string' && hello.msg !== 'isdbgrid') throw new StandaloneMongoError()
    return { client, database: databaseOf(url), version: await versionOf(client) }
  } catch (error) {
    await client.close()
    if (!REFUSED_CODES.has((error as { readonly code?: unknown }).code)) throw error
    throw new MongoAddressError('user_refused', { reason: withoutSecrets((error as Error).message, url) })
  }
}

/** Nothing depends on it, so that a server which refuses to say is no worse than another. */
async function versionOf(client: MongoClient): Promise<string> {
  const info = await client
    .db('admin')
    .command({ buildInfo: 1 })
    .catch(() => null)
  return typeof info?.version === 'string' ? info.version : ''
}

function clientOf(url: string): MongoClient {
  const defaults: MongoClientOptions = {
    appName: 'detection-content',
    serverSelectionTimeoutMS: SELECTION_MS,
    heartbeatFrequencyMS: HEARTBEAT_MS,
    connectTimeoutMS: CONNECT_MS,
    waitQueueTimeoutMS: SELECTION_MS,
    maxPoolSize: POOL,
    retryWrites: true,
    retryReads: true,
    w: 'majority',
    journal: true,
  }
  // The driver puts its options before the URL's.
  const given = optionsOf(url)
  const left = Object.entries(defaults).filter(([option]) => !given.has(option.toLowerCase()))
  try {
    // Whoever has written has to read that; a URL that sends reads elsewhere would break it.
    return new MongoClient(url, { ...Object.fromEntries(left), readPreference: 'primary', ignoreUndefined: true, promoteBuffers: true })
  } catch (error) {
    // What the driver finds wrong may quote the URL, and that has a password: neither the message nor the cause goes on as it is.
    throw new MongoAddressError('url_refused', { reason: withoutSecrets(error instanceof Error ? error.message : String(error), url) })
  }
}

/** The database that the URL's path names. */
export function databaseOf(url: string): string {
  const path = /^mongodb(?:\+srv)?:\/\/[^/?]*\/([^?]*)/.exec(url)?.[1] ?? ''
  return path === '' ? DEFAULT_DATABASE : decodeURIComponent(path)
}

/** Names of the options in the URL, in small letters. */
function optionsOf(url: string): ReadonlySet<string> {
  const query = url.indexOf('?')
  if (query < 0) return new Set()
  const names = new Set([...new URLSearchParams(url.slice(query + 1)).keys()].map((name) => name.toLowerCase()))
  if (names.has('j')) names.add('journal')
  return names
}

/** The driver quotes some parts of a URL, decoded or not. */
function withoutSecrets(message: string, url: string): string {
  const credentials = /^[a-z+]+:\/\/(.*)@/i.exec(url)?.[1] ?? ''
  const password = credentials.slice(credentials.indexOf(':') + 1)
  const query = url.includes('?') ? [...new URLSearchParams(url.slice(url.indexOf('?') + 1)).entries()] : []
  const options = query.filter(([name]) => SECRET_OPTION.test(name)).map(([, value]) => value)
  const secrets = [url, credentials, password, ...options].flatMap((secret) => [secret, decoded(secret), encodeURIComponent(secret)]).filter((secret) => secret !== '')
  return secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message)
}

/** `tlsCertificateKeyFilePassword`, `authMechanismProperties` with a session token, `proxyPassword`. */
const SECRET_OPTION = /password|token|secret|properties/i

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
