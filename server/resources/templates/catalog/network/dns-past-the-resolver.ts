import { syslog } from '../events.js'
import { type Template, xml } from '../template.js'

const packet = (source: string, target: string, port: number, protocol = 'UDP'): string =>
  syslog('kernel', `[UFW ALLOW] IN=eth1 OUT=eth0 SRC=${source} DST=${target} LEN=60 PROTO=${protocol} SPT=50022 DPT=${port} LEN=40`, 'fw1')

export const dnsPastTheResolver: Template = {
  id: 'dns-past-the-resolver',
  category: 'network',
  kind: 'rule',
  platform: ['network', 'linux'],
  attackIds: ['T1071.004', 'T1572'],
  tags: ['firewall', 'dns', 'egress', 'tunnel'],
  texts: {
    'en-US': {
      title: 'DNS past the own resolver',
      description: 'Clients ask the resolvers of the organization. Who asks foreign ones, on port 53 or over TLS on 853, evades filters and logging, as DNS tunnels do.',
      tips: [
        'Replace 10.0.0.0/8 with your internal networks, and the two addresses of the second rule with your resolvers.',
        'Block what the rule finds; phones and smart devices with a fixed resolver then show up as well.',
      ],
    },
    'pt-BR': {
      title: 'DNS sem passar pelo próprio resolvedor',
      description:
        'Clientes perguntam aos resolvedores da organização. Quem pergunta a outros, na porta 53 ou por TLS na 853, escapa de filtros e registros, como fazem túneis DNS.',
      tips: [
        'Troque 10.0.0.0/8 pelas suas redes internas e os dois endereços da segunda regra pelos seus resolvedores.',
        'Bloqueie o que a regra encontrar; celulares e dispositivos com resolvedor fixo também vão aparecer.',
      ],
    },
  },
  xml: xml`
    <group name="local,firewall,">
      <rule id="102020" level="6">
        <if_sid>4100</if_sid>
        <srcip>10.0.0.0/8</srcip>
        <dstip negate="yes">10.0.0.0/8</dstip>
        <dstport>^53$|^853$</dstport>
        <description>$(srcip) asks the foreign resolver $(dstip):$(dstport) ($(action))</description>
        <mitre>
          <id>T1071.004</id>
          <id>T1572</id>
        </mitre>
        <group>policy_violation,pci_dss_1.3,</group>
      </rule>

      <rule id="102021" level="0">
        <if_sid>102020</if_sid>
        <srcip>10.0.0.53</srcip>
        <srcip>10.0.1.53</srcip>
        <description>Our resolvers ask other resolvers</description>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'a client that asks a public resolver', events: packet('10.1.2.3', '203.0.113.53', 53), gives: { rule: 102020, level: 6 } },
    { shows: 'a client that asks over TLS', events: packet('10.1.2.3', '203.0.113.53', 853, 'TCP'), gives: { rule: 102020, level: 6 } },
    { shows: 'a resolver', events: packet('10.0.1.53', '203.0.113.53', 53), gives: { rule: 102021, level: 0 } },
  ],
  lookalikes: [
    { shows: 'a client that asks our resolver', events: packet('10.1.2.3', '10.0.0.53', 53), not: 102020 },
    { shows: 'a port that only contains the number', events: packet('10.1.2.3', '203.0.113.53', 8530, 'TCP'), not: 102020 },
  ],
}
