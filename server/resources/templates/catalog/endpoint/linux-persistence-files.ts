import { audit } from '../events.js'
import { type Template, xml } from '../template.js'

export const linuxPersistenceFiles: Template = {
  id: 'linux-persistence-files',
  category: 'endpoint',
  kind: 'rule',
  platform: ['linux'],
  attackIds: ['T1053.003', 'T1098.004', 'T1543.002', 'T1546.004', 'T1574.006'],
  tags: ['auditd', 'persistence', 'cron', 'systemd', 'ssh-keys'],
  texts: {
    'en-US': {
      title: 'Files through which malware stays on Linux',
      description:
        'Whoever wants to be there after a restart writes into one of a few places: cron, systemd, the loader, profiles of shells, authorized keys. One rule for each, with its technique.',
      tips: [
        'Watch the places: auditctl -w /etc/cron.d -p wa -k audit-wazuh-w, and so on for the other paths.',
        'Packages and configuration management write there too; silence them by their audit.exe, not by the path.',
      ],
    },
    'pt-BR': {
      title: 'Arquivos pelos quais malware permanece no Linux',
      description:
        'Quem quer estar ali após um reinício escreve em um de poucos lugares: cron, systemd, o loader, perfis de shells, chaves autorizadas. Uma regra para cada um, com a técnica.',
      tips: [
        'Vigie os lugares: auditctl -w /etc/cron.d -p wa -k audit-wazuh-w, e assim para os outros caminhos.',
        'Pacotes e gerência de configuração também escrevem ali; silencie-os pelo audit.exe, não pelo caminho.',
      ],
    },
  },
  xml: xml`
    <group name="local,audit,persistence,">
      <rule id="112020" level="9">
        <if_sid>80781, 80790</if_sid>
        <field name="audit.file.name" type="pcre2">^/(?:etc/cron(?:tab$|\.[a-z]+/)|var/spool/cron/)</field>
        <description>Scheduled job $(audit.file.name) written by $(audit.exe), user id $(audit.auid)</description>
        <mitre>
          <id>T1053.003</id>
        </mitre>
        <group>pci_dss_11.5,</group>
      </rule>

      <rule id="112021" level="9">
        <if_sid>80781, 80790</if_sid>
        <field name="audit.file.name" type="pcre2">^/(?:etc|usr/lib|lib)/systemd/(?:system|user)/.*\.(?:service|timer|path)$</field>
        <description>systemd unit $(audit.file.name) written by $(audit.exe), user id $(audit.auid)</description>
        <mitre>
          <id>T1543.002</id>
        </mitre>
        <group>pci_dss_11.5,</group>
      </rule>

      <rule id="112022" level="14">
        <if_sid>80781, 80790</if_sid>
        <field name="audit.file.name">^/etc/ld.so.preload$</field>
        <description>/etc/ld.so.preload written by $(audit.exe), user id $(audit.auid): its libraries are loaded into every program</description>
        <mitre>
          <id>T1574.006</id>
        </mitre>
        <group>attack,pci_dss_11.5,</group>
      </rule>

      <rule id="112023" level="8">
        <if_sid>80781, 80790</if_sid>
        <field name="audit.file.name" type="pcre2">^/etc/(?:profile(?:\.d/|$)|bash\.bashrc$)|/\.(?:bashrc|bash_profile|profile|zshrc)$</field>
        <description>Profile of a shell $(audit.file.name) written by $(audit.exe), user id $(audit.auid)</description>
        <mitre>
          <id>T1546.004</id>
        </mitre>
        <group>pci_dss_11.5,</group>
      </rule>

      <rule id="112024" level="10">
        <if_sid>80781, 80790</if_sid>
        <field name="audit.file.name" type="pcre2">/\.ssh/authorized_keys2?$</field>
        <description>Authorized keys $(audit.file.name) written by $(audit.exe), user id $(audit.auid)</description>
        <mitre>
          <id>T1098.004</id>
        </mitre>
        <group>account_changed,pci_dss_8.1.2,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'a new job', events: audit('audit-wazuh-w', '/usr/bin/tee', '/etc/cron.d/update', 'CREATE'), gives: { rule: 112020, level: 9 } },
    { shows: 'a new unit', events: audit('audit-wazuh-w', '/usr/bin/cp', '/etc/systemd/system/update.service', 'CREATE'), gives: { rule: 112021, level: 9 } },
    { shows: 'a library for every program', events: audit('audit-wazuh-w', '/usr/bin/bash', '/etc/ld.so.preload', 'CREATE'), gives: { rule: 112022, level: 14 } },
    { shows: 'a changed profile', events: audit('audit-wazuh-w', '/usr/bin/bash', '/root/.bashrc'), gives: { rule: 112023, level: 8 } },
    { shows: 'a key', events: audit('audit-wazuh-w', '/usr/bin/bash', '/home/bob/.ssh/authorized_keys'), gives: { rule: 112024, level: 10 } },
  ],
  lookalikes: [
    { shows: 'a file that the loader does not read', events: audit('audit-wazuh-w', '/usr/bin/bash', '/etc/ld.so.conf.d/x.conf', 'CREATE'), not: 112022, gives: { rule: 80790 } },
    { shows: 'a public key of its own', events: audit('audit-wazuh-w', '/usr/bin/ssh-keygen', '/home/bob/.ssh/id_ed25519.pub', 'CREATE'), not: 112024 },
    { shows: 'keys that are only read', events: audit('audit-wazuh-r', '/usr/sbin/sshd', '/home/bob/.ssh/authorized_keys'), not: 112024 },
  ],
}
