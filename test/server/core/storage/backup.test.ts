import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { BackupError, backUp, requireWhole, RESTORES, restore } from '../../../../server/core/storage/backup.js'
import type { Storage, StoredDocument, StoredRecord } from '../../../../server/core/storage/contract.js'
import { type EmbeddedStorage, openEmbeddedStorage } from '../../../../server/core/storage/embedded/index.js'
import { openMongoStorage } from '../../../../server/core/storage/mongo/index.js'
import { COUNTS, DEFINITIONS, NAMED, NOTES, THINGS } from '../../../contracts/storage.js'
import { mongodForTests } from '../../../support/mongod.js'
import { insertAll } from '../../../support/insert-all.js'

const folder = mkdtempSync(join(tmpdir(), 'backup-'))
after(() => rmSync(folder, { recursive: true, force: true }))
let files = 0
const newFile = (): string => join(folder, `backup-${files++}.gz`)

async function newStore(): Promise<EmbeddedStorage> {
  const storage = await openEmbeddedStorage({ directory: mkdtempSync(join(folder, 'store-')) })
  await storage.prepare([...DEFINITIONS, RESTORES])
  return storage
}

async function withStore(act: (storage: EmbeddedStorage) => Promise<void>): Promise<void> {
  const storage = await newStore()
  try {
    await act(storage)
  } finally {
    await storage.close()
  }
}

const DOCUMENTS: readonly StoredDocument[] = [
  { _id: 'plain', text: 'ü 😀 \u2028 \n "', n: 1.5, yes: true, none: null, list: [1, [2], {}] } as StoredDocument,
  { _id: 'dates', at: new Date('2026-11-21T17:42:44.963Z'), early: new Date(-1), inner: { at: [new Date(0)] } } as StoredDocument,
  { _id: 'numbers', large: 2 ** 53, tiny: Number.MIN_VALUE, half: -0.5 } as StoredDocument,
  { _id: 'dollars', inner: { $date: 5 }, other: { $object: [] }, third: { $number: 'NaN', x: 1 }, constructor: 1 } as StoredDocument,
]

async function fill(storage: EmbeddedStorage): Promise<void> {
  await insertAll(storage, storage.open(THINGS), DOCUMENTS as never)
  await insertAll(
    storage,
    storage.open(THINGS),
    Array.from({ length: 1500 }, (_, n) => ({ _id: `t${n}`, a: n, text: randomBytes(100).toString('hex') })),
  )
  await storage.open(NAMED).insert({ _id: 'n', email: 'a@b', realm: 'r', name: 'n' })
  await storage.openTenant(NOTES).insert({ _id: 'note', organization_id: 'o', title: 't', at: new Date(7) })
  await storage.open(COUNTS).insert({ _id: 'forgotten' })
}

let filled: Promise<{ readonly source: EmbeddedStorage; readonly path: string }> | null = null
after(async () => (await filled)?.source.close())

/** A store with documents and its backup, which no test changes. */
function filledStore(): NonNullable<typeof filled> {
  filled ??= (async () => {
    const source = await newStore()
    await fill(source)
    const path = newFile()
    await backUp(source, path)
    return { source, path }
  })()
  return filled
}

/** Runs a test with a filled store, its backup, and an empty store. */
async function withBackup(act: (source: EmbeddedStorage, path: string, target: EmbeddedStorage) => Promise<void>): Promise<void> {
  const { source, path } = await filledStore()
  await withStore((target) => act(source, path, target))
}

async function contentsOf(storage: { dump(): AsyncIterable<StoredRecord> }): Promise<Map<string, StoredDocument>> {
  const contents = new Map<string, StoredDocument>()
  for await (const { collection, document } of storage.dump()) contents.set(`${collection}/${document._id}`, document)
  return contents
}

/** Returns a file with changed lines, and a matching trailer if `sealed`. */
function rewrite(path: string, change: (lines: string[]) => string[], sealed = false): string {
  const lines = gunzipSync(readFileSync(path)).toString().split('\n').slice(0, -1)
  const changed = change(lines)
  if (sealed) {
    const body = changed.slice(0, -1)
    const sha256 = createHash('sha256')
      .update(`${body.join('\n')}\n`)
      .digest('hex')
    changed[changed.length - 1] = JSON.stringify({ ...JSON.parse(changed[changed.length - 1]), sha256 })
  }
  const rewritten = newFile()
  writeFileSync(rewritten, gzipSync(`${changed.join('\n')}\n`))
  return rewritten
}

function deferred(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve!: () => void
  return { promise: new Promise<void>((done) => (resolve = done)), resolve: () => resolve() }
}

function bound(target: EmbeddedStorage, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name, target)
  return typeof value === 'function' ? value.bind(target) : value
}

/** Returns a store into which documents are loaded one after the other. @param before called with the number of each document, from 0, before it is loaded */
function loading(target: EmbeddedStorage, before: (index: number) => Promise<void>): Storage {
  const load = (records: AsyncIterable<StoredRecord>): Promise<number> =>
    target.load(
      (async function* () {
        let index = 0
        for await (const record of records) {
          await before(index++)
          yield record
        }
      })(),
    )
  return new Proxy(target, { get: (real, name) => (name === 'load' ? load : bound(real, name)) })
}

async function* some(records: AsyncIterable<StoredRecord>, count: number): AsyncGenerator<StoredRecord> {
  for await (const record of records) if (count-- > 0) yield record
}

describe('backup', () => {
  it('copies every document, with its types, into another store', () =>
    withStore(async (source) => {
      await fill(source)
      const path = newFile()
      const counted: (readonly [number, number | null])[] = []
      const onDocument = async (count: number, total: number | null): Promise<void> => void counted.push([count, total])
      const written = await backUp(source, path, { now: new Date(5), onDocument })
      assert.deepEqual([counted.length, counted.at(-1)], [1506, [1506, null]])
      assert.deepEqual(written, { createdAt: new Date(5), documents: 1506, collections: { things: 1504, named: 1, notes: 1 } })
      assert.equal(statSync(path).mode & 0o777, 0o600)
      await withStore(async (target) => {
        assert.deepEqual(await restore(target, path, { onDocument }), written)
        // The file is checked, then stored.
        assert.deepEqual([counted.length, counted[2 * 1506 - 1], counted.at(-1)], [3 * 1506, [1506, null], [1506, 1506]])
        assert.deepEqual(await contentsOf(target), await contentsOf(source))
        assert.deepEqual(await target.open(THINGS).findOne({ a: 7 }), await source.open(THINGS).findOne({ a: 7 }))
        for (const document of DOCUMENTS) assert.deepEqual(await target.open(THINGS).findOne({ _id: document._id }), document)
      })
    }))

  it('is a consistent snapshot', () =>
    withStore(async (storage) => {
      const things = storage.open(THINGS)
      await insertAll(
        storage,
        things,
        Array.from({ length: 1000 }, (_, n) => ({ _id: `t${String(n).padStart(4, '0')}`, a: 1 })),
      )
      const seen: StoredRecord[] = []
      for await (const record of storage.dump()) {
        seen.push(record)
        if (seen.length === 10) {
          await things.updateMany({}, { set: { a: 2 } })
          await things.delete({ _id: 't0900' })
          await things.insert({ _id: 't0500x', a: 2 })
        }
      }
      assert.equal(seen.length, 1000)
      assert.ok(seen.every(({ document }) => (document as { a?: number }).a === 1))
    }))

  it('of an empty store is a valid backup', () =>
    withStore(async (source) => {
      const path = newFile()
      assert.equal((await backUp(source, path)).documents, 0)
      await withStore(async (target) => {
        assert.equal((await restore(target, path)).documents, 0)
      })
    }))

  it('replaces an older backup only when it is complete', () =>
    withStore(async (storage) => {
      const path = newFile()
      await backUp(storage, path)
      const before = readFileSync(path)
      const broken = {
        kind: 'embedded' as const,
        open: storage.open.bind(storage),
        async *dump(): AsyncGenerator<StoredRecord> {
          yield { collection: 'things', document: { _id: 'x' } }
          throw new Error('the disk is gone')
        },
      }
      await assert.rejects(backUp(broken as never, path), /the disk is gone/)
      assert.deepEqual(readFileSync(path), before)
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.includes('unfinished')),
        [],
      )
      await fill(storage)
      await backUp(storage, path)
      assert.notDeepEqual(readFileSync(path), before)
    }))
})

describe('restore', () => {
  it('refuses an incomplete backup before anything is written', () =>
    withBackup(async (_, path, target) => {
      const whole = readFileSync(path)
      const damaged = (name: string, bytes: Buffer): readonly [string, string] => {
        const file = newFile()
        writeFileSync(file, bytes)
        return [name, file]
      }
      const [header] = gunzipSync(whole).toString().split('\n', 1)
      const flipped = Buffer.from(whole)
      flipped[whole.length >> 1] ^= 1
      const bad: (readonly [string, string])[] = [
        damaged('cut in the middle', whole.subarray(0, whole.length >> 1)),
        damaged('cut by its last byte', whole.subarray(0, -1)),
        damaged('one bit changed', flipped),
        damaged('empty', Buffer.alloc(0)),
        damaged('no gzip', Buffer.from('{"format":"detection-content-backup","version":1}\n')),
        damaged('gzip of nothing', gzipSync('')),
        damaged('gzip of something else', gzipSync('hello\n')),
        ['the trailer is missing', rewrite(path, (lines) => lines.slice(0, -1))],
        ['a document is missing', rewrite(path, (lines) => lines.toSpliced(5, 1))],
        ['a document is there twice', rewrite(path, (lines) => lines.toSpliced(5, 0, lines[5]))],
        ['a document was changed', rewrite(path, (lines) => lines.with(5, lines[5].replace('"a":', '"b":')))],
        ['documents changed places', rewrite(path, (lines) => lines.with(5, lines[6]).with(6, lines[5]))],
        ['lines behind the end', rewrite(path, (lines) => [...lines, lines[1]])],
        ['a document is missing, with a new checksum', rewrite(path, (lines) => lines.toSpliced(5, 1), true)],
        ['a line is no JSON', rewrite(path, (lines) => lines.with(5, '["things",'), true)],
        ['a line is no document', rewrite(path, (lines) => lines.with(5, '["things",{"a":1}]'), true)],
        ['of another version', rewrite(path, (lines) => lines.with(0, lines[0].replace('"version":1', '"version":2')), true)],
        ['a date that is none', rewrite(path, (lines) => lines.with(5, '["things",{"_id":"x","at":{"$date":1e300}}]'), true)],
        ['an object of no fields', rewrite(path, (lines) => lines.with(5, '["things",{"_id":"x","at":{"$object":[1]},"__proto__":{}}]'), true)],
        ['an id that is too long', rewrite(path, (lines) => lines.with(5, `["things",{"_id":"${'x'.repeat(257)}"}]`), true)],
        ['a document that is too large', rewrite(path, (lines) => lines.with(5, `["things",{"_id":"x","text":"${'x'.repeat(16 * 1024 * 1024)}"}]`), true)],
        ['nested without end', rewrite(path, (lines) => lines.with(5, `["things",{"_id":"x","a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}]`), true)],
        damaged('of one line without end', gzipSync(Buffer.concat([Buffer.from(`${header}\n["things",{"_id":"`), Buffer.alloc(110 * 1024 * 1024, 0x78)]), { level: 1 })),
        ['of an unknown collection', rewrite(path, (lines) => lines.map((line) => line.replace('["named"', '["strangers"').replace('"named":', '"strangers":')), true)],
      ]
      for (const [name, file] of bad) {
        await assert.rejects(restore(target, file), BackupError, name)
        assert.equal((await contentsOf(target)).size, 0, name)
      }
      assert.equal((await restore(target, path)).documents, 1506)
    }))

  it('reports errors in one language, with their cause', () => {
    const error = new BackupError('undone', { cause: new BackupError('document_refused', { cause: new Error('{cause} $&') }) })
    assert.equal(error.message, "the backup could not be restored, and none of its data was kept: the backup has a document that can't be stored: {cause} $&")
    assert.equal(error.localize('en-US'), error.message)
    assert.equal(error.localize('pt-BR'), 'o backup não pôde ser restaurado, e nenhum dado dele foi mantido: o backup tem um documento que não pode ser armazenado: {cause} $&')
  })

  it('stores nothing of a backup whose documents conflict', () =>
    withStore(async (source) => {
      await insertAll(
        source,
        source.open(THINGS),
        Array.from({ length: 1200 }, (_, n) => ({ _id: `t${n}`, a: n })),
      )
      const path = newFile()
      await backUp(source, path)
      const twice = rewrite(path, (lines) => lines.with(1100, lines[1]), true)
      await withStore(async (target) => {
        await assert.rejects(
          restore(target, twice),
          (error: unknown) => error instanceof BackupError && /and none of its data was kept: duplicate _id in things/.test(error.message),
        )
        await assert.rejects(
          restore(target, twice),
          (error: unknown) =>
            error instanceof BackupError && error.localize('pt-BR') === 'o backup não pôde ser restaurado, e nenhum dado dele foi mantido: _id repetido em things',
        )
        assert.equal((await contentsOf(target)).size, 0)
        assert.equal((await restore(target, path)).documents, 1200)
      })
    }))

  it('marks a store that was filled in part, until it is filled again', () =>
    withBackup(async (source, path, target) => {
      const { promise: byHalf, resolve } = deferred()
      const dying: Storage = new Proxy(target, {
        get(real, name) {
          if (name !== 'load') return bound(real, name)
          // Like a process that is killed there.
          return async (records: AsyncIterable<StoredRecord>) => {
            await real.load(some(records, 600))
            resolve()
            return new Promise(() => {})
          }
        },
      })
      void restore(dying, path)
      await byHalf
      const told = (error: unknown): boolean => error instanceof BackupError && /only part of a backup/.test(error.message)
      await assert.rejects(requireWhole(target), told)
      await assert.rejects(backUp(target, newFile()), told)
      await restore(target, path)
      await requireWhole(target)
      assert.deepEqual(await contentsOf(target), await contentsOf(source))
    }))

  for (const at of [0, 600, 1400]) {
    it(`stops, and reports it, when another restore begins after ${at} documents`, () =>
      withBackup(async (source, path, target) => {
        let other: Promise<unknown> | null = null
        const slow = loading(target, async (index) => {
          if (index === at) await (other = restore(target, path))
        })
        await assert.rejects(restore(slow, path), (error: unknown) => error instanceof BackupError && error.message.includes('another restore now uses the store'))
        await other
        await requireWhole(target)
        assert.deepEqual(await contentsOf(target), await contentsOf(source))
      }))
  }

  it('writes no more when another restore has begun', () =>
    withStore(async (source) => {
      await insertAll(
        source,
        source.open(THINGS),
        Array.from({ length: 5000 }, (_, n) => ({ _id: `own${n}`, a: n })),
      )
      const own = newFile()
      await backUp(source, own)
      await withStore(async (second) => {
        await fill(second)
        const others = newFile()
        await backUp(second, others)
        await withStore(async (target) => {
          let read = 0
          const slow = loading(target, async () => {
            if (read++ === 0) await restore(target, others)
          })
          await assert.rejects(restore(slow, own), (error: unknown) => error instanceof BackupError && error.message.includes('another restore now uses the store'))
          assert.ok(read <= 1000, `${read} documents were read`)
        })
      })
    }))

  it('does not report success when another restore took its place', () =>
    withBackup(async (source, path, target) => {
      const [first, second] = await Promise.allSettled([restore(target, path), restore(target, path)])
      assert.ok(first.status === 'rejected' || second.status === 'rejected')
      const isWhole = await requireWhole(target).then(
        () => true,
        () => false,
      )
      const contents = await contentsOf(target)
      if (first.status === 'fulfilled' || second.status === 'fulfilled') assert.deepEqual(contents, await contentsOf(source))
      else assert.ok(!isWhole || contents.size === 0)
    }))

  it('does not change a store that is not empty', () =>
    withStore(async (storage) => {
      await fill(storage)
      const path = newFile()
      await backUp(storage, path)
      await assert.rejects(restore(storage, path), (error: unknown) => error instanceof BackupError && error.message.includes('not empty'))
    }))

  it('reports a missing file', () => withStore(async (storage) => assert.rejects(restore(storage, join(folder, 'nowhere')), { code: 'ENOENT' })))
})

describe('backup between stores', () => {
  const { skip, server } = mongodForTests()

  it('copies to MongoDB and back', { skip }, () =>
    withStore(async (source) => {
      await fill(source)
      const there = newFile()
      const back = newFile()
      await backUp(source, there)
      const mongod = await server()
      const database = `backup_${randomBytes(6).toString('hex')}`
      const middle = await openMongoStorage({ url: mongod.url(database) })
      try {
        await middle.prepare([...DEFINITIONS, RESTORES])
        await restore(middle, there)
        await backUp(middle, back)
      } finally {
        await middle.close()
        await mongod.drop(database)
      }
      await withStore(async (target) => {
        await restore(target, back)
        assert.deepEqual(await contentsOf(target), await contentsOf(source))
      })
    }),
  )
})
