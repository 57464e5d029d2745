/** The subcommand `mutate`: on a tiny ruleset, in this thread and in several. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { call, Workplace } from './call.js'

const place = new Workplace()
const RULESET = ['--ruleset', place.ruleset()]
const rule = (id: number, options: string): string => `<rule id="${id}" level="9">${options}<description>Rule ${id}.</description></rule>`
const own = (name: string, rules: string): string[] => ['--custom', place.write(`${name}/rules/own_rules.xml`, `<group name="own,">\n${rules}</group>`)]
const OWN = own('own', rule(100_001, '<if_sid>901</if_sid><match>by root</match>'))
/** Enough for threads. */
const MANY = own('many', Array.from({ length: 20 }, (_, at) => rule(100_100 + at, `<if_sid>901</if_sid><match>by user${at} </match>`)).join('\n'))
const event = (user: string): string => `Jan  5 10:11:12 web1 door[1]: opened by ${user} from 203.0.113.7`
const cases = (name: string, ...list: readonly object[]): string => place.write(`${name}.json`, JSON.stringify({ cases: list }))
const ROOT = cases('root', { name: 'root opens', event_text: event('root'), expected_rule: '100001' })
const ANY = cases('any', { name: 'any opens', event_text: event('user7'), expected_rule: '100107' })

interface Line {
  readonly rule_id?: string
  readonly operator: string
  readonly status: string
  readonly case?: unknown
}
const linesOf = (stdout: string): { readonly rows: readonly Line[]; readonly summary: Readonly<Record<string, number | boolean>> } => {
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line & { summary?: Record<string, number> })
  const last = lines.pop()
  return { rows: lines, summary: last?.summary ?? {} }
}

describe('mutate', () => {
  after(() => place.remove())

  it('writes one object for each mutant, and the summary last', async () => {
    const { code, stdout } = await call(['mutate', ...RULESET, ...OWN, ROOT, '--jsonl'])
    assert.equal(code, 0)
    const { rows, summary } = linesOf(stdout)
    assert.deepEqual(Object.keys(summary), ['killed', 'survived', 'equivalent', 'unknown', 'score'])
    assert.deepEqual(rows[0], { rule_id: '100001', operator: 'delete', file: join(place.folder, 'own/rules/own_rules.xml'), line: 2, status: 'killed', case: 'root opens' })
    const survivor = rows.find(({ operator }) => operator === 'level')
    assert.equal(survivor?.status, 'survived')
    assert.deepEqual(Object.keys(survivor), ['rule_id', 'operator', 'file', 'line', 'status', 'case'])
    assert.equal((survivor.case as { expected_level: number }).expected_level, 9)
    const count = (status: string): number => rows.filter((row) => row.status === status).length
    assert.deepEqual([summary.killed, summary.survived, summary.unknown], [count('killed'), count('survived'), count('unknown')])
    assert.equal(summary.score, count('killed') / (count('killed') + count('survived') + count('unknown')))
  })

  it('names the cases that fail before anything is changed, and gives no score', async () => {
    const wrong = cases('wrong', { name: 'wrong', event_text: event('ana'), expected_rule: '100001' })
    const { code, stdout, stderr } = await call(['mutate', ...RULESET, ...OWN, ROOT, wrong, '--jsonl'])
    assert.deepEqual([code, stdout], [1, ''])
    assert.equal(stderr, `mutate: a case fails before anything is changed, so that there is no score:\n  ${wrong}:1: wrong\n`)
  })

  it('takes a case that cannot be read for one that fails', async () => {
    const { code, stdout, stderr } = await call(['mutate', ...RULESET, ...OWN, cases('broken', { name: 'x' }), '--jsonl'])
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /broken\.json:1: /)
  })

  it('adds the cases of survivors to a file, which then kill them', async () => {
    const target = join(place.folder, 'added.json')
    const first = await call(['mutate', ...RULESET, ...OWN, ROOT, '--write', target])
    assert.match(first.stderr, /mutate: \d+ cases? added to .*added\.json\n$/)
    const before = JSON.parse(readFileSync(target, 'utf8')) as { cases: unknown[] }
    const { code, stdout } = await call(['mutate', ...RULESET, ...OWN, ROOT, target, '--jsonl'])
    assert.deepEqual([code, linesOf(stdout).summary.survived], [0, 0])
    // What is there stays, and nothing is added twice.
    await call(['mutate', ...RULESET, ...OWN, ROOT, '--write', target])
    assert.deepEqual(JSON.parse(readFileSync(target, 'utf8')), before)
  })

  it('gives the same with threads as without', async () => {
    const all = linesOf((await call(['mutate', ...RULESET, ...MANY, ANY, '--jsonl'])).stdout)
    assert.ok(all.rows.length > 60)
    const one = linesOf((await call(['mutate', ...RULESET, ...MANY, ANY, '--jsonl', '--rule', '100107'])).stdout)
    assert.deepEqual(
      all.rows.filter(({ rule_id }) => rule_id === '100107'),
      one.rows,
    )
  })

  it('fails below the least score', async () => {
    assert.equal((await call(['mutate', ...RULESET, ...OWN, ROOT, '--min-score', '0.99'])).code, 1)
    assert.equal((await call(['mutate', ...RULESET, ...OWN, ROOT, '--min-score', '0.1'])).code, 0)
    assert.equal((await call(['mutate', ...RULESET, ...OWN, ROOT, '--min-score', 'x'])).code, 2)
  })

  it('does not change content with which Wazuh would not start', async () => {
    const { code, stderr } = await call(['mutate', ...RULESET, ...own('refused', '<rule id="100001" level="99"><match>x</match></rule>'), ROOT])
    assert.equal(code, 2)
    assert.match(stderr, /rule_level_invalid/)
  })

  it('shows survivors with an event, and writes a page', async () => {
    const page = join(place.folder, 'page.html')
    const { stdout } = await call(['mutate', ...RULESET, ...OWN, ROOT, '--output', `html=${page}`])
    assert.match(stdout, /Survivors \(\d+\)\n {2}rule 100001 · .*own_rules\.xml\n/)
    assert.match(stdout, /condition dropped :2 {2}<match>by root<\/match> → \(removed\)\n +.*opened /)
    assert.match(stdout, /Score 0[.]\d\d: the cases notice \d+ of \d+ changes\./)
    const html = readFileSync(page, 'utf8')
    assert.match(html, /&lt;match&gt;by root&lt;\/match&gt; → \(removed\)/)
    assert.doesNotMatch(html, /<script/)
    const portuguese = (await call(['mutate', ...RULESET, ...OWN, ROOT, '--locale', 'pt-BR'])).stdout
    assert.match(portuguese, /Sobreviventes .*\n(?:.*\n)*Nota 0,\d\d: os casos percebem/)
  })
})
