import { series, syslog } from '../events.js'
import { type Template, xml } from '../template.js'

const ban = (address: string, jail = 'sshd'): string => syslog('fail2ban.actions[411]', `NOTICE [${jail}] Ban ${address}`)

export const fail2banBans: Template = {
  id: 'fail2ban-bans',
  category: 'ids',
  kind: 'mixed',
  platform: ['linux'],
  attackIds: ['T1110'],
  tags: ['fail2ban', 'decoder', 'correlation', 'brute-force'],
  texts: {
    'en-US': {
      title: 'Fail2ban: bans, and who is banned again and again',
      description: 'Decodes the actions of Fail2ban, and finds addresses that are banned three times within a day, on whichever host: they come back as soon as they may.',
      tips: [
        'Set logtarget = SYSLOG in fail2ban.conf.',
        'An address that is banned again and again belongs into a permanent block; Fail2ban itself has the jail recidive for it, per host.',
      ],
    },
    'pt-BR': {
      title: 'Fail2ban: banimentos e quem é banido repetidamente',
      description: 'Decodifica as ações do Fail2ban e encontra endereços banidos três vezes em um dia, em qualquer host: eles voltam assim que podem.',
      tips: [
        'Defina logtarget = SYSLOG em fail2ban.conf.',
        'Um endereço banido repetidamente merece um bloqueio permanente; o próprio Fail2ban tem para isso o jail recidive, por host.',
      ],
    },
  },
  xml: xml`
    <decoder name="fail2ban">
      <program_name type="pcre2">^fail2ban(?:\.\w+|-server)?$</program_name>
    </decoder>

    <decoder name="fail2ban-action">
      <parent>fail2ban</parent>
      <regex type="pcre2">\[([\w-]+)\] (?:Restore )?(Ban|Unban|Found) ([0-9A-Fa-f.:]+)</regex>
      <order>fail2ban.jail,action,srcip</order>
    </decoder>

    <group name="local,fail2ban,">
      <rule id="108120" level="0">
        <decoded_as>fail2ban</decoded_as>
        <description>Fail2ban: messages</description>
      </rule>

      <rule id="108121" level="5">
        <if_sid>108120</if_sid>
        <action>Ban</action>
        <description>Fail2ban: $(srcip) banned by $(fail2ban.jail)</description>
        <mitre>
          <id>T1110</id>
        </mitre>
        <group>attack,pci_dss_11.4,</group>
      </rule>

      <rule id="108122" level="3">
        <if_sid>108120</if_sid>
        <action>Unban</action>
        <description>Fail2ban: $(srcip) may come back ($(fail2ban.jail))</description>
      </rule>

      <rule id="108123" level="10" frequency="3" timeframe="86400" ignore="3600">
        <if_matched_sid>108121</if_matched_sid>
        <same_srcip />
        <description>Fail2ban: $(srcip) was banned three times within a day</description>
        <mitre>
          <id>T1110</id>
        </mitre>
        <group>attack,pci_dss_11.4,</group>
      </rule>
    </group>
  `,
  samples: [
    {
      shows: 'a ban',
      events: ban('203.0.113.7'),
      gives: { rule: 108121, level: 5, decoder: 'fail2ban', fields: { srcip: '203.0.113.7', action: 'Ban', 'fail2ban.jail': 'sshd' } },
    },
    { shows: 'the end of a ban', events: syslog('fail2ban.actions[411]', 'NOTICE [sshd] Unban 203.0.113.7'), gives: { rule: 108122, level: 3 } },
    { shows: 'three bans in two jails', events: series(3, 7200, (index) => ban('203.0.113.7', index === 1 ? 'postfix-sasl' : 'sshd')), gives: { rule: 108123, level: 10 } },
  ],
  lookalikes: [
    {
      shows: 'an attempt that does not lead to a ban',
      events: syslog('fail2ban.filter[411]', 'INFO [sshd] Found 203.0.113.7 - 2026-01-05 10:11:12'),
      not: 108121,
      gives: { rule: 108120, level: 0 },
    },
    { shows: 'three bans of three addresses', events: series(3, 7200, (index) => ban(`203.0.113.${index}`)), not: 108123, gives: { rule: 108121 } },
    { shows: 'another program that speaks of a ban', events: syslog('chatd[411]', 'NOTICE [main] Ban 203.0.113.7'), not: 'fail2ban' },
  ],
}
