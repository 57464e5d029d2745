/** Events that bring an attack to its pattern. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AttackFinder, compileRuleset, EventRunner, type SourceFile } from '../../../engine/index.js'
import { runStages } from '../../../engine/logtest/logtest.js'
import { utcMoment } from '../../../engine/logtest/virtual-clock.js'
import { TraceRecorder } from '../../../engine/trace/trace-recorder.js'

const DECODERS = `
<decoder name="json"><prematch>^{</prematch><plugin_decoder>JSON_Decoder</plugin_decoder></decoder>
<decoder name="door"><program_name>^doord</program_name></decoder>
<decoder name="door-opened"><parent>door</parent><prematch>^opened by </prematch><regex offset="after_prematch">^(\\S+) at (\\S+)</regex><order>srcuser,extra_data</order></decoder>
<decoder name="door-closed"><parent>door</parent><prematch>^closed </prematch><regex type="pcre2" offset="after_prematch">^(\\w{2}) off</regex><order>srcuser</order></decoder>
<decoder name="gate"><prematch type="pcre2">^gate .*left.*right</prematch></decoder>`
const RULES = `<group name="test,">
<rule id="1" level="0" noalert="1"><category>syslog</category><description>All.</description></rule>
<rule id="100100" level="3"><decoded_as>door</decoded_as><description>Door.</description></rule>
<rule id="100101" level="5"><if_sid>100100</if_sid><match>opened</match><user type="pcre2">^(\\w+\\.?)+$</user><description>User.</description></rule>
<rule id="100102" level="5"><decoded_as>json</decoded_as><field name="cmd" type="pcre2">^\\w+ .*"stop.*now</field><description>Command.</description></rule>
<rule id="100103" level="5"><if_sid>100100</if_sid><match>^closed</match><user type="pcre2">^(\\w+\\.?)+$</user><description>Never long.</description></rule>
<rule id="100104" level="5"><if_sid>100100</if_sid><regex type="pcre2">^\\d+$</regex><description>Harmless.</description></rule>
</group>`
const files: SourceFile[] = [
  { kind: 'decoders', filename: 'd.xml', scope: 'custom', content: DECODERS },
  { kind: 'rules', filename: 'r.xml', scope: 'custom', content: RULES },
]

describe('events that bring an attack to its pattern', () => {
  const ruleset = compileRuleset(files)
  const finder = new AttackFinder(ruleset, () => true)
  const attacksOn = (id: number): ReturnType<AttackFinder['ofRule']> => {
    const rule = ruleset.rules.find(id)
    assert.ok(rule !== undefined)
    return finder.ofRule(rule)
  }
  /** The rules that are tried on an event. */
  const triedOn = (event: string): number[] => {
    const recorder = new TraceRecorder()
    runStages(new EventRunner(ruleset), { event, log_format: 'syslog' }, utcMoment(1_700_000_000), null, recorder, { locale: 'en-US' })
    return recorder.ruleSteps.map(({ rule }) => rule.id)
  }

  it('passes header, decoder, prematch and parents', () => {
    const [{ kind, degree, event, option }] = attacksOn(100101)
    assert.deepEqual([kind, degree, option], ['blind', null, 'user'])
    assert.match(event?.event ?? '', /^Nov 23 10:11:12 web1 doord\[2201\]: opened by [a.]{20,}.* at /)
    assert.ok(triedOn(event?.event ?? '').includes(100101))
  })

  it('writes the text of a field of JSON with its escapes', () => {
    const [{ kind, event }] = attacksOn(100102)
    assert.equal(kind, 'blind')
    const { cmd } = JSON.parse(event?.event ?? '{}') as { cmd: string }
    assert.ok(cmd.includes('"stop') && cmd.length < 65_536)
    assert.ok(triedOn(event?.event ?? '').includes(100102))
  })

  it('reaches the patterns of decoders', () => {
    const roots = [...ruleset.decoders.programRoots, ...ruleset.decoders.plainRoots]
    const [{ decoder, option, kind, event, ...others }] = roots.flatMap((root) => finder.ofDecoders(root))
    assert.deepEqual([decoder, option, kind, others.rule_id], ['gate', 'prematch', 'blind', null])
    assert.match(event?.event ?? '', /^gate /)
  })

  it('says of a text that no decoder brings to the pattern that no event was found', () => {
    const [{ kind, event }] = attacksOn(100103)
    assert.deepEqual([kind, event], ['blind', null])
  })

  it('brings the attack of a diagnostic to its pattern, an event a step', () => {
    for (const [code, tried] of [
      ['^(\\w+\\.?)+$', 100101],
      ['^gate .*left.*right', null],
    ] as const) {
      const diagnostic = ruleset.diagnostics.find(({ attack }) => attack?.pattern === code)
      assert.ok(diagnostic !== undefined, code)
      const steps = finder.eventSteps(diagnostic)
      let step = steps.next()
      let count = 0
      for (; step.done !== true; step = steps.next()) count++
      const { event = '' } = step.value ?? {}
      assert.ok(count < 100, String(count))
      assert.ok(tried === null ? event.startsWith('gate ') : triedOn(event).includes(tried), event.slice(0, 80))
    }
  })

  it('finds nothing against a harmless pattern', () => assert.deepEqual(attacksOn(100104), []))
})
