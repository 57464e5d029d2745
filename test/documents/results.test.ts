/** The figures in bench/README.md equal the stored results. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { PAGE, withResults } from '../../bench/report.js'
import { pages, readPage } from './pages.js'

test('bench/README.md shows the stored results', () => {
  const page = readFileSync(PAGE, 'utf8')
  assert.equal(page, withResults(page), 'run `node dist/bench/report.js` and look at the difference')
})

test('no other page repeats a rate of the benches', () => {
  const repeating = pages().filter((page) => page !== 'bench/README.md' && /\d (?:events|requests|logtests)(?:\/s| a second)/.test(readPage(page)))
  assert.deepEqual(repeating, [])
})
