/** What each process has of the threads and of the memory. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { readConfig } from '../../../server/core/config.js'
import { limitTable } from '../../../server/core/limits/table.js'
import { shareOf } from '../../../server/cluster/share.js'

const configOf = (workers: number, processes: number) =>
  readConfig({ NATIVE_SERVICE_WORKERS: String(workers), NATIVE_SERVICE_PROCESSES: String(processes), NATIVE_SERVICE_RULESET_CACHE_MB: '1000' })

test('threads and the memory of rulesets are divided, not multiplied', () => {
  for (const [workers, processes] of [
    [1, 1],
    [5, 2],
    [16, 8],
    [7, 7],
    [64, 5],
  ]) {
    const config = configOf(workers, processes)
    const shares = Array.from({ length: processes }, (_, index) => shareOf(config, index + 1))
    assert.equal(
      shares.reduce((sum, share) => sum + share.workers, 0),
      workers,
    )
    assert.ok(shares.every((share) => share.workers >= 1))
    const cache = shares.reduce((sum, share) => sum + share.rulesetCacheMb, 0)
    assert.ok(cache <= 1000 && cache > 1000 - processes, `${cache} MB`)
  }
})

test('bytes that a process may hold are divided; each may still hold a few bodies', () => {
  const [one, eight] = [limitTable(shareOf(configOf(8, 1), 1)), limitTable(shareOf(configOf(8, 8), 1))]
  assert.equal(eight.body_bytes.instance * 8, one.body_bytes.instance)
  assert.equal(eight.answer_bytes.instance * 8, one.answer_bytes.instance)
  const many = limitTable(shareOf(configOf(64, 64), 1))
  assert.ok(many.body_bytes.organization >= 4 * 8 * 1024 * 1024 && many.body_bytes.instance >= many.body_bytes.organization)
})

test('without a setting, cores, threads and memory decide how many processes serve', () => {
  const GB = 1024 ** 3
  const chosen = (cores: number, memory: number, env: Record<string, string> = {}, platform: NodeJS.Platform = 'linux') =>
    readConfig({ NATIVE_SERVICE_WORKERS: String(cores), ...env }, { cores, memory, platform }).processes
  assert.deepEqual(
    [1, 2, 3, 4, 5, 8, 16, 64].map((cores) => chosen(cores, 64 * GB)),
    [1, 1, 1, 2, 2, 4, 8, 32],
  )
  assert.deepEqual(
    [1, 2, 4].map((memory) => chosen(16, memory * GB)),
    [1, 1, 8],
  )
  assert.equal(chosen(4, GB), 1)
  assert.equal(chosen(4, 1.5 * GB), 2)
  assert.equal(chosen(4, 1.5 * GB, { NATIVE_SERVICE_RULESET_CACHE_MB: '1000' }), 1)
  assert.equal(chosen(16, 64 * GB, { NATIVE_SERVICE_WORKERS: '4' }), 2)
  assert.equal(chosen(16, 64 * GB, {}, 'win32'), 1)
  assert.equal(chosen(16, GB, { NATIVE_SERVICE_PROCESSES: '16' }), 16)
})

test('more processes than threads are refused', () => {
  assert.throws(() => configOf(2, 3), { name: 'ConfigError', message: /^NATIVE_SERVICE_PROCESSES: must be at most 2/ })
})
