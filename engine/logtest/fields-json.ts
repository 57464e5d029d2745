/** Writes the fields of an event as JSON without building an object: an event may have hundreds of fields, and each would create a new shape in V8. */
import type { Event } from '../event/event.js'
import { STATIC_FIELDS, type StaticFieldName } from '../event/static-fields.js'
import { type JsonBytes, jsonBytes, type JsonWriter } from '../json/json-writer.js'
import { fromByteString } from '../source/byte-string.js'

/** Limit of cached characters of printed names. Events may name any fields; above the limit the cache is cleared between two events. */
const KEPT_CHARACTERS = 1024 * 1024

/** A field's name; equal names share one object. */
interface KnownName {
  /** The printed name, between the quote that ends the value before it and the quote that begins its own. */
  readonly json: JsonBytes
  /** The position in `Event.statics`; -1 for a dynamic field. */
  readonly staticAt: number
  /** The last event with this field. */
  event: number
}

const QUOTE = 0x22
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
/** Bytes of a printed name that end the value before it. */
const AFTER_VALUE = '",'.length

const STATIC_JSON = STATIC_FIELDS.map(between)
const byBytes = new Map<string, KnownName>()
const byText = new Map<string, KnownName>()
let kept = 0
let events = 0

/** Writes the result of `describeFields`. */
export function writeFields(writer: JsonWriter, event: Event): void {
  const { statics, names } = event
  writer.byte(OPEN_BRACE)
  /** Where the next name begins: before the first one, no value ends. */
  let from = AFTER_VALUE
  for (let i = 0; i < statics.length; i++) {
    const value = statics[i]
    if (value === undefined) continue
    writer.constant(STATIC_JSON[i], from)
    writer.escaped(value)
    from = 0
  }
  if (names.length > 0) {
    if (kept > KEPT_CHARACTERS) forget()
    events++
    for (let i = 0; i < names.length; i++) {
      const name = byBytes.get(names[i]) ?? keep(names[i])
      // The first of equal names is used, and a static field hides a dynamic one.
      if (name.event === events || (name.staticAt >= 0 && statics[name.staticAt] !== undefined)) continue
      name.event = events
      writer.constant(name.json, from)
      event.writeValue(i, writer)
      from = 0
    }
  }
  if (from === 0) writer.byte(QUOTE)
  writer.byte(CLOSE_BRACE)
}

function keep(bytes: string): KnownName {
  const text = fromByteString(bytes)
  let name = byText.get(text)
  if (name === undefined) {
    name = { json: between(text), staticAt: STATIC_FIELDS.indexOf(text as StaticFieldName), event: 0 }
    byText.set(text, name)
  }
  byBytes.set(bytes, name)
  kept += bytes.length + name.json.length
  return name
}

/** Prints a name that follows another field. */
function between(name: string): JsonBytes {
  return jsonBytes(`",${JSON.stringify(name)}:"`)
}

function forget(): void {
  byBytes.clear()
  byText.clear()
  kept = 0
}
