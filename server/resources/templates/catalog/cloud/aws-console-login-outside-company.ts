import { cloudTrail } from '../events.js'
import { type Template, xml } from '../template.js'

const login = (address: string, result = 'Success'): string =>
  cloudTrail({
    eventSource: 'signin.amazonaws.com',
    eventName: 'ConsoleLogin',
    sourceIPAddress: address,
    responseElements: { ConsoleLogin: result },
    additionalEventData: { MFAUsed: 'Yes' },
  })

export const awsConsoleLoginOutsideCompany: Template = {
  id: 'aws-console-login-outside-company',
  category: 'cloud',
  kind: 'rule',
  platform: ['aws'],
  attackIds: ['T1078.004'],
  tags: ['cloudtrail', 'console', 'allow-list', 'valid-accounts'],
  texts: {
    'en-US': {
      title: 'AWS console login from outside the company network',
      description: 'Administrators reach the console through the office or the VPN. A successful login from any other address is worth a question, also with a second factor.',
      tips: [
        'Replace the pattern by the addresses under which your offices and VPN appear on the Internet.',
        'A condition on aws:SourceIp in a policy prevents what this rule reports.',
      ],
    },
    'pt-BR': {
      title: 'Login no console AWS fora da rede da empresa',
      description: 'Administradores chegam ao console pelo escritório ou pela VPN. Um login bem-sucedido de outro endereço merece uma pergunta, mesmo com segundo fator.',
      tips: [
        'Troque o padrão pelos endereços com que os seus escritórios e a VPN aparecem na Internet.',
        'Uma condição sobre aws:SourceIp em uma política impede o que esta regra aponta.',
      ],
    },
  },
  xml: xml`
    <group name="local,amazon,aws,">
      <rule id="110000" level="10">
        <if_sid>80253</if_sid>
        <field name="aws.sourceIPAddress" type="pcre2" negate="yes">^198\.51\.100\.\d+$|^203\.0\.113\.10$</field>
        <description>AWS console login of $(aws.userIdentity.arn) from $(aws.sourceIPAddress), which is outside the company network</description>
        <mitre>
          <id>T1078.004</id>
        </mitre>
        <group>aws_cloudtrail,authentication_success,pci_dss_10.2.5,</group>
      </rule>
    </group>
  `,
  samples: [{ shows: 'a login from elsewhere', events: login('203.0.113.50'), gives: { rule: 110000, level: 10 } }],
  lookalikes: [
    { shows: 'a login from the office', events: login('198.51.100.7'), not: 110000, gives: { rule: 80253 } },
    { shows: 'a failure from elsewhere', events: login('203.0.113.50', 'Failure'), not: 110000 },
  ],
}
