import { json, series } from '../events.js'
import { type Template, xml } from '../template.js'

const entry = (level: string, more: Record<string, unknown> = {}): string => json({ service: 'billing', level, msg: 'invoice could not be written', trace_id: 'a1', ...more })

export const jsonApplicationErrors: Template = {
  id: 'json-application-errors',
  category: 'generic',
  kind: 'rule',
  platform: ['application'],
  attackIds: [],
  tags: ['json', 'starter', 'correlation', 'availability'],
  texts: {
    'en-US': {
      title: 'First rules for an application that logs JSON',
      description: 'A skeleton: one silent rule that recognizes the application, one rule a level, and one that counts errors. Hang your own rules below the first.',
      tips: ['No decoder is needed. Rule 114020 must hold enough conditions to be sure whose event it is.', 'Raise frequency and timeframe until an ordinary day is quiet.'],
    },
    'pt-BR': {
      title: 'Primeiras regras para uma aplicação que registra JSON',
      description: 'Um esqueleto: uma regra silenciosa que reconhece a aplicação, uma regra por nível e uma que conta erros. Pendure as suas regras abaixo da primeira.',
      tips: [
        'Não é preciso decodificador. A regra 114020 deve ter condições suficientes para saber de quem é o evento.',
        'Aumente frequency e timeframe até que um dia comum fique quieto.',
      ],
    },
  },
  xml: xml`
    <group name="local,billing,">
      <rule id="114020" level="0">
        <decoded_as>json</decoded_as>
        <field name="service">^billing$</field>
        <field name="level" type="pcre2">^(?:debug|info|warn|error|fatal)$</field>
        <description>Billing: messages</description>
      </rule>

      <rule id="114021" level="3">
        <if_sid>114020</if_sid>
        <field name="level">^warn$</field>
        <description>Billing: warning: $(msg)</description>
        <group>application_warning,</group>
      </rule>

      <rule id="114022" level="5">
        <if_sid>114020</if_sid>
        <field name="level">^error$</field>
        <description>Billing: error: $(msg)</description>
        <group>application_error,</group>
      </rule>

      <rule id="114023" level="10">
        <if_sid>114020</if_sid>
        <field name="level">^fatal$</field>
        <description>Billing: the service cannot go on: $(msg)</description>
        <group>application_error,service_availability,</group>
      </rule>

      <rule id="114024" level="9" frequency="8" timeframe="120" ignore="300">
        <if_matched_sid>114022</if_matched_sid>
        <description>Billing: many errors, last: $(msg)</description>
        <group>application_error,service_availability,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'a warning', events: entry('warn'), gives: { rule: 114021, level: 3 } },
    { shows: 'an error', events: entry('error'), gives: { rule: 114022, level: 5 } },
    { shows: 'a fatal error', events: entry('fatal'), gives: { rule: 114023, level: 10 } },
    { shows: 'eight errors', events: series(8, 10, () => entry('error')), gives: { rule: 114024, level: 9 } },
  ],
  lookalikes: [
    { shows: 'an ordinary message', events: entry('info'), not: 114021, gives: { rule: 114020, level: 0 } },
    { shows: 'another service', events: entry('error', { service: 'billing-test' }), not: 114022 },
    { shows: 'eight errors in an hour', events: series(8, 450, () => entry('error')), not: 114024, gives: { rule: 114022 } },
  ],
}
