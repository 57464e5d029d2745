/** Which measurements are cached, and for how long. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnalysisPool, CaseCheck } from '#workers'
import { ProjectMeasure } from '../../../../server/content/shared/measure.js'
import type { ContentList } from '../../../../server/content/shared/content.js'
import type { Scope } from '../../../../server/core/tenancy/scope.js'

/** Returns a measurement over a pool whose case returns these checks, or is stopped while the machine is busy; counts its runs. */
function setUp(checks: readonly CaseCheck[]) {
  const machine = { isBusy: false, whileRunning: (): void => undefined }
  const counts = { runs: 0 }
  const disk = { id: 'disk' }
  const testCase = { _id: 'c', name: 'case', events: [], expected_fields: [], expected_level: null }
  const pool = {
    get contentId() {
      return disk.id
    },
    measure: async () => {
      counts.runs++
      machine.whileRunning()
      const report = { passed: true, checks, analysis: { rule: null, decoder: null } }
      const diagnostics = { compiled_hash: 'hash', loads: true, by_severity: { error: 0, warning: 0, info: 0, success: 0 }, by_code: {}, worst: [] }
      return {
        outcome: 'ok',
        value: { diagnostics, rules: [], decoders: [], coverage: { rules: { untested: [] } }, results: [machine.isBusy ? { outcome: 'timeout' } : { outcome: 'ok', report }] },
      }
    },
  } as unknown as AnalysisPool
  const scope = { organizationId: 'o', collection: () => ({ find: async () => [testCase] }) } as unknown as Scope
  const measure = new ProjectMeasure(pool)
  const content = { decoders_xml: '', rules_xml: '', include_disk_defaults: true, include_disk_custom: true }
  const run = (lists: readonly ContentList[] = []) =>
    measure.measure({ ...content, lists }, { _id: 'p', cases_revision: 1 }, { scope, locale: 'en-US', signal: new AbortController().signal })
  return { counts, disk, machine, run }
}

test('a measurement is cached until the content on disk changes', async () => {
  const { counts, disk, run } = setUp([{ label: 'rule', expected: '1', actual: '1', passed: true }])
  assert.equal(await run(), await run())
  assert.deepEqual(counts, { runs: 1 })
  disk.id = 'another'
  await run()
  assert.deepEqual(counts, { runs: 2 })
})

test('content with another list has another measurement', async () => {
  const { counts, run } = setUp([])
  const list = { name: 'etc/lists/a', content: 'a:' }
  const contents = [[], [list], [{ ...list, name: 'etc/lists/b' }], [{ ...list, content: 'b:' }], [list, { ...list, name: 'etc/lists/b' }]]
  for (const lists of [...contents, ...contents]) assert.equal((await run(lists)).semantic.total_lists, lists.length)
  assert.equal(counts.runs, contents.length)
})

test('a measurement is not cached if the content on disk changed while it ran, even if that content returns', async () => {
  const { counts, disk, machine, run } = setUp([])
  machine.whileRunning = () => {
    disk.id = 'another'
  }
  await run()
  disk.id = 'disk'
  machine.whileRunning = () => undefined
  await run()
  assert.equal(counts.runs, 2)
  await run()
  assert.equal(counts.runs, 2)
})

test('a measurement larger than the cache is not cached', async () => {
  const text = 'x'.repeat(1024)
  const { counts, run } = setUp(Array.from({ length: 20_000 }, () => ({ label: 'field', expected: text, actual: text, passed: true })))
  await run()
  await run()
  assert.equal(counts.runs, 2)
})

test('a stopped case is run again after a minute, because the machine may have been busy', async (t) => {
  const { counts, machine, run } = setUp([])
  const begun = performance.now()
  const clock = t.mock.method(performance, 'now', () => begun)
  machine.isBusy = true
  assert.equal((await run()).failedCases, 1)
  machine.isBusy = false
  assert.equal((await run()).failedCases, 1)
  assert.equal(counts.runs, 1)
  clock.mock.mockImplementation(() => begun + 61_000)
  // The cache reads its clock once in a millisecond.
  await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal((await run()).failedCases, 0)
  assert.equal(counts.runs, 2)
  assert.equal(await run(), await run())
  assert.equal(counts.runs, 2)
})
