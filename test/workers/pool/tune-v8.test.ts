/** The V8 that runs the tests knows the flags: it reports unknown ones on standard error. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

test('V8 accepts the flags without a warning', () => {
  const module = JSON.stringify(new URL('../../../workers/pool/tune-v8.js', import.meta.url).href)
  const script = `const { tuneV8, tuneV8ForRequests } = await import(${module}); tuneV8(); tuneV8ForRequests()`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })
  assert.deepEqual([status, stdout, stderr], [0, '', ''])
})
