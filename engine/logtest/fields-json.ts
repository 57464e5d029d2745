/** Prints the fields of an event as JSON without building an object: an event may have hundreds of fields, and each would create a new shape in V8. */
import type { Event } from '../event/event.js'
import { STATIC_FIELDS, type StaticFieldName } from '../event/static-fields.js'
import { quoteJson } from '../json/quote.js'
import { fromByteString } from '../source/byte-string.js'

/** Limit of cached characters of printed names. Events may name any fields; above the limit the cache is cleared between two events. */
const KEPT_CHARACTERS = 1024 * 1024

/** A field's name; equal names share one object. */
interface KnownName {
  /** The printed name with its colon. */
  readonly json: string
  /** The position in `Event.statics`; -1 for a dynamic field. */
  readonly staticAt: number
  /** The last event with this field. */
  event: number
}

const STATIC_JSON = STATIC_FIELDS.map((name) => `${JSON.stringify(name)}:`)
const byBytes = new Map<string, KnownName>()
const byText = new Map<string, KnownName>()
let kept = 0
let events = 0

/** Returns the result of `describeFields` as JSON. */
export function fieldsJson(event: Event): string {
  const { statics, names } = event
  let json = ''
  for (let i = 0; i < statics.length; i++) {
    const value = statics[i]
    if (value !== undefined) json += `${json === '' ? '{' : ','}${STATIC_JSON[i]}${quoteJson(fromByteString(value))}`
  }
  if (names.length > 0) {
    if (kept > KEPT_CHARACTERS) forget()
    events++
    for (let i = 0; i < names.length; i++) {
      const name = byBytes.get(names[i]) ?? keep(names[i])
      // The first of equal names is used, and a static field hides a dynamic one.
      if (name.event === events || (name.staticAt >= 0 && statics[name.staticAt] !== undefined)) continue
      name.event = events
      json += `${json === '' ? '{' : ','}${name.json}${quoteJson(fromByteString(event.valueAt(i)))}`
    }
  }
  return json === '' ? '{}' : `${json}}`
}

function keep(bytes: string): KnownName {
  const text = fromByteString(bytes)
  let name = byText.get(text)
  if (name === undefined) {
    name = { json: `${JSON.stringify(text)}:`, staticAt: STATIC_FIELDS.indexOf(text as StaticFieldName), event: 0 }
    byText.set(text, name)
  }
  byBytes.set(bytes, name)
  kept += bytes.length + name.json.length
  return name
}

function forget(): void {
  byBytes.clear()
  byText.clear()
  kept = 0
}
