import { series } from '../events.js'
import { type Template, xml } from '../template.js'

const line = (message: string): string => `Jan  5 10:11:12 router1 ${message}`
const failure = (user: string, address: string): string => line(`system,error,critical login failure for user ${user} from ${address} via ssh`)

export const mikrotikRouteros: Template = {
  id: 'mikrotik-routeros',
  category: 'network',
  kind: 'mixed',
  platform: ['network'],
  attackIds: ['T1078', 'T1110.001'],
  tags: ['mikrotik', 'routeros', 'firewall', 'brute-force', 'decoder'],
  texts: {
    'en-US': {
      title: 'MikroTik RouterOS: firewall and logins',
      description: 'Decodes what RouterOS sends by syslog. Logged packets reach the firewall rules (4100 and below); logins and their failures get rules of their own.',
      tips: [
        'Begin the log prefix of a drop rule with "drop" (log-prefix=drop-in), and that of an accept rule with "accept": the prefix becomes the action.',
        'Switch on the BSD syslog format of the remote logging action, so that time and name of the router are cut off.',
      ],
    },
    'pt-BR': {
      title: 'MikroTik RouterOS: firewall e logins',
      description: 'Decodifica o que o RouterOS envia por syslog. Pacotes registrados chegam às regras de firewall (4100 e abaixo); logins e falhas ganham regras próprias.',
      tips: [
        'Comece o prefixo de log de uma regra de descarte com "drop" (log-prefix=drop-in) e o de uma regra de aceite com "accept": o prefixo vira a ação.',
        'Ative o formato BSD syslog na ação de log remoto, para que a hora e o nome do roteador sejam separados.',
      ],
    },
  },
  xml: xml`
    <decoder name="mikrotik-firewall">
      <type>firewall</type>
      <prematch type="pcre2">^firewall,\w+ .*\bin:\S+ out:\S+, .*\bproto </prematch>
    </decoder>

    <decoder name="mikrotik-firewall-packet">
      <parent>mikrotik-firewall</parent>
      <type>firewall</type>
      <regex type="pcre2">^firewall,\w+ (\S+) \w+: in:(\S+) out:([^,\s]+),</regex>
      <order>action,in_interface,out_interface</order>
    </decoder>

    <decoder name="mikrotik-firewall-packet">
      <parent>mikrotik-firewall</parent>
      <regex type="pcre2">\bproto (\w+)[^,]*, ([\d.]+):(\d+)->([\d.]+):(\d+)</regex>
      <order>protocol,srcip,srcport,dstip,dstport</order>
    </decoder>

    <decoder name="mikrotik-system">
      <prematch type="pcre2">^system,\w+(?:,\w+)* (?:login failure for user |user )</prematch>
    </decoder>

    <decoder name="mikrotik-system-login">
      <parent>mikrotik-system</parent>
      <regex type="pcre2">user (\S+) (?:logged in )?from (\S+) via (\w+)</regex>
      <order>dstuser,srcip,protocol</order>
    </decoder>

    <group name="local,mikrotik,">
      <rule id="102060" level="0">
        <decoded_as>mikrotik-system</decoded_as>
        <description>MikroTik: users</description>
      </rule>

      <rule id="102061" level="5">
        <if_sid>102060</if_sid>
        <match>login failure for user</match>
        <description>MikroTik: failed login of $(dstuser) from $(srcip) over $(protocol)</description>
        <mitre>
          <id>T1110.001</id>
        </mitre>
        <group>authentication_failed,pci_dss_10.2.4,</group>
      </rule>

      <rule id="102062" level="3">
        <if_sid>102060</if_sid>
        <match>logged in from</match>
        <description>MikroTik: $(dstuser) logged in from $(srcip) over $(protocol)</description>
        <mitre>
          <id>T1078</id>
        </mitre>
        <group>authentication_success,pci_dss_10.2.5,</group>
      </rule>

      <rule id="102063" level="10" frequency="6" timeframe="120" ignore="60">
        <if_matched_sid>102061</if_matched_sid>
        <same_srcip />
        <description>MikroTik: brute force of $(srcip)</description>
        <mitre>
          <id>T1110.001</id>
        </mitre>
        <group>authentication_failures,pci_dss_11.4,</group>
      </rule>
    </group>
  `,
  samples: [
    {
      shows: 'a dropped packet',
      events: line(
        'firewall,info drop-in forward: in:ether1 out:bridge1, connection-state:new src-mac 00:00:5e:00:53:01, proto TCP (SYN), 203.0.113.7:51234->192.0.2.10:22, len 60',
      ),
      gives: { rule: 4101, decoder: 'mikrotik-firewall', fields: { action: 'drop-in', srcip: '203.0.113.7', dstip: '192.0.2.10', dstport: '22', protocol: 'TCP' } },
    },
    { shows: 'a wrong password', events: failure('admin', '203.0.113.7'), gives: { rule: 102061, level: 5, fields: { dstuser: 'admin', srcip: '203.0.113.7' } } },
    { shows: 'a login', events: line('system,info,account user admin logged in from 192.0.2.5 via winbox'), gives: { rule: 102062, level: 3 } },
    { shows: 'six wrong passwords', events: series(6, 10, () => failure('admin', '203.0.113.7')), gives: { rule: 102063, level: 10 } },
  ],
  lookalikes: [
    { shows: 'an accepted packet', events: line('firewall,info accept-dns forward: in:bridge1 out:ether1, proto UDP, 192.0.2.10:51234->203.0.113.53:53, len 60'), not: 4101 },
    { shows: 'a log-out', events: line('system,info,account user admin logged out from 192.0.2.5 via winbox'), not: 102062 },
    { shows: 'six wrong passwords in an hour', events: series(6, 600, () => failure('admin', '203.0.113.7')), not: 102063, gives: { rule: 102061 } },
  ],
}
