import type { Localized } from '../../diagnostics/text.js'
import type { DecoderType } from '../../event/event.js'
import type { OtherOption } from './option.js'

/** Categories that a rule can require. */
const CATEGORIES: readonly DecoderType[] = ['firewall', 'ids', 'syslog', 'web-log', 'squid', 'windows', 'ossec']

export const category: OtherOption & { readonly explain: Localized<(wanted: string, actual: string) => string> } = {
  name: 'category',
  part: 'placement',
  repeat: 'last',
  help: {
    'en-US': 'Puts a rule without parents under the template of this category. By itself it is not a condition.',
    'pt-BR': 'Põe uma regra sem pais abaixo do modelo desta categoria. Não é, por si só, uma condição.',
  },
  attributes: [],
  values: CATEGORIES,
  examples: [{ xml: '<category>firewall</category>', matches: ['firewall: packet dropped'], misses: ['packet dropped'] }],
  read: (reader, element) => {
    const known = CATEGORIES.find((word) => word === element.content)
    if (known === undefined) return reader.refuse('rule_category_invalid', element, { value: element.content }, { known: CATEGORIES })
    reader.draft.category = known
  },
  // Without the tag a rule is placed under the template of syslog.
  meaning: ({ category: written }) => (written === null || written === 'syslog' ? undefined : written),
  /** Also used for a rule whose ancestors require the category. */
  explain: {
    'en-US': (wanted, actual) => `The rule stands under the category "${wanted}", but the decoder gives the event the type "${actual}".`,
    'pt-BR': (wanted, actual) => `A regra está na categoria "${wanted}", mas o decoder dá ao evento o tipo "${actual}".`,
  },
}
