import { audit } from '../events.js'
import { type Template, xml } from '../template.js'

export const logFilesDeleted: Template = {
  id: 'log-files-deleted',
  category: 'compliance',
  kind: 'rule',
  platform: ['linux'],
  attackIds: ['T1070.002'],
  tags: ['pci-dss', 'auditd', 'log-integrity', 'anti-forensics'],
  texts: {
    'en-US': {
      title: 'Log file deleted by hand',
      description: 'Audit trails must not be altered (PCI DSS 10.3, ISO 27001 A.8.15). Whatever deletes files below /var/log and is not the rotation of logs destroys evidence.',
      tips: ['Watch the folder: auditctl -w /var/log -p wa -k audit-wazuh-w.', 'Programs that clean up after themselves go into the second condition, with their whole path.'],
    },
    'pt-BR': {
      title: 'Arquivo de log apagado manualmente',
      description:
        'Trilhas de auditoria não podem ser alteradas (PCI DSS 10.3, ISO 27001 A.8.15). O que apaga arquivos abaixo de /var/log e não é a rotação de logs destrói evidências.',
      tips: ['Vigie a pasta: auditctl -w /var/log -p wa -k audit-wazuh-w.', 'Programas que limpam os próprios arquivos vão na segunda condição, com o caminho inteiro.'],
    },
  },
  xml: xml`
    <group name="local,audit,log_integrity,">
      <rule id="106020" level="12">
        <if_sid>80791</if_sid>
        <field name="audit.file.name">^/var/log/</field>
        <field name="audit.exe" negate="yes">^/usr/sbin/logrotate$|^/usr/lib/systemd/systemd-journald$|^/usr/bin/savelog$</field>
        <description>Log file $(audit.file.name) deleted by $(audit.exe), user id $(audit.auid)</description>
        <mitre>
          <id>T1070.002</id>
        </mitre>
        <group>pci_dss_10.5.2,pci_dss_10.5.5,gdpr_IV_32.2,hipaa_164.312.b,nist_800_53_AU.9,</group>
      </rule>
    </group>
  `,
  samples: [{ shows: 'somebody removes the log of logins', events: audit('audit-wazuh-w', '/usr/bin/rm', '/var/log/auth.log', 'DELETE'), gives: { rule: 106020, level: 12 } }],
  lookalikes: [
    { shows: 'rotation', events: audit('audit-wazuh-w', '/usr/sbin/logrotate', '/var/log/auth.log.5.gz', 'DELETE'), not: 106020, gives: { rule: 80791 } },
    { shows: 'a new log file', events: audit('audit-wazuh-w', '/usr/bin/touch', '/var/log/new.log', 'CREATE'), not: 106020 },
    { shows: 'another folder', events: audit('audit-wazuh-w', '/usr/bin/rm', '/srv/var/log/auth.log', 'DELETE'), not: 106020 },
  ],
}
