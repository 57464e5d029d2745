/** Tags that Wazuh still parses and that have no effect any more. */
import type { OtherOption } from './option.js'

function removed(name: string): OtherOption {
  return {
    name,
    part: 'correlation',
    repeat: 'once',
    help: {
      'en-US': 'No longer has any effect: events of one agent are counted by default, see global_frequency.',
      'pt-BR': 'Não tem mais efeito: por padrão contam os eventos de um agente; veja global_frequency.',
    },
    attributes: [],
    values: [],
    examples: [
      {
        xml: `<${name} />`,
        around: '<if_matched_sid>5716</if_matched_sid>',
        attributes: 'frequency="2" timeframe="60"',
        before: '<rule id="5716" level="5"><match>login failed</match><description>a</description></rule>',
        matches: [['login failed', 'login failed']],
      },
    ],
    deprecated: 'removed',
    read: () => {},
    meaning: () => undefined,
  }
}

export const sameAgent = removed('same_agent')
export const notSameAgent = removed('not_same_agent')
