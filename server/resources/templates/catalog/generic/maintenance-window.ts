import { at, syslog } from '../events.js'
import { type Template, xml } from '../template.js'

const stopped = syslog('systemd[1]', 'Stopped auditd.service - Security Auditing Service.')
const agent = "ossec: Agent stopped: 'web01-any'."

export const maintenanceWindow: Template = {
  id: 'maintenance-window',
  category: 'generic',
  kind: 'rule',
  platform: ['linux', 'any'],
  attackIds: [],
  tags: ['silence', 'time', 'maintenance', 'tuning'],
  texts: {
    'en-US': {
      title: 'Less noise during the maintenance window',
      description: 'Agents stop and services restart when updates are installed. Lowers exactly those alerts, and only in the window.',
      tips: [
        'A low level keeps the alert in the index; level 0 would drop it altogether.',
        'The time is local time of the manager; a window over midnight is written as it is: 11 pm - 1 am.',
        'An attacker may know your window: keep it short, and do not put logins into it.',
      ],
    },
    'pt-BR': {
      title: 'Menos ruído durante a janela de manutenção',
      description: 'Agentes param e serviços reiniciam quando se instalam atualizações. Rebaixa exatamente esses alertas, e só dentro da janela.',
      tips: [
        'Um nível baixo mantém o alerta no índice; o nível 0 o descartaria.',
        'O horário é a hora local do manager; uma janela que passa da meia-noite se escreve como é: 11 pm - 1 am.',
        'Um atacante pode conhecer a sua janela: mantenha-a curta e não inclua logins.',
      ],
    },
  },
  xml: xml`
    <group name="local,maintenance,">
      <rule id="114080" level="4">
        <if_sid>40700</if_sid>
        <match>^Stopped </match>
        <time>3 am - 4 am</time>
        <description>systemd: service stopped in the maintenance window</description>
        <group>maintenance,</group>
      </rule>

      <rule id="114081" level="3">
        <if_sid>504, 506</if_sid>
        <time>3 am - 4 am</time>
        <description>Agent $(agent_name) stopped in the maintenance window</description>
        <group>maintenance,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'an agent at 03:30', events: [at(15.5, agent)], gives: { rule: 114081, level: 3 } },
    { shows: 'a service at 03:30', events: [at(15.5, syslog('systemd[1]', 'Stopped nginx.service - A high performance web server.'))], gives: { rule: 114080, level: 4 } },
  ],
  lookalikes: [
    { shows: 'an agent at 05:00', events: [at(17, agent)], not: 114081, gives: { rule: 506 } },
    { shows: 'a service at 12:00', events: [at(0, stopped)], not: 114080, gives: { rule: 200143 } },
  ],
}
