import { request } from '../events.js'
import { type Template, xml } from '../template.js'

export const webAdminAreaFromOutside: Template = {
  id: 'web-admin-area-from-outside',
  category: 'network',
  kind: 'rule',
  platform: ['any', 'linux'],
  attackIds: ['T1133', 'T1190'],
  tags: ['web', 'access-log', 'admin', 'allow-list'],
  texts: {
    'en-US': {
      title: 'Administration pages asked for from outside',
      description: 'Addresses outside the own networks ask for administration pages. When the server answers with success, the pages are open to the Internet.',
      tips: [
        'Put the paths of your administration pages into the first rule.',
        'Replace 10.0.0.0/8 with the networks of your administrators.',
        'Behind a proxy the access log must hold the address of the client (X-Forwarded-For).',
      ],
    },
    'pt-BR': {
      title: 'Páginas de administração pedidas de fora',
      description: 'Endereços de fora das redes próprias pedem páginas de administração. Se o servidor responde com sucesso, as páginas estão abertas à Internet.',
      tips: [
        'Coloque os caminhos das suas páginas de administração na primeira regra.',
        'Troque 10.0.0.0/8 pelas redes dos seus administradores.',
        'Atrás de um proxy, o log de acesso precisa conter o endereço do cliente (X-Forwarded-For).',
      ],
    },
  },
  xml: xml`
    <group name="local,web,accesslog,">
      <rule id="102080" level="6">
        <if_sid>31100</if_sid>
        <url type="pcre2">^/(?:admin|manager|actuator|console)(?:[/?]|$)</url>
        <srcip negate="yes">10.0.0.0/8</srcip>
        <description>Web server: $(srcip) asks for the administration page $(url) from outside</description>
        <mitre>
          <id>T1133</id>
        </mitre>
        <group>recon,pci_dss_6.5,</group>
      </rule>

      <rule id="102081" level="12">
        <if_sid>102080</if_sid>
        <id>^200$</id>
        <description>Web server: the administration page $(url) was shown to $(srcip), which is outside</description>
        <mitre>
          <id>T1133</id>
          <id>T1190</id>
        </mitre>
        <group>attack,pci_dss_6.5,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'a refused request', events: request('203.0.113.7', 'GET', '/admin/users', 403), gives: { rule: 102080, level: 6 } },
    { shows: 'a page that is shown', events: request('203.0.113.7', 'GET', '/actuator', 200), gives: { rule: 102081, level: 12 } },
  ],
  lookalikes: [
    { shows: 'an administrator inside', events: request('10.1.2.3', 'GET', '/admin/users', 200), not: 102080 },
    { shows: 'a page whose name only begins the same', events: request('203.0.113.7', 'GET', '/administration.html', 200), not: 102080 },
    { shows: 'the word elsewhere in the path', events: request('203.0.113.7', 'GET', '/help/admin/', 200), not: 102080 },
  ],
}
