/** The whole HTTP suite once more, on MongoDB: every other file of this folder, with another store beneath. */
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { mongodForTests } from '../support/mongod.js'

const { skip } = mongodForTests({ replicaSet: true })
const OWN = 'on-mongodb.test.js'

if (skip === false) {
  process.env.TEST_STORE = 'mongodb'
  const folder = new URL('.', import.meta.url)
  const files = readdirSync(folder).filter((name) => name.endsWith('.test.js') && name !== OWN)
  for (const file of files.sort()) await import(new URL(file, folder).href)
} else {
  test('the HTTP suite on MongoDB', { skip })
}
