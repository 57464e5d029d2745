/** Updates of the contract, on a copy of a document. What MongoDB refuses is refused: a field that can't be made, a number added to a text. */
import type { StoredDocument, Update } from '../contract.js'
import { compareValues } from './order.js'
import { POSITION } from './path.js'
import { copyDocument, copyValue, isObject, type Value, type ValueObject } from './values.js'

/** A hole of an array is filled with null up to here. A position comes from code, not from a request; this keeps a slip from taking all memory. */
const POSITION_LIMIT = 100_000
const OPERATORS = new Set(['$set', '$unset', '$inc', '$addToSet', '$pull'])
const IMMUTABLE = new Set(['_id', 'organization_id'])

type Step = (document: ValueObject) => void

/** @throws TypeError for what the contract doesn't name, or paths that are in each other's way */
export function compileUpdate(update: Update<StoredDocument>): (document: ValueObject) => ValueObject {
  const steps: Step[] = []
  const paths: string[] = []
  for (const [operator, fields] of Object.entries(update)) {
    if (fields === undefined) continue
    if (!OPERATORS.has(operator) || !isObject(fields)) throw new TypeError(`unknown operator ${operator} in an update`)
    for (const [path, operand] of Object.entries(fields)) {
      if (operand === undefined) continue
      if (IMMUTABLE.has(path.split('.')[0])) throw new TypeError(`${path} never changes`)
      const other = paths.find((taken) => taken === path || taken.startsWith(`${path}.`) || path.startsWith(`${taken}.`))
      if (other !== undefined) throw new TypeError(`an update of ${path} is in conflict with one of ${other}`)
      paths.push(path)
      steps.push(readStep(operator, path, operand))
    }
  }
  return (document) => {
    const changed = copyDocument(document).value
    for (const step of steps) step(changed)
    return changed
  }
}

function readStep(operator: string, path: string, operand: unknown): Step {
  const parts = path.split('.')
  if (parts.some((part) => part === '' || part === '__proto__' || part.startsWith('$'))) throw new TypeError(`${path} is no path of a field`)
  switch (operator) {
    case '$set':
      return (document) => change(document, parts, true, () => copyValue(operand))
    case '$unset':
      return (document) => change(document, parts, false, () => undefined)
    case '$inc': {
      if (typeof operand !== 'number') throw new TypeError(`$inc of ${path} needs a number`)
      return (document) =>
        change(document, parts, true, (before) => {
          if (before !== undefined && typeof before !== 'number') throw new TypeError(`$inc of ${path}, which is no number`)
          return (before ?? 0) + operand
        })
    }
    case '$addToSet':
      return (document) =>
        change(document, parts, true, (before) => {
          const element = copyValue(operand) as Value
          const list = listAt(path, before) ?? []
          return list.some((present) => compareValues(present, element) === 0) ? list : [...list, element]
        })
    case '$pull':
      return (document) =>
        change(document, parts, false, (before) => {
          const element = copyValue(operand) as Value
          return listAt(path, before)?.filter((present) => compareValues(present, element) !== 0)
        })
    default:
      throw new TypeError(`unknown operator ${operator} in an update`)
  }
}

function listAt(path: string, value: Value | undefined): Value[] | undefined {
  if (value !== undefined && !Array.isArray(value)) throw new TypeError(`${path} is no array`)
  return value
}

/** Puts what `next` makes of the value at a path. Undefined takes a field away, and leaves null in an array. */
function change(document: ValueObject, path: readonly string[], make: boolean, next: (before: Value | undefined) => Value | undefined): void {
  let holder: ValueObject | Value[] = document
  for (let at = 0; at < path.length - 1; at++) {
    let inner: Value | undefined = read(holder, path[at])
    if (inner === undefined) {
      if (!make) return
      inner = {}
      write(holder, path, at, inner)
    } else if (!isObject(inner) && !Array.isArray(inner)) {
      if (!make) return
      throw new TypeError(`${path.join('.')} can't be made: ${path.slice(0, at + 1).join('.')} is no object`)
    }
    holder = inner
  }
  const last = path[path.length - 1]
  const before = read(holder, last)
  if (before === undefined && !make) return
  const after = next(before)
  if (after !== undefined) write(holder, path, path.length - 1, after)
  else if (Array.isArray(holder)) holder[Number(last)] = null
  else delete holder[last]
}

function read(holder: ValueObject | Value[], part: string): Value | undefined {
  if (Array.isArray(holder)) return POSITION.test(part) ? holder[Number(part)] : undefined
  return Object.hasOwn(holder, part) ? holder[part] : undefined
}

function write(holder: ValueObject | Value[], path: readonly string[], at: number, value: Value): void {
  const part = path[at]
  if (!Array.isArray(holder)) {
    holder[part] = value
    return
  }
  if (!POSITION.test(part) || Number(part) > POSITION_LIMIT) throw new TypeError(`${path.join('.')} can't be made: ${path.slice(0, at).join('.')} is an array`)
  while (holder.length < Number(part)) holder.push(null)
  holder[Number(part)] = value
}
