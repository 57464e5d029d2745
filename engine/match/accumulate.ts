/** `<accumulate>` (BEHAVIOUR.md#accumulate): adds fields of earlier events with the same host, decoder and id. */
import type { Event } from '../event/event.js'
import { STATIC_INDEX } from '../event/static-fields.js'
import { copyOf } from '../source/byte-string.js'
import type { Session } from './session.js'
import { rememberKey } from './session.js'

const FIELDS = [STATIC_INDEX.dstuser, STATIC_INDEX.srcuser, STATIC_INDEX.dstip, STATIC_INDEX.srcip, STATIC_INDEX.dstport, STATIC_INDEX.srcport, STATIC_INDEX.data]
/** Seconds after which an entry is replaced. */
const ENTRY_AGE = 120
const KEY_LENGTH = 255
/** Longer values are never copied. */
const VALUE_LENGTH = 80

/** @param hostname the event's host, or the manager's */
export function accumulate(event: Event, session: Session, hostname: string): void {
  const id = event.statics[STATIC_INDEX.id]
  const name = event.decoder?.name
  if (id === undefined || name === undefined) return
  const key = `${hostname} ${name} ${id}`
  if (key.length > KEY_LENGTH) return
  let entry = session.accumulated.get(key)
  if (entry === undefined || event.received - entry.updated > ENTRY_AGE) {
    entry = { values: new Array(FIELDS.length), updated: event.received }
    rememberKey(session.accumulated, key, entry)
  }
  for (let i = 0; i < FIELDS.length; i++) {
    const remembered = entry.values[i]
    if (!event.statics[FIELDS[i]] && remembered) event.statics[FIELDS[i]] = remembered
  }
  for (let i = 0; i < FIELDS.length; i++) {
    const value = event.statics[FIELDS[i]]
    if (!entry.values[i] && value && value.length <= VALUE_LENGTH) entry.values[i] = copyOf(value)
  }
  entry.updated = event.received
}
