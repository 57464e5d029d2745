/** OSSECAlert_Decoder (BEHAVIOUR.md#imported-alerts): an alert of another manager. The rule that it names becomes the final rule. */
import { STATIC_INDEX } from '../../event/static-fields.js'
import type { PluginContext } from './plugin.js'

const LOCATION_LIMIT = 254
const LOG_LIMIT = 4094
const DIGITS = /^[0-9]+$/
const BEGINNINGS = ['Alert Level: ', 'ossec: Alert Level']

export function decodeOssecAlert(context: PluginContext): void {
  const { event } = context
  event.type = 'alert'
  const text = event.log
  if (!BEGINNINGS.some((beginning) => text.startsWith(beginning))) return
  let at = text.indexOf(';')
  if (at < 0) return
  at = text.indexOf(':', at + 1)
  if (at < 0 || text[at + 1] !== ' ') return
  const idStart = at + 2
  const idEnd = text.indexOf(' ', idStart)
  if (idEnd < 0) return
  const written = text.slice(idStart, idEnd)
  // `Number` also reads forms that name no rule, as `1e5` and `0x64`.
  const id = DIGITS.test(written) ? Number(written) : -1
  if (!context.knowsRule(id)) return
  at = text.indexOf(';', idEnd)
  if (at < 0 || !text.startsWith(' Location: ', at + 1)) return
  const locationStart = at + 1 + ' Location: '.length
  at = text.indexOf(';', locationStart)
  if (at < 0) return
  event.location = `${event.location}|${text.slice(locationStart, at)}`.slice(0, LOCATION_LIMIT)
  event.hostname = event.location
  at++
  while (text[at] === ' ' && at + 1 < text.length && text[at + 1] !== ' ') {
    const end = text.indexOf(';', at)
    if (end < 0) return
    const item = text.slice(at + 1, end)
    if (item.startsWith('srcip: ')) context.setStatic(STATIC_INDEX.srcip, item.slice('srcip: '.length))
    if (item.startsWith('user: ')) context.setStatic(STATIC_INDEX.dstuser, item.slice('user: '.length))
    at = end + 1
  }
  while (text[at] === ' ') at++
  event.replaceLogs(text.slice(at, at + LOG_LIMIT))
  event.importedRule = id
}
