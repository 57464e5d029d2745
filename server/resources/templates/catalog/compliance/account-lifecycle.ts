import { security, syslog } from '../events.js'
import { type Template, xml } from '../template.js'

const account = (id: string): string => security(id, { targetUserName: 'carol', targetDomainName: 'EXAMPLE', targetSid: 'S-1-5-21-1-2-3-1105', subjectUserName: 'admin1' })

export const accountLifecycle: Template = {
  id: 'account-lifecycle',
  category: 'compliance',
  kind: 'rule',
  platform: ['linux', 'windows'],
  attackIds: ['T1098', 'T1136'],
  tags: ['iso-27001', 'pci-dss', 'sox', 'accounts', 'report'],
  texts: {
    'en-US': {
      title: 'Lifecycle of accounts, for reports',
      description: 'Puts new, changed and removed accounts of Linux and Windows under one group each, so that one query gives the report on joiners, movers and leavers.',
      tips: [
        'Build the report on the groups account_created, account_modified and account_removed.',
        'Compare it with the changes that the personnel department ordered: what is on one side only is a finding.',
      ],
    },
    'pt-BR': {
      title: 'Ciclo de vida de contas, para relatórios',
      description: 'Reúne contas criadas, alteradas e removidas de Linux e Windows em um grupo cada, para que uma consulta dê o relatório de entradas, mudanças e saídas.',
      tips: [
        'Monte o relatório sobre os grupos account_created, account_modified e account_removed.',
        'Compare com as mudanças ordenadas pelo RH: o que está só de um lado é um achado.',
      ],
    },
  },
  xml: xml`
    <group name="local,account_lifecycle,">
      <rule id="106040" level="8">
        <if_sid>5902, 60109</if_sid>
        <description>Account created: $(dstuser)$(win.eventdata.targetUserName)</description>
        <mitre>
          <id>T1136</id>
        </mitre>
        <group>account_created,pci_dss_8.1.2,gdpr_IV_32.2,hipaa_164.312.a.2.I,nist_800_53_AC.2,</group>
      </rule>

      <rule id="106041" level="5">
        <if_sid>5904, 60110</if_sid>
        <description>Account changed: $(dstuser)$(win.eventdata.targetUserName)</description>
        <mitre>
          <id>T1098</id>
        </mitre>
        <group>account_modified,pci_dss_8.1.2,gdpr_IV_32.2,hipaa_164.312.a.2.I,nist_800_53_AC.2,</group>
      </rule>

      <rule id="106042" level="5">
        <if_sid>5903, 60111</if_sid>
        <description>Account removed or disabled: $(dstuser)$(win.eventdata.targetUserName)</description>
        <mitre>
          <id>T1098</id>
        </mitre>
        <group>account_removed,pci_dss_8.1.2,gdpr_IV_32.2,hipaa_164.312.a.2.I,nist_800_53_AC.2,</group>
      </rule>
    </group>
  `,
  samples: [
    {
      shows: 'a new user on Linux',
      events: syslog('useradd[411]', 'new user: name=carol, UID=1005, GID=1005, home=/home/carol, shell=/bin/bash, from=/dev/pts/0'),
      gives: { rule: 106040, level: 8 },
    },
    { shows: 'a new user on Windows', events: account('4720'), gives: { rule: 106040, level: 8 } },
    { shows: 'a changed user on Linux', events: syslog('usermod[411]', "change user 'carol' shell from '/bin/sh' to '/bin/bash'"), gives: { rule: 106041, level: 5 } },
    { shows: 'a deleted user on Windows', events: account('4726'), gives: { rule: 106042, level: 5 } },
  ],
  lookalikes: [
    {
      shows: 'a new user with the rights of root, which the reference ruleset reports as worse',
      events: syslog('useradd[411]', 'new user: name=carol, UID=0, GID=0, home=/root, shell=/bin/bash, from=/dev/pts/0'),
      not: 106040,
      gives: { rule: 200070 },
    },
    { shows: 'a changed password', events: syslog('passwd[411]', 'pam_unix(passwd:chauthtok): password changed for carol'), not: 106041 },
  ],
}
