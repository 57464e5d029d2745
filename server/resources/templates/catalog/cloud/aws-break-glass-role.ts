import { cloudTrail } from '../events.js'
import { type Template, xml } from '../template.js'

const assume = (role: string): string =>
  cloudTrail({ eventSource: 'sts.amazonaws.com', eventName: 'AssumeRole', requestParameters: { roleArn: `arn:aws:iam::111122223333:role/${role}`, roleSessionName: 'alice' } })

export const awsBreakGlassRole: Template = {
  id: 'aws-break-glass-role',
  category: 'cloud',
  kind: 'rule',
  platform: ['aws'],
  attackIds: ['T1078.004', 'T1548.005'],
  tags: ['cloudtrail', 'iam', 'emergency-account', 'privileged-access'],
  texts: {
    'en-US': {
      title: 'AWS emergency role assumed',
      description: 'The role that may do everything is for emergencies. Each time that somebody assumes it must be known, and have an end.',
      tips: [
        'Put the names of your emergency roles into the condition; the path of a role is part of its ARN.',
        'Keep the sessions of the role short: MaxSessionDuration of one hour.',
      ],
    },
    'pt-BR': {
      title: 'Papel de emergência da AWS assumido',
      description: 'O papel que tudo pode é para emergências. Cada vez que alguém o assume deve ser conhecida e ter um fim.',
      tips: [
        'Coloque os nomes dos seus papéis de emergência na condição; o caminho de um papel faz parte do ARN.',
        'Mantenha curtas as sessões do papel: MaxSessionDuration de uma hora.',
      ],
    },
  },
  xml: xml`
    <group name="local,amazon,aws,">
      <rule id="110040" level="13">
        <if_sid>80202</if_sid>
        <field name="aws.eventName">^AssumeRole$|^AssumeRoleWithSAML$|^AssumeRoleWithWebIdentity$</field>
        <field name="aws.requestParameters.roleArn" type="pcre2">:role/(?:\S+/)?(?:break-glass|emergency-admin)$</field>
        <description>AWS: emergency role $(aws.requestParameters.roleArn) assumed from $(aws.sourceIPAddress)</description>
        <mitre>
          <id>T1078.004</id>
          <id>T1548.005</id>
        </mitre>
        <group>aws_cloudtrail,break_glass,pci_dss_10.2.2,</group>
      </rule>
    </group>
  `,
  samples: [{ shows: 'the role is assumed', events: assume('ops/break-glass'), gives: { rule: 110040, level: 13 } }],
  lookalikes: [
    { shows: 'another role', events: assume('deploy'), not: 110040, gives: { rule: 80202 } },
    { shows: 'a role of a similar name', events: assume('break-glass-audit'), not: 110040 },
  ],
}
