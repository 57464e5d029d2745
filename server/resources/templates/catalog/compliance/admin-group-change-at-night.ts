import { at, security } from '../events.js'
import { type Template, xml } from '../template.js'

const added = (group: string, sid: string): string =>
  security('4728', {
    targetUserName: group,
    targetDomainName: 'EXAMPLE',
    targetSid: sid,
    memberName: 'CN=Bob,DC=example,DC=com',
    memberSid: 'S-1-5-21-1-2-3-1105',
    subjectUserName: 'admin1',
  })

export const adminGroupChangeAtNight: Template = {
  id: 'admin-group-change-at-night',
  category: 'compliance',
  kind: 'rule',
  platform: ['windows'],
  attackIds: ['T1098'],
  tags: ['sox', 'iso-27001', 'active-directory', 'time', 'change-control'],
  texts: {
    'en-US': {
      title: 'Privileged domain group changed outside the change window',
      description: 'Members of Domain Admins and its like change in daytime, with a ticket. A change at night is either an emergency that somebody must justify, or an attack.',
      tips: [
        'The hours are local time of the manager; set them to your change window.',
        'The rule finds the group by the last part of its SID, so it works in every language of Windows.',
      ],
    },
    'pt-BR': {
      title: 'Grupo privilegiado do domínio alterado fora da janela de mudança',
      description: 'Membros de Domain Admins e afins mudam de dia, com chamado. Uma mudança à noite é uma emergência que alguém deve justificar, ou um ataque.',
      tips: [
        'O horário é a hora local do manager; ajuste-o à sua janela de mudança.',
        'A regra encontra o grupo pela última parte do SID e por isso funciona em todo idioma do Windows.',
      ],
    },
  },
  xml: xml`
    <group name="local,windows,change_control,">
      <!-- 512 Domain Admins, 518 Schema Admins, 519 Enterprise Admins -->
      <rule id="106120" level="13">
        <if_sid>60103</if_sid>
        <field name="win.system.eventID" type="pcre2">^(?:4728|4729|4756|4757)$</field>
        <field name="win.eventdata.targetSid" type="pcre2">-(?:512|518|519)$</field>
        <time>8 pm - 7 am</time>
        <description>Privileged group $(win.eventdata.targetUserName) changed by $(win.eventdata.subjectUserName) outside the change window</description>
        <mitre>
          <id>T1098</id>
        </mitre>
        <group>account_changed,pci_dss_10.2.5,nist_800_53_AC.2,</group>
      </rule>
    </group>
  `,
  samples: [{ shows: 'a new administrator at 22:00', events: [at(10, added('Domain Admins', 'S-1-5-21-1-2-3-512'))], gives: { rule: 106120, level: 13 } }],
  lookalikes: [
    { shows: 'a new administrator at 12:00', events: [at(0, added('Domain Admins', 'S-1-5-21-1-2-3-512'))], not: 106120, gives: { rule: 220133 } },
    { shows: 'another group at 22:00', events: [at(10, added('Printer Users', 'S-1-5-21-1-2-3-1512'))], not: 106120 },
  ],
}
