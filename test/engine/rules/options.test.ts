/** Every example of every rule option, and the properties that the table declares for each. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ExampleEvents, RuleExample } from '../../../engine/rules/options/option.js'
import { RULE_OPTIONS } from '../../../engine/rules/options/index.js'
import { compileRuleset, createSession, EventRunner, explainRule, runLogtest } from '../../../engine/index.js'
import type { CompiledRuleset, Explanation, Moment, SourceFile, TimedLogtestReport } from '../../../engine/index.js'

const RULE_ID = '100100'
const DECODERS = `<decoder name="sshd"><program_name>^sshd</program_name></decoder>
<decoder name="firewall"><prematch>^firewall: </prematch><type>firewall</type></decoder>
<decoder name="json"><prematch>^{</prematch><plugin_decoder>JSON_Decoder</plugin_decoder></decoder>`
const TEMPLATES = ['syslog', 'firewall']
  .map((category, index) => `<rule id="${index + 1}" level="0" noalert="1"><category>${category}</category><description>${category}</description></rule>`)
  .join('')

function compile({ xml, around = '', attributes = '', before = '', decoders = '', lists = {} }: RuleExample): CompiledRuleset {
  const description = xml.startsWith('<description>') ? '' : '<description>example</description>'
  const rule = `<rule id="${RULE_ID}" level="10" ${attributes}>${around}${xml}${description}</rule>`
  const file = (kind: SourceFile['kind'], filename: string, content: string): SourceFile => ({ kind, filename, scope: 'adhoc', content })
  return compileRuleset([
    file('decoders', 'decoders.xml', decoders + DECODERS),
    file('rules', 'rules.xml', `<group name="templates,">${TEMPLATES}</group><group name="examples,">${before}${rule}</group>`),
    ...Object.entries(lists).map(([name, content]) => file('lists', name, content)),
  ])
}

const LOCATION = '/var/log/examples.log'

function momentOf({ time = { timeOfDay: '12:00', weekday: 1 } }: RuleExample): Moment {
  return { seconds: 1_700_000_000, local: () => time }
}

/** Returns the result of the last event, and why the rule is not final. */
function run(example: RuleExample, ruleset: CompiledRuleset, events: ExampleEvents): { report: TimedLogtestReport; why: Explanation } {
  const all = typeof events === 'string' ? [events] : events
  const runner = new EventRunner(ruleset)
  const session = createSession()
  const input = (event: string) => ({ event, log_format: 'auto', location: LOCATION }) as const
  const log = (event: string, locale: 'en-US' | 'pt-BR' = 'en-US'): TimedLogtestReport => runLogtest(runner, input(event), momentOf(example), session, { trace: true, locale })
  for (const event of all.slice(0, -1)) log(event)
  const last = all[all.length - 1]
  const why = explainRule(runner, ruleset, RULE_ID, input(last), momentOf(example), session, 'pt-BR')
  return { report: log(last), why }
}

for (const { name, part, examples, deprecated } of RULE_OPTIONS) {
  describe(`<${name}>`, () => {
    test('has examples of events that pass and that fail, if an event can decide', () => {
      const { matches, misses } = { matches: examples.flatMap((one) => one.matches), misses: examples.flatMap((one) => one.misses ?? []) }
      // No event has a GeoIP field, and all events here are from one place.
      const isNeverThere = /geoip$|^different_location$/.test(name)
      assert.ok(matches.length > 0 || isNeverThere)
      if (part === 'condition' && name !== 'location') assert.ok(misses.length > 0)
    })
    for (const example of examples) {
      test(example.xml, () => {
        const ruleset = compile(example)
        assert.deepEqual(
          ruleset.loadDiagnostics
            .filter(({ code, severity }) => severity === 'error' || (severity === 'warning' && deprecated === undefined && code !== 'rule_ignore_ineffective'))
            .map(({ code }) => code),
          [],
        )
        for (const events of example.matches) {
          const { report, why } = run(example, ruleset, events)
          assert.equal(report.rule?.id, RULE_ID, JSON.stringify([events, why.reason]))
          for (const [member, value] of Object.entries(example.answer ?? {})) assert.deepEqual((report.rule as unknown as Record<string, unknown>)[member], value)
        }
        for (const events of example.misses ?? []) {
          const { report, why } = run(example, ruleset, events)
          assert.notEqual(report.rule?.id, RULE_ID, JSON.stringify(events))
          assert.equal(why.matched, false)
          assert.ok(why.reason.length > 0)
          // The explanation of the failure is from the option, and the trace names it too.
          if (part !== 'condition' || why.failed_condition === null || why.failed_condition.rule_id !== RULE_ID) continue
          assert.equal(why.failed_condition.tag, name)
          const step = report.trace?.findLast((entry) => entry.name === RULE_ID)
          assert.deepEqual([step?.matched, step?.details.condition], [false, name])
        }
      })
    }
  })
}
