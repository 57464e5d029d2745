/** The mutants of one decoder. */
import type { DecoderDefinition } from '../event/decoder.js'
import { findDecoderOption } from '../decoders/options/index.js'
import { patternsOf } from '../decoders/options/patterns.js'
import { splitWords } from '../decoders/options/words.js'
import type { XmlElement } from '../xml/node.js'
import type { ByteEdit, Mutant } from './mutant.js'
import { changePattern } from './mutate-pattern.js'
import { ElementEditor } from './text-edits.js'

/** Mutants of one decoder. */
export const MUTANTS_OF_DECODER = 120
/** Entries of an `order` that are left out, one at a time, and pairs that are swapped. */
const ORDER_CHANGES = 24

export function mutantsOfDecoder(definition: DecoderDefinition): readonly Mutant[] {
  const edit = new ElementEditor(definition.source)
  const found: Mutant[] = []
  const add = (operator: Mutant['operator'], place: XmlElement, ...edits: readonly ByteEdit[]): void => void found.push(edit.mutant(operator, place, edits))
  const byTag = new Map<string, XmlElement[]>()
  for (const child of definition.element.children) {
    const name = findDecoderOption(child.name)?.name ?? ''
    byTag.set(name, [...(byTag.get(name) ?? []), child])
  }
  const [prematch, regex] = ['prematch', 'regex'].map((name) => byTag.get(name) ?? [])
  if (prematch.length > 0) add('drop', prematch[0], ...prematch.map((one) => edit.without(one)))
  const order = byTag.get('order')?.at(-1)
  if (regex.length > 0 && order !== undefined) add('drop', regex[0], ...[...regex, ...(byTag.get('order') ?? [])].map((one) => edit.without(one)))
  for (const { tag, pattern } of patternsOf(definition)) {
    // In a child it is never asked for.
    if (tag === 'program_name' && definition.parent !== null) continue
    for (const element of pattern.elements) for (const { operator, text } of changePattern(element.content, pattern.dialect)) add(operator, element, edit.content(element, text))
    for (const element of pattern.elements) {
      const offset = element.attributes.find(({ name }) => name === 'offset')
      if (offset !== undefined) add('drop_offset', element, edit.withoutAttribute(offset))
    }
  }
  if (order !== undefined) {
    const words = splitWords(order.content)
    const write = (changed: readonly string[]): ByteEdit => edit.content(order, changed.map((word) => word.replaceAll(',', '\\,')).join(','))
    if (words.length > 1) {
      for (let at = 0; at < Math.min(words.length, ORDER_CHANGES); at++) add('drop_order', order, write(words.toSpliced(at, 1)))
      for (let at = 0; at + 1 < Math.min(words.length, ORDER_CHANGES); at++) add('swap_field', order, write(words.toSpliced(at, 2, words[at + 1], words[at])))
    }
  }
  return found.slice(0, MUTANTS_OF_DECODER)
}
