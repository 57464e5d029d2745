/** What an event resulted in, printed with what is kept of earlier events. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { compileLayer, compileRuleset, EventRunner, finalRuleOf, type LogtestReport, matchedRulesOf, runLogtest, type SourceFile } from '#engine'
import { writtenReport } from '../../support/written-report.js'

const MOMENT = { seconds: 0, local: () => ({ timeOfDay: '12:00', weekday: 1 }) }
const OPTIONS = { trace: false, locale: 'en-US' } as const

const rules = (content: string, filename: string, scope: SourceFile['scope']): SourceFile => ({ kind: 'rules', filename, scope, content: `<group name="g,">${content}</group>` })
const rule = (id: number, inside: string, attributes = ''): string => `<rule id="${id}" level="3" ${attributes}>${inside}</rule>`

const DECODERS: SourceFile = {
  kind: 'decoders',
  filename: '0005_decoders.xml',
  scope: 'default',
  content:
    '<decoder name="daemon"><program_name>^daemon</program_name></decoder><decoder name="door"><prematch>^door </prematch></decoder><decoder name="door-user"><parent>door</parent><regex>user (\\w+)</regex><order>dstuser</order></decoder>',
}
const BASE = rules(
  [
    rule(1, '<category>syslog</category><description>syslog</description>', 'noalert="1"'),
    rule(100, '<decoded_as>door</decoded_as><description>a door</description>'),
    rule(101, '<if_sid>100</if_sid><match>open</match><description>opened by $(dstuser)</description>'),
    rule(102, '<if_sid>101</if_sid><match>night</match><description>opened at night</description>'),
    rule(103, '<if_sid>100</if_sid><match>shut</match><description>shut</description>'),
    rule(104, '<if_sid>103</if_sid><match>bang</match><description>shut with a bang by $(dstuser)</description>'),
    rule(105, '<if_sid>100</if_sid><match>ajar</match><description>ajar</description>'),
    // A rule that two paths lead to.
    rule(106, '<if_sid>103, 105</if_sid><match>twice</match><description>twice</description>'),
    rule(107, '<if_sid>106</if_sid><match>more</match><description>more than twice: $(dstuser)</description>'),
  ].join(''),
  '0010_rules.xml',
  'default',
)

/** A rule that is left again: it never is the final one, and stands after it in the path. */
const passed = (description: string): SourceFile =>
  rules(rule(900, `<if_sid>103</if_sid><match>shut</match><description>${description}</description>`, 'noalert="1"'), '9_own.xml', 'adhoc')

function printed(runner: EventRunner, event: string): LogtestReport {
  const { run, json } = writtenReport(null, runner, { event, log_format: 'syslog' }, MOMENT, null, OPTIONS)
  const found = JSON.parse(json) as LogtestReport
  assert.equal(finalRuleOf(run)?.id.toString() ?? null, found.rule?.id ?? null)
  assert.deepEqual(
    matchedRulesOf(run).map(({ id }) => String(id)),
    found.matched_rules.map(({ id }) => id),
  )
  return found
}

const EVENTS = [
  'door open user ana',
  'door open user "b\\',
  'door open night user ana',
  'door shut user ana',
  'door shut bang user ana',
  'door shut bang user é',
  'door shut twice more user ana',
  'door ajar twice more user ana',
  'door ajar twice',
  'Jan  5 10:11:12 "home" daemon[1]: door ajar',
  'door',
  'window',
  'door open user ana',
]

test('rulesets on one base, whose rules keep what was printed, each print their own rules', () => {
  const base = compileRuleset([DECODERS, BASE])
  const runners = [base, compileLayer(base, [passed('left "once"')]), compileLayer(base, [passed('left $(dstuser)')])].map((ruleset) => new EventRunner(ruleset))
  for (let round = 0; round < 3; round++) {
    for (const event of EVENTS) {
      for (const runner of runners) {
        const { predecoded, decoder, rule: final, matched_rules } = runLogtest(runner, { event, log_format: 'syslog' }, MOMENT, null, OPTIONS)
        const found = printed(runner, event)
        assert.deepEqual([found.predecoded, found.decoder, found.rule, found.matched_rules], [predecoded, decoder, final, matched_rules])
      }
    }
  }
  assert.deepEqual(
    printed(runners[1], 'door shut user ana').matched_rules.map(({ id, description }) => `${id} ${description}`),
    ['1 syslog', '100 a door', '103 shut', '900 left "once"'],
  )
  assert.equal(printed(runners[1], 'door shut user ana').rule?.id, '103')
})

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

test('rules of a base keep nothing of what was laid over it', async () => {
  const base = compileRuleset([DECODERS, BASE])
  /** @returns the rule of the layer in the path of a rule of the base */
  const own = (): WeakRef<object> => {
    const layer = rules(rule(103, '<if_sid>100</if_sid><match>shut</match><description>my own</description>', 'overwrite="yes"'), '9_own.xml', 'adhoc')
    const { run, json } = writtenReport(null, new EventRunner(compileLayer(base, [layer])), { event: 'door shut twice more', log_format: 'syslog' }, MOMENT, null, OPTIONS)
    const { matched_rules } = JSON.parse(json) as LogtestReport
    assert.deepEqual(
      matched_rules.map(({ description }) => description),
      ['syslog', 'a door', 'my own', 'twice', 'more than twice: '],
    )
    return new WeakRef(matchedRulesOf(run)[2])
  }
  const kept = own()
  // A reference holds its object until the end of the task.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  assert.equal(kept.deref(), undefined)
})
