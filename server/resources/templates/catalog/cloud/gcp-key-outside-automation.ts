import { json } from '../events.js'
import { type Template, xml } from '../template.js'

const call = (method: string, principal: string): string =>
  json({
    integration: 'gcp',
    gcp: {
      logName: 'projects/p1/logs/cloudaudit.googleapis.com%2Factivity',
      severity: 'NOTICE',
      resource: { type: 'service_account' },
      protoPayload: { methodName: method, authenticationInfo: { principalEmail: principal }, requestMetadata: { callerIp: '203.0.113.50' } },
    },
  })

export const gcpKeyOutsideAutomation: Template = {
  id: 'gcp-key-outside-automation',
  category: 'cloud',
  kind: 'rule',
  platform: ['gcp'],
  attackIds: ['T1098.001'],
  tags: ['service-account', 'key', 'persistence', 'allow-list'],
  texts: {
    'en-US': {
      title: 'Google Cloud: service account key made by hand',
      description:
        'Keys of service accounts do not expire and work from everywhere. Where only the automation may make them, a key that a person made is a back door or a bad habit.',
      tips: ['Put the accounts of your automation into the second condition.', 'The organization policy iam.disableServiceAccountKeyCreation forbids it altogether.'],
    },
    'pt-BR': {
      title: 'Google Cloud: chave de conta de serviço criada à mão',
      description:
        'Chaves de contas de serviço não expiram e valem de qualquer lugar. Onde só a automação pode criá-las, uma chave criada por uma pessoa é um backdoor ou um mau hábito.',
      tips: ['Coloque as contas da sua automação na segunda condição.', 'A política de organização iam.disableServiceAccountKeyCreation proíbe isso de vez.'],
    },
  },
  xml: xml`
    <group name="local,gcp,">
      <rule id="110100" level="11">
        <if_sid>65000</if_sid>
        <field name="gcp.protoPayload.methodName" type="pcre2">(?:Create|Upload)ServiceAccountKey$</field>
        <field name="gcp.protoPayload.authenticationInfo.principalEmail" negate="yes">^terraform@|^vault@</field>
        <description>Google Cloud: service account key made by $(gcp.protoPayload.authenticationInfo.principalEmail) from $(gcp.protoPayload.requestMetadata.callerIp), not by the automation</description>
        <mitre>
          <id>T1098.001</id>
        </mitre>
        <group>gcp_audit,account_changed,pci_dss_8.1.2,</group>
      </rule>
    </group>
  `,
  samples: [{ shows: 'a key made by a person', events: call('google.iam.admin.v1.CreateServiceAccountKey', 'alice@example.com'), gives: { rule: 110100, level: 11 } }],
  lookalikes: [
    {
      shows: 'a key made by the automation',
      events: call('google.iam.admin.v1.CreateServiceAccountKey', 'terraform@p1.iam.gserviceaccount.com'),
      not: 110100,
      gives: { rule: 220706 },
    },
    { shows: 'a key that is removed', events: call('google.iam.admin.v1.DeleteServiceAccountKey', 'alice@example.com'), not: 110100 },
  ],
}
