import { kubernetes } from '../events.js'
import { type Template, xml } from '../template.js'

const pod = (...images: readonly string[]): string =>
  kubernetes(
    'create',
    { resource: 'pods', namespace: 'shop', name: 'web' },
    { requestObject: { spec: { containers: images.map((image, index) => ({ name: `c${index}`, image })) } } },
  )

export const kubernetesForeignImage: Template = {
  id: 'kubernetes-foreign-image',
  category: 'cloud',
  kind: 'rule',
  platform: ['kubernetes'],
  attackIds: ['T1204.003', 'T1610'],
  tags: ['kubernetes', 'image', 'supply-chain', 'allow-list'],
  texts: {
    'en-US': {
      title: 'Pod with an image of a foreign registry',
      description: 'Only images of the own registry were scanned and signed. Reports pods of which at least one container comes from elsewhere.',
      tips: [
        'Replace registry.example.com, and keep the slash: without it registry.example.com.evil.test would pass.',
        'The audit policy must record pods at the level Request or RequestResponse, or the images are not in the event.',
        'An admission policy prevents what this rule reports.',
      ],
    },
    'pt-BR': {
      title: 'Pod com imagem de um registro externo',
      description: 'Só as imagens do próprio registro foram varridas e assinadas. Aponta pods em que ao menos um contêiner vem de outro lugar.',
      tips: [
        'Troque registry.example.com e mantenha a barra: sem ela, registry.example.com.evil.test passaria.',
        'A política de auditoria deve registrar pods no nível Request ou RequestResponse, ou as imagens não estão no evento.',
        'Uma política de admissão impede o que esta regra aponta.',
      ],
    },
  },
  xml: xml`
    <group name="local,kubernetes,k8s_audit,">
      <rule id="110140" level="9">
        <if_sid>220800</if_sid>
        <field name="stage">^ResponseComplete$</field>
        <field name="verb">^create$</field>
        <field name="objectRef.resource">^pods$</field>
        <field name="requestObject.spec.containers" type="pcre2">"image":\s*"(?!registry\.example\.com/)</field>
        <description>Kubernetes: $(user.username) created the pod $(objectRef.namespace)/$(objectRef.name) with an image of a foreign registry</description>
        <mitre>
          <id>T1204.003</id>
          <id>T1610</id>
        </mitre>
        <group>policy_violation,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'a public image', events: pod('docker.io/library/nginx:1'), gives: { rule: 110140, level: 9 } },
    { shows: 'a second container from elsewhere', events: pod('registry.example.com/shop/web:4', 'ghcr.io/x/miner:1'), gives: { rule: 110140, level: 9 } },
    { shows: 'a registry of a similar name', events: pod('registry.example.com.evil.test/web:4'), gives: { rule: 110140, level: 9 } },
  ],
  lookalikes: [
    { shows: 'images of our own', events: pod('registry.example.com/shop/web:4', 'registry.example.com/mesh/proxy:2'), not: 110140 },
    { shows: 'a pod that is read', events: kubernetes('get', { resource: 'pods', namespace: 'shop', name: 'web' }), not: 110140 },
  ],
}
