import { syslog } from '../events.js'
import { type Template, xml } from '../template.js'

export const silenceKnownMessage: Template = {
  id: 'silence-known-message',
  category: 'generic',
  kind: 'rule',
  platform: ['linux', 'any'],
  attackIds: [],
  tags: ['silence', 'tuning', 'false-positive', 'starter'],
  texts: {
    'en-US': {
      title: 'Silence one known message',
      description: 'Rule 1002 reports every message with a word that sounds like trouble. This child takes out a single message of a single program on chosen hosts.',
      tips: [
        'Name the program, the host and as much of the text as stays the same: three conditions make sure that nothing else falls silent.',
        'A rule of level 0 is asked before its siblings, so its place in the file does not matter.',
      ],
    },
    'pt-BR': {
      title: 'Silenciar uma mensagem conhecida',
      description: 'A regra 1002 aponta toda mensagem com uma palavra que soa a problema. Este filho retira uma única mensagem de um único programa em hosts escolhidos.',
      tips: [
        'Informe o programa, o host e o máximo do texto que não muda: três condições garantem que nada mais silencie.',
        'Uma regra de nível 0 é consultada antes das irmãs; o lugar dela no arquivo não importa.',
      ],
    },
  },
  xml: xml`
    <group name="local,syslog,">
      <rule id="114060" level="0">
        <if_sid>1002</if_sid>
        <program_name>^backup-agent$</program_name>
        <hostname>^web1$|^web2$</hostname>
        <match>^warning: 0 files failed</match>
        <description>The backup says that nothing failed</description>
      </rule>
    </group>
  `,
  samples: [{ shows: 'the message', events: syslog('backup-agent[9]', 'warning: 0 files failed, 2210 written'), gives: { rule: 114060, level: 0 } }],
  lookalikes: [
    { shows: 'a failure', events: syslog('backup-agent[9]', 'warning: 7 files failed, 2203 written'), not: 114060, gives: { rule: 1002 } },
    { shows: 'the message of another host', events: syslog('backup-agent[9]', 'warning: 0 files failed, 2210 written', 'web3'), not: 114060, gives: { rule: 1002 } },
  ],
}
