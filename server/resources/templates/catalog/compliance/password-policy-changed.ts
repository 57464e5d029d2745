import { audit, security } from '../events.js'
import { type Template, xml } from '../template.js'

export const passwordPolicyChanged: Template = {
  id: 'password-policy-changed',
  category: 'compliance',
  kind: 'rule',
  platform: ['linux', 'windows'],
  attackIds: ['T1484.001', 'T1556.003'],
  tags: ['pci-dss', 'iso-27001', 'auditd', 'pam', 'password-policy'],
  texts: {
    'en-US': {
      title: 'Password policy or PAM changed',
      description:
        'Alerts when the files that say how people log in on Linux are written, or when the policy of a Windows domain changes. Weakening them is a finding; a changed PAM stack may be a back door.',
      tips: [
        'Watch the files: auditctl -w /etc/pam.d -p wa -k audit-wazuh-w, and the same for the other paths.',
        'Package updates write them too: add your package manager to the exceptions of the first rule once you trust its sources.',
      ],
    },
    'pt-BR': {
      title: 'Política de senhas ou PAM alterada',
      description:
        'Alerta quando são escritos os arquivos que dizem como se entra no Linux, ou quando muda a política de um domínio Windows. Enfraquecê-los é um achado; uma pilha PAM alterada pode ser um backdoor.',
      tips: [
        'Vigie os arquivos: auditctl -w /etc/pam.d -p wa -k audit-wazuh-w, e o mesmo para os outros caminhos.',
        'Atualizações de pacotes também os escrevem: acrescente o gerenciador de pacotes às exceções da primeira regra quando confiar nas fontes.',
      ],
    },
  },
  xml: xml`
    <group name="local,password_policy,">
      <rule id="106060" level="10">
        <if_sid>80781, 80790, 80791</if_sid>
        <field name="audit.file.name" type="pcre2">^/etc/(?:pam\.d/|login\.defs$|security/(?:pwquality|faillock|limits)\.conf$)</field>
        <field name="audit.exe" negate="yes">^/usr/bin/dpkg$</field>
        <description>Login policy $(audit.file.name) changed by $(audit.exe), user id $(audit.auid)</description>
        <mitre>
          <id>T1556.003</id>
        </mitre>
        <group>audit,pci_dss_8.2.3,pci_dss_10.2.7,hipaa_164.312.b,nist_800_53_CM.3,</group>
      </rule>

      <rule id="106061" level="10">
        <if_sid>60103</if_sid>
        <field name="win.system.eventID">^4739$</field>
        <description>Policy of the domain $(win.eventdata.domainName) changed by $(win.eventdata.subjectUserName)</description>
        <mitre>
          <id>T1484.001</id>
        </mitre>
        <group>windows,pci_dss_8.2.3,pci_dss_10.2.7,hipaa_164.312.b,nist_800_53_CM.3,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'an edited PAM stack', events: audit('audit-wazuh-w', '/usr/bin/nano', '/etc/pam.d/common-auth'), gives: { rule: 106060, level: 10 } },
    { shows: 'a policy of a domain', events: security('4739', { domainName: 'EXAMPLE', subjectUserName: 'admin1', minPasswordLength: '4' }), gives: { rule: 106061, level: 10 } },
  ],
  lookalikes: [
    { shows: 'a package update', events: audit('audit-wazuh-w', '/usr/bin/dpkg', '/etc/pam.d/common-auth'), not: 106060 },
    { shows: 'a policy that is only read', events: audit('audit-wazuh-r', '/usr/bin/cat', '/etc/login.defs'), not: 106060, gives: { rule: 80783 } },
    { shows: 'a file of a similar name', events: audit('audit-wazuh-w', '/usr/bin/nano', '/etc/login.defs.orig'), not: 106060 },
  ],
}
