import { series } from '../events.js'
import { type Template, xml } from '../template.js'

const event = (type: string, user: string, address: string, error = ''): string =>
  `2026-01-05 10:11:12,123 ${error === '' ? 'INFO' : 'WARN'}  [org.keycloak.events] (executor-thread-5) type="${type}", realmId="f1", realmName="corp", clientId="portal", userId="null", ipAddress="${address}"${error === '' ? '' : `, error="${error}"`}, auth_method="openid-connect", username="${user}"`

export const keycloakEvents: Template = {
  id: 'keycloak-events',
  category: 'authentication',
  kind: 'mixed',
  platform: ['application'],
  attackIds: ['T1078', 'T1110', 'T1110.003'],
  tags: ['keycloak', 'single-sign-on', 'brute-force', 'password-spraying', 'decoder'],
  texts: {
    'en-US': {
      title: 'Keycloak: logins and password guessing',
      description: 'Decodes the event log of Keycloak and finds guessing, spraying and a success that follows, over all applications behind the single sign-on.',
      tips: [
        'Keycloak logs failures as warnings by default; for successes set the level of org.keycloak.events to info.',
        'With --log-console-format or JSON output the lines look different; use the JSON decoder then, and keep the rules.',
      ],
    },
    'pt-BR': {
      title: 'Keycloak: logins e tentativas de senha',
      description: 'Decodifica o log de eventos do Keycloak e encontra força bruta, password spraying e um sucesso posterior, em todas as aplicações atrás do single sign-on.',
      tips: [
        'O Keycloak registra falhas como warning por padrão; para os sucessos, ponha o nível de org.keycloak.events em info.',
        'Com --log-console-format ou saída JSON as linhas mudam; use então o decodificador JSON e mantenha as regras.',
      ],
    },
  },
  xml: xml`
    <decoder name="keycloak">
      <prematch type="pcre2">\[org\.keycloak\.events\] \([^)]+\) type=</prematch>
    </decoder>

    <decoder name="keycloak-fields">
      <parent>keycloak</parent>
      <regex type="pcre2">\btype="?(\w+)</regex>
      <order>keycloak.type</order>
    </decoder>

    <decoder name="keycloak-fields">
      <parent>keycloak</parent>
      <regex type="pcre2">\brealmName="?([^",]+)</regex>
      <order>keycloak.realm</order>
    </decoder>

    <decoder name="keycloak-fields">
      <parent>keycloak</parent>
      <regex type="pcre2">\bclientId="?([^",]+)</regex>
      <order>keycloak.client</order>
    </decoder>

    <decoder name="keycloak-fields">
      <parent>keycloak</parent>
      <regex type="pcre2">\bipAddress="?([^",]+)</regex>
      <order>srcip</order>
    </decoder>

    <decoder name="keycloak-fields">
      <parent>keycloak</parent>
      <regex type="pcre2">\berror="?([^",]+)</regex>
      <order>keycloak.error</order>
    </decoder>

    <decoder name="keycloak-fields">
      <parent>keycloak</parent>
      <regex type="pcre2">\busername="?([^",]+)</regex>
      <order>dstuser</order>
    </decoder>

    <group name="local,keycloak,">
      <rule id="100240" level="0">
        <decoded_as>keycloak</decoded_as>
        <description>Keycloak: events</description>
      </rule>

      <rule id="100241" level="5">
        <if_sid>100240</if_sid>
        <field name="keycloak.type">^LOGIN_ERROR$</field>
        <description>Keycloak: login of $(dstuser) to $(keycloak.client) from $(srcip) failed: $(keycloak.error)</description>
        <mitre>
          <id>T1110</id>
        </mitre>
        <group>authentication_failed,pci_dss_10.2.4,</group>
      </rule>

      <rule id="100242" level="3">
        <if_sid>100240</if_sid>
        <field name="keycloak.type">^LOGIN$</field>
        <description>Keycloak: $(dstuser) logged in to $(keycloak.client) from $(srcip)</description>
        <mitre>
          <id>T1078</id>
        </mitre>
        <group>authentication_success,pci_dss_10.2.5,</group>
      </rule>

      <rule id="100243" level="11" frequency="6" timeframe="300" ignore="60">
        <if_matched_sid>100241</if_matched_sid>
        <same_srcip />
        <different_user />
        <description>Keycloak: $(srcip) tries one account after the other (password spraying)</description>
        <mitre>
          <id>T1110.003</id>
        </mitre>
        <group>authentication_failures,pci_dss_11.4,</group>
      </rule>

      <rule id="100244" level="10" frequency="8" timeframe="120" ignore="60">
        <if_matched_sid>100241</if_matched_sid>
        <same_srcip />
        <description>Keycloak: many failed logins from $(srcip)</description>
        <mitre>
          <id>T1110</id>
        </mitre>
        <group>authentication_failures,pci_dss_11.4,</group>
      </rule>

      <rule id="100245" level="12" frequency="6" timeframe="600">
        <if_sid>100242</if_sid>
        <if_matched_sid>100241</if_matched_sid>
        <same_srcip />
        <description>Keycloak: $(dstuser) logged in from $(srcip) after many failures</description>
        <mitre>
          <id>T1078</id>
          <id>T1110</id>
        </mitre>
        <group>authentication_success,pci_dss_10.2.5,</group>
      </rule>
    </group>
  `,
  samples: [
    {
      shows: 'a wrong password',
      events: event('LOGIN_ERROR', 'alice', '203.0.113.7', 'invalid_user_credentials'),
      gives: {
        rule: 100241,
        level: 5,
        decoder: 'keycloak',
        fields: { srcip: '203.0.113.7', dstuser: 'alice', 'keycloak.error': 'invalid_user_credentials', 'keycloak.client': 'portal', 'keycloak.realm': 'corp' },
      },
    },
    { shows: 'a login', events: event('LOGIN', 'alice', '203.0.113.7'), gives: { rule: 100242, level: 3 } },
    {
      shows: 'six accounts from one address',
      events: series(6, 10, (index) => event('LOGIN_ERROR', `user${index}`, '203.0.113.7', 'invalid_user_credentials')),
      gives: { rule: 100243, level: 11 },
    },
    {
      shows: 'eight failures of one account',
      events: series(8, 10, () => event('LOGIN_ERROR', 'alice', '203.0.113.7', 'invalid_user_credentials')),
      gives: { rule: 100244, level: 10 },
    },
    {
      shows: 'a login after eight failures',
      events: [...series(8, 10, () => event('LOGIN_ERROR', 'alice', '203.0.113.7', 'invalid_user_credentials')), { at: 120, text: event('LOGIN', 'alice', '203.0.113.7') }],
      gives: { rule: 100245, level: 12 },
    },
  ],
  lookalikes: [
    { shows: 'a log-out', events: event('LOGOUT', 'alice', '203.0.113.7'), not: 100242, gives: { rule: 100240, level: 0 } },
    { shows: 'a message of another category', events: '2026-01-05 10:11:12,123 INFO  [org.keycloak.services] (main) type="LOGIN_ERROR"', not: 'keycloak' },
    { shows: 'failures from eight addresses', events: series(8, 10, (index) => event('LOGIN_ERROR', 'alice', `203.0.113.${index}`, 'invalid_user_credentials')), not: 100244 },
  ],
}
