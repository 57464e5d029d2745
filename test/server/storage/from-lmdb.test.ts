/** A store of version 0.1, which used LMDB, is copied into SQLite once, and kept. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { platformCollection, tenantCollection, type TenantDocument } from '../../../server/storage/contract.js'
import type { LmdbMigration } from '../../../server/storage/embedded/from-lmdb.js'
import { DamagedStoreError, openEmbeddedStorage } from '../../../server/storage/embedded/index.js'
import { STORE_FILE } from '../../../server/storage/embedded/storage.js'
import type { Thing } from '../../contracts/storage.js'
import { directoriesForTests } from '../../support/storage.js'

interface Note extends TenantDocument {
  readonly title: string
}

const THINGS = platformCollection<Thing>('things', [{ keys: { at: 1 } }])
const NOTES = tenantCollection<Note>('notes', [{ keys: { title: 1 }, unique: true }])
const newDirectory = directoriesForTests()
const lmdb = await import('lmdb').catch(() => null)
const KEPT = 'lmdb-before-0.2'

const THING = {
  _id: 'ä',
  at: new Date('2026-11-21T17:42:44.963Z'),
  n: 1.5,
  large: 2 ** 53,
  list: [1, { at: new Date(-1) }, null],
  dollar: { $date: 5 },
  text: '\0 "😀',
  none: null,
}

/** Writes the format of version 0.1: documents after the number of their collection, and a catalog of the numbers. */
async function writeLmdb(directory: string, count: number): Promise<void> {
  const root = lmdb!.open<unknown, string>({ path: directory, noSubdir: false, maxDbs: 3, overlappingSync: false })
  const meta = root.openDB<unknown, string>({ name: 'meta', encoding: 'json' })
  const documents = root.openDB<object, Buffer>({ name: 'documents', keyEncoding: 'binary', encoding: 'msgpack', ...{ useRecords: false } })
  const put = (number: number, document: { readonly _id: string }): void => documents.putSync(Buffer.concat([Buffer.of(0, 0, 0, number), Buffer.from(document._id)]), document)
  await root.transaction(() => {
    meta.putSync('format', 1)
    meta.putSync('catalog', { next: 9, collections: { things: { number: 1, indexes: {} }, notes: { number: 3, indexes: {} } } })
    put(1, THING)
    for (let n = 0; n < count; n++) put(3, { _id: `n${n}`, organization_id: 'o', title: `t${n}` } as never)
  })
  await root.close()
}

describe('a store of version 0.1', { skip: lmdb === null ? 'the package lmdb is not installed' : false }, () => {
  it('is copied once, and its files are kept', async () => {
    const directory = newDirectory()
    await writeLmdb(directory, 500)
    const old = readFileSync(join(directory, 'data.mdb'))
    const told: LmdbMigration[] = []
    const open = () => openEmbeddedStorage({ directory, onMigrated: (migration) => told.push(migration) })
    const storage = await open()
    await storage.prepare([THINGS, NOTES])
    assert.deepEqual(told, [{ documents: 501, kept: join(directory, KEPT) }])
    assert.deepEqual(await storage.open(THINGS).findOne({ at: THING.at }), THING)
    assert.equal(await storage.openTenant(NOTES).count({ organization_id: 'o' }), 500)
    await storage.openTenant(NOTES).delete({ organization_id: 'o', title: 't7' })
    await storage.close()
    assert.deepEqual(readFileSync(join(directory, KEPT, 'data.mdb')), old)
    assert.ok(!existsSync(join(directory, 'data.mdb')))
    assert.deepEqual(
      readdirSync(directory).filter((name) => name.includes('partial')),
      [],
    )

    rmSync(join(directory, KEPT), { recursive: true })
    const again = await open()
    await again.prepare([THINGS, NOTES])
    assert.equal(await again.openTenant(NOTES).count({ organization_id: 'o' }), 499)
    assert.equal(told.length, 1)
    await again.close()
  })

  it('is copied again when the copy was interrupted', async () => {
    const directory = newDirectory()
    await writeLmdb(directory, 3)
    await (await openEmbeddedStorage({ directory })).close()
    // Like after a crash between moving the old files and naming the new one.
    for (const name of readdirSync(directory)) if (name !== KEPT) rmSync(join(directory, name))
    writeFileSync(join(directory, `${STORE_FILE}.1.partial`), 'half')
    const storage = await openEmbeddedStorage({ directory })
    await storage.prepare([THINGS, NOTES])
    assert.equal(await storage.openTenant(NOTES).count({}), 3)
    await storage.close()
  })

  it('is copied once by processes that start together', async () => {
    const directory = newDirectory()
    await writeLmdb(directory, 50)
    const opened = await Promise.all([1, 2, 3].map(() => openEmbeddedStorage({ directory })))
    for (const storage of opened) {
      await storage.prepare([THINGS, NOTES])
      assert.equal(await storage.openTenant(NOTES).count({}), 50)
    }
    for (const storage of opened) await storage.close()
  })

  it('does not replace files that were kept before, when version 0.1 has made a new store after a failed copy', async () => {
    const directory = newDirectory()
    await writeLmdb(directory, 3)
    await (await openEmbeddedStorage({ directory })).close()
    for (const name of readdirSync(directory)) if (name !== KEPT) rmSync(join(directory, name))
    const kept = readFileSync(join(directory, KEPT, 'data.mdb'))
    await writeLmdb(directory, 0)
    await assert.rejects(openEmbeddedStorage({ directory }), (error: unknown) => error instanceof DamagedStoreError && error.message.includes(KEPT))
    assert.deepEqual(readFileSync(join(directory, KEPT, 'data.mdb')), kept)
    rmSync(join(directory, 'data.mdb'))
    const storage = await openEmbeddedStorage({ directory })
    await storage.prepare([THINGS, NOTES])
    assert.equal(await storage.openTenant(NOTES).count({}), 3)
    await storage.close()
  })

  it('is not changed if it is damaged', async () => {
    const directory = newDirectory()
    writeFileSync(join(directory, 'data.mdb'), 'this is a text, and no database at all. '.repeat(500))
    await assert.rejects(openEmbeddedStorage({ directory }), (error: unknown) => error instanceof DamagedStoreError && error.message.includes('data.mdb'))
    assert.ok(!existsSync(join(directory, STORE_FILE)))
  })
})
