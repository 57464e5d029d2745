/** An own rule tests a member of a JSON array, or one of its values: an array is one field with the text of the whole array (BEHAVIOUR.md#json-arrays). */
import { foldCase, fromByteString } from '../../source/byte-string.js'
import type { Condition } from '../../rules/condition.js'
import { SUBJECT_DYNAMIC } from '../../rules/condition.js'
import { cutText } from '../../trace/text.js'
import { HINT_TEXT } from '../hint-text.js'
import type { ToldRun } from '../tip.js'
import { defineTip } from '../tip.js'

/** Longer arrays are not read again; those that somebody tests have a few values. */
const ARRAY_LIMIT = 8192
const VALUES_LIMIT = 64

interface Values {
  readonly rule: number
  /** As the rule writes it. */
  readonly wanted: string
  /** The field with the array. */
  readonly array: string
  readonly value: string
  /** The value that the pattern would match by itself; empty: the rule tests a member that does not exist. */
  readonly single: string
}

function valuesOf(run: ToldRun): Values | null {
  const { near, event } = run
  if (near === null || event.names.length === 0) return null
  for (const { rule, failure } of near.failures) {
    if (failure.kind !== 'condition' || failure.condition.field === null || failure.condition.subject < SUBJECT_DYNAMIC) continue
    const { condition, text } = failure
    const wanted = fromByteString(condition.field ?? '')
    if (text === undefined) {
      const array = arrayAbove(run, foldCase(condition.field ?? ''))
      if (array !== null) return { rule: rule.id, wanted, ...array, single: '' }
    } else {
      const single = matchingValue(condition, text)
      if (single !== null) return { rule: rule.id, wanted, array: wanted, value: cutText(text, HINT_TEXT), single: cutText(single, HINT_TEXT) }
    }
  }
  return null
}

/** Returns the field that is a beginning of the path and has an array. @param path in lower case */
function arrayAbove({ event }: ToldRun, path: string): Pick<Values, 'array' | 'value'> | null {
  for (let index = 0; index < event.names.length; index++) {
    const name = event.names[index]
    if (path.length <= name.length || path[name.length] !== '.' || !path.startsWith(foldCase(name))) continue
    const value = event.valueAt(index)
    if (value.startsWith('[')) return { array: fromByteString(name), value: cutText(value.replace(/\s+/g, ' '), HINT_TEXT) }
  }
  return null
}

/** Returns the value of an array that the pattern matches, though it does not match the text of the array. */
function matchingValue({ test }: Condition, text: string): string | null {
  if (test.kind === 'event' || test.negate || !text.startsWith('[') || text.length > ARRAY_LIMIT) return null
  const passes = (value: string): boolean => {
    if (test.kind === 'exact') return value === test.text
    return test.kind === 'pattern' ? test.expression.test(value, foldCase(value), 0) : test.passes(value)
  }
  return readValues(text).find(passes) ?? null
}

/** The texts and numbers of an array, as byte strings. */
function readValues(text: string): readonly string[] {
  try {
    const values: unknown = JSON.parse(text)
    return Array.isArray(values) ? values.slice(0, VALUES_LIMIT).filter(isValue).map(String) : []
  } catch {
    return []
  }
}

/** An escaped character above 255 is no byte, and no pattern matches it. */
function isValue(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && !/[^\0-\xff]/.test(value))
}

export const jsonArray = defineTip<Values>({
  id: 'json-array',
  isOfOwnContent: true,
  applies: valuesOf,
  about: ({ rule, wanted }) => `${rule} ${wanted}`,
  text: {
    'en-US': ({ rule, wanted, array, value, single }) =>
      single === ''
        ? `Your rule ${rule} tests the field "${wanted}", but "${array}" is a JSON array, and an array stays one field with its whole text, ${value}. Its members are no fields: test "${array}" instead.`
        : `Your rule ${rule} tests the field "${wanted}", which is a JSON array: its whole text, ${value}, is one value. The pattern matches "${single}" alone, but not that text.`,
    'pt-BR': ({ rule, wanted, array, value, single }) =>
      single === ''
        ? `A sua regra ${rule} testa o campo "${wanted}", mas "${array}" é um array JSON, e um array fica sendo um único campo com o texto inteiro, ${value}. Os membros dele não são campos: teste "${array}".`
        : `A sua regra ${rule} testa o campo "${wanted}", que é um array JSON: o texto inteiro, ${value}, é um único valor. O padrão casa com "${single}" sozinho, mas não com esse texto.`,
  },
})
