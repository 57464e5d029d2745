/** Lists in analysis requests: rules find them by name, they replace those on disk, and every kind of request supports them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { LogtestAnswer, ValidationAnswer } from '#workers'
import { SMALL_BODY_BYTES } from '../../server/analysis/outcomes.js'
import { RULESET_BYTES } from '#requests'
import { sharedPool } from '../support/app.js'
import { type AnalysisApp, startAnalysis } from '../server/analysis/support/service.js'
import type { Answer, Client, Refusal } from '../support/client.js'

const EVENT = 'Jan  5 10:11:12 web1 sshd[2201]: Invalid user admin from 203.0.113.7 port 50122'
const NAME = 'etc/lists/watched-addresses'
/** A comment that makes a body too large for the main thread. */
const PADDING = `<!-- ${'padding '.repeat(SMALL_BODY_BYTES / 8)} -->`

const using = (name: string, padding = '') => ({
  filename: 'local_rules.xml',
  kind: 'rules',
  content: `${padding}<group name="local,">
  <rule id="100101" level="10">
    <if_sid>5710</if_sid>
    <list field="srcip" lookup="address_match_key">${name}</list>
    <description>Unknown user from a watched address</description>
  </rule>
</group>`,
})
const list = (content: string, filename = NAME, more: object = {}) => ({ filename, kind: 'lists', content, ...more })
const HIT = list('203.0.113.:watched\n')
const MISS = list('198.51.100.:watched\n')

let app: AnalysisApp
let client: Client

before(async () => {
  await sharedPool().ready()
  app = await startAnalysis()
  client = app.client()
})

after(async () => {
  await app.close()
})

function ok<T>({ status, body, text }: Answer<T>): T {
  assert.equal(status, 200, text)
  return body
}

const validate = async (files: readonly object[], headers: Record<string, string> = {}) => ok(await client.post<ValidationAnswer>('/analysis/validate', { files }, { headers }))
const logtest = async (body: object) => ok(await client.post<LogtestAnswer>('/analysis/logtest-native', { input: { event: EVENT }, ...body }))
const ruleOf = async (files: readonly object[]): Promise<string | undefined> => (await logtest({ files })).rule?.id
const found = ({ diagnostics }: ValidationAnswer): string[] => diagnostics.map(({ severity, code, filename, line }) => `${severity} ${code} ${filename}:${line}`)

describe('lists of a request', () => {
  it('are found by rules under their names, and counted', async () => {
    const before = (await validate([])).summary.total_lists
    const answer = await validate([using(NAME), HIT])
    assert.deepEqual([answer.ok, found(answer), answer.summary.total_lists], [true, [], before + 1])
    assert.deepEqual([await ruleOf([using(NAME), HIT]), await ruleOf([using(NAME), MISS])], ['100101', '5710'])
    assert.equal(await ruleOf([HIT, using(`${NAME}.cdb`)]), '100101')
  })

  it('that are missing drop the rule, with a diagnostic', async () => {
    const answer = await validate([using('etc/lists/watched-adresses'), HIT])
    assert.equal(answer.ok, false)
    const diagnostic = answer.diagnostics.find(({ code }) => code === 'rule_list_not_loaded')
    assert.deepEqual([diagnostic?.severity, diagnostic?.engine_effect, diagnostic?.line, diagnostic?.suggestion], ['error', 'drop', 4, NAME])
    assert.ok(found(answer).includes(`info list_unused ${NAME}:null`))
  })

  it('are checked, line by line, in the language of the request', async () => {
    const content = '203.0.113.7:scanner\n# a comment\n203.0.113.7:again\r\n ana:\n10.0.0.0/8:\n'
    const english = await validate([using(NAME), list(content)])
    assert.equal(english.ok, true)
    assert.deepEqual(found(english), [
      `warning list_line_invalid ${NAME}:2`,
      `warning list_key_duplicate ${NAME}:3`,
      `warning list_key_whitespace ${NAME}:4`,
      `warning list_cidr_key ${NAME}:5`,
    ])
    const [{ column, end_column, evidence, source_scope }] = english.diagnostics
    assert.deepEqual([column, end_column, evidence, source_scope], [1, 12, '# a comment', 'adhoc'])
    const portuguese = await validate([using(NAME), list(content)], { 'x-locale': 'pt-BR' })
    assert.deepEqual(found(portuguese), found(english))
    assert.match(portuguese.diagnostics[0].message, /^A linha "# a comment" da lista/)
  })

  it('replace those on disk, also for the rules on disk', async () => {
    const disk = 'etc/lists/audit-keys'
    const audited = { ...using(disk), content: using(disk).content.replace('address_match_key', 'match_key') }
    assert.equal(await ruleOf([audited]), '5710')
    assert.equal(await ruleOf([audited, list('203.0.113.7:', disk)]), '100101')
    const answer = await validate([audited, list('203.0.113.7:', disk)])
    assert.deepEqual([answer.ok, found(answer)], [true, [`info list_replaces ${disk}:null`]])
    assert.equal(answer.summary.total_lists, (await validate([])).summary.total_lists)
  })

  it('with one name: the last is used, and the others are reported', async () => {
    assert.equal(await ruleOf([using(NAME), MISS, HIT]), '100101')
    const answer = await validate([using(NAME), HIT, MISS])
    assert.deepEqual(found(answer), [`warning list_duplicate_name ${NAME}:null`])
  })

  it('are part of the hash, in any order, and of the ruleset that is run by it', async () => {
    const hashOf = async (...files: object[]): Promise<string> => (await validate(files)).summary.compiled_hash
    const other = list('x:', 'etc/lists/sub/watched-addresses')
    assert.equal(await hashOf(using(NAME), HIT, other), await hashOf(other, HIT, using(NAME)))
    const hashes = [
      await hashOf(using(NAME)),
      await hashOf(using(NAME), HIT),
      await hashOf(using(NAME), MISS),
      await hashOf(using(NAME), list('203.0.113.:watched\n', 'etc/lists/x')),
    ]
    assert.equal(new Set(hashes).size, hashes.length)
    assert.equal((await logtest({ compiled_hash: hashes[1] })).rule?.id, '100101')
    assert.equal((await logtest({ compiled_hash: hashes[2] })).rule?.id, '5710')
  })

  it('are read in large bodies and batches as in small bodies', async () => {
    assert.equal(await ruleOf([using(NAME, PADDING), HIT]), '100101')
    const large = list(`${Array.from({ length: 20_000 }, (_, at) => `10.${at >> 8}.${at & 255}.1:x`).join('\n')}\n203.0.113.7:`)
    assert.equal(await ruleOf([using(NAME), large]), '100101')
    for (const files of [
      [using(NAME), HIT],
      [using(NAME), large],
    ]) {
      const body = `${JSON.stringify({ files })}\n${JSON.stringify({ event: EVENT })}\n`
      const { text } = await client.post('/analysis/logtest-batch', undefined, { raw: body, headers: { 'Content-Type': 'application/x-ndjson' } })
      const [first, last] = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      assert.deepEqual([first.rule?.id, last.matched], ['100101', 1])
    }
  })

  it('are named in the trace when they decide', async () => {
    const { trace } = await logtest({ files: [using(NAME), MISS] })
    assert.deepEqual(trace.find(({ name }) => name === '100101')?.details, { condition: 'list', list: NAME, field: 'srcip', lookup: 'address_match_key', text: '203.0.113.7' })
  })

  it('are only names: no file with that path is read', async () => {
    for (const name of ['/etc/passwd', '../../../../../../etc/passwd', 'file:///etc/passwd', 'etc/lists/\u0000x']) {
      const answer = await validate([{ ...using('x'), content: using(name.replace('\u0000', '')).content }, list('203.0.113.:', name)])
      assert.equal(answer.loads, true, name)
      assert.equal(answer.diagnostics.filter(({ code }) => code === 'list_line_invalid').length, 0, name)
    }
    assert.equal(await ruleOf([using('/etc/passwd'), list('203.0.113.:', '/etc/passwd')]), '100101')
    const missing = await validate([using('/etc/passwd')])
    assert.deepEqual([missing.ok, missing.diagnostics.map(({ code }) => code)], [false, ['rule_list_not_loaded']])
  })

  it('of scope default count as reference content', async () => {
    const body = await validate([using(NAME), list('203.0.113.7:\nno entry\n', NAME, { scope: 'default' })])
    assert.deepEqual([body.ok, body.diagnostics], [true, []])
    assert.ok(body.baseline_issue_count > (await validate([using(NAME)])).baseline_issue_count)
  })

  it('count towards the 8 MB of a request, and may be only separators or one key', async () => {
    const half = 'x'.repeat(RULESET_BYTES / 2)
    const { status, body } = await client.post<Refusal>('/analysis/validate', { files: [list(half, 'etc/lists/a'), list(half, 'etc/lists/b')] })
    assert.deepEqual([status, body.details.limit], [413, RULESET_BYTES])
    for (const content of ['\n'.repeat(2_000_000), 'a:\n'.repeat(1_000_000), '"'.repeat(2_000_000), ':'.repeat(2_000_000), '\r'.repeat(2_000_000)])
      assert.equal((await validate([list(content)])).loads, true)
  })
})
