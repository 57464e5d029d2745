/** SymantecWS_Decoder (BEHAVIOUR.md#symantec-decoder): `20200309,8153,1=5,11=192.0.2.5,10=eve,3=1,2=1`. */
import { STATIC_INDEX } from '../../event/static-fields.js'
import type { PluginContext } from './plugin.js'

const VALUE_LIMIT = 128
const URL_LIMIT = 1024
const ID_LIMIT = 9

const ENTRIES: readonly (readonly [prefix: string, field: number, limit: number])[] = [
  ['10=', STATIC_INDEX.dstuser, VALUE_LIMIT],
  ['11=', STATIC_INDEX.srcip, VALUE_LIMIT],
  ['60=', STATIC_INDEX.url, URL_LIMIT],
]

export function decodeSymantecWs(context: PluginContext): void {
  const { event } = context
  const text = event.log
  let at = text.indexOf(',')
  while (at >= 0) {
    at++
    const entry = ENTRIES.find(([prefix]) => text.startsWith(prefix, at))
    if (entry !== undefined) {
      const [prefix, field, limit] = entry
      const start = at + prefix.length
      const comma = text.indexOf(',', start)
      const end = Math.min(comma < 0 ? text.length : comma, start + limit)
      if (event.statics[field] === undefined) context.setStatic(field, text.slice(start, end))
      at = end
    } else if (text.startsWith('2=', at) || text.startsWith('3=', at)) {
      // The key is part of the id, and commas do not end it.
      const end = Math.min(text.length, at + ID_LIMIT)
      if (event.statics[STATIC_INDEX.id] === undefined) context.setStatic(STATIC_INDEX.id, text.slice(at, end))
      at = end
    }
    at = text.indexOf(',', at)
  }
}
