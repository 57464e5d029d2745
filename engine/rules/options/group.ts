import { CRASHES } from '../../diagnostics/crashes.js'
import { nonEmptySetOf } from '../../expressions/meaning.js'
import { splitGroups } from '../compile.js'
import type { OtherOption } from './option.js'

/** Maximum length of either of two texts that Wazuh joins. With a longer one other tags are lost; Wazuh crashes without its group string. */
const JOINED_LIMIT = 2048

export const group: OtherOption = {
  name: 'group',
  part: 'metadata',
  repeat: 'joined',
  help: {
    'en-US':
      'Groups, separated by commas; joined to the name of the group around the rule as it stands. pci_dss_, gdpr_, hipaa_, nist_800_53_, tsc_, cis_ and gpg13_ mark compliance requirements.',
    'pt-BR':
      'Grupos, separados por vírgulas; emendados como estão ao nome do grupo em volta da regra. pci_dss_, gdpr_, hipaa_, nist_800_53_, tsc_, cis_ e gpg13_ marcam requisitos de conformidade.',
  },
  attributes: [],
  values: [],
  examples: [{ xml: '<group>authentication_failed,pci_dss_10.2.4,</group>', matches: ['hello'], answer: { groups: ['examples', 'authentication_failed', 'pci_dss_10.2.4'] } }],
  read: (reader, element) => {
    const { draft } = reader
    const text = element.content.replaceAll('\n', '')
    if (draft.groups.length > JOINED_LIMIT || text.length > JOINED_LIMIT) reader.report('wazuh_crash', element, CRASHES.group_text)
    draft.groups += text
  },
  // The order of groups only matters to an `if_group` that begins with "^", and is not compared.
  meaning: ({ groups }) => nonEmptySetOf(splitGroups(groups)),
}
