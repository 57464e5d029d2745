import { series, syslog } from '../events.js'
import { type Template, xml } from '../template.js'

const failing = syslog('smartd[412]', 'Device: /dev/sda [SAT], 8 Currently unreadable (pending) sectors')

export const alertOnceAnHour: Template = {
  id: 'alert-once-an-hour',
  category: 'generic',
  kind: 'rule',
  platform: ['linux', 'any'],
  attackIds: [],
  tags: ['ignore', 'tuning', 'availability', 'starter'],
  texts: {
    'en-US': {
      title: 'Alert once an hour, however often it happens',
      description: 'For conditions that last: the first event alerts, and then the rule is silent for an hour. Here for a disk that is about to fail.',
      tips: [
        'ignore counts for the rule as a whole: while it is silent, another host is silent as well. Where that matters, copy the rule for each group of hosts.',
        'While it is silent, the event counts for the parent of the rule; a rule without a parent, as this one, does not alert at all. A logtest names the rule nevertheless.',
      ],
    },
    'pt-BR': {
      title: 'Alertar uma vez por hora, não importa quantas vezes ocorra',
      description: 'Para condições que duram: o primeiro evento alerta e depois a regra silencia por uma hora. Aqui, para um disco prestes a falhar.',
      tips: [
        'ignore vale para a regra inteira: enquanto ela silencia, outro host também silencia. Onde isso importa, copie a regra para cada grupo de hosts.',
        'Enquanto silencia, o evento conta para a regra pai; uma regra sem pai, como esta, não alerta. Um logtest informa a regra mesmo assim.',
      ],
    },
  },
  xml: xml`
    <group name="local,syslog,smartd,">
      <rule id="114100" level="7" ignore="3600">
        <program_name>^smartd$</program_name>
        <match>Currently unreadable (pending) sectors|Offline uncorrectable sectors|FAILED SMART self-check</match>
        <description>A disk is about to fail; reported once an hour</description>
        <group>service_availability,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'the first event', events: failing, gives: { rule: 114100, level: 7 } },
    { shows: 'an event after an hour and a minute', events: series(2, 3660, () => failing), gives: { rule: 114100, level: 7 } },
  ],
  lookalikes: [
    { shows: 'a healthy disk', events: syslog('smartd[412]', 'Device: /dev/sda [SAT], SMART Usage Attribute: 194 Temperature_Celsius changed from 64 to 63'), not: 114100 },
    { shows: 'another program', events: syslog('reportd[412]', '8 Currently unreadable (pending) sectors'), not: 114100 },
  ],
}
