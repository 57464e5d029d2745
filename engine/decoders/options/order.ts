import { ORDER_STATIC, STATIC_FIELDS } from '../../event/static-fields.js'
import { elementsOf } from '../../xml/definition-reporter.js'
import type { OrderWord } from '../../event/decoder.js'
import { ORDER_LIMIT } from '../../event/decoder.js'
import type { DecoderReporter } from '../reporter.js'
import type { DecoderOption } from './option.js'
import { splitWords } from './words.js'

export const order: DecoderOption = {
  name: 'order',
  repeat: 'last',
  help: {
    'en-US': `Names of the fields that the groups of regex fill, separated by commas; at most ${ORDER_LIMIT}. The last tag counts.`,
    'pt-BR': `Nomes dos campos que os grupos de regex preenchem, separados por vírgulas; no máximo ${ORDER_LIMIT}. Vale a última tag.`,
  },
  attributes: [],
  values: [...ORDER_STATIC.keys()],
  examples: [
    {
      xml: '<order>srcuser, srcip</order>',
      around: '<prematch>^login </prematch><regex offset="after_prematch">^(\\S+) (\\S+)</regex>',
      events: [{ event: 'login ana 203.0.113.7', decoder: 'example', fields: { srcuser: 'ana', srcip: '203.0.113.7' } }],
    },
  ],
  read: (reader, element) => {
    const words = splitWords(element.content)
    reader.draft.orderElement = element
    if (words.length > ORDER_LIMIT) return reader.refuse('decoder_order_too_many', element, { count: words.length, limit: ORDER_LIMIT })
    if (words.includes('')) return reader.refuse('decoder_order_field_invalid', element, {})
    reader.draft.order = words.map((name): OrderWord => ({ name, staticIndex: ORDER_STATIC.get(name) ?? -1 }))
  },
  check: (reporter) => {
    const { order: words } = reporter.definition
    if (words !== null) checkNames(reporter, words)
  },
  meaning: ({ order: words }) => words?.map(({ name, staticIndex }) => (staticIndex < 0 ? `dynamic ${name}` : STATIC_FIELDS[staticIndex])),
}

function checkNames(reporter: DecoderReporter, words: readonly OrderWord[]): void {
  const element = elementsOf(reporter.owner, 'order').at(-1) ?? reporter.owner
  const seen = new Set<string>()
  let repeated: string | null = null
  for (const { name, staticIndex } of words) {
    const key = staticIndex < 0 ? name.toLowerCase() : `${staticIndex}`
    if (seen.has(key)) repeated ??= name
    seen.add(key)
  }
  // Alternatives of one pattern may set the same field.
  if (repeated !== null && !(reporter.definition.regex?.text ?? '').includes('|')) reporter.report('decoder_order_duplicate_field', element, { field: repeated })
  if (words.some(({ name }) => /[\t\n\r]/.test(name))) {
    reporter.report('decoder_order_whitespace', element, {})
    return
  }
  const cut = cutWord(element.content)
  if (cut !== null) reporter.report('decoder_field_name_style', element, { field: cut, reason: 'it is cut at its first blank' })
  const odd = words.find(({ name }) => !/^[A-Za-z0-9_.@-]+$/.test(name))
  if (odd !== undefined) reporter.report('decoder_field_name_style', element, { field: odd.name, reason: 'it has unusual characters' })
}

/** A word of which only the beginning is used. */
function cutWord(content: string): string | null {
  const words = content.split(',').map((word) => word.trim())
  const read = splitWords(content)
  return words.length === read.length ? (words.find((word, index) => word.includes(' ') && word !== read[index]) ?? null) : null
}
