/** PF_Decoder (BEHAVIOUR.md#pf-decoder): `rule 7/(match) pass in on em1: 192.0.2.5.4321 > 198.51.100.9.53:  udp 40`. */
import { STATIC_INDEX } from '../../event/static-fields.js'
import type { PluginContext } from './plugin.js'

export function decodePf(context: PluginContext): void {
  const text = context.event.log
  const close = text.indexOf(')')
  if (close < 0 || text[close + 1] !== ' ') return
  const verb = text[close + 2]
  if (verb === 'p') context.setStatic(STATIC_INDEX.action, 'pass')
  else if (verb === 'b') context.setStatic(STATIC_INDEX.action, 'block')
  else return
  const colon = text.indexOf(':', close + 2)
  if (colon < 0 || text[colon + 1] !== ' ') return
  const sourceEnd = text.indexOf(' ', colon + 2)
  if (sourceEnd < 0) return
  setEndpoint(context, text.slice(colon + 2, sourceEnd), STATIC_INDEX.srcip, STATIC_INDEX.srcport)
  if (!text.startsWith('> ', sourceEnd + 1)) return
  const target = sourceEnd + 3
  const targetEnd = text.indexOf(':', target)
  if (targetEnd < 0) return
  setEndpoint(context, text.slice(target, targetEnd), STATIC_INDEX.dstip, STATIC_INDEX.dstport)
  let at = targetEnd + 1
  while (text[at] === ' ') at++
  if (at >= text.length) return
  context.setStatic(STATIC_INDEX.protocol, text[at] === 'u' ? 'UDP' : text[at] === 'i' ? 'ICMP' : 'TCP')
}

/** Splits at the fourth dot: address and port. */
function setEndpoint(context: PluginContext, text: string, address: number, port: number): void {
  let at = -1
  for (let dots = 0; dots < 4; dots++) {
    at = text.indexOf('.', at + 1)
    if (at < 0) return context.setStatic(address, text)
  }
  context.setStatic(address, text.slice(0, at))
  context.setStatic(port, text.slice(at + 1))
}
