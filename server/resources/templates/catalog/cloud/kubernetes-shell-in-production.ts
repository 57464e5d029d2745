import { kubernetes } from '../events.js'
import { type Template, xml } from '../template.js'

const exec = (namespace: string, user = 'alice@example.com'): string =>
  kubernetes('create', { resource: 'pods', namespace, name: 'web-0', subresource: 'exec' }, { user: { username: user } })

export const kubernetesShellInProduction: Template = {
  id: 'kubernetes-shell-in-production',
  category: 'cloud',
  kind: 'rule',
  platform: ['kubernetes'],
  attackIds: ['T1609'],
  tags: ['kubernetes', 'exec', 'production', 'change-control'],
  texts: {
    'en-US': {
      title: 'Shell opened in a container of production',
      description: 'Containers of production are changed by deployments. A shell in one of them is an emergency, or somebody who looks for secrets.',
      tips: [
        'Adapt the pattern to how your namespaces of production are called.',
        'People on call whose shells are agreed go into the second rule.',
        'The audit policy of the cluster must record pods/exec at least at the level Metadata.',
      ],
    },
    'pt-BR': {
      title: 'Shell aberto em um contêiner de produção',
      description: 'Contêineres de produção mudam por deployments. Um shell em um deles é uma emergência, ou alguém procurando segredos.',
      tips: [
        'Adapte o padrão aos nomes dos seus namespaces de produção.',
        'Plantonistas cujos shells são acordados vão na segunda regra.',
        'A política de auditoria do cluster deve registrar pods/exec ao menos no nível Metadata.',
      ],
    },
  },
  xml: xml`
    <group name="local,kubernetes,k8s_audit,">
      <rule id="110120" level="12">
        <if_sid>220800</if_sid>
        <field name="stage">^ResponseComplete$|^ResponseStarted$</field>
        <field name="objectRef.resource">^pods$</field>
        <field name="objectRef.subresource">^exec$|^attach$|^ephemeralcontainers$</field>
        <field name="objectRef.namespace" type="pcre2">^(?:prod|production|payments)(?:-|$)</field>
        <description>Kubernetes: $(user.username) opened a shell in $(objectRef.namespace)/$(objectRef.name), which is production</description>
        <mitre>
          <id>T1609</id>
        </mitre>
        <group>pci_dss_10.2.2,</group>
      </rule>

      <rule id="110121" level="5">
        <if_sid>110120</if_sid>
        <field name="user.username">^oncall@example.com$</field>
        <description>Kubernetes: the person on call opened a shell in $(objectRef.namespace)/$(objectRef.name)</description>
        <mitre>
          <id>T1609</id>
        </mitre>
        <group>pci_dss_10.2.2,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'a shell in production', events: exec('prod-shop'), gives: { rule: 110120, level: 12 } },
    { shows: 'the person on call', events: exec('prod-shop', 'oncall@example.com'), gives: { rule: 110121, level: 5 } },
  ],
  lookalikes: [
    { shows: 'a shell in a test', events: exec('test'), not: 110120, gives: { rule: 220807 } },
    { shows: 'a namespace whose name only begins the same', events: exec('prodigy'), not: 110120 },
    { shows: 'a pod of production that is only read', events: kubernetes('get', { resource: 'pods', namespace: 'prod', name: 'web-0' }), not: 110120 },
  ],
}
