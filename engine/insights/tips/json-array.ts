/** An own rule tests a member of a JSON array, or one of its values: an array is one field with the text of the whole array (BEHAVIOUR.md#json-arrays). */
import { STATIC_FIELDS } from '../../event/static-fields.js'
import { foldCase, fromByteString } from '../../source/byte-string.js'
import type { Condition } from '../../rules/condition.js'
import { SUBJECT_DYNAMIC, SUBJECT_STATIC } from '../../rules/condition.js'
import { cutText } from '../../trace/text.js'
import { explainAbsence, readArray } from '../absent-field.js'
import { HINT_TEXT } from '../hint-text.js'
import type { ToldRun } from '../tip.js'
import { defineTip } from '../tip.js'

const VALUES_LIMIT = 64
/** Arrays in arrays, and objects in them. */
const DEPTH_LIMIT = 4

interface Values {
  /** `member`: the rule tests a member that does not exist. `value`: its pattern matches one value. `spaces`: its pattern is for an array without white space. */
  readonly kind: 'member' | 'value' | 'spaces'
  readonly rule: number
  /** As the rule writes it. */
  readonly wanted: string
  /** The field with the array. */
  readonly array: string
  readonly value: string
  /** The value that the pattern would match by itself. */
  readonly single: string
}

function valuesOf(run: ToldRun): Values | null {
  const { near } = run
  if (near === null) return null
  for (const { rule, failure } of near.failures) {
    if (failure.kind !== 'condition' || failure.condition.subject < SUBJECT_STATIC) continue
    const { condition, text } = failure
    const wanted = fromByteString(condition.field ?? STATIC_FIELDS[condition.subject - SUBJECT_STATIC] ?? '')
    if (text === undefined) {
      // The hint about the nearest rule says it.
      const absence = condition.subject < SUBJECT_DYNAMIC || near.rule?.rule === rule ? null : explainAbsence(run, wanted)
      if (absence?.kind === 'array') return { kind: 'member', rule: rule.id, wanted, array: absence.field, value: absence.value, single: '' }
      continue
    }
    const found = matchingPart(condition, text)
    if (found !== null) return { ...found, rule: rule.id, wanted, array: wanted, value: cutText(text.replace(/\s+/g, ' '), HINT_TEXT) }
  }
  return null
}

/** Returns what of an array the pattern matches, though it does not match the text of the array. */
function matchingPart({ test }: Condition, text: string): Pick<Values, 'kind' | 'single'> | null {
  if (test.kind === 'event' || test.negate) return null
  const passes = (value: string): boolean => {
    if (test.kind === 'exact') return value === test.text
    return test.kind === 'pattern' ? test.expression.test(value, foldCase(value), 0) : test.passes(value)
  }
  const array = readArray(text)
  if (array === null) return null
  const written = JSON.stringify(array)
  if (isBytes(written) && passes(written)) return { kind: 'spaces', single: cutText(written, HINT_TEXT) }
  const single = valuesIn(array, DEPTH_LIMIT).filter(isBytes).slice(0, VALUES_LIMIT).find(passes)
  return single === undefined ? null : { kind: 'value', single: cutText(single, HINT_TEXT) }
}

/** The texts and numbers of an array, and of what is in it. */
function valuesIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  return depth === 0 || typeof value !== 'object' || value === null ? [] : Object.values(value).flatMap((one) => valuesIn(one, depth - 1))
}

/** An escaped character above 255 is no byte, and no pattern matches it. */
function isBytes(text: string): boolean {
  return !/[^\0-\xff]/.test(text)
}

export const jsonArray = defineTip<Values>({
  id: 'json-array',
  isOfOwnContent: true,
  applies: valuesOf,
  about: ({ rule, wanted }) => `${rule} ${wanted}`,
  text: {
    'en-US': ({ kind, rule, wanted, array, value, single }) => {
      const subject = `Your rule ${rule} tests the field "${wanted}"`
      switch (kind) {
        case 'member':
          return `${subject}, but "${array}" is a JSON array, and an array stays one field with its whole text, ${value}. Its members are no fields: test "${array}" instead.`
        case 'value':
          return `${subject}, which is a JSON array: its whole text, ${value}, is one value. The pattern matches "${single}" alone, but not that text.`
        case 'spaces':
          return `${subject}, which is a JSON array, and Wazuh rewrites its text, with white space: ${value}. The pattern matches only ${single}.`
      }
    },
    'pt-BR': ({ kind, rule, wanted, array, value, single }) => {
      const subject = `A sua regra ${rule} testa o campo "${wanted}"`
      switch (kind) {
        case 'member':
          return `${subject}, mas "${array}" é um array JSON, e um array fica sendo um único campo com o texto inteiro, ${value}. Os membros dele não são campos: teste "${array}".`
        case 'value':
          return `${subject}, que é um array JSON: o texto inteiro, ${value}, é um único valor. O padrão casa com "${single}" sozinho, mas não com esse texto.`
        case 'spaces':
          return `${subject}, que é um array JSON, e o Wazuh escreve o texto dele de novo, com espaços em branco: ${value}. O padrão só casa com ${single}.`
      }
    },
  },
})
