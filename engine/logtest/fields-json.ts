/** The fields of an event as JSON, without an object of them being made: an event may have hundreds, and each would be a new member of a new shape. */
import type { Event } from '../event/event.js'
import { STATIC_FIELDS, type StaticFieldName } from '../event/static-fields.js'
import { quoteJson } from '../json/quote.js'
import { fromByteString } from '../source/byte-string.js'

/** Characters of names that are kept, printed. Callers' events name fields as they like; with more, all are let go between two events. */
const KEPT_CHARACTERS = 1024 * 1024

/** A field's name. Names that read the same are one. */
interface KnownName {
  /** As it is printed, with its colon. */
  readonly json: string
  /** Of a static field: its position in `Event.statics`; else -1. */
  readonly staticAt: number
  /** The last event that has had it. */
  event: number
}

const STATIC_JSON = STATIC_FIELDS.map((name) => `${JSON.stringify(name)}:`)
const byBytes = new Map<string, KnownName>()
const byText = new Map<string, KnownName>()
let kept = 0
let events = 0

/** What `describeFields` tells, as a JSON object. */
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
      // Of equal names the first counts, and a static field hides a dynamic one.
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
