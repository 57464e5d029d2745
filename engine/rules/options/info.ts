import type { RuleDefinition } from '../rule.js'
import type { OtherOption } from './option.js'

const TYPES = ['text', 'link', 'cve', 'osvdb'] as const

export const info: OtherOption = {
  name: 'info',
  part: 'metadata',
  repeat: 'joined',
  help: { 'en-US': 'Further reading; all texts are joined.', 'pt-BR': 'Leitura adicional; todos os textos são emendados.' },
  attributes: [{ name: 'type', required: false, values: TYPES, help: { 'en-US': 'What the text is; "text" when absent.', 'pt-BR': 'O que o texto é; "text" quando ausente.' } }],
  values: [],
  examples: [{ xml: '<info type="link">https://attack.mitre.org/techniques/T1110/</info>', matches: ['hello'] }],
  read: (reader, element) => {
    for (const attribute of element.attributes) {
      if (attribute.name !== 'type') reader.reportAttribute('rule_info_attribute_invalid', attribute, { name: attribute.name }, { known: ['type'] })
      else if (!TYPES.some((word) => word === attribute.value.toLowerCase())) {
        reader.reportAttribute('rule_info_type_invalid', attribute, { value: attribute.value }, { known: TYPES })
      }
    }
    reader.draft.info = reader.joinText(reader.draft.info, element, 'info')
  },
  meaning: (definition) => {
    const texts = textsOf(definition)
    return texts.length === 0 ? undefined : texts
  },
}

/** Returns texts with their types; adjacent texts of one type are joined. */
function textsOf({ info: joined, element }: RuleDefinition): string[] {
  if (joined === null) return []
  const texts: { type: string; text: string }[] = []
  for (const { name, content, attributes } of element.children) {
    if (name.toLowerCase() !== 'info') continue
    const type = attributes.find((attribute) => attribute.name === 'type')?.value.toLowerCase() ?? 'text'
    const last = texts.at(-1)
    if (last?.type === type) last.text += content
    else texts.push({ type, text: content })
  }
  return texts.map(({ type, text }) => `${type} ${text}`)
}
