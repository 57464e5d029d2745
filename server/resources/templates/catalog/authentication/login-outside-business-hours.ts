import { at, security, syslog } from '../events.js'
import { type Template, xml } from '../template.js'

const SSH = syslog('sshd[2201]', 'Accepted password for alice from 198.51.100.7 port 50122 ssh2')

export const loginOutsideBusinessHours: Template = {
  id: 'login-outside-business-hours',
  category: 'authentication',
  kind: 'rule',
  platform: ['any', 'linux', 'windows'],
  attackIds: ['T1078'],
  tags: ['time', 'valid-accounts', 'insider'],
  texts: {
    'en-US': {
      title: 'Login outside business hours',
      description: 'Raises every successful login at night or at the weekend, on whatever system. Valid accounts in the wrong hands are often used when nobody watches.',
      tips: [
        'The hours are those of the local time of the manager, not those of the event.',
        'Accounts that work at night (backup, batch) need an exception: add a <user negate="yes"> to both rules.',
        'Change the hours in the first rule only; the second one covers Saturday and Sunday as a whole.',
      ],
    },
    'pt-BR': {
      title: 'Login fora do horário comercial',
      description: 'Eleva todo login bem-sucedido à noite ou no fim de semana, em qualquer sistema. Contas válidas em mãos erradas costumam ser usadas quando ninguém observa.',
      tips: [
        'O horário é a hora local do manager, não a do evento.',
        'Contas que trabalham à noite (backup, lotes) precisam de exceção: acrescente um <user negate="yes"> às duas regras.',
        'Mude o horário só na primeira regra; a segunda cobre sábado e domingo inteiros.',
      ],
    },
  },
  xml: xml`
    <group name="local,authentication,">
      <rule id="100120" level="8">
        <if_group>authentication_success</if_group>
        <time>8 pm - 6 am</time>
        <description>Login outside business hours</description>
        <mitre>
          <id>T1078</id>
        </mitre>
        <group>login_time,pci_dss_10.2.5,</group>
      </rule>

      <rule id="100121" level="8">
        <if_group>authentication_success</if_group>
        <weekday>weekends</weekday>
        <description>Login at the weekend</description>
        <mitre>
          <id>T1078</id>
        </mitre>
        <group>login_day,pci_dss_10.2.5,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'SSH at 23:30', events: [at(11.5, SSH)], gives: { rule: 100120, level: 8 } },
    { shows: 'Windows at 02:00', events: [at(14, security('4624', { targetUserName: 'alice', logonType: '3', ipAddress: '198.51.100.7' }))], gives: { rule: 100120, level: 8 } },
    { shows: 'SSH on Saturday at 12:00', events: [at(72, SSH)], gives: { rule: 100121, level: 8 } },
  ],
  lookalikes: [
    { shows: 'SSH on Wednesday at 12:00', events: [at(0, SSH)], not: 100120, gives: { rule: 5715 } },
    { shows: 'a wrong password at night', events: [at(12, syslog('sshd[2201]', 'Failed password for alice from 198.51.100.7 port 50122 ssh2'))], not: 100120 },
  ],
}
