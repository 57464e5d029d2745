import { request, series } from '../events.js'
import { type Template, xml } from '../template.js'

const login = (address: string, status: number, url = '/api/login'): string => request(address, 'POST', url, status)

export const apiCredentialStuffing: Template = {
  id: 'api-credential-stuffing',
  category: 'network',
  kind: 'rule',
  platform: ['any', 'linux'],
  attackIds: ['T1110.004'],
  tags: ['web', 'api', 'credential-stuffing', 'correlation'],
  texts: {
    'en-US': {
      title: 'Credential stuffing on a login endpoint',
      description: 'Finds addresses that are refused at the login endpoint of an API again and again, and those that get in afterwards. Needs nothing but the access log.',
      tips: [
        'Put your login paths into the first two rules; anchor them with ^.',
        'Attackers that change their address evade it; combine it with the failures that the application itself logs.',
      ],
    },
    'pt-BR': {
      title: 'Credential stuffing em um endpoint de login',
      description: 'Encontra endereços recusados repetidamente no endpoint de login de uma API, e os que entram depois disso. Precisa apenas do log de acesso.',
      tips: [
        'Coloque os seus caminhos de login nas duas primeiras regras; ancore-os com ^.',
        'Atacantes que trocam de endereço escapam; combine com as falhas que a própria aplicação registra.',
      ],
    },
  },
  xml: xml`
    <group name="local,web,accesslog,">
      <rule id="102100" level="6">
        <if_sid>31101</if_sid>
        <protocol>^POST$</protocol>
        <url type="pcre2">^/(?:api/login|oauth/token)(?:\?|$)</url>
        <id>^401$|^403$</id>
        <description>API: login from $(srcip) refused ($(id))</description>
        <mitre>
          <id>T1110.004</id>
        </mitre>
        <group>authentication_failed,pci_dss_10.2.4,</group>
      </rule>

      <rule id="102101" level="3">
        <if_sid>31100</if_sid>
        <protocol>^POST$</protocol>
        <url type="pcre2">^/(?:api/login|oauth/token)(?:\?|$)</url>
        <id>^200$</id>
        <description>API: login from $(srcip)</description>
        <group>authentication_success,pci_dss_10.2.5,</group>
      </rule>

      <rule id="102102" level="10" frequency="10" timeframe="60" ignore="60">
        <if_matched_sid>102100</if_matched_sid>
        <same_srcip />
        <description>API: many logins from $(srcip) refused</description>
        <mitre>
          <id>T1110.004</id>
        </mitre>
        <group>authentication_failures,pci_dss_11.4,</group>
      </rule>

      <rule id="102103" level="12" frequency="9" timeframe="300">
        <if_sid>102101</if_sid>
        <if_matched_sid>102100</if_matched_sid>
        <same_srcip />
        <description>API: login from $(srcip) after many were refused</description>
        <mitre>
          <id>T1110.004</id>
        </mitre>
        <group>authentication_success,pci_dss_10.2.5,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'a refused login', events: login('203.0.113.7', 401), gives: { rule: 102100, level: 6 } },
    { shows: 'a login', events: login('203.0.113.7', 200), gives: { rule: 102101, level: 3 } },
    { shows: 'ten refused logins', events: series(10, 3, () => login('203.0.113.7', 401)), gives: { rule: 102102, level: 10 } },
    {
      shows: 'a login after nine refused ones',
      events: [...series(9, 3, () => login('203.0.113.7', 401)), { at: 40, text: login('203.0.113.7', 200) }],
      gives: { rule: 102103, level: 12 },
    },
  ],
  lookalikes: [
    { shows: 'another endpoint', events: login('203.0.113.7', 401, '/api/orders'), not: 102100 },
    { shows: 'ten addresses', events: series(10, 3, (index) => login(`203.0.113.${index}`, 401)), not: 102102 },
    {
      shows: 'a person who mistyped twice',
      events: [...series(2, 3, () => login('203.0.113.7', 401)), { at: 40, text: login('203.0.113.7', 200) }],
      not: 102103,
      gives: { rule: 102101 },
    },
  ],
}
