/**
 * A MongoDB for tests: the one at MONGODB_URL, or a `mongod` that is started here, from MONGOD_BINARY, the PATH, or ../shared/bin beside the checkout.
 *  1. every test has a database of a name of its own, and drops it
 *  2. nothing outlives the test process, however that ends: a shell waits for its end, and kills what it has started
 *  3. where a MongoDB is required (REQUIRE_MONGODB=1, as `.ci/run` sets it where one can be had) a missing one is a failure, else tests say why they are skipped
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { accessSync, closeSync, constants, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MongoClient } from 'mongodb'
import { freePort, guardOf } from './child-servers.js'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const BESIDE = join(ROOT, '../shared/bin/mongod')
/** A real mongod makes its files first, and elects itself, on a machine that may be busy. */
const START_MS = 60_000
/** How long it is waited for a word of it: a little, as it may not listen yet, and each time longer, as the machine may be slow. */
const FIRST_ANSWER_MS = 250
const LONGEST_ANSWER_MS = 8_000
const LOOK_MS = 20
const PORTS_TRIED = 3

/** A server that tests share. */
export interface TestMongod {
  url(database: string): string
  drop(database: string): Promise<void>
  /** Ends the transactions of a process that was killed: MongoDB waits a minute for it, and keeps what they hold from others. Not done where others may work as well. */
  endTransactions(): Promise<void>
}

/** A server of one test's own. */
export interface StartedMongod extends TestMongod {
  readonly port: number
  readonly dbpath: string
  /** SIGKILL is a crash. Resolves when the process is gone. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Ends it, and removes its files. */
  stop(): Promise<void>
}

export interface StartOptions {
  /** Default: a replica set. */
  readonly standalone?: boolean
  readonly port?: number
  readonly dbpath?: string
}

/** The program to start. Null: there is none. */
function findMongod(): { readonly binary: string } | null {
  const named = process.env.MONGOD_BINARY
  if (named !== undefined && named !== '') return isExecutable(named) ? { binary: named } : null
  const places = [...(process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'mongod')), BESIDE]
  const binary = places.find(isExecutable)
  return binary === undefined ? null : { binary }
}

let shared: Promise<TestMongod> | undefined

/** What a test file asks: why its tests can't run (false: they can), and the replica set that it shares with the rest of its process. */
export function mongodForTests(): { readonly skip: string | false; server(): Promise<TestMongod> } {
  const given = process.env.MONGODB_URL
  if (given === undefined || given === '') return { skip: skipWithoutMongod(), server: () => (shared ??= startMongod()) }
  return { skip: false, server: async () => ({ ...serverAt(given), endTransactions: async () => {} }) }
}

/** For tests that start servers of their own. @throws where a MongoDB is required and there is none */
export function skipWithoutMongod(): string | false {
  if (findMongod() !== null) return false
  const reason = `no mongod: neither MONGOD_BINARY (${process.env.MONGOD_BINARY ?? 'not set'}), nor on the PATH, nor ${BESIDE}`
  if (process.env.REQUIRE_MONGODB === '1') throw new Error(`REQUIRE_MONGODB is set, but there is ${reason}`)
  return reason
}

/**
 * Whether a unique key is free again when its document has taken another. MongoDB's is; of secantusd-rs 0.5.3-beta.193 it never is, whatever the update.
 * Why not, for what a test says when it is skipped; false: it is free.
 */
export async function keepsUniqueKeys(server: TestMongod): Promise<string | false> {
  const database = `probe_${randomUUID().replaceAll('-', '')}`
  const client = new MongoClient(server.url(database))
  try {
    const collection = client.db().collection<{ _id: number; key: string }>('keys')
    await collection.createIndex({ key: 1 }, { unique: true })
    await collection.insertOne({ _id: 1, key: 'old' })
    await collection.updateOne({ _id: 1 }, { $set: { key: 'new' } })
    const refused = await collection.insertOne({ _id: 2, key: 'old' }).then(
      () => false,
      () => true,
    )
    return refused ? 'this server never frees a unique key of a document that was changed; MongoDB does' : false
  } finally {
    await client.close()
    await server.drop(database)
  }
}

/** Starts one on files of an earlier start if `dbpath` says so. */
export async function startMongod({ port, ...options }: StartOptions = {}): Promise<StartedMongod> {
  if (port !== undefined) return startOn(port, options)
  for (let left = PORTS_TRIED; ; left--) {
    try {
      return await startOn(await freePort(), options)
    } catch (error) {
      // A port that was free a moment ago may be another's by now.
      if (left <= 1) throw error
    }
  }
}

async function startOn(listening: number, { standalone = false, dbpath }: Omit<StartOptions, 'port'>): Promise<StartedMongod> {
  const found = findMongod()
  if (found === null) throw new Error('there is no mongod to start')
  const folder = dbpath ?? mkdtempSync(join(tmpdir(), 'mongod-'))
  mkdirSync(folder, { recursive: true })
  const log = `${folder}.log`
  const out = openSync(log, 'a')
  const set = standalone ? [] : ['--replSet', 'rs0']
  const child = spawn(found.binary, ['--dbpath', folder, '--port', String(listening), '--bind_ip', '127.0.0.1', ...set], { stdio: ['ignore', out, out] })
  closeSync(out)
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  child.unref()
  const guard = guardOf(child)
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true })
    rmSync(log, { force: true })
  }
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    child.ref()
    child.kill(signal)
    await gone
    guard.kill('SIGKILL')
    process.removeListener('exit', atExit)
  }
  const atExit = (): void => {
    child.kill('SIGKILL')
    if (dbpath === undefined) remove()
  }
  process.once('exit', atExit)
  const server = serverAt(`mongodb://127.0.0.1:${listening}/`)
  try {
    await untilReady(listening, !standalone, () => child.exitCode ?? child.signalCode)
  } catch (error) {
    const said = readFileSync(log, 'utf8').slice(-2_000)
    await kill('SIGKILL')
    if (dbpath === undefined) remove()
    throw new Error(`${found.binary} does not start: ${said}`, { cause: error })
  }
  return {
    ...server,
    port: listening,
    dbpath: folder,
    kill,
    async stop() {
      await kill('SIGKILL')
      remove()
    },
  }
}

function serverAt(address: string): TestMongod {
  const url = (database: string): string => address.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]*)\/?[^?]*/, `$1/${database}`)
  return {
    url,
    async drop(database) {
      const client = new MongoClient(url(database), { serverSelectionTimeoutMS: START_MS })
      try {
        await client.db().dropDatabase()
      } finally {
        await client.close()
      }
    },
    async endTransactions() {
      const client = new MongoClient(url('admin'), { directConnection: true })
      try {
        await client.db().command({ killAllSessions: [] })
      } finally {
        await client.close()
      }
    },
  }
}

/** Waits until it takes writes; a real one with `--replSet` has to be told first that it is a replica set. */
async function untilReady(port: number, replicaSet: boolean, ended: () => unknown): Promise<void> {
  const until = Date.now() + START_MS
  for (let patience = FIRST_ANSWER_MS; ; patience = Math.min(2 * patience, LONGEST_ANSWER_MS)) {
    const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, { serverSelectionTimeoutMS: patience })
    try {
      const hello = await client.db('admin').command({ hello: 1 })
      if (hello.isWritablePrimary === true && (!replicaSet || typeof hello.setName === 'string')) return
      if (hello.isreplicaset === true) {
        await client.db('admin').command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: `127.0.0.1:${port}` }] } })
      }
    } catch (error) {
      if (ended() !== null || Date.now() > until) throw error
    } finally {
      await client.close()
    }
    if (ended() !== null || Date.now() > until) throw new Error('it never took writes')
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
