import { syslog } from '../events.js'
import { type Template, xml } from '../template.js'

export const serviceAccountSudo: Template = {
  id: 'service-account-sudo',
  category: 'authentication',
  kind: 'rule',
  platform: ['linux'],
  attackIds: ['T1078.003', 'T1548.003'],
  tags: ['sudo', 'service-account', 'privilege-escalation'],
  texts: {
    'en-US': {
      title: 'Service account uses sudo',
      description: 'Accounts of daemons and pipelines have no reason to call sudo. When one does, the service behind it has probably been taken over.',
      tips: [
        'List your own accounts in <regex> of the first rule; names of people must not match it.',
        'Commands that a service account may run belong into the second rule, which lowers them.',
      ],
    },
    'pt-BR': {
      title: 'Conta de serviço usa sudo',
      description: 'Contas de daemons e pipelines não têm motivo para chamar o sudo. Quando uma delas o faz, o serviço por trás provavelmente foi tomado.',
      tips: [
        'Liste as suas contas em <regex> na primeira regra; nomes de pessoas não podem casar com ele.',
        'Comandos que uma conta de serviço pode executar vão na segunda regra, que os rebaixa.',
      ],
    },
  },
  xml: xml`
    <group name="local,syslog,sudo,">
      <rule id="100140" level="12">
        <if_sid>5400</if_sid>
        <regex type="pcre2">^\s*(?:svc[-_]\S+|www-data|nginx|postgres|jenkins) : TTY=.* COMMAND=</regex>
        <description>sudo: the service account $(srcuser) ran $(command)</description>
        <mitre>
          <id>T1078.003</id>
          <id>T1548.003</id>
        </mitre>
        <group>service_account,pci_dss_10.2.2,</group>
      </rule>

      <rule id="100141" level="3">
        <if_sid>100140</if_sid>
        <match>COMMAND=/usr/bin/systemctl reload nginx$</match>
        <description>sudo: the service account $(srcuser) ran an agreed command: $(command)</description>
        <mitre>
          <id>T1548.003</id>
        </mitre>
        <group>service_account,</group>
      </rule>
    </group>
  `,
  samples: [
    {
      shows: 'a web server that becomes root',
      events: syslog('sudo', 'www-data : TTY=unknown ; PWD=/var/www ; USER=root ; COMMAND=/bin/bash'),
      gives: { rule: 100140, level: 12 },
    },
    {
      shows: 'an agreed command',
      events: syslog('sudo', 'svc-deploy : TTY=unknown ; PWD=/srv ; USER=root ; COMMAND=/usr/bin/systemctl reload nginx'),
      gives: { rule: 100141, level: 3 },
    },
  ],
  lookalikes: [
    {
      shows: 'more than the agreed command',
      events: syslog('sudo', 'svc-deploy : TTY=unknown ; PWD=/srv ; USER=root ; COMMAND=/usr/bin/systemctl reload nginx ssh'),
      not: 100141,
      gives: { rule: 100140, level: 12 },
    },
    { shows: 'a person', events: syslog('sudo', 'alice : TTY=pts/0 ; PWD=/home/alice ; USER=root ; COMMAND=/usr/bin/id'), not: 100140 },
    { shows: 'a person who becomes a service account', events: syslog('sudo', 'alice : TTY=pts/0 ; PWD=/home/alice ; USER=postgres ; COMMAND=/usr/bin/psql'), not: 100140 },
  ],
}
