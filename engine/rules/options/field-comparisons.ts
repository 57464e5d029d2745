/** `<same_field>`, and `<different_field>` with its old name: like `same_*` and `different_*`, for a dynamic field whose name is the content. */
import type { Localized } from '../../diagnostics/text.js'
import { STATIC_INDEX } from '../../event/static-fields.js'
import { nonEmptySetOf } from '../../expressions/meaning.js'
import { append } from '../../source/append.js'
import { foldCase } from '../../source/byte-string.js'
import { trimBytes } from '../../source/white-space.js'
import { elementsOf } from '../../xml/definition-reporter.js'
import type { RuleReporter } from '../reporter.js'
import type { KnownFields, OtherOption } from './option.js'

type Key = 'sameFields' | 'differentFields'

const HELP: Readonly<Record<Key, Localized>> = {
  sameFields: {
    'en-US': 'Counts only events in which this dynamic field is present and equal.',
    'pt-BR': 'Conta só eventos em que este campo dinâmico existe e é igual.',
  },
  differentFields: {
    'en-US': 'Does not count events in which this dynamic field is equal.',
    'pt-BR': 'Não conta eventos em que este campo dinâmico é igual.',
  },
}

function fieldComparison(key: Key, name: string, instead?: string): OtherOption {
  const equal = ['{"text": "login failed", "a": {"b": "1"}}', '{"text": "login failed", "a": {"b": "1"}}']
  const unequal = ['{"text": "login failed", "a": {"b": "1"}}', '{"text": "login failed", "a": {"b": "2"}}']
  return {
    name,
    part: 'correlation',
    repeat: 'each',
    help: HELP[key],
    attributes: [],
    values: [],
    examples: [
      {
        xml: `<${name}>a.b</${name}>`,
        around: '<if_matched_sid>5716</if_matched_sid>',
        attributes: 'frequency="2" timeframe="60"',
        before: '<rule id="5716" level="5"><match>login failed</match><description>a</description></rule>',
        matches: [key === 'sameFields' ? equal : unequal],
        misses: [key === 'sameFields' ? unequal : equal],
      },
    ],
    ...(instead === undefined ? {} : { deprecated: 'deprecated' as const, instead }),
    read: (reader, element) => {
      reader.draft[key] = append(reader.draft[key], element.content)
    },
    check: (reporter, fields) => {
      if (key === 'sameFields') checkConflict(reporter)
      checkName(reporter, name, fields)
    },
    meaning: (definition) => (instead === undefined ? nonEmptySetOf(definition[key].map(foldCase)) : undefined),
  }
}

function checkConflict(reporter: RuleReporter): void {
  const { sameFields, differentFields } = reporter.rule.definition
  const different = new Set(differentFields.map(foldCase))
  for (const name of sameFields) if (different.has(foldCase(name))) reporter.at('rule_same_different_conflict', 'same_field', { tag: 'same_field', other: 'different_field' })
}

function checkName(reporter: RuleReporter, tag: string, { allDynamic }: KnownFields): void {
  for (const element of elementsOf(reporter.owner, tag)) {
    const { content } = element
    if (content !== trimBytes(content)) reporter.report('rule_same_field_static', element, { tag, value: content, reason: 'it has white space around it' })
    else if (content.toLowerCase() in STATIC_INDEX && !allDynamic.has(foldCase(content))) {
      reporter.report('rule_same_field_static', element, { tag, value: content, reason: 'it is a static field' })
    }
  }
}

export const sameField = fieldComparison('sameFields', 'same_field')
export const differentField = fieldComparison('differentFields', 'different_field')
export const notSameField = fieldComparison('differentFields', 'not_same_field', 'different_field')
