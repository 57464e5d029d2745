/** Events that are one JSON object, with the wanted fields at their paths. */
import type { CompiledDecoder } from '../event/decoder.js'
import { SUBJECT_LOG } from '../rules/condition.js'
import { foldCase, fromByteString, toByteString } from '../source/byte-string.js'
import type { WantedText } from './wanted-texts.js'

/** A member of a composed object. */
type Member = string | { [name: string]: Member }

/** Names that would change the object itself. */
const SPECIAL: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Composes the text of an event. Null: the root does not accept it, or two fields exclude each other.
 * @param prematch a sample of the root's prematch: what stands before the object, or how it begins
 */
export function jsonLog(root: CompiledDecoder, prematch: string, wanted: readonly WantedText[], chosenValue: (want: WantedText) => string): string | null {
  const open = prematch.indexOf('{')
  const object: { [name: string]: Member } = { ...(open < 0 ? {} : beginning(prematch.slice(open))) }
  for (const want of wanted) {
    const path = (want.subject === SUBJECT_LOG ? 'message' : want.name === 'system_name' ? 'systemname' : fromByteString(want.name)).split('.')
    if (!put(object, path, fromByteString(chosenValue(want)))) return null
  }
  const log = want(wanted, (open < 0 ? prematch : prematch.slice(0, open)) + toByteString(JSON.stringify(object)))
  return root.prematch === null || root.prematch.test(log, foldCase(log), 0) ? log : null
}

/** The text of the log itself may be wanted too: JSON escapes it, so it is put behind the object if it is not found. */
function want(wanted: readonly WantedText[], log: string): string {
  const text = wanted.find(({ subject }) => subject === SUBJECT_LOG)
  return text === undefined || text.passes(log) || text.values.length === 0 ? log : `${log} ${text.values[0]}`
}

/** The members that a prematch begins with, if its sample can be completed to an object. */
function beginning(sample: string): { [name: string]: Member } {
  for (const end of ['', '}', '"}', '":"value"}', '"value"}', '1}', '}}', '"}}', '":{}}']) {
    try {
      return JSON.parse(fromByteString(sample) + end) as { [name: string]: Member }
    } catch {
      // The next end.
    }
  }
  return {}
}

function put(object: { [name: string]: Member }, path: readonly string[], value: string): boolean {
  let at = object
  for (const [depth, name] of path.entries()) {
    if (name === '' || SPECIAL.has(name)) return false
    if (depth === path.length - 1) {
      if (typeof at[name] === 'object') return false
      at[name] = value
      return true
    }
    const next = (at[name] ??= {})
    if (typeof next === 'string') return false
    at = next
  }
  return false
}
