import { series, syslog } from '../events.js'
import { type Template, xml } from '../template.js'

const wrong = (user: string, address: string): string => syslog('dropbear[2201]', `Bad password attempt for '${user}' from ${address}:50122`, 'router1')

export const dropbearSshServer: Template = {
  id: 'dropbear-ssh-server',
  category: 'authentication',
  kind: 'mixed',
  platform: ['linux', 'network'],
  attackIds: ['T1021.004', 'T1110.001'],
  tags: ['ssh', 'dropbear', 'openwrt', 'embedded', 'brute-force', 'decoder'],
  texts: {
    'en-US': {
      title: 'Dropbear, the SSH server of routers and appliances',
      description: 'Decodes logins of Dropbear, as OpenWrt and many appliances use it, and finds brute force on devices that nobody looks at.',
      tips: [
        'Send the syslog of your devices to the manager or to an agent; the program name must be dropbear.',
        'Logins are level 3: raise rule 100262 where an administrator should never log in directly.',
      ],
    },
    'pt-BR': {
      title: 'Dropbear, o servidor SSH de roteadores e appliances',
      description: 'Decodifica logins do Dropbear, usado pelo OpenWrt e por muitos appliances, e encontra força bruta contra dispositivos que ninguém observa.',
      tips: [
        'Envie o syslog dos dispositivos ao manager ou a um agente; o nome do programa deve ser dropbear.',
        'Logins têm nível 3: eleve a regra 100262 onde um administrador nunca deva entrar diretamente.',
      ],
    },
  },
  xml: xml`
    <decoder name="dropbear">
      <program_name>^dropbear$</program_name>
    </decoder>

    <decoder name="dropbear-login">
      <parent>dropbear</parent>
      <prematch type="pcre2">(?i)(?:password|pubkey) (?:attempt|auth)</prematch>
      <regex type="pcre2">^(.+?) for '([^']*)' .*?from ([0-9A-Fa-f.:]+):(\d+)$</regex>
      <order>action,dstuser,srcip,srcport</order>
    </decoder>

    <decoder name="dropbear-unknown-user">
      <parent>dropbear</parent>
      <prematch>nonexistent user</prematch>
      <regex type="pcre2">from ([0-9A-Fa-f.:]+):(\d+)$</regex>
      <order>srcip,srcport</order>
    </decoder>

    <group name="local,syslog,dropbear,">
      <rule id="100260" level="0">
        <decoded_as>dropbear</decoded_as>
        <description>Dropbear: messages</description>
      </rule>

      <rule id="100261" level="5">
        <if_sid>100260</if_sid>
        <match>^Bad password attempt|^Login attempt for nonexistent user</match>
        <description>Dropbear: failed login of $(dstuser) from $(srcip)</description>
        <mitre>
          <id>T1110.001</id>
        </mitre>
        <group>authentication_failed,pci_dss_10.2.4,</group>
      </rule>

      <rule id="100262" level="3">
        <if_sid>100260</if_sid>
        <match>auth succeeded for</match>
        <description>Dropbear: $(dstuser) logged in from $(srcip)</description>
        <mitre>
          <id>T1021.004</id>
        </mitre>
        <group>authentication_success,pci_dss_10.2.5,</group>
      </rule>

      <rule id="100263" level="10" frequency="6" timeframe="120" ignore="60">
        <if_matched_sid>100261</if_matched_sid>
        <same_srcip />
        <description>Dropbear: brute force of $(srcip)</description>
        <mitre>
          <id>T1110.001</id>
        </mitre>
        <group>authentication_failures,pci_dss_11.4,</group>
      </rule>
    </group>
  `,
  samples: [
    {
      shows: 'a wrong password',
      events: wrong('root', '203.0.113.7'),
      gives: { rule: 100261, level: 5, decoder: 'dropbear', fields: { dstuser: 'root', srcip: '203.0.113.7', srcport: '50122' } },
    },
    {
      shows: 'an unknown user',
      events: syslog('dropbear[2201]', 'Login attempt for nonexistent user from 203.0.113.7:50122', 'router1'),
      gives: { rule: 100261, level: 5, fields: { srcip: '203.0.113.7' } },
    },
    {
      shows: 'a login by key, over IPv6',
      events: syslog('dropbear[2201]', "Pubkey auth succeeded for 'root' with ssh-ed25519 key SHA256:abc from 2001:db8::7:50122", 'router1'),
      gives: { rule: 100262, level: 3, fields: { dstuser: 'root', srcip: '2001:db8::7' } },
    },
    { shows: 'six wrong passwords', events: series(6, 10, () => wrong('root', '203.0.113.7')), gives: { rule: 100263, level: 10 } },
  ],
  lookalikes: [
    { shows: 'a connection', events: syslog('dropbear[2201]', 'Child connection from 203.0.113.7:50122', 'router1'), not: 100261, gives: { rule: 100260, level: 0 } },
    { shows: 'six wrong passwords from six addresses', events: series(6, 10, (index) => wrong('root', `203.0.113.${index}`)), not: 100263 },
    { shows: 'another program', events: syslog('dropbearkey', "Bad password attempt for 'root' from 203.0.113.7:50122", 'router1'), not: 'dropbear' },
  ],
}
