/** The subcommand `generate`: on a tiny ruleset, and on the whole reference in threads. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { compileRuleset, createSession, EventRunner, runLogtest, WITNESS_EPOCH, type WitnessRecord } from '#engine'
import { readRulesetFolder, REFERENCE_RULESET_DIR } from '#workers'
import { call, Workplace } from './call.js'

const place = new Workplace()
const RULESET = ['--ruleset', place.ruleset()]
const OWN = place.write(
  'own/rules/own_rules.xml',
  '<group name="own,"><rule id="100001" level="9"><if_sid>901</if_sid><match>by root</match><description>Door opened by root.</description></rule>' +
    '<rule id="100002" level="9"><if_sid>903</if_sid><match>^opened</match><description>Never.</description></rule></group>',
)
/** Least share with events among the reference rules that can fire. */
const REFERENCE_SHARE = 0.995

const recordsOf = (stdout: string): WitnessRecord[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as WitnessRecord)

describe('generate', () => {
  after(() => place.remove())

  it('prints for each rule its events, and for a rule that cannot fire the conflict', async () => {
    const { code, stdout, stderr } = await call(['generate', ...RULESET])
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /901 +7 fires {2}Door opened by \$\(srcuser\)\.\n +Nov 23 10:11:12 web1 door\[2201\]: opened /)
    assert.match(stdout, /902 +12 fires[^\n]*\n(?: +Nov[^\n]*\n){2}/)
    assert.match(stdout, /1 +0 cannot fire[^\n]*\n[^\n]*\[noalert\]/)
    assert.match(stdout, /4 rules fire \(100\.0 % of those that can\), 1 cannot, 0 unknown/)
  })

  it('makes events for the own rules only, and is the same in each run', async () => {
    const line = ['generate', ...RULESET, '--custom', OWN, '--near', '--jsonl']
    const { code, stdout } = await call(line)
    const [first, second, ...more] = recordsOf(stdout)
    assert.deepEqual([code, more], [0, []])
    assert.deepEqual([first.rule_id, first.status, first.reason, first.events.length], ['100001', 'fires', null, 1])
    assert.deepEqual(
      first.near.map(({ option, rule_id }) => [option, rule_id]),
      [['match', '901']],
    )
    assert.deepEqual([second.status, second.events, second.reason?.code], ['cannot_fire', [], 'conditions_exclude'])
    assert.equal((await call(line)).stdout, stdout)
    const alone = await call(['generate', ...RULESET, '--custom', OWN, '--near', '--jsonl', '--rule', '100001'])
    assert.deepEqual(recordsOf(alone.stdout), [first])
  })

  it('writes suites that pass, JSON lines and a page', async () => {
    const path = (name: string): string => join(place.folder, name)
    const outputs = ['json=cases.json', 'ini=cases.ini', 'jsonl=all.jsonl', 'html=all.html'].flatMap((output) => {
      const [format, name] = output.split('=')
      return ['--output', `${format}=${path(name)}`]
    })
    const { code } = await call(['generate', ...RULESET, '--custom', OWN, '--near', ...outputs])
    assert.equal(code, 0)
    for (const suite of ['cases.json', 'cases.ini']) assert.equal((await call(['test', ...RULESET, '--custom', OWN, '--cases-only', path(suite)])).code, 0, suite)
    assert.equal((JSON.parse(readFileSync(path('cases.json'), 'utf8')) as { cases: unknown[] }).cases.length, 2)
    assert.match(readFileSync(path('cases.ini'), 'utf8'), /^; no case in this format for rule 100002/m)
    assert.equal(recordsOf(readFileSync(path('all.jsonl'), 'utf8')).length, 2)
    assert.match(readFileSync(path('all.html'), 'utf8'), /<td>100001<\/td>[\s\S]*opened/)
  })

  it('writes a case of several events, which test accepts', async () => {
    const suite = join(place.folder, 'sequence.json')
    assert.equal((await call(['generate', ...RULESET, '--rule', '902', '--output', `json=${suite}`])).code, 0)
    const { stdout, code } = await call(['test', ...RULESET, suite, '--locale', 'en-US'])
    assert.deepEqual([code, stdout.includes('1 case, 1 passed')], [0, true], stdout)
  })

  it('speaks Portuguese', async () => {
    const { stdout } = await call(['generate', ...RULESET, '--custom', OWN, '--locale', 'pt-BR'])
    assert.match(stdout, /100002 +9 não pode disparar/)
    assert.match(stdout, /Nenhum texto passa em todas estas: .*da regra 903/)
  })

  it('refuses what is no rule, and says so if there is none', async () => {
    for (const id of ['abc', '4711']) {
      const { code, stderr } = await call(['generate', ...RULESET, '--rule', id])
      assert.deepEqual([code, stderr.startsWith(`generate: --rule can't be "${id}"`) || stderr.includes(`--rule can't be "${id}"`)], [2, true])
    }
    const lists = place.write('lists/lists/none', 'a:b\n')
    const { code, stderr } = await call(['generate', ...RULESET, '--custom', lists])
    assert.equal(code, 1)
    assert.match(stderr, /there is no rule to generate events for/)
  })

  it('finds events for nearly all rules of the reference, each of which fires its rule', async () => {
    const { code, stdout } = await call(['generate', '--jsonl'])
    const records = recordsOf(stdout)
    const ruleset = compileRuleset(readRulesetFolder(REFERENCE_RULESET_DIR, 'default'))
    assert.deepEqual([code, records.map(({ rule_id }) => rule_id)], [0, ruleset.rules.inOrder().map(({ id }) => String(id))])
    const runner = new EventRunner(ruleset, { managerName: 'other' })
    for (const { rule_id, status, events, reason } of records) {
      assert.equal(events.length > 0 && reason === null, status === 'fires')
      const session = createSession()
      let seconds = WITNESS_EPOCH
      let last: string | undefined
      for (const { event, log_format, location, advance = 1 } of events) {
        seconds += advance
        const date = new Date(seconds * 1000)
        const moment = { seconds, local: () => ({ timeOfDay: date.toISOString().slice(11, 16), weekday: date.getUTCDay() }) }
        last = runLogtest(runner, { event, log_format, ...(location === undefined ? {} : { location }) }, moment, session, { trace: false, locale: 'en-US' }).rule?.id
      }
      if (status === 'fires') assert.equal(last, rule_id)
    }
    const fires = records.filter(({ status }) => status === 'fires').length
    const unknown = records.filter(({ status }) => status === 'unknown').map(({ rule_id }) => rule_id)
    assert.ok(fires / (fires + unknown.length) >= REFERENCE_SHARE, `${fires} fire; unknown: ${unknown.join(' ')}`)
  })
})
