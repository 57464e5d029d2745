import { json, series } from '../events.js'
import { type Template, xml } from '../template.js'

const login = (outcome: string, user: string, address: string): string => json({ app: 'portal', event: 'login', outcome, user, src_ip: address })

export const applicationLoginJson: Template = {
  id: 'application-login-json',
  category: 'authentication',
  kind: 'rule',
  platform: ['application'],
  attackIds: ['T1078', 'T1110.001', 'T1110.003'],
  tags: ['json', 'brute-force', 'password-spraying', 'correlation'],
  texts: {
    'en-US': {
      title: 'Logins of an application that logs JSON',
      description: 'Reads login events of your own application and finds guessing on one account, spraying over many, and a success that follows.',
      tips: [
        'Rename app, event, outcome, user and src_ip to what your application calls them; a member called user becomes the static field dstuser.',
        'Keep the condition on app: without it the rules also look at other JSON sources.',
        'Log the address of the client, not that of your load balancer, or all users share one address.',
      ],
    },
    'pt-BR': {
      title: 'Logins de uma aplicação que registra JSON',
      description: 'Lê os eventos de login da sua própria aplicação e encontra tentativas contra uma conta, password spraying sobre muitas e um sucesso que vem depois.',
      tips: [
        'Renomeie app, event, outcome, user e src_ip para os nomes que a sua aplicação usa; um membro chamado user vira o campo estático dstuser.',
        'Mantenha a condição sobre app: sem ela as regras olham também para outras fontes JSON.',
        'Registre o endereço do cliente, e não o do balanceador, ou todos os usuários terão o mesmo endereço.',
      ],
    },
  },
  xml: xml`
    <group name="local,portal,">
      <rule id="100220" level="0">
        <decoded_as>json</decoded_as>
        <field name="app">^portal$</field>
        <field name="event">^login$</field>
        <description>Portal: login events</description>
      </rule>

      <rule id="100221" level="5">
        <if_sid>100220</if_sid>
        <field name="outcome">^failure$</field>
        <description>Portal: failed login of $(dstuser) from $(src_ip)</description>
        <mitre>
          <id>T1110.001</id>
        </mitre>
        <group>authentication_failed,pci_dss_10.2.4,</group>
      </rule>

      <rule id="100222" level="3">
        <if_sid>100220</if_sid>
        <field name="outcome">^success$</field>
        <description>Portal: login of $(dstuser) from $(src_ip)</description>
        <mitre>
          <id>T1078</id>
        </mitre>
        <group>authentication_success,pci_dss_10.2.5,</group>
      </rule>

      <!-- Before the rule on one account: a spray also repeats accounts. -->
      <rule id="100223" level="12" frequency="6" timeframe="300" ignore="60">
        <if_matched_sid>100221</if_matched_sid>
        <same_field>src_ip</same_field>
        <different_user />
        <description>Portal: $(src_ip) tries one account after the other (password spraying)</description>
        <mitre>
          <id>T1110.003</id>
        </mitre>
        <group>authentication_failures,pci_dss_11.4,</group>
      </rule>

      <rule id="100224" level="10" frequency="8" timeframe="120" ignore="60">
        <if_matched_sid>100221</if_matched_sid>
        <same_user />
        <description>Portal: many failed logins of $(dstuser), last from $(src_ip)</description>
        <mitre>
          <id>T1110.001</id>
        </mitre>
        <group>authentication_failures,pci_dss_11.4,</group>
      </rule>

      <rule id="100225" level="12" frequency="6" timeframe="600">
        <if_sid>100222</if_sid>
        <if_matched_sid>100221</if_matched_sid>
        <same_user />
        <description>Portal: $(dstuser) logged in from $(src_ip) after many failures</description>
        <mitre>
          <id>T1078</id>
          <id>T1110.001</id>
        </mitre>
        <group>authentication_success,pci_dss_10.2.5,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'a failure', events: login('failure', 'alice', '203.0.113.7'), gives: { rule: 100221, level: 5 } },
    { shows: 'a success', events: login('success', 'alice', '203.0.113.7'), gives: { rule: 100222, level: 3 } },
    { shows: 'six accounts from one address', events: series(6, 5, (index) => login('failure', `user${index}`, '203.0.113.7')), gives: { rule: 100223, level: 12 } },
    { shows: 'eight failures of one account', events: series(8, 5, () => login('failure', 'alice', '203.0.113.7')), gives: { rule: 100224, level: 10 } },
    {
      shows: 'a success after many failures',
      events: [...series(9, 5, () => login('failure', 'alice', '203.0.113.7')), { at: 60, text: login('success', 'alice', '203.0.113.7') }],
      gives: { rule: 100225, level: 12 },
    },
  ],
  lookalikes: [
    { shows: 'another application', events: json({ app: 'shop', event: 'login', outcome: 'failure', user: 'alice', src_ip: '203.0.113.7' }), not: 100221 },
    { shows: 'eight failures in twenty minutes', events: series(8, 150, () => login('failure', 'alice', '203.0.113.7')), not: 100224, gives: { rule: 100221 } },
    { shows: 'six users of six addresses', events: series(6, 5, (index) => login('failure', `user${index}`, `203.0.113.${index}`)), not: 100223 },
    {
      shows: 'a success of another user',
      events: [...series(9, 5, () => login('failure', 'alice', '203.0.113.7')), { at: 60, text: login('success', 'bob', '198.51.100.7') }],
      not: 100225,
    },
  ],
}
