/** Answers of the engine for the tests of the pictures and for their gallery: the reference ruleset with a few rules of an invented door controller. */
import { compileLayer, compileRuleset, createSession, describeRuleGraph, EventRunner, inspect, type InspectedTarget, nearMisses, runLogtest } from '../../../engine/index.js'
import type { Inspection, LogtestReport, Moment, NearMiss, RuleGraphNode, SourceFile, StageTimes } from '../../../engine/index.js'
import { readRulesetFolder, REFERENCE_RULESET_DIR } from '../../../workers/content/content.js'

const DECODERS = `
<decoder name="harborlock"><program_name>^harborlock$</program_name></decoder>
<decoder name="harborlock-refused"><parent>harborlock</parent><prematch>^badge \\d+ refused </prematch><regex>^badge (\\d+) refused at gate (\\S+) for (\\S+)</regex><order>id, gate, dstuser</order></decoder>
<decoder name="harborlock-refused"><parent>harborlock</parent><regex> from (\\S+)</regex><order>srcip</order></decoder>
<decoder name="harborlock-opened"><parent>harborlock</parent><prematch>^badge \\d+ opened gate </prematch><regex offset="after_prematch">^(\\S+)</regex><order>gate</order></decoder>`

const RULES = `<group name="harborlock,">
  <rule id="120001" level="0" noalert="1"><decoded_as>harborlock</decoded_as><description>harborlock: all events</description></rule>
  <rule id="120002" level="5"><if_sid>120001</if_sid><match>refused at gate</match><description>harborlock: $(dstuser) was refused at gate $(gate)</description><group>access_denied,</group><mitre><id>T1078</id></mitre></rule>
  <rule id="120003" level="10" frequency="4" timeframe="120" ignore="60"><if_matched_sid>120002</if_matched_sid><same_srcip /><description>harborlock: many refusals from $(srcip)</description><mitre><id>T1110</id></mitre></rule>
  <rule id="120004" level="12"><if_sid>120002</if_sid><field name="gate">^vault$</field><srcip>198.51.100.0/24</srcip><description>harborlock: refused at the vault</description></rule>
  <rule id="120005" level="7"><if_sid>120002</if_sid><user negate="yes">^mira$</user><description>harborlock: refused, and it is not Mira</description></rule>
  <rule id="120006" level="3"><if_sid>120001</if_sid><match>^badge \\d+ opened gate north</match><description>harborlock: gate north opened</description></rule>
</group>`

const FILES: readonly SourceFile[] = [
  { filename: 'harborlock-decoders.xml', kind: 'decoders', scope: 'custom', content: DECODERS },
  { filename: 'harborlock-rules.xml', kind: 'rules', scope: 'custom', content: RULES },
]

const RULESET = compileLayer(compileRuleset(readRulesetFolder(REFERENCE_RULESET_DIR, 'default')), FILES)
const RUNNER = new EventRunner(RULESET)

export const GRAPH: readonly RuleGraphNode[] = describeRuleGraph(RULESET)
export const RULES_BY_ID: ReadonlyMap<string, RuleGraphNode> = new Map(GRAPH.map((rule) => [rule.id, rule]))

export const EVENTS = {
  sshd: 'Jan  5 10:11:12 web1 sshd[2201]: Invalid user admin from 203.0.113.7 port 50122',
  sshdTypo: 'Jan  5 10:11:12 web1 sshd[2201]: Invalid usr admin from 203.0.113.7 port 50122',
  refused: 'Jan  5 10:12:00 pier1 harborlock[88]: badge 4711 refused at gate north for mira from 192.0.2.44',
  refusedMany: 'Jan  5 10:12:00 pier1 harborlock[88]: badge 11 refused at gate e for e from 192.0.2.44',
  opened: 'Jan  5 10:12:00 pier1 harborlock[88]: badge 4711 opened gate south',
  json: '{"timestamp":"2026-01-05T10:11:12Z","event_type":"alert","src_ip":"192.0.2.9","dest_ip":"198.51.100.3","alert":{"signature":"Tüv 🚪 opened","severity":2},"flow":{"bytes":[10,20]}}',
  nothing: 'a line that nothing knows',
  emoji: 'Jan  5 10:12:00 pier1 harborlock[88]: badge 4711 refused at gate nörd🚪 for mira from 192.0.2.44',
} as const

function momentAt(second: number): Moment {
  return { seconds: 1_767_608_000 + second, local: () => ({ timeOfDay: '10:12', weekday: 1 }) }
}

export function answer(event: string): LogtestReport & { readonly times: StageTimes } {
  return runLogtest(RUNNER, { event, log_format: 'auto' }, momentAt(0), null, { trace: true, locale: 'en-US', now: () => performance.now() })
}

export function inspection(event: string, target: InspectedTarget): Inspection {
  return inspect(RUNNER, target, { event, log_format: 'auto' }, momentAt(0), null)
}

export function misses(event: string): readonly NearMiss[] {
  return nearMisses(RUNNER, { event, log_format: 'auto' }, momentAt(0), null)
}

export interface TimedAnswer {
  readonly event: string
  readonly at: number
  readonly answer: LogtestReport
}

/** Runs events of one session. */
export function sequence(events: readonly (readonly [at: number, event: string])[]): readonly TimedAnswer[] {
  const session = createSession()
  return events.map(([at, event]) => ({ event, at, answer: runLogtest(RUNNER, { event, log_format: 'auto' }, momentAt(at), session, { trace: true, locale: 'en-US' }) }))
}

/** Inspects a rule for the event after those of a session. */
export function inspectionAfter(before: readonly (readonly [at: number, event: string])[], at: number, event: string, target: InspectedTarget): Inspection {
  const session = createSession()
  for (const [second, one] of before) runLogtest(RUNNER, { event: one, log_format: 'auto' }, momentAt(second), session, { trace: false, locale: 'en-US' })
  return inspect(RUNNER, target, { event, log_format: 'auto' }, momentAt(at), session)
}
