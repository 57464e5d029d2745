/** Tags that say what a rule is about, and what to do with its alerts (engine-rules.md 2.5, 4.8, 6). */
import { CRASHES } from '../../diagnostics/crashes.js'
import type { XmlElement } from '../../xml/node.js'
import type { RuleReader } from '../parse.js'
import { RULE_OPTION_WORDS } from '../rule.js'
import type { RuleOption } from './option.js'
import { readMitre } from './mitre.js'

/** Either of two texts that Wazuh joins may be as long (engine-rules.md 2.1). With a longer one other tags are lost; the group string must not be, and Wazuh crashes. */
const JOINED_LIMIT = 2048

const INFO_TYPES = ['text', 'link', 'cve', 'osvdb'] as const
/** Words of `<ignore>` that are no dynamic fields. */
const IGNORE_WORDS = ['user', 'srcip', 'dstip', 'id', 'location', 'data', 'name'] as const

function ignoreOption(name: 'ignore' | 'check_if_ignored', help: string): RuleOption {
  return {
    name,
    part: 'metadata',
    repeat: 'each',
    help,
    attributes: [],
    values: IGNORE_WORDS,
    example: `<${name}>srcip, id</${name}>`,
    read: (reader, element) => {
      const words = element.content.split(',').map((word) => word.trim())
      if (words.includes('')) reader.refuse('rule_ignore_option_invalid', element, { tag: name, value: element.content })
      else reader.report('rule_ignore_ineffective', element, { tag: name })
    },
  }
}

function readInfo(reader: RuleReader, element: XmlElement): void {
  for (const attribute of element.attributes) {
    if (attribute.name !== 'type') reader.reportAttribute('rule_info_attribute_invalid', attribute, { name: attribute.name }, { known: ['type'] })
    else if (!INFO_TYPES.some((word) => word === attribute.value.toLowerCase())) {
      reader.reportAttribute('rule_info_type_invalid', attribute, { value: attribute.value }, { known: INFO_TYPES })
    }
  }
  reader.draft.info += element.content
}

export const METADATA_OPTIONS: readonly RuleOption[] = [
  {
    name: 'description',
    part: 'metadata',
    repeat: 'joined',
    help: 'What the alert says. Required. $(field) is replaced by the value of a field.',
    attributes: [],
    values: [],
    example: '<description>sshd: login failed for $(dstuser) from $(srcip)</description>',
    read: (reader, element) => {
      // In each piece only the first line break becomes a blank.
      const piece = { ...element, content: element.content.replace('\n', ' ') }
      reader.draft.description = reader.joinText(reader.draft.description, piece, 'description')
    },
  },
  {
    name: 'group',
    part: 'metadata',
    repeat: 'joined',
    help: 'Groups, separated by commas; joined to the name of the group around the rule as it stands. pci_dss_, gdpr_, hipaa_, nist_800_53_, tsc_, cis_ and gpg13_ mark compliance requirements.',
    attributes: [],
    values: [],
    example: '<group>authentication_failed,pci_dss_10.2.4,</group>',
    read: (reader, element) => {
      const { draft } = reader
      const text = element.content.replaceAll('\n', '')
      if (draft.groups.length > JOINED_LIMIT || text.length > JOINED_LIMIT) reader.report('wazuh_crash', element, CRASHES.group_text)
      draft.groups += text
    },
  },
  {
    name: 'mitre',
    part: 'metadata',
    repeat: 'each',
    help: 'ATT&CK techniques: either id elements, or one tacticID with one techniqueID.',
    attributes: [],
    values: [],
    children: ['id', 'tacticID', 'techniqueID'],
    example: '<mitre><id>T1110</id></mitre>',
    read: readMitre,
  },
  {
    name: 'info',
    part: 'metadata',
    repeat: 'joined',
    help: 'Further reading; all texts are joined.',
    attributes: [{ name: 'type', required: false, values: INFO_TYPES, help: 'What the text is; "text" when absent.' }],
    values: [],
    example: '<info type="link">https://attack.mitre.org/techniques/T1110/</info>',
    read: readInfo,
  },
  {
    name: 'cve',
    part: 'metadata',
    repeat: 'joined',
    help: 'CVE numbers; all texts are joined.',
    attributes: [],
    values: [],
    example: '<cve>2021-44228</cve>',
    read: (reader, element) => {
      reader.draft.cve += element.content
    },
  },
  {
    name: 'options',
    part: 'metadata',
    repeat: 'each',
    help: 'One word a tag that changes how the alert is handled.',
    attributes: [],
    values: RULE_OPTION_WORDS,
    example: '<options>no_full_log</options>',
    read: (reader, element) => {
      const word = RULE_OPTION_WORDS.find((known) => known === element.content)
      if (word === undefined) return reader.refuse('rule_options_invalid', element, { value: element.content }, { known: RULE_OPTION_WORDS })
      const options = new Set(reader.draft.options)
      // Quirk: a flag that is really cleared takes an earlier no_counter with it.
      if ((word === 'no_email_alert' && options.has('alert_by_email')) || (word === 'no_log' && options.has('log_alert'))) options.delete('no_counter')
      reader.draft.options = options.add(word)
    },
  },
  ignoreOption('ignore', 'Meant to remember the fields of an alert that should be silenced. It has no effect.'),
  ignoreOption('check_if_ignored', 'Meant to silence alerts whose fields were remembered. It has no effect.'),
]
