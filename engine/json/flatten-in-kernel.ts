/** Flattens a JSON object in the kernel, which stops at a name that it does not know and at a value that it cannot read: the reader in JavaScript reads these. */
import { AFTER_NAME, AFTER_VALUE, ARRAYS_ARE_FIELDS, ARRAYS_ARE_SKIPPED, AT_START, DONE, HASH_FACTOR, NAME, NULLS_ARE_FIELDS } from '../kernel/json-records.js'
import { flatten } from '../kernel/kernel.js'
import { addressOf } from '../kernel/last-bytes.js'
import {
  JSON_AT,
  JSON_COUNT,
  JSON_DEPTH,
  JSON_ENDS,
  JSON_HASH,
  JSON_IDS,
  JSON_NAMES,
  JSON_NAMES_MASK,
  JSON_NODE,
  JSON_PARENT,
  JSON_PREVIOUS,
  JSON_STARTS,
  LOG_ROOM,
} from '../kernel/layout.js'
import { WORDS } from '../kernel/memory.js'
import type { FlatFields } from './flat-fields.js'
import { Flattener, type FlattenOptions } from './flattener.js'
import { PathTable } from './path-table.js'
import type { JsonPath } from './paths.js'
import { INVALID, JsonReader } from './reader.js'

/** Returns whether the text is an object, or null if that and its fields are not known: the kernel does not read it. @param at the offset of `{` */
export function flattenInKernel(text: string, at: number, root: JsonPath, options: FlattenOptions, fields: FlatFields): boolean | null {
  const { length } = text
  if (flatten === null || length > LOG_ROOM) return null
  const table = (root.tree.table ??= new PathTable(root))
  if (root.node === 0) return null
  const mode = (options.nulls === 'string' ? NULLS_ARE_FIELDS : 0) | (options.arrays === 'array' ? ARRAYS_ARE_FIELDS : options.arrays === 'discard' ? ARRAYS_ARE_SKIPPED : 0)
  const words = WORDS
  words[JSON_AT >> 2] = at
  words[JSON_PARENT >> 2] = 0
  words[JSON_PREVIOUS >> 2] = 0
  words[JSON_NODE >> 2] = root.node
  words[JSON_DEPTH >> 2] = 0
  words[JSON_COUNT >> 2] = 0
  words[JSON_HASH >> 2] = 0
  words[JSON_NAMES >> 2] = table.names.slots
  words[JSON_NAMES_MASK >> 2] = table.names.mask
  let answer = flatten(addressOf(text), length, AT_START, mode)
  while (answer > DONE) {
    // A new name may make the memory grow, and a reader knows only that of its time.
    const reader = new JsonReader(text)
    if (answer === NAME) {
      const node = readName(reader, table)
      if (node <= 0) return node === INVALID ? false : null
    } else if (!readValue(new Flattener(reader, options, fields), table, fields)) return false
    answer = flatten(addressOf(text), length, answer === NAME ? AFTER_NAME : AFTER_VALUE, mode)
  }
  if (answer !== DONE) return false
  fields.take(WORDS[JSON_COUNT >> 2], table)
  return true
}

/** Returns the node of the name at which the kernel stopped, INVALID, or 0: there is no room for it. */
function readName(reader: JsonReader, table: PathTable): number {
  const end = reader.string(WORDS[JSON_AT >> 2])
  if (end === INVALID) return INVALID
  const parent = WORDS[JSON_PARENT >> 2]
  const node = table.nodeOf(table.pathOf(parent).child(reader.value()), parent)
  if (node === 0) return 0
  WORDS[JSON_AT >> 2] = end
  WORDS[JSON_NODE >> 2] = node
  WORDS[JSON_NAMES >> 2] = table.names.slots
  WORDS[JSON_NAMES_MASK >> 2] = table.names.mask
  // A name with escapes differs from its source text.
  if (!reader.escaped) table.learn()
  return node
}

/** Reads the value at which the kernel stopped. Returns false if it is none. */
function readValue(flattener: Flattener, table: PathTable, fields: FlatFields): boolean {
  const path = table.pathOf(WORDS[JSON_NODE >> 2])
  fields.count = 0
  const end = flattener.readValue(WORDS[JSON_AT >> 2], path, WORDS[JSON_DEPTH >> 2])
  if (end === INVALID) return false
  WORDS[JSON_AT >> 2] = end
  if (fields.count === 0) return true
  const place = WORDS[JSON_COUNT >> 2]++
  const id = table.idOf(path)
  WORDS[(JSON_IDS >> 2) + place] = id
  WORDS[(JSON_STARTS >> 2) + place] = fields.starts[0]
  WORDS[(JSON_ENDS >> 2) + place] = fields.ends[0]
  WORDS[JSON_HASH >> 2] = Math.imul(WORDS[JSON_HASH >> 2] ^ id, HASH_FACTOR)
  const text = fields.texts[0]
  if (text !== null) fields.printed.push({ place, text })
  return true
}
