/** Describes the schema of rule and decoder files from the tables that the parsers use. */
import { DECODER_OPTIONS } from '../decoders/options/index.js'
import type { Locale } from '../diagnostics/text.js'
import type { SchemaElement, ValidationSchema } from '../records/records.js'
import { RULE_ATTRIBUTES } from '../rules/attributes.js'
import { RULE_OPTIONS } from '../rules/options/index.js'
import type { RuleOption } from '../rules/options/option.js'
import { ENGINE_VERSION } from '../ruleset/hash.js'
import type { OptionAttribute, TagOption } from '../xml/tag-option.js'
import { SCHEMA_WORDS } from './schema-words.js'

/** Wazuh's documentation of the language. */
const REFERENCES = [
  'https://documentation.wazuh.com/current/user-manual/ruleset/ruleset-xml-syntax/rules.html',
  'https://documentation.wazuh.com/current/user-manual/ruleset/ruleset-xml-syntax/decoders.html',
  'https://documentation.wazuh.com/current/user-manual/ruleset/ruleset-xml-syntax/regex.html',
]

/** A tag as the tables declare it. */
type TableOption = Pick<TagOption, 'name' | 'help' | 'attributes' | 'values'> & Pick<RuleOption, 'children' | 'deprecated'>

/** Returns every tag and attribute. `context` is the surrounding tag; `file`: there is none. `runtime_supported` is false for a tag that Wazuh reads without effect. */
export function describeSchema(locale: Locale): ValidationSchema {
  const words = SCHEMA_WORDS[locale]
  const attributesOf = (attributes: readonly OptionAttribute[]): SchemaElement['attributes'] =>
    attributes.map(({ name, required, values, help }) => ({ name, required, allowed_values: values, description: help[locale] }))
  const plain = (name: string, context: string, description: string, child_tags: readonly string[] = []): SchemaElement => ({
    name,
    context,
    description,
    runtime_supported: true,
    attributes: [],
    child_tags,
    allowed_values: [],
  })
  const fromTable = (option: TableOption, context: string): SchemaElement => ({
    name: option.name,
    context,
    description: option.help[locale],
    runtime_supported: option.deprecated !== 'removed',
    attributes: attributesOf(option.attributes),
    child_tags: option.children ?? [],
    allowed_values: option.values,
  })
  const attribute = (name: string, required: boolean, description: string): SchemaElement['attributes'][number] => ({ name, required, allowed_values: [], description })
  const named = (element: SchemaElement, name: string, status?: string): SchemaElement => ({
    ...element,
    attributes: [attribute('name', true, name), ...(status === undefined ? [] : [attribute('status', false, status)])],
  })
  const variable = named(plain('var', 'file', words.variable), words.variableName)
  const attackElements = RULE_OPTIONS.flatMap((option) => (option.children ?? []).map((name) => plain(name, option.name, words.attackElement)))
  return {
    version: ENGINE_VERSION,
    references: REFERENCES,
    decoders: {
      top_level_tags: ['decoder', 'var'],
      wrapper_tags: [],
      elements: [
        named(
          plain(
            'decoder',
            'file',
            words.decoder,
            DECODER_OPTIONS.map(({ name }) => name),
          ),
          words.decoderName,
          words.decoderStatus,
        ),
        ...DECODER_OPTIONS.map((option) => fromTable(option, 'decoder')),
        variable,
      ],
      root_attributes: ['name', 'status'],
    },
    rules: {
      top_level_tags: ['group', 'var'],
      wrapper_tags: ['group'],
      elements: [
        named(plain('group', 'file', words.group, ['rule']), words.groupName),
        {
          ...plain(
            'rule',
            'group',
            words.rule,
            RULE_OPTIONS.map(({ name }) => name),
          ),
          attributes: attributesOf(RULE_ATTRIBUTES),
        },
        ...RULE_OPTIONS.map((option) => fromTable(option, 'rule')),
        ...attackElements,
        variable,
      ],
      root_attributes: RULE_ATTRIBUTES.map(({ name }) => name),
      group_attributes: ['name'],
      attack_elements: attackElements.map(({ name }) => name),
    },
  }
}
