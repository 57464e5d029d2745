/** Reads dotted paths as MongoDB does: an array on the way stands for each of its elements, and for the one at a position where the path says a number. */
import { isObject, type Value } from '../values.js'

/** A part of a path that stands for an element of an array. */
export const POSITION = /^(0|[1-9][0-9]*)$/

/**
 * Calls `visit` with what stands at the path until it says true; undefined for a way that ends before. An array at the end is visited element
 * by element, and at last as itself. Of an array that has nothing at the path, nothing is visited.
 */
export function reach(value: Value | undefined, path: readonly string[], visit: (found: Value | undefined) => boolean, at = 0): boolean {
  if (at === path.length) {
    if (Array.isArray(value)) for (const element of value) if (visit(element)) return true
    return visit(value)
  }
  if (Array.isArray(value)) {
    if (POSITION.test(path[at]) && Number(path[at]) < value.length && reach(value[Number(path[at])], path, visit, at + 1)) return true
    for (const element of value) if (isObject(element) && reach(element, path, visit, at)) return true
    return false
  }
  if (!isObject(value) || !Object.hasOwn(value, path[at])) return visit(undefined)
  return reach(value[path[at]], path, visit, at + 1)
}
