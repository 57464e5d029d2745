/** What the page opens with: the event of the README and its rule first, then what rules of its own add. Its addresses are for documentation (RFC 5737). */
import { newEvent, newId, type Work } from './state.js'

const RULES = `<group name="local,">

  <!-- A log-in with an unknown user name, from an address that we watch. -->
  <rule id="100100" level="10">
    <if_sid>5710</if_sid>
    <list field="srcip" lookup="address_match_key">etc/lists/watched</list>
    <description>Unknown user $(srcuser) from the watched address $(srcip)</description>
    <mitre>
      <id>T1110</id>
    </mitre>
    <group>authentication_failed,</group>
  </rule>

  <!-- Three of them within two minutes. -->
  <rule id="100101" level="12" frequency="3" timeframe="120">
    <if_matched_sid>100100</if_matched_sid>
    <same_srcip />
    <description>Repeated attempts from the watched address $(srcip)</description>
    <mitre>
      <id>T1110</id>
    </mitre>
  </rule>

  <rule id="100110" level="7">
    <decoded_as>backupd</decoded_as>
    <field name="result">failed</field>
    <description>Backup of $(volume) failed after $(seconds) seconds</description>
  </rule>

</group>
`

const DECODERS = `<!-- backupd[311]: volume=srv-data result=failed seconds=93 -->
<decoder name="backupd">
  <program_name>^backupd</program_name>
</decoder>

<decoder name="backupd-result">
  <parent>backupd</parent>
  <regex>volume=(\\S+) result=(\\w+) seconds=(\\d+)</regex>
  <order>volume, result, seconds</order>
</decoder>
`

const WATCHED = `198.51.100.:scanners
192.0.2.250:old mail relay
`

export function exampleWork(): Work {
  return {
    files: [
      { id: newId(), kind: 'rules', filename: 'local_rules.xml', content: RULES },
      { id: newId(), kind: 'decoders', filename: 'local_decoder.xml', content: DECODERS },
      { id: newId(), kind: 'lists', filename: 'etc/lists/watched', content: WATCHED },
    ],
    events: [
      newEvent('Jan  5 10:11:12 web1 sshd[2201]: Invalid user admin from 203.0.113.7 port 50122', { expected: '5710' }),
      newEvent('Jan  5 10:11:40 web1 sshd[2204]: Invalid user guest from 198.51.100.44 port 41877', { expected: '100100', wait: 28 }),
      newEvent('Jan  5 10:12:03 web1 sshd[2209]: Accepted publickey for deploy from 192.0.2.10 port 40022 ssh2', { wait: 23 }),
      newEvent('Jan  5 10:12:40 web1 backupd[311]: volume=srv-data result=failed seconds=93', { wait: 37 }),
    ],
    cases: [],
    session: false,
    now: null,
  }
}
