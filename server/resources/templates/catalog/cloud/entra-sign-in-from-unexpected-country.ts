import { json } from '../events.js'
import { type Template, xml } from '../template.js'

const signIn = (country: string, errorCode = 0): string =>
  json({
    azure_tag: 'azure-ad-graph',
    azure_aad_tag: 'tenant1',
    userPrincipalName: 'alice@example.com',
    appDisplayName: 'Portal',
    ipAddress: '203.0.113.50',
    status: { errorCode },
    location: { countryOrRegion: country },
  })

export const entraSignInFromUnexpectedCountry: Template = {
  id: 'entra-sign-in-from-unexpected-country',
  category: 'cloud',
  kind: 'rule',
  platform: ['azure', 'office365'],
  attackIds: ['T1078.004'],
  tags: ['entra-id', 'geolocation', 'allow-list', 'valid-accounts'],
  texts: {
    'en-US': {
      title: 'Entra ID sign-in from an unexpected country',
      description: 'A successful sign-in from a country in which nobody of the organization works. The location is that which Microsoft derives from the address.',
      tips: ['List your countries by their two letters (ISO 3166).', 'People travel: let them announce it, or let a named location with conditional access do the work.'],
    },
    'pt-BR': {
      title: 'Login no Entra ID de um país inesperado',
      description: 'Um login bem-sucedido de um país em que ninguém da organização trabalha. A localização é a que a Microsoft deduz do endereço.',
      tips: ['Liste os seus países pelas duas letras (ISO 3166).', 'Pessoas viajam: peça que avisem, ou deixe o trabalho para um local nomeado com acesso condicional.'],
    },
  },
  xml: xml`
    <group name="local,azure,azure_ad,">
      <rule id="110080" level="10">
        <if_sid>87802</if_sid>
        <field name="status.errorCode">^0$</field>
        <field name="location.countryOrRegion" type="pcre2">^[A-Z]{2}$</field>
        <field name="location.countryOrRegion" negate="yes">^BR$|^PT$|^US$</field>
        <description>Entra ID: sign-in of $(userPrincipalName) from $(ipAddress) in the unexpected country $(location.countryOrRegion)</description>
        <mitre>
          <id>T1078.004</id>
        </mitre>
        <group>authentication_success,pci_dss_10.2.5,</group>
      </rule>
    </group>
  `,
  samples: [{ shows: 'a sign-in from elsewhere', events: signIn('KP'), gives: { rule: 110080, level: 10 } }],
  lookalikes: [
    { shows: 'a sign-in from home', events: signIn('BR'), not: 110080, gives: { rule: 220651 } },
    { shows: 'a failure from elsewhere', events: signIn('KP', 50126), not: 110080 },
    { shows: 'a sign-in without a location', events: signIn(''), not: 110080 },
  ],
}
