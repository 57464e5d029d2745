import { json } from '../events.js'
import { type Template, xml } from '../template.js'

const row = (query: string, columns: Record<string, string>, action = 'added'): string =>
  json({ name: query, hostIdentifier: 'web1', calendarTime: 'Mon Jan  5 10:11:12 2026 UTC', unixTime: 1767607872, epoch: 0, counter: 4, numerics: false, columns, action })

export const osqueryResults: Template = {
  id: 'osquery-results',
  category: 'endpoint',
  kind: 'rule',
  platform: ['linux', 'application'],
  attackIds: ['T1014', 'T1098.004', 'T1548.001', 'T1571'],
  tags: ['osquery', 'json', 'persistence', 'inventory'],
  texts: {
    'en-US': {
      title: 'Results of osquery: what appeared since the last look',
      description:
        'Reads differential results of osquery: ports that are opened by programs in temporary folders, new programs with the rights of root, new authorized keys, kernel modules.',
      tips: [
        'The names of the rules are those of the queries in your schedule: listening_ports, suid_bin, authorized_keys, kernel_modules, with or without a pack.',
        'The first run adds everything that is there already: wait for counter > 0 before you alert.',
      ],
    },
    'pt-BR': {
      title: 'Resultados do osquery: o que surgiu desde a última consulta',
      description:
        'Lê resultados diferenciais do osquery: portas abertas por programas em pastas temporárias, novos programas com direitos de root, novas chaves autorizadas, módulos do kernel.',
      tips: [
        'Os nomes nas regras são os das consultas da sua agenda: listening_ports, suid_bin, authorized_keys, kernel_modules, com ou sem pack.',
        'A primeira execução acrescenta tudo o que já existe: espere por counter > 0 antes de alertar.',
      ],
    },
  },
  xml: xml`
    <group name="local,osquery,">
      <rule id="112120" level="0">
        <decoded_as>json</decoded_as>
        <field name="hostIdentifier" type="pcre2">.</field>
        <field name="calendarTime" type="pcre2">.</field>
        <field name="name" type="pcre2">.</field>
        <description>osquery: results</description>
      </rule>

      <rule id="112121" level="3">
        <if_sid>112120</if_sid>
        <action>added</action>
        <description>osquery: new row of $(name) on $(hostIdentifier)</description>
      </rule>

      <rule id="112122" level="12">
        <if_sid>112121</if_sid>
        <field name="name" type="pcre2">(?:^|_)listening_ports$</field>
        <field name="columns.path" type="pcre2">^/(?:tmp|var/tmp|dev/shm)/</field>
        <description>osquery: $(columns.path) listens on port $(columns.port) of $(hostIdentifier)</description>
        <mitre>
          <id>T1571</id>
        </mitre>
        <group>attack,</group>
      </rule>

      <rule id="112123" level="10">
        <if_sid>112121</if_sid>
        <field name="name" type="pcre2">(?:^|_)suid_bin$</field>
        <description>osquery: $(columns.path) of $(hostIdentifier) runs with the rights of $(columns.username)</description>
        <mitre>
          <id>T1548.001</id>
        </mitre>
        <group>privilege_escalation,</group>
      </rule>

      <rule id="112124" level="8">
        <if_sid>112121</if_sid>
        <field name="name" type="pcre2">(?:^|_)authorized_keys$</field>
        <description>osquery: new authorized key in $(columns.key_file) of $(hostIdentifier)</description>
        <mitre>
          <id>T1098.004</id>
        </mitre>
        <group>account_changed,</group>
      </rule>

      <rule id="112125" level="8">
        <if_sid>112121</if_sid>
        <field name="name" type="pcre2">(?:^|_)kernel_modules$</field>
        <description>osquery: kernel module $(columns.name) loaded on $(hostIdentifier)</description>
        <mitre>
          <id>T1014</id>
        </mitre>
        <group>rootkit,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'a new row', events: row('pack_it_users', { username: 'carol' }), gives: { rule: 112121, level: 3 } },
    { shows: 'a port of a program in /tmp', events: row('pack_incident_listening_ports', { port: '4444', path: '/tmp/x' }), gives: { rule: 112122, level: 12 } },
    { shows: 'a program with the rights of root', events: row('suid_bin', { path: '/usr/local/bin/x', username: 'root' }), gives: { rule: 112123, level: 10 } },
    { shows: 'a key', events: row('pack_incident_authorized_keys', { key_file: '/root/.ssh/authorized_keys' }), gives: { rule: 112124, level: 8 } },
    { shows: 'a kernel module', events: row('kernel_modules', { name: 'diamorphine' }), gives: { rule: 112125, level: 8 } },
  ],
  lookalikes: [
    { shows: 'a port that is closed', events: row('pack_incident_listening_ports', { port: '4444', path: '/tmp/x' }, 'removed'), not: 112122, gives: { rule: 112120, level: 0 } },
    { shows: 'a port of a daemon', events: row('pack_incident_listening_ports', { port: '443', path: '/usr/sbin/nginx' }), not: 112122, gives: { rule: 112121 } },
  ],
}
