/** First time seen (BEHAVIOUR.md#first-time-seen): builds the key from the fields of `<fts>` and tests whether it is new. */
import type { Event } from '../event/event.js'
import { STATIC_INDEX } from '../event/static-fields.js'
import { copyOf } from '../source/byte-string.js'
import type { Session } from './session.js'
import { KEY_LIMIT } from './session.js'

const KEY_LENGTH = 255
/** Length of a key that has values of dynamic fields. */
const KEY_LENGTH_DYNAMIC = 256
/** Keys of type `ids` that are compared (`analysisd.fts_list_size`). */
const IDS_KEYS = 32
/** Two keys that share more leading bytes are similar (`analysisd.fts_min_size_for_str`). */
const ALIKE_LENGTH = 14
/** If this many keys are similar, the key is cut to ALIKE_LENGTH. */
const ALIKE_COUNT = 3

/** Static fields in key order, after the decoder's name. */
const KEY_FIELDS = [STATIC_INDEX.id, STATIC_INDEX.dstuser, STATIC_INDEX.srcuser, STATIC_INDEX.srcip, STATIC_INDEX.dstip, STATIC_INDEX.data, STATIC_INDEX.system_name]

/** Whether the event has a key. */
export function hasFts({ decoder }: Event): boolean {
  return decoder !== null && decoder.definition.fts !== null
}

/** Whether the event's key is new. The key is always remembered. False if the decoder has no `fts`. */
export function isFirstTimeSeen(event: Event, session: Session | null): boolean {
  const decoder = event.decoder
  const fts = decoder?.definition.fts
  if (decoder === null || fts === undefined || fts === null) return false
  let key = decoder.name
  for (const field of KEY_FIELDS) key += ` ${fts.statics.includes(field) ? (event.statics[field] ?? '') : ''}`
  key += ` ${fts.location ? event.location : ''}`
  let length = KEY_LENGTH
  for (const wanted of decoder.ftsKeys) {
    const at = event.keys.indexOf(wanted)
    if (at < 0) continue
    key += ` ${event.valueAt(at)}`
    length = KEY_LENGTH_DYNAMIC
  }
  if (session === null) return true
  key = copyOf(key.slice(0, length))
  const { seen, idsKeys } = session
  if (seen.has(key)) return false
  if (event.type === 'ids') {
    let alike = 0
    for (let i = idsKeys.length - 1; i >= 0 && alike < ALIKE_COUNT; i--) if (sharesStart(idsKeys[i], key)) alike++
    idsKeys.push(key)
    if (idsKeys.length > IDS_KEYS) idsKeys.shift()
    if (alike >= ALIKE_COUNT) key = key.slice(0, ALIKE_LENGTH)
    if (seen.has(key)) return false
  }
  if (seen.size >= KEY_LIMIT) {
    const oldest = seen.values().next().value
    if (oldest !== undefined) seen.delete(oldest)
  }
  seen.add(key)
  return true
}

/** Whether they share more than ALIKE_LENGTH leading bytes. */
function sharesStart(a: string, b: string): boolean {
  return a.length > ALIKE_LENGTH && b.length > ALIKE_LENGTH && a.slice(0, ALIKE_LENGTH + 1) === b.slice(0, ALIKE_LENGTH + 1)
}
