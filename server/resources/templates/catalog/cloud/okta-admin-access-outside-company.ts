import { json } from '../events.js'
import { type Template, xml } from '../template.js'

const access = (address: string, type = 'user.session.access_admin_app'): string =>
  json({
    uuid: '00000000-0000-0000-0000-000000000001',
    published: '2026-01-05T10:11:12.123Z',
    eventType: type,
    severity: 'INFO',
    displayMessage: 'User accessing Okta admin app',
    actor: { id: '00u1', type: 'User', alternateId: 'alice@example.com' },
    client: { ipAddress: address, geographicalContext: { country: 'Brazil' } },
    outcome: { result: 'SUCCESS' },
  })

export const oktaAdminAccessOutsideCompany: Template = {
  id: 'okta-admin-access-outside-company',
  category: 'cloud',
  kind: 'rule',
  platform: ['okta'],
  attackIds: ['T1078.004'],
  tags: ['okta', 'identity-provider', 'admin', 'allow-list'],
  texts: {
    'en-US': {
      title: 'Okta administration opened from outside the company network',
      description: 'Who holds the identity provider holds every application behind it. Reports each visit to its administration from an address that is not yours.',
      tips: ['Replace the pattern by your public addresses.', 'Okta can bind the session of administrators to a network zone; this rule then shows attempts only.'],
    },
    'pt-BR': {
      title: 'Administração do Okta aberta fora da rede da empresa',
      description: 'Quem tem o provedor de identidade tem toda aplicação atrás dele. Aponta cada visita à administração a partir de um endereço que não é seu.',
      tips: ['Troque o padrão pelos seus endereços públicos.', 'O Okta pode prender a sessão de administradores a uma zona de rede; a regra então mostra só tentativas.'],
    },
  },
  xml: xml`
    <group name="local,okta,">
      <rule id="110160" level="11">
        <if_sid>220780</if_sid>
        <field name="eventType">^user.session.access_admin_app$</field>
        <field name="client.ipAddress" type="pcre2" negate="yes">^198\.51\.100\.\d+$</field>
        <description>Okta: $(actor.alternateId) opened the administration from $(client.ipAddress), which is outside the company network</description>
        <mitre>
          <id>T1078.004</id>
        </mitre>
        <group>pci_dss_10.2.2,</group>
      </rule>
    </group>
  `,
  samples: [{ shows: 'a visit from elsewhere', events: access('203.0.113.50'), gives: { rule: 110160, level: 11 } }],
  lookalikes: [
    { shows: 'a visit from the office', events: access('198.51.100.7'), not: 110160 },
    { shows: 'an ordinary session from elsewhere', events: access('203.0.113.50', 'user.session.start'), not: 110160, gives: { rule: 220782 } },
  ],
}
