/** `<ignore>` and `<check_if_ignored>`: Wazuh parses their words and ignores them. */
import type { Localized } from '../../diagnostics/text.js'
import type { OtherOption } from './option.js'

/** Words that are not dynamic fields. */
const WORDS = ['user', 'srcip', 'dstip', 'id', 'location', 'data', 'name'] as const

function ignoreOption(name: 'ignore' | 'check_if_ignored', help: Localized): OtherOption {
  return {
    name,
    part: 'metadata',
    repeat: 'each',
    help,
    attributes: [],
    values: WORDS,
    examples: [{ xml: `<${name}>srcip, id</${name}>`, matches: ['hello', ['hello', 'hello']] }],
    read: (reader, element) => {
      const words = element.content.split(',').map((word) => word.trim())
      if (words.includes('')) reader.refuse('rule_ignore_option_invalid', element, { tag: name, value: element.content })
      else reader.report('rule_ignore_ineffective', element, { tag: name })
    },
    meaning: () => undefined,
  }
}

export const ignore = ignoreOption('ignore', {
  'en-US': 'Meant to remember the fields of an alert that should be silenced. It has no effect.',
  'pt-BR': 'Deveria lembrar os campos de um alerta a silenciar. Não tem efeito.',
})
export const checkIfIgnored = ignoreOption('check_if_ignored', {
  'en-US': 'Meant to silence alerts whose fields were remembered. It has no effect.',
  'pt-BR': 'Deveria silenciar alertas cujos campos foram lembrados. Não tem efeito.',
})
