/** Why an event lacks a field that a rule names: it has another name, it is a member of an array, or only stored alerts have it. */
import type { Localized } from '../diagnostics/text.js'
import { suggest } from '../diagnostics/suggest.js'
import { STATIC_FIELDS } from '../event/static-fields.js'
import { elementOfAlertMember } from '../rules/options/alert-members.js'
import { foldCase, fromByteString, toByteString } from '../source/byte-string.js'
import { cutText } from '../trace/text.js'
import { HINT_TEXT } from './hint-text.js'
import type { TracedRun } from './tip.js'

/** Longer arrays are not read again; those that somebody tests have a few values. */
const ARRAY_LIMIT = 8192

/** Names are Unicode. */
export type Absence =
  /** `field` is an array, which stays one field. */
  | { readonly kind: 'array'; readonly field: string; readonly value: string }
  /** The event has a field with a similar name. */
  | { readonly kind: 'near'; readonly field: string }
  /** Only stored alerts have it. `element`: what tests it; empty: nothing. */
  | { readonly kind: 'alert'; readonly field: string; readonly element: string }

/** @param name Unicode */
export function explainAbsence(run: TracedRun, name: string): Absence | null {
  const array = arrayAbove(run, foldCase(toByteString(name)))
  if (array !== null) return array
  const near = findNear(name, namesOf(run))
  if (near !== null) return { kind: 'near', field: near }
  const element = onlyAlertsHave(run, name) ? elementOfAlertMember(name) : null
  return element === null ? null : { kind: 'alert', field: name, element }
}

/** Whether a name is a member of stored alerts, and no decoder sets a field of this name: none of the ruleset has it in its `<order>`, and no plugin, which sets any name that the log has, has run. */
export function onlyAlertsHave({ recorder, runner }: TracedRun, name: string): boolean {
  if (elementOfAlertMember(name) === null || recorder.decoderSteps.some(({ step }) => step === 'plugin' || step === 'built-in')) return false
  const folded = foldCase(toByteString(name))
  return !runner.ruleset.decoders.definitions.some(({ order }) => order?.some((word) => foldCase(word.name) === folded))
}

/** Returns the field that is a beginning of the path and has an array. @param path in lower case */
function arrayAbove({ event }: TracedRun, path: string): Absence | null {
  for (let index = 0; index < event.names.length; index++) {
    const name = event.names[index]
    if (path.length <= name.length || !(path[name.length] === '.' || path[name.length] === '[') || !path.startsWith(foldCase(name))) continue
    const value = event.valueAt(index)
    if (readArray(value) !== null) return { kind: 'array', field: fromByteString(name), value: cutText(value.replace(/\s+/g, ' '), HINT_TEXT) }
  }
  return null
}

/** Returns the array that a value is the text of; null: it is no array. */
export function readArray(text: string): readonly unknown[] | null {
  if (!text.startsWith('[') || text.length > ARRAY_LIMIT) return null
  try {
    const array: unknown = JSON.parse(text)
    return Array.isArray(array) ? array : null
  } catch {
    return null
  }
}

/** The names of the event's fields. */
function namesOf({ event: { names, statics } }: TracedRun): string[] {
  return [...STATIC_FIELDS.filter((_, index) => statics[index] !== undefined), ...names.map(fromByteString)]
}

/** Returns a name with the same last part (`srcip` for `data.srcip`), or one that differs by a typing error. */
function findNear(wanted: string, known: readonly string[]): string | null {
  const last = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return known.find((name) => name.toLowerCase() !== wanted.toLowerCase() && last(name) === last(wanted)) ?? suggest(wanted, known)
}

/** A sentence about it, with a blank in front. */
export const ABSENCE_WORDS: Localized<(absence: Absence | null) => string> = {
  'en-US': (absence) => {
    switch (absence?.kind) {
      case 'array':
        return ` "${absence.field}" is a JSON array, and an array stays one field with its whole text, ${absence.value}: its members are no fields.`
      case 'near':
        return ` It does have "${absence.field}".`
      case 'alert':
        return ` Only stored alerts have "${absence.field}", and no decoder sets it${absence.element === '' ? '' : `; rules test it with ${absence.element}`}.`
      default:
        return ''
    }
  },
  'pt-BR': (absence) => {
    switch (absence?.kind) {
      case 'array':
        return ` "${absence.field}" é um array JSON, e um array fica sendo um único campo com o texto inteiro, ${absence.value}: os membros dele não são campos.`
      case 'near':
        return ` Mas ele tem "${absence.field}".`
      case 'alert':
        return ` Só alertas armazenados têm "${absence.field}", e nenhum decoder o preenche${absence.element === '' ? '' : `; regras o testam com ${absence.element}`}.`
      default:
        return ''
    }
  },
}
