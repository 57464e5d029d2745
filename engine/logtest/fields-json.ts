/** Prints the fields of an event as JSON without building an object: an event may have hundreds of fields, and each would create a new shape in V8. */
import type { Event } from '../event/event.js'
import { STATIC_FIELDS, type StaticFieldName } from '../event/static-fields.js'
import { escapeBytes } from '../json/quote.js'
import { fromByteString } from '../source/byte-string.js'

/** Limit of cached characters of printed names. Events may name any fields; above the limit the cache is cleared between two events. */
const KEPT_CHARACTERS = 1024 * 1024

/** A field's name; equal names share one object. */
interface KnownName {
  /** The printed name, between the quote that ends the value before it and the quote that begins its own. */
  readonly json: string
  /** The position in `Event.statics`; -1 for a dynamic field. */
  readonly staticAt: number
  /** The last event with this field. */
  event: number
}

const STATIC_JSON = STATIC_FIELDS.map(between)
const byBytes = new Map<string, KnownName>()
const byText = new Map<string, KnownName>()
let kept = 0
let events = 0

/**
 * Returns the result of `describeFields` as JSON. Each field adds two texts, its name with the quotes around it and its value: V8 joins texts as a tree, and
 * visits each of its nodes when the answer is written.
 */
export function fieldsJson(event: Event): string {
  const { statics, names } = event
  let json = ''
  for (let i = 0; i < statics.length; i++) {
    const value = statics[i]
    if (value !== undefined) json += (json === '' ? first(STATIC_JSON[i]) : STATIC_JSON[i]) + escapeBytes(value)
  }
  if (names.length > 0) {
    if (kept > KEPT_CHARACTERS) forget()
    events++
    for (let i = 0; i < names.length; i++) {
      const name = byBytes.get(names[i]) ?? keep(names[i])
      // The first of equal names is used, and a static field hides a dynamic one.
      if (name.event === events || (name.staticAt >= 0 && statics[name.staticAt] !== undefined)) continue
      name.event = events
      json += (json === '' ? first(name.json) : name.json) + escapeBytes(event.valueAt(i))
    }
  }
  return json === '' ? '{}' : `${json}"}`
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
function between(name: string): string {
  return `",${JSON.stringify(name)}:"`
}

/** Makes such a name the first one. */
function first(name: string): string {
  return `{${name.slice(2)}`
}

function forget(): void {
  byBytes.clear()
  byText.clear()
  kept = 0
}
