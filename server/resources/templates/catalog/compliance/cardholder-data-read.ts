import { audit, series } from '../events.js'
import { type Template, xml } from '../template.js'

const read = (exe: string, file: string): string => audit('audit-wazuh-r', exe, file, 'NORMAL', 1000)

export const cardholderDataRead: Template = {
  id: 'cardholder-data-read',
  category: 'compliance',
  kind: 'rule',
  platform: ['linux'],
  attackIds: ['T1005', 'T1039'],
  tags: ['pci-dss', 'auditd', 'file-access', 'correlation'],
  texts: {
    'en-US': {
      title: 'Cardholder data read by a program that should not',
      description: 'Records every access to files with cardholder data (PCI DSS 10.2.1), and alerts when anything but the payment application reads them, or reads many.',
      tips: [
        'Watch the folder: auditctl -w /srv/cardholder -p r -k audit-wazuh-r.',
        'Put the programs that may read into the second rule, with their whole path.',
        'Level 3 keeps the trail without alerting anyone: it is the evidence that an assessor asks for.',
      ],
    },
    'pt-BR': {
      title: 'Dados de cartão lidos por um programa indevido',
      description: 'Registra todo acesso a arquivos com dados de cartão (PCI DSS 10.2.1) e alerta quando algo além da aplicação de pagamento os lê, ou lê muitos.',
      tips: [
        'Vigie a pasta: auditctl -w /srv/cardholder -p r -k audit-wazuh-r.',
        'Coloque os programas que podem ler na segunda regra, com o caminho inteiro.',
        'O nível 3 guarda a trilha sem alertar ninguém: é a evidência que um avaliador pede.',
      ],
    },
  },
  xml: xml`
    <group name="local,audit,cardholder_data,">
      <rule id="106000" level="10">
        <if_sid>80783</if_sid>
        <field name="audit.file.name">^/srv/cardholder/</field>
        <description>Cardholder data $(audit.file.name) read by $(audit.exe), user id $(audit.auid)</description>
        <mitre>
          <id>T1005</id>
        </mitre>
        <group>pci_dss_10.2.1,pci_dss_7.1,</group>
      </rule>

      <rule id="106001" level="3">
        <if_sid>106000</if_sid>
        <field name="audit.exe">^/opt/payments/bin/settle$|^/usr/bin/restic$</field>
        <description>Cardholder data $(audit.file.name) read by $(audit.exe), which may</description>
        <group>pci_dss_10.2.1,</group>
      </rule>

      <rule id="106002" level="13" frequency="10" timeframe="60" ignore="300">
        <if_matched_sid>106000</if_matched_sid>
        <same_field>audit.auid</same_field>
        <description>Cardholder data read in great number by user id $(audit.auid)</description>
        <mitre>
          <id>T1005</id>
          <id>T1039</id>
        </mitre>
        <group>pci_dss_10.2.1,pci_dss_11.4,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'a person with an editor', events: read('/usr/bin/vim.basic', '/srv/cardholder/2026-01.csv'), gives: { rule: 106000, level: 10 } },
    { shows: 'the payment application', events: read('/opt/payments/bin/settle', '/srv/cardholder/2026-01.csv'), gives: { rule: 106001, level: 3 } },
    { shows: 'ten files in a row', events: series(10, 2, (index) => read('/usr/bin/cp', `/srv/cardholder/${index}.csv`)), gives: { rule: 106002, level: 13 } },
  ],
  lookalikes: [
    { shows: 'another folder', events: read('/usr/bin/vim.basic', '/srv/cardholder-docs/readme.txt'), not: 106000, gives: { rule: 80783 } },
    { shows: 'many files read by the payment application', events: series(12, 2, (index) => read('/opt/payments/bin/settle', `/srv/cardholder/${index}.csv`)), not: 106002 },
  ],
}
