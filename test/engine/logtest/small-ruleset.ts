/** A small ruleset for the tests of all texts about a run. */
import { createSession, EventRunner, compileRuleset, runLogtest } from '../../../engine/index.js'
import type { CompiledRuleset, LogtestInput, Moment, Session, SourceFile, TimedLogtestReport } from '../../../engine/index.js'

const DECODERS = `
<decoder name="door"><program_name>^doord</program_name></decoder>
<decoder name="door-open"><parent>door</parent><prematch>^opened </prematch><regex offset="after_prematch">^by (\\S+) from (\\S+)</regex><order>user, srcip</order></decoder>
<decoder name="door-open"><parent>door</parent><regex> badge=(\\d+)</regex><order>badge.number</order></decoder>
<decoder name="lamp"><prematch>^lamp </prematch><regex offset="after_prematch">^level (\\d+) room (\\w+)</regex><order>level, room</order></decoder>
<decoder name="wall"><prematch>^wall </prematch><type>firewall</type></decoder>
<decoder name="json"><prematch>^{\\s*"</prematch><plugin_decoder>JSON_Decoder</plugin_decoder></decoder>`

const TEMPLATES = `<group name="templates,">
<rule id="1" level="0" noalert="1"><category>syslog</category><description>syslog</description></rule>
<rule id="2" level="0" noalert="1"><category>firewall</category><description>firewall</description></rule>
<rule id="7" level="0" noalert="1"><category>ossec</category><description>ossec</description></rule>
</group>`

const RULES = `<group name="house,">
  <rule id="100001" level="0"><decoded_as>door</decoded_as><description>door</description></rule>
  <rule id="100002" level="5"><if_sid>100001</if_sid><match>^opened</match><description>door opened by $(dstuser) $(room)</description><group>opened,</group><mitre><id>T1078</id></mitre></rule>
  <rule id="100003" level="10" frequency="3" timeframe="60"><if_matched_sid>100002</if_matched_sid><same_srcip /><description>door opened often</description></rule>
  <rule id="100004" level="12"><if_sid>100002</if_sid><list field="srcip" lookup="address_match_key">etc/lists/bad</list><description>bad address</description></rule>
  <rule id="100005" level="2"><decoded_as>lamp</decoded_as><field name="level">^9$</field><description>lamp bright</description></rule>
  <rule id="100006" level="4" noalert="1"><decoded_as>lamp</decoded_as><description>lamp container</description></rule>
  <rule id="100007" level="4"><if_sid>100006</if_sid><field name="rooms">^hall$</field><description>lamp in hall</description></rule>
  <rule id="100008" level="6"><decoded_as>wall</decoded_as><description>in the wrong category</description></rule>
  <rule id="100009" level="7"><if_sid>100999</if_sid><description>lost</description></rule>
  <rule id="100010" level="3"><decoded_as>json</decoded_as><match negate="yes">secret</match><description>json</description></rule>
  <rule id="100011" level="3"><category>ossec</category><decoded_as>windows_eventchannel</decoded_as><field name="win.system.eventID">^4624$</field><description>logon of $(win.eventdata.targetUserName)</description></rule>
</group>`

export const FILES: readonly SourceFile[] = [
  { filename: '0010-templates.xml', kind: 'rules', scope: 'default', content: TEMPLATES },
  { filename: 'house-decoders.xml', kind: 'decoders', scope: 'adhoc', content: DECODERS },
  { filename: 'house-rules.xml', kind: 'rules', scope: 'adhoc', content: RULES },
  { filename: 'etc/lists/bad', kind: 'lists', scope: 'adhoc', content: '203.0.113.:net\n198.51.100.0/24:mistake\n' },
]

export const RULESET: CompiledRuleset = compileRuleset(FILES)
export const RUNNER = new EventRunner(RULESET)
/** A Tuesday, 23:59 local time. */
export const MOMENT: Moment = { seconds: 1_700_000_000, local: () => ({ timeOfDay: '23:59', weekday: 2 }) }
export const DOOR = 'Nov 17 08:15:30 gate doord[42]: opened by bob from 192.0.2.7 badge=17'

export function run(event: string, more: Partial<LogtestInput> & { session?: Session | null; trace?: boolean } = {}): TimedLogtestReport {
  const { session = null, trace = true, ...input } = more
  return runLogtest(RUNNER, { event, log_format: 'auto', ...input }, MOMENT, session, { trace, locale: 'en-US' })
}

export { createSession }
