import type { OtherOption } from './option.js'

export const cve: OtherOption = {
  name: 'cve',
  part: 'metadata',
  repeat: 'joined',
  help: { 'en-US': 'CVE numbers; all texts are joined.', 'pt-BR': 'Números CVE; todos os textos são emendados.' },
  attributes: [],
  values: [],
  examples: [{ xml: '<cve>2021-44228</cve>', matches: ['hello'] }],
  read: (reader, element) => {
    reader.draft.cve = reader.joinText(reader.draft.cve, element, 'cve')
  },
  meaning: ({ cve: numbers }) => numbers || undefined,
}
