import { syslog } from '../events.js'
import { type Template, xml } from '../template.js'

const packet = (action: string, source: string, target: string, port: number): string =>
  syslog('kernel', `[UFW ${action}] IN=eth1 OUT=eth0 SRC=${source} DST=${target} LEN=60 PROTO=TCP SPT=50022 DPT=${port} WINDOW=1024 RES=0x00 SYN URGP=0`, 'fw1')

export const egressSmtpFromClients: Template = {
  id: 'egress-smtp-from-clients',
  category: 'network',
  kind: 'rule',
  platform: ['network', 'linux'],
  attackIds: ['T1071.003'],
  tags: ['firewall', 'smtp', 'egress', 'spam-bot'],
  texts: {
    'en-US': {
      title: 'Host sends mail past the mail server',
      description: 'Only the mail server talks to foreign mail servers on port 25. Another host that tries is a spam bot, or leaks data by mail.',
      tips: [
        'Replace 10.0.0.0/8 with your internal networks, and 10.0.0.25 with your mail server.',
        'The firewall must log what it lets out on port 25; what it blocks usually is logged already.',
        'The rules stand on 4100 and so work for every firewall whose decoder has the type firewall.',
      ],
    },
    'pt-BR': {
      title: 'Host envia e-mail sem passar pelo servidor de e-mail',
      description: 'Só o servidor de e-mail fala com servidores externos na porta 25. Outro host que tenta é um bot de spam, ou vaza dados por e-mail.',
      tips: [
        'Troque 10.0.0.0/8 pelas suas redes internas e 10.0.0.25 pelo seu servidor de e-mail.',
        'O firewall precisa registrar o que deixa sair pela porta 25; o que bloqueia em geral já é registrado.',
        'As regras partem da 4100 e por isso servem a todo firewall cujo decodificador tem o tipo firewall.',
      ],
    },
  },
  xml: xml`
    <group name="local,firewall,">
      <rule id="102000" level="8">
        <if_sid>4100</if_sid>
        <srcip>10.0.0.0/8</srcip>
        <dstip negate="yes">10.0.0.0/8</dstip>
        <dstport>^25$</dstport>
        <description>$(srcip) talks to the foreign mail server $(dstip) past our own ($(action))</description>
        <mitre>
          <id>T1071.003</id>
        </mitre>
        <group>policy_violation,pci_dss_1.3,</group>
      </rule>

      <rule id="102001" level="0">
        <if_sid>102000</if_sid>
        <srcip>10.0.0.25</srcip>
        <description>The mail server sends mail</description>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'a client that is let out', events: packet('ALLOW', '10.1.2.3', '203.0.113.25', 25), gives: { rule: 102000, level: 8 } },
    { shows: 'a client that is blocked', events: packet('BLOCK', '10.1.2.3', '203.0.113.25', 25), gives: { rule: 102000, level: 8 } },
    { shows: 'the mail server', events: packet('ALLOW', '10.0.0.25', '203.0.113.25', 25), gives: { rule: 102001, level: 0 } },
  ],
  lookalikes: [
    { shows: 'a client that uses submission', events: packet('ALLOW', '10.1.2.3', '203.0.113.25', 587), not: 102000 },
    { shows: 'a client and our mail server', events: packet('ALLOW', '10.1.2.3', '10.0.0.25', 25), not: 102000 },
    { shows: 'mail from outside', events: packet('ALLOW', '203.0.113.25', '10.0.0.25', 25), not: 102000 },
  ],
}
