/** Runs over a simulated pool: consumed units, stored events, and endings. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CaseOutcome, CasesChunk, TaskOutcome, TimedOut } from '#workers'
import { NO_OUTCOME } from '#workers'
import type { Write } from '../../../../server/core/storage/contract.js'
import { ApiError } from '../../../../server/core/errors.js'
import type { CaseDocument } from '../../../../server/content/shared/test-case.js'
import type { ProjectDocument } from '../../../../server/content/shared/project.js'
import { type CaseRunParts, CaseRuns, type RunCaller } from '../../../../server/content/cases/run.js'
import { gather, JSON_FORM, streamLines } from '../../../../server/content/cases/run-answer.js'
import { RunMemory } from '../../../../server/content/cases/run-memory.js'
import type { Scope } from '../../../../server/core/tenancy/scope.js'
import { testLimits } from '../../../support/limits.js'

const NOW = new Date('2026-11-21T08:15:30.000Z')

function caseOf(index: number, bytes = 10): CaseDocument {
  return {
    ...{ _id: `c${index}`, organization_id: 'o', project_id: 'p', name: `case ${index}`, description: '', event_text: 'e', events: [], log_format: 'auto', location: null },
    ...{ session_id: '', expected_decoder: null, expected_rule: null, expected_level: null, expected_fields: [], expected_rule_ids: [], forbidden_rule_ids: [] },
    ...{ expect_no_rule: false, bytes, created_by: 'u', created_at: NOW, updated_at: NOW, revision: 1 },
  }
}

const PROJECT = { _id: 'p', name: 'Project', slug: 'project' } as ProjectDocument
const passed = (index: number): CaseOutcome => ({
  outcome: 'ok',
  report: {
    name: `case ${index}`,
    passed: true,
    checks: [],
    covered: { rules: [], decoders: [] },
    depends_on_clock: index === 1,
    analysis: {
      ok: true,
      diagnostics: [],
      predecoded: { timestamp: null, hostname: null, program_name: null, location: '', raw_message: '', detected_format: 'syslog' },
      ...NO_OUTCOME,
    },
    performance: { source_build_ms: 0, compile_ms: 0, total_ms: 0, cache_hit: true, predecode_ms: 0, decode_ms: 0, rule_ms: 0 },
  },
})
const chunkOf = (...results: CaseOutcome[]): TaskOutcome<CasesChunk> => ({ outcome: 'ok', value: { loads: true, results, contentReport: null } })
const timeout = { outcome: 'timeout', seconds: 10, at: { index: null, ruleId: null, decoder: null }, diagnostic: { code: 'engine_timeout' } } as unknown as TimedOut

/** @param chunks results of the pool */
function bench(count: number, chunks: readonly TaskOutcome<CasesChunk>[], signal = new AbortController().signal) {
  const commits: (readonly Write[])[] = []
  const scope = {
    organizationId: 'o',
    collection: () => ({ inserting: (document: unknown) => document }),
    commit: async (writes: readonly Write[]) => void commits.push(writes),
  } as unknown as Scope
  const told = { units: 0, events: [] as string[], commits }
  const parts: CaseRunParts = {
    pool: {
      async *cases() {
        yield* chunks
      },
    },
    usage: {
      consume: async (_scope, _metric, units) => {
        told.units += units
      },
      refund: async (_scope, _metric, units) => {
        told.units -= units
      },
    },
    outbox: {
      emitting: async (_scope, ...events) => {
        told.events.push(...events.map(({ name }) => name))
        return []
      },
    },
    clock: () => NOW.getTime(),
  }
  const cases = Array.from({ length: count }, (_, index) => caseOf(index))
  const caller = { principal: { kind: 'user', userId: 'u', email: 'u@example.test' }, requestId: 'r', address: '::1', locale: 'en-US', signal } as unknown as RunCaller
  const begin = () => new CaseRuns(parts).begin(scope, { project: PROJECT, cases, ruleset: { files: [] }, workspaceId: null, isRegression: true }, false, caller)
  return { told, begin, caller }
}

const text = (chunks: readonly Uint8Array[]): string => Buffer.concat(chunks).toString()

test('a run consumes a unit for each case and emits its events once', async () => {
  const { told, begin } = bench(3, [chunkOf(passed(0), passed(1)), chunkOf(passed(2))])
  const { total_cases, results } = JSON.parse(text((await gather(await begin(), JSON_FORM)).chunks)) as { total_cases: number; results: unknown[] }
  assert.deepEqual([total_cases, results.length, told.units], [3, 3, 3])
  assert.deepEqual(told.events, ['regression.completed', 'regression.passed'])
  assert.equal(told.commits.length, 1)
})

test('a run that a busy pool refuses consumes nothing and fails', async () => {
  const { told, begin } = bench(3, [{ outcome: 'busy' }])
  await assert.rejects(gather(await begin(), JSON_FORM), (error) => error instanceof ApiError && error.reason === 'overloaded')
  assert.deepEqual([told.units, told.commits.length, told.events.length], [0, 0, 0])
  const second = bench(3, [{ outcome: 'busy' }])
  await assert.rejects(streamLines(await second.begin(), second.caller))
  assert.equal(second.told.units, 0)
})

test('units of cases that were not run are refunded, and a line has the error', async () => {
  const { told, begin, caller } = bench(5, [chunkOf(passed(0), passed(1)), { outcome: 'aborted' }])
  const lines = text(await (await streamLines(await begin(), caller)).toArray())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.deepEqual([lines.length, lines[2].code, lines[3].done, lines[3].total_cases], [4, 'service_unavailable', false, 2])
  assert.deepEqual([told.units, told.events], [2, []])
})

test('a timeout of the run is reported in a line', async () => {
  const signal = AbortSignal.abort(new DOMException('late', 'TimeoutError'))
  const { begin, caller, told } = bench(2, [chunkOf(passed(0)), { outcome: 'aborted' }], signal)
  const lines = text(await (await streamLines(await begin(), { ...caller, signal: new AbortController().signal })).toArray()).split('\n')
  assert.match(lines[1], /service_unavailable/)
  assert.match(lines[1], /300/)
  assert.equal(told.units, 1)
})

test('a stop of the instance is reported in a line, unless the caller has disconnected', async () => {
  const linesOf = async (signal: AbortSignal) => {
    const { begin, caller, told } = bench(2, [chunkOf(passed(0)), { outcome: 'aborted' }], signal)
    const lines = text(await (await streamLines(await begin(), caller)).toArray())
      .trimEnd()
      .split('\n')
    assert.equal(told.units, 1)
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  }
  const [, refusal, last] = await linesOf(AbortSignal.abort('stopping'))
  assert.deepEqual([refusal.code, last.done, last.total_cases], ['service_unavailable', false, 1])
  assert.equal((await linesOf(AbortSignal.abort('caller_gone'))).length, 1)
})

test('a stream that is never read refunds the units of cases that were not run', async () => {
  const { told, begin, caller } = bench(3, [chunkOf(passed(0)), chunkOf(passed(1)), chunkOf(passed(2))])
  const stream = await streamLines(await begin(), caller)
  const closed = new Promise((resolve) => stream.once('close', resolve))
  stream.destroy()
  await closed
  assert.equal(told.units, 1)
  assert.equal(told.commits.length, 0)
})

test('content that cannot be compiled in time fails every remaining case', async () => {
  const { told, begin } = bench(3, [chunkOf(passed(0)), timeout])
  const answer = JSON.parse(text((await gather(await begin(), JSON_FORM)).chunks)) as { failed_cases: number; loads: boolean; results: { analysis: { diagnostics: object[] } }[] }
  assert.deepEqual([answer.failed_cases, answer.loads, told.units], [2, false, 3])
  assert.deepEqual(answer.results[2].analysis.diagnostics, [{ code: 'engine_timeout' }])
  assert.deepEqual(told.events, ['regression.completed', 'regression.failed'])
})

const SCOPE = { organizationId: 'o' } as unknown as Scope

test('a run that would exceed the memory limit is refused with Retry-After', async () => {
  const memory = new RunMemory(testLimits({ run_bytes: { organization: 512 * 1024 * 1024 } }))
  const large = Array.from({ length: 10 }, (_, index) => caseOf(index, 10 * 1024 * 1024))
  await memory.reserve(SCOPE, large, async () => {
    await assert.rejects(
      memory.reserve(SCOPE, large, async () => {}),
      (error) => error instanceof ApiError && error.reason === 'limit_reached' && error.headers['Retry-After'] !== undefined,
    )
    await memory.reserve(SCOPE, [caseOf(0)], async () => {})
  })
  await memory.reserve(SCOPE, large, async () => {})
})
