/** The turns of measurements in the background: none twice, one of an organization at once, and no more than there is room for. */
import assert from 'node:assert/strict'
import test from 'node:test'
import type { AnalysisPool } from '#workers'
import { CaseStrengthService } from '../../../../server/content/case-strength/service.js'
import type { FileSet } from '../../../../server/content/shared/content.js'
import type { Scope } from '../../../../server/core/tenancy/scope.js'

/** A measurement that ends when the test says so. */
interface Run {
  readonly organization: string
  end(): void
}

function setUp() {
  const runs: Run[] = []
  const stored = new Map<string, object>()
  const errors: unknown[] = []
  const pool = {
    contentId: 'disk',
    async *cases(_: unknown, { organization, signal }: { organization: string; signal: AbortSignal }) {
      await new Promise<void>((resolve) => {
        runs.push({ organization, end: resolve })
        signal.addEventListener('abort', () => resolve())
      })
      yield signal.aborted ? { outcome: 'aborted' } : { outcome: 'ok', value: { loads: true, results: [], contentReport: null } }
    },
  } as unknown as AnalysisPool
  const scopeOf = (organizationId: string): Scope => {
    const collection = {
      findOne: async ({ _id }: { _id: string }) => stored.get(_id) ?? null,
      find: async () => [],
      deletingMany: () => null,
      inserting: (document: { _id: string }) => document,
    }
    const commit = async (writes: readonly ({ _id: string } | null)[]) => {
      for (const write of writes) if (write !== null) stored.set(write._id, write)
    }
    return { organizationId, collection: () => collection, commit } as unknown as Scope
  }
  const service = new CaseStrengthService({ pool, log: { error: (fields: unknown) => errors.push(fields) } as never, clock: () => 0 })
  const ask = async (organization: string, content: string): Promise<string> => {
    const files: FileSet = { includeDefaults: true, includeCustom: true, files: [{ kind: 'rules', scope: 'adhoc', filename: 'a.xml', content }] }
    return (await service.negatives(scopeOf(organization), { project: { _id: 'p', cases_revision: 1 }, files })).state
  }
  return { service, runs, stored, errors, ask }
}

/** Lets everything go on that waits for nothing. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('equal content is measured once, and the next reader has it', async () => {
  const { runs, stored, ask } = setUp()
  assert.deepEqual(await Promise.all([ask('a', 'x'), ask('a', 'x'), ask('a', 'x')]), ['pending', 'pending', 'pending'])
  await turn()
  assert.equal(runs.length, 1)
  runs[0].end()
  await turn()
  assert.deepEqual([stored.size, await ask('a', 'x')], [1, 'known'])
  // Another organization knows nothing of it.
  assert.equal(await ask('b', 'x'), 'pending')
})

test('one measurement of an organization runs at once, and two in all', async () => {
  const { runs, ask } = setUp()
  for (const [organization, content] of [
    ['a', '1'],
    ['a', '2'],
    ['b', '3'],
    ['c', '4'],
  ] as const)
    await ask(organization, content)
  await turn()
  assert.deepEqual(
    runs.map(({ organization }) => organization),
    ['a', 'b'],
  )
  runs[1].end()
  await turn()
  // That of `a` still runs.
  assert.deepEqual(
    runs.map(({ organization }) => organization),
    ['a', 'b', 'c'],
  )
  runs[0].end()
  await turn()
  assert.deepEqual(
    runs.map(({ organization }) => organization),
    ['a', 'b', 'c', 'a'],
  )
})

test('an organization has four that run or wait; a further one is measured when its reader asks again', async () => {
  const { runs, ask } = setUp()
  for (const content of ['1', '2', '3', '4', '5']) assert.equal(await ask('a', content), 'pending')
  for (let ended = 0; ended < runs.length || ended === 0; ended++) {
    await turn()
    runs[ended]?.end()
    await turn()
  }
  assert.equal(runs.length, 4)
  await ask('a', '5')
  await turn()
  assert.equal(runs.length, 5)
})

test('the end of the service ends what runs, without an error in the log', async () => {
  const { service, runs, stored, errors, ask } = setUp()
  await ask('a', '1')
  await ask('a', '2')
  await turn()
  await service.close()
  assert.deepEqual([runs.length, stored.size, errors], [1, 0, []])
  assert.equal(await ask('a', '3'), 'pending')
  await turn()
  assert.equal(runs.length, 1)
})
