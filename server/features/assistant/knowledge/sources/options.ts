/** A record for each option and attribute of rules and decoders and language, with its example. */
import { decoderOptionExample, describeSchema, LOCALES, type Locale, type OptionExample, ruleOptionExample, type SchemaElement } from '#engine'
import type { KnowledgeRecord } from '../knowledge.js'
import { lines, listed, recordsOf, wordsOf } from '../record.js'
import type { Source } from './source.js'

type Attribute = SchemaElement['attributes'][number]

/** Events of an example that are shown. */
const EVENTS_SHOWN = 2

export const options: Source = function* () {
  for (const locale of LOCALES) {
    const { rules, decoders } = describeSchema(locale)
    const words = wordsOf(locale)
    for (const element of rules.elements) {
      if (element.context === 'rule') yield* optionRecords('rule', element, ruleOptionExample(element.name), locale)
      // Elements around rules; those in <mitre> have no text of their own.
      else if (element.context === 'file' || element.context === 'group') yield* elementRecords('rule', element, locale)
      if (element.name === 'rule') for (const attribute of element.attributes) yield* attributeRecords(attribute, `${words.ruleAttribute}: ${attribute.name}`, locale)
    }
    yield* tagAttributeRecords(
      'rule',
      rules.elements.filter(({ context }) => context === 'rule'),
      locale,
    )
    yield* tagAttributeRecords(
      'decoder',
      decoders.elements.filter(({ context }) => context === 'decoder'),
      locale,
    )
    for (const element of decoders.elements) {
      if (element.context === 'decoder') yield* optionRecords('decoder', element, decoderOptionExample(element.name), locale)
      else if (element.name === 'decoder') yield* elementRecords('decoder', element, locale)
    }
  }
}

function optionRecords(target: 'rule' | 'decoder', element: SchemaElement, example: OptionExample | null, locale: Locale): KnowledgeRecord[] {
  const words = wordsOf(locale)
  const { name } = element
  const record = { uid: `${target}_option:${name}:${locale}`, kind: `${target}_option`, title: `<${name}> (${words[`${target}Option`]})`, locale, contextTypes: [target] } as const
  return recordsOf(record, lines(describe(element, locale), example === null ? '' : describeExample(example, locale)))
}

function elementRecords(target: 'rule' | 'decoder', element: SchemaElement, locale: Locale): KnowledgeRecord[] {
  const { name, child_tags } = element
  const record = {
    uid: `${target}_option:element.${name}:${locale}`,
    kind: `${target}_option`,
    title: `<${name}> (${wordsOf(locale).element})`,
    locale,
    contextTypes: [target],
  } as const
  const plain = { ...element, attributes: name === 'rule' ? [] : element.attributes }
  return recordsOf(record, lines(describe(plain, locale), listed(wordsOf(locale).children, child_tags, ', ')))
}

function attributeRecords(attribute: Attribute, title: string, locale: Locale): KnowledgeRecord[] {
  const record = { uid: `rule_option:attribute.${attribute.name}:${locale}`, kind: 'rule_option', title, locale, contextTypes: ['rule'] } as const
  return recordsOf(record, lines(`<rule ${attribute.name}="…">`, attribute.description, listed(wordsOf(locale).values, attribute.allowed_values, ', ')))
}

/** A record for each attribute that several tags share, such as `negate`: questions are about it, not about one of the tags. */
function tagAttributeRecords(target: 'rule' | 'decoder', elements: readonly SchemaElement[], locale: Locale): KnowledgeRecord[] {
  const words = wordsOf(locale)
  const owners = new Map<string, { readonly help: Set<string>; readonly values: Set<string>; readonly tags: string[] }>()
  for (const { name: tag, attributes } of elements) {
    for (const { name, description, allowed_values } of attributes) {
      const owner = owners.get(name) ?? { help: new Set<string>(), values: new Set<string>(), tags: [] }
      owners.set(name, owner)
      owner.help.add(description)
      for (const value of allowed_values) owner.values.add(value)
      owner.tags.push(`<${tag}>`)
    }
  }
  return [...owners].flatMap(([name, { help, values, tags }]) => {
    const record = {
      uid: `${target}_option:tag_attribute.${name}:${locale}`,
      kind: `${target}_option`,
      title: `${name} (${words.tagAttribute})`,
      locale,
      contextTypes: [target],
    } as const
    return recordsOf(record, lines([...help], listed(words.values, [...values], ', '), `${words.tagsWithIt}: ${tags.join(', ')}`))
  })
}

function describe({ description, runtime_supported, attributes, allowed_values }: SchemaElement, locale: Locale): string {
  const words = wordsOf(locale)
  return lines(
    description,
    runtime_supported ? '' : words.removed,
    listed(words.values, allowed_values, ', '),
    attributes.length === 0 ? '' : `${words.attributes}:`,
    attributes.map(({ name, allowed_values: values, description: help }) => `- ${name}${values.length === 0 ? '' : ` (${values.join(', ')})`}: ${help}`),
  )
}

function describeExample({ xml, events }: OptionExample, locale: Locale): string {
  const words = wordsOf(locale)
  return lines(`${words.example}:`, xml, events.length === 0 ? '' : `${words.events}:`, events.slice(0, EVENTS_SHOWN))
}
