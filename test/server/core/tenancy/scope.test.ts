/** A scope reaches the documents of its organization, and none of another, whatever it is asked. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Storage, type TenantDocument, tenantCollection } from '../../../../server/core/storage/contract.js'
import { type Scope, type ScopedCollection, Tenancy } from '../../../../server/core/tenancy/scope.js'
import { openTestStorage, type TestStorage } from '../../../support/storage.js'
import { insertAll } from '../../../support/insert-all.js'

interface NoteDocument extends TenantDocument {
  readonly text: string
  readonly token_hash?: string
}

const NOTES = tenantCollection<NoteDocument>('notes', [{ keys: { text: 1 } }], ['token_hash'])

describe('a scope', () => {
  let opened: TestStorage
  let storage: Storage
  let tenancy: Tenancy
  let mine: ScopedCollection<NoteDocument>
  let theirs: ScopedCollection<NoteDocument>
  let scope: Scope

  before(async () => {
    opened = await openTestStorage([NOTES])
    storage = opened.storage
    tenancy = new Tenancy(storage)
    scope = tenancy.of('mine')
    mine = scope.collection(NOTES)
    theirs = tenancy.of('theirs').collection(NOTES)
    await insertAll(storage, mine, [
      { _id: 'm1', text: 'a', token_hash: 'first of mine' },
      { _id: 'm2', text: 'b', token_hash: 'hash of mine' },
    ])
    await insertAll(storage, theirs, [
      { _id: 't1', text: 'a', token_hash: 'first of theirs' },
      { _id: 't2', text: 'c', token_hash: 'hash of theirs' },
    ])
  })
  after(() => opened.close())

  const ids = (documents: readonly NoteDocument[]): string[] => documents.map(({ _id }) => _id).sort()

  test('finds its own documents only', async () => {
    assert.deepEqual(ids(await mine.find({})), ['m1', 'm2'])
    assert.deepEqual(ids(await mine.find({ text: 'a' })), ['m1'])
    assert.equal(await mine.findOne({ _id: 't1' }), null)
    assert.equal(await mine.count({}), 2)
  })

  test('is not widened by what it is asked', async () => {
    const wider = { organization_id: 'theirs' } as Parameters<typeof mine.find>[0]
    assert.deepEqual(ids(await mine.find(wider)), ['m1', 'm2'])
    assert.deepEqual(ids(await mine.find({ anyOf: [{ organization_id: 'theirs' }, { text: 'a' }] })), ['m1'])
    assert.deepEqual(ids(await mine.find({ anyOf: [{ organization_id: 'theirs' }] })), [])
  })

  test('changes and deletes its own documents only', async () => {
    assert.equal(await mine.update({ _id: 't1' }, { set: { text: 'changed' } }), null)
    assert.equal(await mine.updateMany({ text: 'c' }, { set: { text: 'changed' } }), 0)
    assert.equal(await mine.delete({ _id: 't1' }), false)
    assert.equal(await mine.deleteMany({ text: 'c' }), 0)
    await assert.rejects(scope.commit([mine.updating({ _id: 't1' }, { set: { text: 'changed' } })]), { name: 'StaleWriteError' })
    await assert.rejects(scope.commit([mine.deleting({ _id: 't1' })]), { name: 'StaleWriteError' })
    await scope.commit([mine.updatingMany({}, { set: { text: 'all of mine' } }), mine.deletingMany({ text: 'c' })])
    assert.deepEqual((await theirs.find({})).map(({ text }) => text).sort(), ['a', 'c'])
  })

  test('makes documents of its own organization, whatever they say', async () => {
    await mine.insert({ _id: 'm3', text: 'x', token_hash: '3', organization_id: 'theirs' } as NoteDocument)
    await scope.commit([mine.inserting({ _id: 'm4', text: 'x', token_hash: '4', organization_id: 'theirs' } as NoteDocument)])
    assert.deepEqual(ids(await mine.find({ text: 'x' })), ['m3', 'm4'])
    assert.equal(await theirs.count({}), 2)
  })

  test('is found by a locator, and by nothing else', async () => {
    assert.equal((await tenancy.locate(NOTES, 'token_hash', 'hash of theirs'))?.scope.organizationId, 'theirs')
    assert.equal(await tenancy.locate(NOTES, 'token_hash', 'hash of nobody'), null)
    await assert.rejects(tenancy.locate(NOTES, 'text', 'a'), TypeError)
  })

  test('is not left by anyone but a platform admin, who only reads what is meant to be read so', async () => {
    assert.throws(() => tenancy.allOrganizations({ isPlatformAdmin: false }), { reason: 'platform_admin_required' })
    const all = tenancy.allOrganizations({ isPlatformAdmin: true })
    assert.throws(() => all.collection(NOTES), TypeError)
    assert.deepEqual(Object.keys(all.collection({ ...NOTES, isReadInstanceWide: true })).sort(), ['count', 'find', 'findOne'])
  })

  test('has an organization at the head of every index', () => {
    for (const { keys } of NOTES.indexes) assert.ok(Object.keys(keys)[0] === 'organization_id' || NOTES.locators.includes(Object.keys(keys)[0]))
  })
})
