/**
 * Converts JSON to fields in one pass, without building objects: cJSON's grammar, its printing of arrays, and names joined by dots (BEHAVIOUR.md#json-decoder).
 *
 * Invariants: 1. any bytes result in fields or "not JSON", never an exception; 2. linear in the text; 3. recursion is bounded by NESTING_LIMIT.
 */
import { bytesOf } from '../kernel/last-bytes.js'
import type { FlatFields } from './flat-fields.js'
import { flattenInKernel } from './flatten-in-kernel.js'
import { Flattener, type FlattenOptions } from './flattener.js'
import { OPEN_BRACE } from './grammar.js'
import type { JsonPath } from './paths.js'
import { INVALID, JsonReader } from './reader.js'

const SPACE = 0x20

/**
 * Reads the first value of `text` from `from` on. Returns false if it is not a JSON object; then there are no fields at all.
 * @param root the node of the empty path in the current ruleset
 */
export function flattenJson(text: string, from: number, root: JsonPath, options: FlattenOptions, fields: FlatFields): boolean {
  fields.clear()
  const at = startOf(text, from)
  if (bytesOf(text)[at] !== OPEN_BRACE) return false
  const isObject = flattenInKernel(text, at, root, options, fields)
  if (isObject === null) return flattenByReader(text, at, root, options, fields)
  if (!isObject) fields.clear()
  return isObject
}

/** Returns the offset of the first byte that is neither a blank nor in a byte order mark. */
function startOf(text: string, from: number): number {
  const bytes = bytesOf(text)
  const isMarked = bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf
  let at = isMarked ? from + 3 : from
  while (bytes[at] <= SPACE && at < text.length) at++
  return at
}

/** Reads an object without the kernel. @param at the offset of `{` */
export function flattenByReader(text: string, at: number, root: JsonPath, options: FlattenOptions, fields: FlatFields): boolean {
  fields.clear()
  if (new Flattener(new JsonReader(text), options, fields).readObject(at, root, 1) !== INVALID) return true
  fields.clear()
  return false
}
