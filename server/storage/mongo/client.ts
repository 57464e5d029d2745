/** The connection to MongoDB: the driver's options, and what kind of MongoDB it is. */
import { MongoClient, type MongoClientOptions } from 'mongodb'

/** Used when the URL names no database. */
export const DEFAULT_DATABASE = 'detection_content'
/** A request waits this long for a MongoDB that is away; long enough for what an election usually takes. */
const SELECTION_MS = 5_000
/** How often the driver looks whether MongoDB is there; a host that falls silent is noticed after this and `CONNECT_MS`. */
const HEARTBEAT_MS = 5_000
const CONNECT_MS = 5_000
/** Per instance. MongoDB spends about 1 MB on a connection; more than these only queue up inside of it. */
const POOL = 50

export interface Connection {
  readonly client: MongoClient
  readonly database: string
  /** A replica set or a cluster has transactions; a standalone hasn't. */
  readonly transactions: boolean
}

/** Connects, and asks once. Errors are the driver's, but never hold the URL. */
export async function connect(url: string): Promise<Connection> {
  const client = clientOf(url)
  try {
    const hello = await client.db('admin').command({ hello: 1 })
    return { client, database: databaseOf(url), transactions: typeof hello.setName === 'string' || hello.msg === 'isdbgrid' }
  } catch (error) {
    await client.close()
    throw error
  }
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
    throw new TypeError(`the MongoDB URL can't be used: ${withoutSecrets(error instanceof Error ? error.message : String(error), url)}`)
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

function withoutSecrets(message: string, url: string): string {
  const credentials = /^[a-z+]+:\/\/(.*)@/i.exec(url)?.[1] ?? ''
  const password = credentials.slice(credentials.indexOf(':') + 1)
  const secrets = [url, credentials, password].filter((secret) => secret !== '')
  return secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message)
}
