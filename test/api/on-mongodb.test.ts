/** The HTTP suite once more, on MongoDB: every other file of this folder that has a store, with another one beneath. */
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { mongodForTests } from '../support/mongod.js'

const { skip } = mongodForTests()
/** This one, and those with which no store has anything to do: the analysis over a stand-in for plan and events, templates, and what the interface is said to be. */
const LEFT_OUT: ReadonlySet<string> = new Set(
  ['on-mongodb', 'analysis', 'analysis-batch', 'analysis-faults', 'analysis-lists', 'templates', 'openapi'].map((name) => `${name}.test.js`),
)

if (skip === false) {
  process.env.TEST_STORE = 'mongodb'
  const folder = new URL('.', import.meta.url)
  const files = readdirSync(folder).filter((name) => name.endsWith('.test.js') && !LEFT_OUT.has(name))
  for (const file of files.sort()) await import(new URL(file, folder).href)
} else {
  test('the HTTP suite on MongoDB', { skip })
}
