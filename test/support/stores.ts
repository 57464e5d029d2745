/** The stores on which the HTTP suite runs: each gives a fresh, empty database. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { mongodForTests } from './mongod.js'

/** What a service is started with. */
export interface FreshStore {
  readonly env: Readonly<Record<string, string>>
  /** To call when a process on it was killed, so that the next one needn't wait until the database notices. */
  forget?(): Promise<void>
  /** Throws the database away. */
  remove(): Promise<void>
}

export interface TestStore {
  readonly name: string
  /** Why its tests can't run here; false: they can. */
  readonly skip: string | false
  fresh(): Promise<FreshStore>
}

export const TEST_SECRET = 'a secret for tests, of more than thirty-two characters'

/** A new folder. */
export function dataDir(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'detection-content-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

export const EMBEDDED: TestStore = {
  name: 'embedded store',
  skip: false,
  async fresh() {
    const { path, remove } = dataDir()
    return { env: { NATIVE_SERVICE_DATA_DIR: path }, remove: async () => remove() }
  },
}

export const REPLICA_SET: TestStore = mongoStore('MongoDB replica set')

/** The store of tests that name none: the group `api-on-mongodb` runs the HTTP suite once more with `TEST_STORE=mongodb`. */
export const DEFAULT_STORE: TestStore = process.env.TEST_STORE === 'mongodb' ? REPLICA_SET : EMBEDDED

/** A machine that stands still for some seconds is no database that is away. */
const PATIENCE_MS = 60_000

function patient(url: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}serverSelectionTimeoutMS=${PATIENCE_MS}&waitQueueTimeoutMS=${PATIENCE_MS}&connectTimeoutMS=${PATIENCE_MS}`
}

function mongoStore(name: string): TestStore {
  const { skip, server } = mongodForTests()
  return {
    name,
    skip,
    async fresh() {
      const mongod = await server()
      const database = `test_${randomUUID().replaceAll('-', '')}`
      const { path, remove } = dataDir()
      return {
        env: { NATIVE_SERVICE_DATA_DIR: path, NATIVE_SERVICE_MONGODB_URL: patient(mongod.url(database)), NATIVE_SERVICE_SECRET_KEY: TEST_SECRET },
        forget: () => mongod.endTransactions(),
        async remove() {
          remove()
          await mongod.drop(database)
        },
      }
    },
  }
}
