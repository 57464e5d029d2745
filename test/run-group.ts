/** Runs the files of a group in this process. */
import './support/at-end.js'
import { describe, test } from 'node:test'
import { filesOf, GROUPS } from './groups.js'
import { mongodForTests } from './support/mongod.js'
import { measureFile } from './support/processor-times.js'
import { endTracking } from './support/runner-tracking.js'

/** @param number of the process, from 1 */
export function runGroup(name: string, number: number): void {
  const group = GROUPS.find((one) => one.name === name)
  if (group === undefined) throw new Error(`test/groups.ts has no group ${name}`)
  if (group.onMongodb !== undefined) {
    const { skip } = mongodForTests()
    if (skip !== false) {
      test(`the group ${group.onMongodb.group} on MongoDB`, { skip })
      return
    }
    process.env.TEST_STORE = 'mongodb'
  }
  if (group.inTwo !== undefined) process.env.TEST_INSTANCES = '2'
  const loading: Promise<unknown>[] = []
  for (const file of filesOf(group, number)) {
    describe(file, async () => {
      measureFile(file)
      const loaded = import(new URL(`./${file}.test.js`, import.meta.url).href)
      loading.push(loaded)
      await loaded
    })
  }
  // Bodies of suites run at once: all imports have begun.
  void Promise.allSettled(loading).then(endTracking)
}
