/** Connects to MongoDB: sets the driver's options and checks the kind of MongoDB. It must support transactions, so it is a replica set or a sharded cluster. */
import { MongoClient, type MongoClientOptions } from 'mongodb'
import { StandaloneMongoError, StoreError } from '../errors.js'

/** Used when the URL names no database. */
const DEFAULT_DATABASE = 'detection_content'
/** Maximum time that a request waits for an unreachable MongoDB; longer than an election usually takes. */
const SELECTION_MS = 5_000
/** Interval at which the driver checks MongoDB. A host that stops responding is noticed after this time and `CONNECT_MS`. */
const HEARTBEAT_MS = 5_000
const CONNECT_MS = 5_000
/** Maximum number of connections of one instance. A connection takes about 1 MB of MongoDB's memory, and more connections would only wait inside MongoDB. */
const POOL = 64

/** UserNotFound, Unauthorized, AuthenticationFailed, and Atlas' code for a failed authentication. */
const REFUSED_CODES: ReadonlySet<unknown> = new Set([11, 13, 18, 8000])

/** The URL is invalid or its user is refused. The message does not contain the URL's secrets; there is no cause, because it may contain them. */
export class MongoAddressError extends StoreError<'user_refused' | 'url_refused'> {
  override readonly name = 'MongoAddressError'
}

export interface Connection {
  readonly client: MongoClient
  readonly database: string
  /** Version of the server; empty: unknown. */
  readonly version: string
}

/** Connects and sends one command. @throws MongoAddressError, StandaloneMongoError, and the driver's errors, which never contain the URL */
export async function connect(url: string): Promise<Connection> {
  const client = clientOf(url)
  try {
    const hello = await client.db('admin').command({ hello: 1 })
    // Without this check a standalone would refuse only the first write of a transaction.
    if (typeof hello.setName !== 'string' && hello.msg !== 'isdbgrid') throw new StandaloneMongoError()
    return { client, database: databaseOf(url), version: await versionOf(client) }
  } catch (error) {
    await client.close()
    if (!REFUSED_CODES.has((error as { readonly code?: unknown }).code)) throw error
    throw new MongoAddressError('user_refused', { reason: withoutSecrets((error as Error).message, url) })
  }
}

/** Returns the version of the server. It is only information, so a refusal is not an error. */
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
  // Options of the constructor override those of the URL, so the defaults omit options that the URL sets.
  const inUrl = optionsOf(url)
  const remaining = Object.entries(defaults).filter(([option]) => !inUrl.has(option.toLowerCase()))
  try {
    // Reads must see earlier writes, so a read preference of the URL is overridden.
    return new MongoClient(url, { ...Object.fromEntries(remaining), readPreference: 'primary', ignoreUndefined: true, promoteBuffers: true })
  } catch (error) {
    // The driver's message may quote the URL with its password, so it is cleaned, and the cause is dropped.
    throw new MongoAddressError('url_refused', { reason: withoutSecrets(error instanceof Error ? error.message : String(error), url) })
  }
}

/** Returns the database in the path of the URL, or the default. */
export function databaseOf(url: string): string {
  const path = /^mongodb(?:\+srv)?:\/\/[^/?]*\/([^?]*)/.exec(url)?.[1] ?? ''
  return path === '' ? DEFAULT_DATABASE : decodeURIComponent(path)
}

/** Returns the names of the options in the URL, in lower case. */
function optionsOf(url: string): ReadonlySet<string> {
  const query = url.indexOf('?')
  if (query < 0) return new Set()
  const names = new Set([...new URLSearchParams(url.slice(query + 1)).keys()].map((name) => name.toLowerCase()))
  if (names.has('j')) names.add('journal')
  return names
}

/** Removes secrets of the URL from a message. The driver quotes parts of a URL, decoded or not. */
function withoutSecrets(message: string, url: string): string {
  const credentials = /^[a-z+]+:\/\/(.*)@/i.exec(url)?.[1] ?? ''
  const password = credentials.slice(credentials.indexOf(':') + 1)
  const query = url.includes('?') ? [...new URLSearchParams(url.slice(url.indexOf('?') + 1)).entries()] : []
  const options = query.filter(([name]) => SECRET_OPTION.test(name)).map(([, value]) => value)
  const secrets = [url, credentials, password, ...options].flatMap((secret) => [secret, decoded(secret), encodeURIComponent(secret)]).filter((secret) => secret !== '')
  return secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message)
}

/** Options with secrets: `tlsCertificateKeyFilePassword`, `authMechanismProperties` (session token), `proxyPassword`. */
const SECRET_OPTION = /password|token|secret|properties/i

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
