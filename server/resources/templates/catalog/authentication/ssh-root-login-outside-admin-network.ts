import { syslog } from '../events.js'
import { type Template, xml } from '../template.js'

export const sshRootLoginOutsideAdminNetwork: Template = {
  id: 'ssh-root-login-outside-admin-network',
  category: 'authentication',
  kind: 'rule',
  platform: ['linux'],
  attackIds: ['T1021.004', 'T1078.003'],
  tags: ['ssh', 'root', 'privileged-access', 'allow-list'],
  texts: {
    'en-US': {
      title: 'SSH login as root from outside the administration network',
      description: 'Alerts when root logs in over SSH from any address but the jump hosts. A stolen key or password of root shows here first.',
      tips: ['Replace 192.0.2.0/28 with the network of your jump hosts.', 'Better still, set PermitRootLogin to no; this rule then shows where the setting is missing.'],
    },
    'pt-BR': {
      title: 'Login SSH como root fora da rede de administração',
      description: 'Alerta quando o root entra por SSH a partir de qualquer endereço que não seja dos jump hosts. Uma chave ou senha roubada do root aparece aqui primeiro.',
      tips: ['Troque 192.0.2.0/28 pela rede dos seus jump hosts.', 'Melhor ainda: defina PermitRootLogin como no; a regra passa então a mostrar onde essa configuração falta.'],
    },
  },
  xml: xml`
    <group name="local,syslog,sshd,">
      <rule id="100100" level="12">
        <if_sid>5715</if_sid>
        <user>^root$</user>
        <srcip negate="yes">192.0.2.0/28</srcip>
        <description>sshd: root logged in from $(srcip), which is outside the administration network</description>
        <mitre>
          <id>T1021.004</id>
          <id>T1078.003</id>
        </mitre>
        <group>authentication_success,pci_dss_10.2.2,pci_dss_10.2.5,</group>
      </rule>
    </group>
  `,
  samples: [
    {
      shows: 'root from the Internet',
      events: syslog('sshd[2201]', 'Accepted publickey for root from 203.0.113.7 port 50122 ssh2: RSA SHA256:0123456789abcdefghijklmnopqrstuvwxyzABCDEFG'),
      gives: { rule: 100100, level: 12, fields: { srcip: '203.0.113.7', dstuser: 'root' } },
    },
  ],
  lookalikes: [
    { shows: 'root from a jump host', events: syslog('sshd[2201]', 'Accepted password for root from 192.0.2.5 port 50122 ssh2'), not: 100100 },
    {
      shows: 'another user from the Internet',
      events: syslog('sshd[2201]', 'Accepted password for rootless from 203.0.113.7 port 50122 ssh2'),
      not: 100100,
      gives: { rule: 5715 },
    },
  ],
}
