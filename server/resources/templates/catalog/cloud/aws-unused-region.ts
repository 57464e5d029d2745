import { cloudTrail } from '../events.js'
import { type Template, xml } from '../template.js'

export const awsUnusedRegion: Template = {
  id: 'aws-unused-region',
  category: 'cloud',
  kind: 'rule',
  platform: ['aws'],
  attackIds: ['T1535'],
  tags: ['cloudtrail', 'region', 'cryptominer', 'allow-list'],
  texts: {
    'en-US': {
      title: 'AWS resources made in a region that is not used',
      description: 'Whoever abuses an account starts machines where nobody looks. Reports calls that create or change something outside the regions that you use.',
      tips: [
        'Put your regions into the condition; keep us-east-1, through which global services report.',
        'A service control policy can close the other regions altogether.',
        'CloudTrail must record all regions (a multi-region trail).',
      ],
    },
    'pt-BR': {
      title: 'Recursos AWS criados em uma região não usada',
      description: 'Quem abusa de uma conta inicia máquinas onde ninguém olha. Aponta chamadas que criam ou alteram algo fora das regiões que você usa.',
      tips: [
        'Coloque as suas regiões na condição; mantenha us-east-1, pela qual os serviços globais reportam.',
        'Uma service control policy pode fechar de vez as outras regiões.',
        'O CloudTrail deve registrar todas as regiões (trilha multirregião).',
      ],
    },
  },
  xml: xml`
    <group name="local,amazon,aws,">
      <rule id="110020" level="9">
        <if_sid>80202</if_sid>
        <field name="aws.awsRegion" negate="yes">^eu-west-1$|^sa-east-1$|^us-east-1$</field>
        <field name="aws.eventName" type="pcre2">^(?:Create|Run|Start|Request|Import|Put|Launch)</field>
        <description>AWS: $(aws.eventName) by $(aws.userIdentity.arn) in the region $(aws.awsRegion), which is not used</description>
        <mitre>
          <id>T1535</id>
        </mitre>
        <group>aws_cloudtrail,pci_dss_10.2.7,</group>
      </rule>
    </group>
  `,
  samples: [
    {
      shows: 'machines in a foreign region',
      events: cloudTrail({ eventSource: 'ec2.amazonaws.com', eventName: 'RunInstances', awsRegion: 'ap-southeast-3', requestParameters: { instanceType: 't3.micro' } }),
      gives: { rule: 110020, level: 9 },
    },
  ],
  lookalikes: [
    {
      shows: 'machines at home',
      events: cloudTrail({ eventSource: 'ec2.amazonaws.com', eventName: 'RunInstances', requestParameters: { instanceType: 't3.micro' } }),
      not: 110020,
    },
    {
      shows: 'a foreign region that is only looked at',
      events: cloudTrail({ eventSource: 'ec2.amazonaws.com', eventName: 'DescribeInstances', awsRegion: 'ap-southeast-3' }),
      not: 110020,
    },
  ],
}
