/** Events that are one JSON object, with the wanted fields at their paths. */
import { type Subject, SUBJECT_LIST_USER, SUBJECT_USER } from '../rules/condition.js'
import { fromByteString, toByteString } from '../source/byte-string.js'
import { type Goal, LOG } from './goal.js'
import type { TextTests } from './text-tests.js'

/** A member of a composed object. */
type Member = string | { [name: string]: Member }

/** Names that would change the object itself. */
const SPECIAL: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Composes the text of an event. Null: two fields exclude each other, or no value is known.
 * @param sample a text that the prematches of the decoders accept: what stands before the object, or how it begins
 * @param isDecoded whether the decoders accept the log
 */
export function jsonLog(
  sample: string,
  goal: Goal,
  fieldValue: (subject: Subject, tests: TextTests) => string | undefined,
  isDecoded: (log: string) => boolean,
  variant: number,
): string | null {
  // A prematch without a brace may be a member of the object.
  if (!sample.includes('{') && /^"[^"]*":/.test(sample) && variant % 2 === 0) return jsonLog(`{${sample}`, goal, fieldValue, isDecoded, variant)
  const open = sample.indexOf('{')
  const { '': unnamed, ...begun } = open < 0 ? {} : beginning(sample.slice(open))
  // What a pattern wants only the beginning of gets a name.
  const object: { [name: string]: Member } = unnamed === undefined ? begun : goal.required.length > 0 ? begun : { ...begun, message: 'value' }
  for (const [subject, tests] of goal.required) {
    const value = fieldValue(subject, tests)
    if (value === undefined || !put(object, pathOf(subject, tests.name), fromByteString(value))) return null
  }
  const before = open < 0 ? sample : sample.slice(0, open)
  const text = goal.of(LOG)
  const passes = (log: string): boolean => isDecoded(log) && (text === undefined || text.passes(log))
  const first = before + toByteString(JSON.stringify(object))
  if (passes(first) || text === undefined) return first
  // The text of the log itself is wanted too: as a member, or, since JSON escapes it, behind the object.
  const wanted = text.value(null) ?? ''
  const spaced = toByteString(JSON.stringify(object, null, 1).replaceAll(/\n\s*/g, ' '))
  const candidates = [
    before + toByteString(JSON.stringify({ ...object, message: fromByteString(wanted) })),
    before + spaced,
    `${first} ${wanted}`,
    `${before}${merged(object, wanted) ?? ''}`,
  ]
  return candidates.filter(passes)[variant] ?? candidates[variant] ?? null
}

/** An object that begins with a wanted text such as `{"type":"x"`, and has the other members behind it. */
function merged(object: { [name: string]: Member }, wanted: string): string | null {
  const open = wanted.indexOf('"')
  if (open < 0) return null
  return toByteString(JSON.stringify({ ...beginning(wanted.startsWith('{') ? wanted : `{${wanted.slice(open)}`), ...object }))
}

function pathOf(subject: Subject, name: string): string[] {
  if (subject === SUBJECT_USER || subject === SUBJECT_LIST_USER) return ['dstuser']
  return (name === 'system_name' ? 'systemname' : fromByteString(name)).split('.')
}

/** The members that a sample begins with, if it can be completed to an object. */
function beginning(sample: string): { [name: string]: Member } {
  for (const end of ['', '}', '"}', '":"value"}', ':"value"}', '"value"}', '1}', '}}', '"}}', '":{}}']) {
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
    if (!Object.hasOwn(at, name)) at[name] = {}
    const next = at[name]
    if (typeof next === 'string') return false
    at = next
  }
  return false
}
