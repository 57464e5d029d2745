/** The tables and charts of the benches equal the stored results, and bench/README.md shows them. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { relative, sep } from 'node:path'
import test from 'node:test'
import { generatedFiles } from '../../bench/report.js'
import { anchorsOf, CHECKOUT, linksOf, pages, readPage } from './pages.js'

const TABLES = 'bench/results/README.md'

test('the tables and charts show the stored results', () => {
  for (const [path, text] of generatedFiles()) {
    assert.equal(existsSync(path) ? readFileSync(path, 'utf8') : '', text, `${relative(CHECKOUT, path)}: run \`node dist/bench/report.js\` and look at the difference`)
  }
})

test('bench/README.md shows each chart, and links the results of each bench', () => {
  const links = linksOf('bench/README.md').map(({ path, heading }) => (heading === null ? path : `${path}#${heading}`))
  const charts = [...generatedFiles().keys()].map((path) => relative(CHECKOUT, path).split(sep).join('/')).filter((path) => path.endsWith('.svg'))
  const sections = anchorsOf(TABLES)
    .slice(1)
    .map((anchor) => `${TABLES}#${anchor}`)
  assert.deepEqual(
    [...charts, ...sections].filter((target) => !links.includes(target)),
    [],
  )
})

test('no other page repeats a rate of the benches', () => {
  const repeating = pages().filter((page) => page !== TABLES && /\d (?:events|requests|logtests)(?:\/s| a second)/.test(readPage(page)))
  assert.deepEqual(repeating, [])
})
