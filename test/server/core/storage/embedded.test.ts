/** The embedded store beside the contract: durability, files and processes, full disks, indexes, expiry, long results. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Filter, type FindOptions, platformCollection, tenantCollection, type WindowDocument } from '../../../../server/core/storage/contract.js'
import { Connection } from '../../../../server/core/storage/embedded/connection.js'
import { DatabaseFile } from '../../../../server/core/storage/embedded/database-file.js'
import { makeFile } from '../../../../server/core/storage/embedded/files.js'
import { DamagedStoreError, LmdbStoreError, NewerFormatError, openEmbeddedStorage } from '../../../../server/core/storage/embedded/index.js'
import { FORMAT_VERSION, schemaOf } from '../../../../server/core/storage/embedded/schema.js'
import { STORE_FILE, VOLATILE_FILE } from '../../../../server/core/storage/embedded/storage.js'
import { writeTasks } from '../../../../server/core/storage/embedded/writes.js'
import { DuplicateKeyError } from '../../../../server/core/storage/errors.js'
import { storageContract, type Thing } from '../../../contracts/storage.js'
import { insertAll } from '../../../support/insert-all.js'
import { integrityFaults, sqlitePlan } from '../../../support/sqlite-plan.js'
import { directoriesForTests } from '../../../support/storage.js'
import { CHILD_DEFINITIONS, COPIES, HEADS, PARTS, SHARED_COUNTS, SHARED_WRITES } from './embedded-child.js'

const CHILD = fileURLToPath(new URL('./embedded-child.js', import.meta.url))
const newDirectory = directoriesForTests()
const unchecked = <T>(value: unknown): T => value as T

storageContract('embedded', async () => {
  const storage = await openEmbeddedStorage({ directory: newDirectory() })
  return { storage, close: () => storage.close() }
})

function startChild(mode: string, directory: string, round = 0): { child: ChildProcess; lines: AsyncIterable<string>; exited: Promise<void> } {
  const child = spawn(process.execPath, [CHILD, mode, directory, String(round)], { stdio: ['pipe', 'pipe', 'inherit'] })
  return { child, lines: createInterface({ input: child.stdout! }), exited: new Promise((resolve) => child.once('exit', () => resolve())) }
}

describe('embedded store: what was acknowledged', () => {
  it('survives kill -9 during thousands of writes, and no commit is stored in part', async () => {
    const directory = newDirectory()
    const acknowledged = { committed: new Set<string>(), inserted: new Set<string>(), changed: new Set<string>(), deleted: new Set<string>() }
    for (let round = 0; round < 3; round++) {
      const { child, lines, exited } = startChild('write', directory, round)
      let count = 0
      for await (const line of lines) {
        for (const [kind, id] of Object.entries(JSON.parse(line) as Record<string, string>)) acknowledged[kind as 'committed'].add(id)
        // Reports of the child that are still in the pipe after its death were acknowledged as well.
        if (++count === 2500) child.kill('SIGKILL')
      }
      await exited
      const storage = await openEmbeddedStorage({ directory })
      await storage.prepare(CHILD_DEFINITIONS)
      const parts = storage.open(PARTS)
      const copies = storage.open(COPIES)
      const partIds = new Set((await parts.find({})).map(({ _id }) => _id))
      const copied = new Map((await copies.find({})).map((copy) => [copy._id, copy.text]))
      for (const id of acknowledged.committed) assert.ok(partIds.has(id), `the commit of ${id} is lost`)
      for (const id of acknowledged.inserted) if (!acknowledged.deleted.has(id)) assert.ok(copied.has(id) || isBeingDeleted(id), `${id} is lost`)
      for (const id of acknowledged.changed) if (copied.has(id)) assert.equal(copied.get(id), 'changed')
      for (const id of acknowledged.deleted) assert.ok(!copied.has(id), `${id} is there again`)
      const pairs = [...copied.keys()].filter((id) => !id.startsWith('s'))
      assert.deepEqual(new Set(pairs), partIds, 'a commit is half there')
      assert.equal((await storage.open(HEADS).findOne({ _id: 'head' }))?.n, partIds.size)
      await storage.close()
      assert.deepEqual(integrityFaults(join(directory, STORE_FILE)), [])
    }
    assert.ok(acknowledged.committed.size > 2000, `only ${acknowledged.committed.size} commits`)

    /** Whether the document is one of those deleted at once, whose deletion may have been done without a report. */
    function isBeingDeleted(id: string): boolean {
      return Number(id.split('-')[2]) % 5 === 0
    }
  })

  it('survives close and open', async () => {
    const directory = newDirectory()
    const first = await openEmbeddedStorage({ directory })
    await first.prepare(CHILD_DEFINITIONS)
    const written = Array.from({ length: 200 }, (_, n) => first.open(PARTS).insert({ _id: `p${n}`, head: 'h', n, code: n, tags: ['a', `t${n}`] }))
    await first.close()
    await Promise.all(written)
    const second = await openEmbeddedStorage({ directory })
    await second.prepare(CHILD_DEFINITIONS)
    assert.equal(await second.open(PARTS).count({ tags: { has: 'a' } }), 200)
    assert.equal(await second.open(PARTS).count({ tags: { has: 't7' } }), 1)
    await second.close()
  })

  it('shares a transaction with a refused write, which leaves nothing', () => {
    const connection = new Connection({ path: ':memory:', durability: 'process' })
    const insert = (id: string) => ({ kind: 'insert', table: 't', id, json: JSON.stringify({ _id: id }), limit: null }) as const
    const outcomes = writeTasks(connection, [[{ kind: 'create', tables: [{ name: 't', columns: {}, indexes: {} }] }], [insert('1')], [insert('2'), insert('1')], [insert('3')]])
    assert.deepEqual(
      outcomes.map((outcome) => ('fault' in outcome ? outcome.fault.kind : 'made')),
      ['made', 'made', 'duplicate', 'made'],
    )
    assert.deepEqual(connection.all('SELECT _id FROM t ORDER BY _id'), [['1'], ['3']])
    connection.close()
  })
})

describe('embedded store: a thread', () => {
  /** With texts in every language, and the engine behind them, each thread would take half a second of processor time to start. */
  it('loads the store alone', () => {
    const folder = fileURLToPath(new URL('../../../../server/core/storage/', import.meta.url))
    const loaded = new Set<string>()
    const load = (file: string): void => {
      if (loaded.has(file)) return
      loaded.add(file)
      for (const [, target] of readFileSync(file, 'utf8').matchAll(/^import\s[^'"]*?['"]([.#][^'"]*)['"]/gm)) load(target.startsWith('.') ? join(file, '..', target) : target)
    }
    load(join(folder, 'embedded', 'thread.js'))
    const others = [...loaded].filter((file) => !file.startsWith(folder) || file.endsWith('errors.js'))
    assert.deepEqual(others, [])
    assert.ok(loaded.has(join(folder, 'embedded', 'writes.js')))
  })
})

describe('embedded store: several processes', () => {
  it("write into one file, see each other's writes, and share their counts", async () => {
    const directory = newDirectory()
    const storage = await openEmbeddedStorage({ directory })
    await storage.prepare(CHILD_DEFINITIONS)
    await storage.open(HEADS).insert({ _id: 'head', n: 0 })
    await storage.open(SHARED_COUNTS).insert({ _id: 'count', n: 0 })
    const children = [1, 2].map((round) => startChild('share', directory, round))
    const said = children.map(({ lines }) => lines[Symbol.asyncIterator]())
    for (const lines of said) assert.equal((await lines.next()).value, '{"opened":true}')
    for (const { child } of children) child.stdin?.write('go')
    let taken = 0
    for (const lines of said) {
      const line = JSON.parse((await lines.next()).value as string) as { taken: number; seen: number }
      taken += line.taken
      assert.ok(line.seen >= line.taken)
    }
    await Promise.all(children.map(({ exited }) => exited))
    assert.equal(taken, SHARED_WRITES, 'each code is given to one of them')
    assert.equal((await storage.open(HEADS).findOne({ _id: 'head' }))?.n, 2 * SHARED_WRITES)
    assert.equal((await storage.open(SHARED_COUNTS).findOne({ _id: 'count' }))?.n, 2 * SHARED_WRITES)
    assert.equal(await storage.open(PARTS).count({}), SHARED_WRITES)
    await storage.close()
  })

  it('can open a new directory at the same time', async () => {
    const directory = newDirectory()
    const opened = await Promise.all(Array.from({ length: 4 }, () => openEmbeddedStorage({ directory })))
    await Promise.all(opened.map((storage) => storage.prepare(CHILD_DEFINITIONS)))
    await opened[0].open(HEADS).insert({ _id: 'head', n: 1 })
    for (const storage of opened) assert.equal((await storage.open(HEADS).findOne({ _id: 'head' }))?.n, 1)
    for (const storage of opened) await storage.close()
  })
})

describe('embedded store: a directory', () => {
  it('is accessible to its owner only', async () => {
    const directory = join(newDirectory(), 'deeper', 'data')
    const storage = await openEmbeddedStorage({ directory })
    await storage.prepare(CHILD_DEFINITIONS)
    assert.equal(statSync(directory).mode & 0o777, 0o700)
    const files = readdirSync(directory)
    assert.ok(files.includes(STORE_FILE))
    for (const name of files) assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600, name)
    await storage.close()
  })

  it('of a newer format is not changed', async () => {
    const directory = newDirectory()
    await (await openEmbeddedStorage({ directory })).close()
    const connection = new Connection({ path: join(directory, STORE_FILE), durability: 'disk' })
    connection.exec(`PRAGMA user_version = ${FORMAT_VERSION + 1}`)
    connection.close()
    await assert.rejects(openEmbeddedStorage({ directory }), (error: unknown) => error instanceof NewerFormatError && error.message.includes(`format ${FORMAT_VERSION + 1}`))
  })

  it('of version 0.1, which was LMDB, is refused and not changed', async () => {
    for (const folder of ['.', 'lmdb-before-0.2']) {
      const directory = newDirectory()
      mkdirSync(join(directory, folder), { recursive: true })
      writeFileSync(join(directory, folder, 'data.mdb'), 'old data')
      await assert.rejects(openEmbeddedStorage({ directory }), (error: unknown) => error instanceof LmdbStoreError && error.message.includes('start version 0.2'))
      assert.deepEqual(readdirSync(directory), [folder === '.' ? 'data.mdb' : folder])
      assert.equal(readFileSync(join(directory, folder, 'data.mdb'), 'utf8'), 'old data')
    }
  })

  it('that version 0.2 has copied from LMDB is used', async () => {
    const directory = newDirectory()
    await (await openEmbeddedStorage({ directory })).close()
    mkdirSync(join(directory, 'lmdb-before-0.2'))
    writeFileSync(join(directory, 'lmdb-before-0.2', 'data.mdb'), 'old data')
    await (await openEmbeddedStorage({ directory })).close()
  })

  it('with other files is not written to', async () => {
    const directory = newDirectory()
    const file = join(directory, STORE_FILE)
    const refused = (error: unknown): boolean => error instanceof DamagedStoreError && error.message.includes(file)
    writeFileSync(file, 'this is a text, and no database at all. '.repeat(500))
    await assert.rejects(openEmbeddedStorage({ directory }), refused)
    rmSync(file)
    makeFile(file)
    const connection = new Connection({ path: file, durability: 'none' })
    connection.exec('CREATE TABLE of_others (x)')
    connection.close()
    await assert.rejects(openEmbeddedStorage({ directory }), refused)
  })

  it('with damaged counts starts with new counts', async () => {
    const directory = newDirectory()
    writeFileSync(join(directory, 'volatile.sqlite'), 'this is a text, and no database at all. '.repeat(500))
    const storage = await openEmbeddedStorage({ directory })
    await storage.prepare(CHILD_DEFINITIONS)
    await storage.open(SHARED_COUNTS).insert({ _id: 'count', n: 0 })
    await storage.close()
  })
})

describe('embedded store: a full disk', () => {
  const skip = canLimitFiles() ? false : 'no sh with ulimit, or no prlimit'

  it('refuses writes with a specific error, damages nothing, and continues when there is space', { skip }, async () => {
    const directory = newDirectory()
    const child = spawn('sh', ['-c', 'ulimit -S -f 20000; exec "$0" "$@"', process.execPath, CHILD, 'fill', directory], { stdio: ['ignore', 'pipe', 'pipe'] })
    const complaints: string[] = []
    child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text))
    const said: Record<string, unknown>[] = []
    for await (const line of createInterface({ input: child.stdout })) said.push(JSON.parse(line) as Record<string, unknown>)
    assert.equal(said.length, 2, complaints.join(''))
    const [full, later] = said
    assert.equal(full.fault, 'StorageFullError')
    assert.ok((full.written as number) > 50)
    assert.deepEqual(new Set(full.together as string[]), new Set(['StorageFullError']))
    assert.equal(full.more, 0)
    assert.equal(full.count, full.written)
    assert.deepEqual(later, { left: 1 })
    const storage = await openEmbeddedStorage({ directory })
    await storage.prepare(CHILD_DEFINITIONS)
    assert.equal(await storage.open(COPIES).count({}), 1)
    await storage.close()
    assert.deepEqual(integrityFaults(join(directory, STORE_FILE)), [])
  })
})

function canLimitFiles(): boolean {
  try {
    execFileSync('sh', ['-c', 'ulimit -S -f 20000 && command -v prlimit'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe('embedded store: indexes', () => {
  interface Rule extends Thing {
    readonly organization_id: string
  }
  const RULES = tenantCollection<Rule>('rules', [{ keys: { name: 1 } }, { keys: { level: 1, at: -1, _id: 1 } }, { keys: { code: 1 }, unique: true }], ['public_id'])
  const BARE = tenantCollection<Rule>('bare', [])

  it('select documents of one organization without reading those of others', () => {
    const planOf = (filter: Filter<Rule>, options: FindOptions<Rule> = {}, collection = RULES) => sqlitePlan(collection, unchecked(filter), unchecked(options))
    const o = 'organization_id'
    const level = [o, 'level', 'at', '_id']
    assert.deepEqual(planOf({ organization_id: 'o1', name: 'n1' }), { index: [o, 'name'], bound: 2, sorted: true })
    assert.deepEqual(planOf({ organization_id: 'o1', _id: 'r1' }), { index: ['_id'], bound: 1, sorted: true })
    assert.deepEqual(planOf({ public_id: 'p7' }), { index: ['public_id'], bound: 1, sorted: true })
    assert.deepEqual(planOf({ organization_id: 'o1', code: 'c1' }), { index: [o, 'code'], bound: 2, sorted: true })
    assert.deepEqual(planOf({ organization_id: 'o1', code: null }), { index: [o, 'code'], bound: 2, sorted: true })
    assert.deepEqual(planOf({ organization_id: 'o1', level: 2 }, { sort: { at: -1, _id: 1 } }), { index: level, bound: 2, sorted: true })
    assert.deepEqual(planOf({ organization_id: 'o1', level: 2 }, { sort: { at: 1, _id: -1 } }), { index: level, bound: 2, sorted: true })
    assert.equal(planOf({ organization_id: 'o1', level: 2 }, { sort: { at: 1, _id: 1 } }).sorted, false)
    assert.deepEqual(planOf({ organization_id: 'o1' }, { sort: { name: -1 } }), { index: [o, 'name'], bound: 1, sorted: true })
    assert.deepEqual(planOf({ organization_id: 'o1', level: { in: [1, 2] } }).index, level)
    assert.deepEqual(planOf({ organization_id: 'o1', level: { gte: 3 } }).index, level)
    assert.deepEqual(planOf({ organization_id: 'o1', level: 2, at: { lt: new Date(100) } }).index, level)
    assert.deepEqual(planOf({ organization_id: 'o1' }, {}, BARE), { index: [o], bound: 1, sorted: true })
  })

  it('are built for existing documents, and are dropped with their definition', async () => {
    const directory = newDirectory()
    const BEFORE = platformCollection<Thing>('things', [{ keys: { a: 1 } }])
    const AFTER = platformCollection<Thing>('things', [{ keys: { b: 1 }, unique: true }, { keys: { c: 1 } }])
    const first = await openEmbeddedStorage({ directory })
    await first.prepare([BEFORE])
    await insertAll(
      first,
      first.open(BEFORE),
      Array.from({ length: 50 }, (_, n) => ({ _id: `t${n}`, a: n, b: n, c: [n, n + 1].map(String) })),
    )
    await first.prepare([AFTER])
    assert.equal(await first.open(AFTER).count({ c: { has: '11' } }), 2)
    await assert.rejects(first.open(AFTER).insert({ _id: 'x', b: 7 }), DuplicateKeyError)
    await first.prepare([BEFORE])
    await first.open(BEFORE).insert({ _id: 'x', b: 7 })
    await assert.rejects(first.prepare([AFTER]), DuplicateKeyError)
    assert.equal(await first.open(BEFORE).count({ a: 7 }), 1)
    await first.close()
    assert.deepEqual(integrityFaults(join(directory, STORE_FILE)), [])
  })

  it('are refused if they cannot be built', async () => {
    const storage = await openEmbeddedStorage({ directory: newDirectory() })
    const wrong = [{ keys: {} }, { keys: { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 } }, { keys: { a: 1, b: 1 }, expireAfterSeconds: 5 }, { keys: { "a' --": 1 } }] as const
    for (const index of wrong) await assert.rejects(storage.prepare([platformCollection('things', [index])]), TypeError)
    await storage.close()
  })
})

describe('embedded store: documents that expire', () => {
  it('are removed after their time', async () => {
    const EXPIRING = platformCollection<Thing>('expiring', [
      { keys: { at: 1 }, expireAfterSeconds: 60 },
      { keys: { until: -1 }, expireAfterSeconds: 0 },
    ])
    const VOLATILE = platformCollection<Thing>('counts', [{ keys: { at: 1 }, expireAfterSeconds: 60 }], { volatile: true })
    const storage = await openEmbeddedStorage({ directory: newDirectory() })
    await storage.prepare([EXPIRING, VOLATILE])
    const expiring = storage.open(EXPIRING)
    const volatile = storage.open(VOLATILE)
    const now = 10_000_000
    for (const collection of [expiring, volatile]) {
      await collection.insert({ _id: 'over', at: new Date(now - 60_000) })
      await collection.insert({ _id: 'not yet', at: new Date(now - 59_999) })
      await collection.insert({ _id: 'no date', at: 'yesterday' })
      await collection.insert({ _id: 'none' })
    }
    await expiring.insert({ _id: 'until over', until: new Date(now - 1) })
    await expiring.insert({ _id: 'until later', until: new Date(now + 1) })
    await insertAll(
      storage,
      expiring,
      Array.from({ length: 1200 }, (_, n) => ({ _id: `many${n}`, at: new Date(n) })),
    )
    await storage.sweep(now)
    assert.deepEqual((await expiring.find({})).map(({ _id }) => _id).sort(), ['no date', 'none', 'not yet', 'until later'])
    assert.deepEqual((await volatile.find({})).map(({ _id }) => _id).sort(), ['no date', 'none', 'not yet'])
    await storage.close()
  })

  it('are limited in number, if they are volatile', () => {
    const connection = new Connection({ path: ':memory:', durability: 'none' })
    writeTasks(connection, [[{ kind: 'create', tables: [{ name: 't', columns: {}, indexes: {} }] }]])
    for (const id of ['1', '2', '3', '4', '5']) writeTasks(connection, [[{ kind: 'insert', table: 't', id, json: '{}', limit: 3 }]])
    assert.deepEqual(connection.all('SELECT _id FROM t'), [['3'], ['4'], ['5']])
    connection.close()
  })

  it('are limited in number, if they are windows', async () => {
    const path = join(newDirectory(), 'windows.sqlite')
    const file = await DatabaseFile.open({ path, durability: 'process', readers: 0 })
    await file.write([{ kind: 'create', tables: [schemaOf(platformCollection('w', []))] }])
    const windows = file.windows('w', 3, { add: () => Promise.reject(new Error('a short write was possible')) })
    for (const id of ['1', '2', '3', '4', '5', '4']) await windows.add(id, 1, 1000, 0)
    await file.close()
    await assert.rejects(windows.add('6', 1, 1000, 0), /a short write was possible/)
    const connection = new Connection({ path, durability: 'process' })
    assert.deepEqual(connection.all('SELECT _id, document FROM w'), [
      ['3', '{"_id":"3","count":1,"reset_at":{"$date":1000}}'],
      ['4', '{"_id":"4","count":2,"reset_at":{"$date":1000}}'],
      ['5', '{"_id":"5","count":1,"reset_at":{"$date":1000}}'],
    ])
    connection.close()
  })

  it('are not part of a commit, if they are volatile', async () => {
    const VOLATILE = platformCollection<Thing>('counts', [], { volatile: true })
    const storage = await openEmbeddedStorage({ directory: newDirectory() })
    await storage.prepare([VOLATILE])
    await assert.rejects(storage.commit([storage.open(VOLATILE).inserting({ _id: 'x' })]), TypeError)
    await storage.close()
  })

  it('wait for another process without holding this one, if they are volatile', async () => {
    const VOLATILE = platformCollection<Thing>('counts', [], { volatile: true })
    const WINDOWS = platformCollection<WindowDocument>('windows', [], { volatile: true })
    const directory = newDirectory()
    const storage = await openEmbeddedStorage({ directory })
    await storage.prepare([VOLATILE, WINDOWS])
    const counts = storage.open(VOLATILE)
    const other = new Connection({ path: join(directory, VOLATILE_FILE), durability: 'process' })
    other.exec('BEGIN IMMEDIATE')
    let isWritten = false
    const write = Promise.all([counts.insert({ _id: 'x' }), storage.windows(WINDOWS).add('y', 3, 1000, 0)]).then(([, window]) => {
      isWritten = true
      return window
    })
    // A write that held this thread until the other transaction ends would never let it end.
    for (let iteration = 0; iteration < 10; iteration++) await nextIteration()
    assert.equal(isWritten, false)
    other.exec('COMMIT')
    assert.deepEqual(await write, { count: 3, resetAt: 1000 })
    assert.deepEqual(await counts.find({}), [{ _id: 'x' }])
    other.close()
    await storage.close()
  })
})
