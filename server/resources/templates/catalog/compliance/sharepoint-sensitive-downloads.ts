import { json, series } from '../events.js'
import { type Template, xml } from '../template.js'

const download = (user: string, site: string): string =>
  json({
    integration: 'office365',
    office365: {
      CreationTime: '2026-01-05T10:11:12',
      Operation: 'FileDownloaded',
      RecordType: 6,
      ResultStatus: 'Success',
      UserId: user,
      ClientIP: '203.0.113.50',
      Workload: 'SharePoint',
      Subscription: 'Audit.SharePoint',
      SiteUrl: `https://example.sharepoint.com/sites/${site}/`,
      SourceFileName: 'contract.docx',
    },
  })

export const sharepointSensitiveDownloads: Template = {
  id: 'sharepoint-sensitive-downloads',
  category: 'compliance',
  kind: 'rule',
  platform: ['office365'],
  attackIds: ['T1213.002', 'T1530'],
  tags: ['gdpr', 'lgpd', 'sharepoint', 'exfiltration', 'correlation'],
  texts: {
    'en-US': {
      title: 'Many downloads from sensitive SharePoint sites',
      description:
        'Keeps the trail of downloads from sites with personal data, and alerts when one user downloads ten files within five minutes: someone who is leaving, or a stolen session.',
      tips: [
        'Put the names of your sites into the first rule.',
        'OneDrive clients that synchronize a library download many files at once; the operation is FileSyncDownloadedFull then, which is not counted here.',
      ],
    },
    'pt-BR': {
      title: 'Muitos downloads de sites sensíveis do SharePoint',
      description:
        'Guarda a trilha de downloads de sites com dados pessoais e alerta quando um usuário baixa dez arquivos em cinco minutos: alguém de saída, ou uma sessão roubada.',
      tips: [
        'Coloque os nomes dos seus sites na primeira regra.',
        'Clientes do OneDrive que sincronizam uma biblioteca baixam muitos arquivos de uma vez; a operação é então FileSyncDownloadedFull, que não é contada aqui.',
      ],
    },
  },
  xml: xml`
    <group name="local,office365,personal_data,">
      <rule id="106100" level="4">
        <if_sid>91536</if_sid>
        <field name="office365.Operation">^FileDownloaded$</field>
        <field name="office365.SiteUrl" type="pcre2">(?i)/sites/(?:hr|legal|finance)(?:/|$)</field>
        <description>SharePoint: $(office365.UserId) downloaded $(office365.SourceFileName) from the sensitive site $(office365.SiteUrl)</description>
        <mitre>
          <id>T1213.002</id>
        </mitre>
        <group>gdpr_IV_32.2,hipaa_164.312.b,</group>
      </rule>

      <rule id="106101" level="12" frequency="10" timeframe="300" ignore="300">
        <if_matched_sid>106100</if_matched_sid>
        <same_field>office365.UserId</same_field>
        <description>SharePoint: $(office365.UserId) downloads many files from sensitive sites</description>
        <mitre>
          <id>T1213.002</id>
          <id>T1530</id>
        </mitre>
        <group>gdpr_IV_35.7.d,hipaa_164.312.b,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'one download', events: download('alice@example.com', 'HR'), gives: { rule: 106100, level: 4 } },
    { shows: 'ten downloads', events: series(10, 10, () => download('alice@example.com', 'hr')), gives: { rule: 106101, level: 12 } },
  ],
  lookalikes: [
    { shows: 'another site', events: download('alice@example.com', 'hr-party'), not: 106100 },
    { shows: 'ten users', events: series(10, 10, (index) => download(`user${index}@example.com`, 'hr')), not: 106101, gives: { rule: 106100 } },
  ],
}
