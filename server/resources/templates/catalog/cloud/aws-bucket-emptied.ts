import { cloudTrail, series } from '../events.js'
import { type Template, xml } from '../template.js'

const remove = (bucket: string, key: number, name = 'DeleteObject'): string =>
  cloudTrail({ eventSource: 's3.amazonaws.com', eventName: name, requestParameters: { bucketName: bucket, key: `2026/${key}.csv` } })

export const awsBucketEmptied: Template = {
  id: 'aws-bucket-emptied',
  category: 'cloud',
  kind: 'rule',
  platform: ['aws'],
  attackIds: ['T1485'],
  tags: ['cloudtrail', 's3', 'destruction', 'ransom', 'correlation'],
  texts: {
    'en-US': {
      title: 'AWS: objects of a bucket deleted in great number',
      description: 'Finds buckets that are emptied: by mistake, out of malice, or to extort a ransom after the data was copied.',
      tips: [
        'CloudTrail records objects only with data events for the bucket; they cost money, so begin with the buckets that matter.',
        'Lifecycle rules delete without a call by a user and do not count here.',
      ],
    },
    'pt-BR': {
      title: 'AWS: objetos de um bucket apagados em grande número',
      description: 'Encontra buckets que estão sendo esvaziados: por engano, por maldade, ou para extorquir um resgate depois de copiar os dados.',
      tips: [
        'O CloudTrail só registra objetos com data events para o bucket; eles custam dinheiro, comece pelos buckets que importam.',
        'Regras de ciclo de vida apagam sem chamada de usuário e não contam aqui.',
      ],
    },
  },
  xml: xml`
    <group name="local,amazon,aws,">
      <rule id="110060" level="3">
        <if_sid>80202</if_sid>
        <field name="aws.eventSource">^s3.amazonaws.com$</field>
        <field name="aws.eventName">^DeleteObject$|^DeleteObjects$</field>
        <description>AWS: object of the bucket $(aws.requestParameters.bucketName) deleted by $(aws.userIdentity.arn)</description>
        <mitre>
          <id>T1485</id>
        </mitre>
        <group>aws_cloudtrail,</group>
      </rule>

      <rule id="110061" level="12" frequency="12" timeframe="60" ignore="300">
        <if_matched_sid>110060</if_matched_sid>
        <same_field>aws.requestParameters.bucketName</same_field>
        <description>AWS: many objects of the bucket $(aws.requestParameters.bucketName) deleted by $(aws.userIdentity.arn)</description>
        <mitre>
          <id>T1485</id>
        </mitre>
        <group>aws_cloudtrail,pci_dss_11.4,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'one object', events: remove('invoices', 1), gives: { rule: 110060, level: 3 } },
    { shows: 'twelve objects', events: series(12, 3, (index) => remove('invoices', index)), gives: { rule: 110061, level: 12 } },
  ],
  lookalikes: [
    { shows: 'twelve buckets', events: series(12, 3, (index) => remove(`bucket-${index}`, 1)), not: 110061, gives: { rule: 110060 } },
    { shows: 'twelve objects that are read', events: series(12, 3, (index) => remove('invoices', index, 'GetObject')), not: 110061 },
  ],
}
