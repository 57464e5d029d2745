/** One thread of a database file: what it was asked, and what happens to that when it ends by itself. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { makeFile } from '../../../../server/core/storage/embedded/files.js'
import { StoreThread } from '../../../../server/core/storage/embedded/store-thread.js'
import { selectionOf } from '../../../../server/core/storage/embedded/selection.js'
import { schemaOf } from '../../../../server/core/storage/embedded/schema.js'
import { platformCollection } from '../../../../server/core/storage/contract.js'
import { StorageUnavailableError } from '../../../../server/core/storage/errors.js'
import { directoriesForTests } from '../../../support/storage.js'

const newDirectory = directoriesForTests()
const THINGS = schemaOf(platformCollection('things', []))
const COUNT = { kind: 'read', read: { kind: 'count', selection: selectionOf(THINGS, { conditions: [], anyOf: null }) } } as const

it('a thread that has ended answers none of the requests to the next one', async () => {
  const path = join(newDirectory(), 'store.sqlite')
  const thread = new StoreThread({ path, durability: 'disk', snapshot: false })
  // There is no file, so the thread ends with an error, and only then exits.
  await assert.rejects(thread.request(COUNT), StorageUnavailableError)
  makeFile(path)
  const [created, count] = await Promise.all([thread.request({ kind: 'write', tasks: [[{ kind: 'create', tables: [THINGS] }]] }), thread.request(COUNT)])
  assert.deepEqual(created, [{ results: [null] }])
  assert.equal(count, 0)
  await thread.close()
})
