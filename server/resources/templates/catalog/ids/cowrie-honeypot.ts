import { json } from '../events.js'
import { type Template, xml } from '../template.js'

const cowrie = (eventid: string, more: Record<string, unknown> = {}): string =>
  json({
    eventid,
    src_ip: '203.0.113.7',
    src_port: 51234,
    session: 'a1b2c3d4e5f6',
    protocol: 'ssh',
    sensor: 'honey1',
    timestamp: '2026-01-05T10:11:12.123456Z',
    message: 'x',
    ...more,
  })

export const cowrieHoneypot: Template = {
  id: 'cowrie-honeypot',
  category: 'ids',
  kind: 'rule',
  platform: ['linux', 'application'],
  attackIds: ['T1059.004', 'T1105', 'T1110', 'T1572'],
  tags: ['honeypot', 'cowrie', 'deception', 'json'],
  texts: {
    'en-US': {
      title: 'Cowrie, an SSH and Telnet honeypot',
      description: 'Reads the JSON log of Cowrie: logins that it lets in, commands that are typed, files that are fetched, and ports that are forwarded.',
      tips: [
        'Inside your network nobody has business with a honeypot: raise rule 108101 to 12 there. On the Internet it hums all day.',
        'The hashes of fetched files are worth a look-up: they are in the field shasum.',
      ],
    },
    'pt-BR': {
      title: 'Cowrie, um honeypot de SSH e Telnet',
      description: 'Lê o log JSON do Cowrie: logins que ele aceita, comandos digitados, arquivos baixados e portas encaminhadas.',
      tips: [
        'Dentro da sua rede ninguém tem nada a fazer em um honeypot: eleve ali a regra 108101 para 12. Na Internet ela dispara o dia todo.',
        'Os hashes dos arquivos baixados valem uma consulta: estão no campo shasum.',
      ],
    },
  },
  xml: xml`
    <group name="local,honeypot,cowrie,">
      <rule id="108100" level="0">
        <decoded_as>json</decoded_as>
        <field name="eventid" type="pcre2">^cowrie\.</field>
        <description>Cowrie: events</description>
      </rule>

      <rule id="108101" level="3">
        <if_sid>108100</if_sid>
        <field name="eventid">^cowrie.session.connect$|^cowrie.login.failed$</field>
        <description>Cowrie: $(src_ip) knocks</description>
        <mitre>
          <id>T1110</id>
        </mitre>
        <group>recon,</group>
      </rule>

      <rule id="108102" level="8">
        <if_sid>108100</if_sid>
        <field name="eventid">^cowrie.login.success$</field>
        <description>Cowrie: $(src_ip) got in with a guessed password</description>
        <mitre>
          <id>T1110</id>
        </mitre>
        <group>attack,</group>
      </rule>

      <rule id="108103" level="8">
        <if_sid>108100</if_sid>
        <field name="eventid">^cowrie.command.input$</field>
        <description>Cowrie: $(src_ip) typed: $(input)</description>
        <mitre>
          <id>T1059.004</id>
        </mitre>
        <group>attack,</group>
      </rule>

      <rule id="108104" level="12">
        <if_sid>108100</if_sid>
        <field name="eventid">^cowrie.session.file_download$|^cowrie.session.file_upload$</field>
        <description>Cowrie: $(src_ip) brought a file: $(shasum)</description>
        <mitre>
          <id>T1105</id>
        </mitre>
        <group>attack,malware,</group>
      </rule>

      <rule id="108105" level="10">
        <if_sid>108100</if_sid>
        <field name="eventid">^cowrie.direct-tcpip.request$</field>
        <description>Cowrie: $(src_ip) tries to go on to other hosts</description>
        <mitre>
          <id>T1572</id>
        </mitre>
        <group>attack,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'a wrong password', events: cowrie('cowrie.login.failed', { username: 'root', password: '123456' }), gives: { rule: 108101, level: 3 } },
    { shows: 'a guessed password', events: cowrie('cowrie.login.success', { username: 'root', password: 'admin' }), gives: { rule: 108102, level: 8 } },
    { shows: 'a command', events: cowrie('cowrie.command.input', { input: 'uname -a' }), gives: { rule: 108103, level: 8 } },
    { shows: 'a file', events: cowrie('cowrie.session.file_download', { url: 'http://203.0.113.9/x', shasum: 'ab12' }), gives: { rule: 108104, level: 12 } },
    { shows: 'a forwarded port', events: cowrie('cowrie.direct-tcpip.request', { dst_ip: '198.51.100.9', dst_port: 25 }), gives: { rule: 108105, level: 10 } },
  ],
  lookalikes: [
    { shows: 'the end of a session', events: cowrie('cowrie.session.closed'), not: 108101, gives: { rule: 108100, level: 0 } },
    { shows: 'another program with event ids', events: json({ eventid: 'login.success', src_ip: '203.0.113.7' }), not: 108102 },
  ],
}
