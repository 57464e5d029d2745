import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Filter, type FindOptions, platformCollection, tenantCollection } from '../../../server/storage/contract.js'
import { FORMAT_VERSION } from '../../../server/storage/embedded/catalog.js'
import { DirectoryInUseError, NewerFormatError, openEmbeddedStorage, type PlanReport } from '../../../server/storage/embedded/index.js'
import { MemoryTable } from '../../../server/storage/embedded/memory-table.js'
import { Environment } from '../../../server/storage/embedded/environment.js'
import { Journal } from '../../../server/storage/embedded/table.js'
import { DuplicateKeyError } from '../../../server/storage/errors.js'
import { storageContract, type Thing } from '../../contracts/storage.js'
import { directoriesForTests } from '../../support/storage.js'
import { CHILD_DEFINITIONS, COPIES, HEADS, PARTS } from './embedded-child.js'
import { insertAll } from '../../support/insert-all.js'

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
  it('is there after kill -9 in the middle of thousands of writes, and no commit is half there', async () => {
    const directory = newDirectory()
    const acknowledged = { committed: new Set<string>(), inserted: new Set<string>(), changed: new Set<string>(), deleted: new Set<string>() }
    for (let round = 0; round < 3; round++) {
      const { child, lines, exited } = startChild('write', directory, round)
      let count = 0
      for await (const line of lines) {
        for (const [kind, id] of Object.entries(JSON.parse(line) as Record<string, string>)) acknowledged[kind as 'committed'].add(id)
        // What the child says after it is dead is still in the pipe, and was acknowledged as well.
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
      assert.deepEqual(await storage.check(), [])
      await storage.close()
    }
    assert.ok(acknowledged.committed.size > 2000, `only ${acknowledged.committed.size} commits`)

    /** Each fifth is deleted at once, which may have been done without having been said. */
    function isBeingDeleted(id: string): boolean {
      return Number(id.split('-')[2]) % 5 === 0
    }
  })

  it('is there after close and open, with arrays known to their indexes', async () => {
    const directory = newDirectory()
    const first = await openEmbeddedStorage({ directory })
    await first.prepare(CHILD_DEFINITIONS)
    const written = Array.from({ length: 200 }, (_, n) => first.open(PARTS).insert({ _id: `p${n}`, head: 'h', n, code: `c${n}`, tags: ['a', `t${n}`] }))
    await first.close()
    await Promise.all(written)
    const second = await openEmbeddedStorage({ directory })
    await second.prepare(CHILD_DEFINITIONS)
    assert.equal(await second.open(PARTS).count({ tags: { has: 'a' } }), 200)
    assert.equal(await second.open(PARTS).count({ tags: { has: 't7' } }), 1)
    assert.deepEqual(await second.check(), [])
    await second.close()
  })
})

describe('embedded store: a directory', () => {
  it('is made for its owner alone', async () => {
    const directory = join(newDirectory(), 'deeper', 'data')
    const storage = await openEmbeddedStorage({ directory })
    assert.equal(statSync(directory).mode & 0o777, 0o700)
    for (const name of ['data.mdb', 'lock.mdb']) assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600, name)
    await storage.close()
    assert.deepEqual(readdirSync(directory).sort(), ['data.mdb', 'lock.mdb'])
  })

  it('belongs to one at a time, and says whose it is not', async () => {
    const directory = newDirectory()
    const storage = await openEmbeddedStorage({ directory })
    await assert.rejects(openEmbeddedStorage({ directory }), (error: unknown) => error instanceof DirectoryInUseError && error.message.includes(directory))
    const { lines } = startChild('hold', directory)
    for await (const line of lines) {
      const said = JSON.parse(line) as { refused: string; message: string }
      assert.equal(said.refused, 'DirectoryInUseError')
      assert.match(said.message, new RegExp(directory))
    }
    await storage.ping()
    await storage.close()
    const again = await openEmbeddedStorage({ directory })
    await again.close()
  })

  it('is free as soon as its process is killed', async () => {
    const directory = newDirectory()
    const { child, lines, exited } = startChild('hold', directory)
    for await (const line of lines) {
      assert.equal(line, '{"opened":true}')
      await assert.rejects(openEmbeddedStorage({ directory }), DirectoryInUseError)
      child.kill('SIGKILL')
    }
    await exited
    const storage = await openEmbeddedStorage({ directory })
    await storage.close()
  })

  it('is never taken by two that come at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const directory = newDirectory()
      const results = await Promise.allSettled(Array.from({ length: 4 }, () => openEmbeddedStorage({ directory })))
      const opened = results.filter((result) => result.status === 'fulfilled')
      assert.ok(opened.length <= 1)
      for (const { value } of opened) await value.close()
    }
  })

  it('may lie deep', async () => {
    const directory = join(newDirectory(), 'deep'.repeat(30), 'deeper'.repeat(20))
    mkdirSync(directory, { recursive: true })
    const storage = await openEmbeddedStorage({ directory })
    await assert.rejects(openEmbeddedStorage({ directory }), DirectoryInUseError)
    await storage.close()
  })

  it('of a newer format is left alone', async () => {
    const directory = newDirectory()
    const environment = await Environment.open({ directory, onReopened: () => undefined })
    await environment.write(() => environment.meta.putSync('format', FORMAT_VERSION + 1))
    await environment.close()
    await assert.rejects(openEmbeddedStorage({ directory }), (error: unknown) => error instanceof NewerFormatError && error.message.includes(`format ${FORMAT_VERSION + 1}`))
    rmSync(directory, { recursive: true })
    await (await openEmbeddedStorage({ directory })).close()
  })

  it('that holds something else is not written to', async () => {
    const directory = newDirectory()
    writeFileSync(join(directory, 'data.mdb'), 'this is a text, and no database at all. '.repeat(500))
    await assert.rejects(openEmbeddedStorage({ directory }), /is no file of this store/)
    writeFileSync(join(directory, 'data.mdb'), Buffer.alloc(8192))
    await (await openEmbeddedStorage({ directory })).close()
  })
})

describe('embedded store: a full disk', () => {
  const skip = canLimitFiles() ? false : 'no sh with ulimit, or no prlimit'

  it('refuses writes by name, spoils nothing, and goes on when there is space', { skip }, async () => {
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
    assert.deepEqual(full.faults, [])
    assert.deepEqual(later, { left: 1, faults: [] })
    const storage = await openEmbeddedStorage({ directory })
    await storage.prepare(CHILD_DEFINITIONS)
    assert.equal(await storage.open(COPIES).count({}), 1)
    assert.deepEqual(await storage.check(), [])
    await storage.close()
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
  const RULES = tenantCollection<Rule>('rules', [{ keys: { name: 1 } }, { keys: { level: 1, at: -1, _id: 1 } }, { keys: { code: 1 } }], ['public_id'])
  const BARE = tenantCollection<Rule>('bare', [])

  it('answer lists of one organization without reading those of others', async () => {
    const plans: PlanReport[] = []
    const storage = await openEmbeddedStorage({ directory: newDirectory(), onPlan: (report) => plans.push(report) })
    await storage.prepare([RULES, BARE])
    const rules = storage.openTenant(RULES)
    const bare = storage.openTenant(BARE)
    const documents = Array.from({ length: 300 }, (_, n) => ({
      _id: `r${n}`,
      organization_id: `o${n % 3}`,
      name: `n${n % 10}`,
      level: n % 5,
      at: new Date(n),
      code: `c${n}`,
      public_id: `p${n}`,
    }))
    await insertAll(storage, rules, documents)
    await insertAll(storage, bare, documents)
    const planOf = async (filter: Filter<Rule>, options: FindOptions<Rule> = {}, collection = rules): Promise<Omit<PlanReport, 'collection'>> => {
      plans.length = 0
      await collection.find(filter, options)
      assert.equal(plans.length, 1)
      const { collection: _, ...plan } = plans[0]
      return plan
    }
    const o = 'organization_id'
    assert.deepEqual(await planOf({ organization_id: 'o1' }), { index: [o, 'name'], sorted: true, examined: 100 })
    assert.deepEqual(await planOf({ organization_id: 'o1', name: 'n1' }), { index: [o, 'name'], sorted: true, examined: 10 })
    assert.deepEqual(await planOf({ organization_id: 'o1', _id: 'r1' }), { index: ['_id'], sorted: true, examined: 1 })
    assert.deepEqual(await planOf({ public_id: 'p7' }), { index: ['public_id'], sorted: true, examined: 1 })
    assert.deepEqual(await planOf({ organization_id: 'o1', code: 'c1' }), { index: [o, 'code'], sorted: true, examined: 1 })
    assert.deepEqual(await planOf({ organization_id: 'o1', code: null }), { index: [o, 'code'], sorted: true, examined: 0 })
    assert.deepEqual(await planOf({ organization_id: 'o1', level: 2 }, { sort: { at: -1, _id: 1 }, limit: 5 }), { index: [o, 'level', 'at', '_id'], sorted: true, examined: 5 })
    assert.deepEqual(await planOf({ organization_id: 'o1', level: 2 }, { sort: { at: 1, _id: -1 }, limit: 5 }), { index: [o, 'level', 'at', '_id'], sorted: true, examined: 5 })
    assert.deepEqual(await planOf({ organization_id: 'o1', level: 2 }, { sort: { at: 1, _id: 1 }, limit: 5 }), { index: [o, 'level', 'at', '_id'], sorted: false, examined: 20 })
    assert.deepEqual(await planOf({ organization_id: 'o1' }, { sort: { name: -1 }, limit: 5 }), { index: [o, 'name'], sorted: true, examined: 5 })
    assert.deepEqual(await planOf({ organization_id: 'o1', level: { in: [1, 2] } }), { index: [o, 'level', 'at', '_id'], sorted: true, examined: 40 })
    assert.deepEqual(await planOf({ organization_id: 'o1', level: { gte: 3 } }), { index: [o, 'level', 'at', '_id'], sorted: true, examined: 40 })
    assert.deepEqual(await planOf({ organization_id: 'o1', level: 2, at: { lt: new Date(100) } }), { index: [o, 'level', 'at', '_id'], sorted: true, examined: 7 })
    const behind: Filter<Rule> = unchecked({ organization_id: 'o1', level: 2, anyOf: [{ at: { lt: new Date(100) } }, { at: new Date(100), _id: { gt: 'r' } }] })
    assert.deepEqual(await planOf(behind, { sort: { at: -1, _id: 1 }, limit: 3 }), { index: [o, 'level', 'at', '_id'], sorted: true, examined: 3 })
    assert.deepEqual(await planOf({ organization_id: 'o1' }, {}, bare), { index: [o], sorted: true, examined: 100 })
    await storage.close()
  })

  it('are built for documents that are there, and go with their definition', async () => {
    const directory = newDirectory()
    const BEFORE = platformCollection<Thing>('things', [{ keys: { a: 1 } }])
    const AFTER = platformCollection<Thing>('things', [{ keys: { b: 1 }, unique: true }, { keys: { c: 1 } }])
    const first = await openEmbeddedStorage({ directory })
    await first.prepare([BEFORE])
    await insertAll(
      first,
      first.open(BEFORE),
      Array.from({ length: 50 }, (_, n) => ({ _id: `t${n}`, a: n, b: n, c: [n, n + 1] })),
    )
    await first.prepare([AFTER])
    assert.deepEqual(await first.check(), [])
    assert.equal(await first.open(AFTER).count({ c: { gt: 10, lt: 12 } }), 2)
    await assert.rejects(first.open(AFTER).insert({ _id: 'x', b: 7 }), DuplicateKeyError)
    await first.prepare([BEFORE])
    await first.open(BEFORE).insert({ _id: 'x', b: 7 })
    await assert.rejects(first.prepare([AFTER]), DuplicateKeyError)
    assert.equal(await first.open(BEFORE).count({ a: 7 }), 1)
    await first.close()
    const second = await openEmbeddedStorage({ directory })
    await second.prepare([BEFORE])
    assert.deepEqual(await second.check(), [])
    await second.close()
  })

  it('that cannot be are refused', async () => {
    const storage = await openEmbeddedStorage({ directory: newDirectory() })
    const wrong = [{ keys: {} }, { keys: { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 } }, { keys: { a: 1, b: 1 }, expireAfterSeconds: 5 }] as const
    for (const index of wrong) await assert.rejects(storage.prepare([platformCollection('things', [index])]), TypeError)
    await storage.prepare([platformCollection<Thing>('things', [{ keys: { a: 1, b: 1 } }])])
    const things = storage.open(platformCollection<Thing>('things', []))
    await assert.rejects(things.insert({ _id: 'x', a: [1, 2], b: [1, 2] }), TypeError)
    await assert.rejects(things.insert({ _id: 'x'.repeat(300) }), TypeError)
    assert.equal(await things.count({}), 0)
    await storage.close()
  })
})

describe('embedded store: documents that expire', () => {
  it('go when their time is over', async () => {
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
    await insertAll(storage, expiring, [
      { _id: 'until over', until: new Date(now - 1) },
      { _id: 'until later', until: new Date(now + 1) },
    ])
    await insertAll(
      storage,
      expiring,
      Array.from({ length: 1200 }, (_, n) => ({ _id: `many${n}`, at: new Date(n) })),
    )
    await storage.sweep(now)
    assert.deepEqual((await expiring.find({})).map(({ _id }) => _id).sort(), ['no date', 'none', 'not yet', 'until later'])
    assert.deepEqual((await volatile.find({})).map(({ _id }) => _id).sort(), ['no date', 'none', 'not yet'])
    assert.deepEqual(await storage.check(), [])
    await storage.close()
  })

  it('in memory are as many as fit', () => {
    const table = new MemoryTable('counts', [{ keys: { name: 1 }, unique: true }], 3)
    for (const _id of ['1', '2', '3', '4']) new Journal().change(table, null, { _id, name: _id })
    assert.equal(table.size, 3)
    assert.equal(table.get('1'), undefined)
    new Journal().change(table, null, { _id: '1', name: '1' })
  })

  it('in memory are no part of a commit', async () => {
    const VOLATILE = platformCollection<Thing>('counts', [], { volatile: true })
    const storage = await openEmbeddedStorage({ directory: newDirectory() })
    await storage.prepare([VOLATILE])
    await assert.rejects(storage.commit([storage.open(VOLATILE).inserting({ _id: 'x' })]), TypeError)
    await storage.close()
  })
})
