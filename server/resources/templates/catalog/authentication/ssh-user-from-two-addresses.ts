import { series, syslog } from '../events.js'
import { type Template, xml } from '../template.js'

const login = (user: string, address: string): string =>
  syslog('sshd[2201]', `Accepted publickey for ${user} from ${address} port 50122 ssh2: RSA SHA256:0123456789abcdefghijklmnopqrstuvwxyzABCDEFG`)

export const sshUserFromTwoAddresses: Template = {
  id: 'ssh-user-from-two-addresses',
  category: 'authentication',
  kind: 'rule',
  platform: ['linux'],
  attackIds: ['T1021.004', 'T1078'],
  tags: ['ssh', 'correlation', 'shared-account', 'stolen-credentials'],
  texts: {
    'en-US': {
      title: 'One user logs in over SSH from several addresses',
      description: 'Three logins of one user within ten minutes, from different addresses: an account that is shared, or a credential in a second pair of hands.',
      tips: [
        'Users behind a pool of addresses (mobile networks, some VPNs) change theirs; raise the frequency or leave them out with <user negate="yes">.',
        'The rule counts over all hosts that report to the manager, so it also sees one key that is tried everywhere.',
      ],
    },
    'pt-BR': {
      title: 'Um usuário entra por SSH a partir de vários endereços',
      description: 'Três logins do mesmo usuário em dez minutos, de endereços diferentes: uma conta compartilhada, ou uma credencial em outras mãos.',
      tips: [
        'Usuários atrás de um conjunto de endereços (redes móveis, algumas VPNs) trocam de endereço; aumente a frequência ou exclua-os com <user negate="yes">.',
        'A regra conta sobre todos os hosts que enviam eventos ao manager e, por isso, também vê uma chave testada em toda parte.',
      ],
    },
  },
  xml: xml`
    <group name="local,syslog,sshd,">
      <rule id="100160" level="10" frequency="3" timeframe="600" ignore="600">
        <if_matched_sid>5715</if_matched_sid>
        <same_user />
        <different_srcip />
        <description>sshd: $(dstuser) logged in from several addresses within ten minutes, last from $(srcip)</description>
        <mitre>
          <id>T1021.004</id>
          <id>T1078</id>
        </mitre>
        <group>authentication_success,pci_dss_10.2.5,</group>
      </rule>
    </group>
  `,
  samples: [{ shows: 'three addresses in two minutes', events: series(3, 60, (index) => login('alice', `203.0.113.${index + 10}`)), gives: { rule: 100160, level: 10 } }],
  lookalikes: [
    { shows: 'one address', events: series(4, 60, () => login('alice', '203.0.113.10')), not: 100160, gives: { rule: 5715 } },
    { shows: 'three users', events: series(3, 60, (index) => login(`user${index}`, `203.0.113.${index + 10}`)), not: 100160 },
    { shows: 'three addresses in an hour', events: series(3, 1800, (index) => login('alice', `203.0.113.${index + 10}`)), not: 100160 },
  ],
}
