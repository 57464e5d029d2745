/** SonicWall_Decoder (BEHAVIOUR.md#sonicwall-decoder): three OSRegexes in turn, then a type and an action by category and message id. */
import { STATIC_INDEX } from '../../event/static-fields.js'
import { createMatchResult } from '../../expressions/expression.js'
import { compileOsRegex } from '../../expressions/osregex/osregex.js'
import type { OsRegexExpression } from '../../expressions/osregex/osregex.js'
import { foldCase } from '../../source/byte-string.js'
import type { PluginContext } from './plugin.js'

const HEAD = compiled('pri=(\\d) c=(\\d+) m=(\\d+) ')
const ENDPOINTS = compiled('src=(\\d+.\\d+.\\d+.\\d+):(\\d+):\\S+ dst=(\\d+.\\d+.\\d+.\\d+):(\\d+):')
const REQUEST = compiled('result=(\\d+) dstname=(\\S+) arg=(\\S+)$')
const CATEGORY_LIMIT = 7
const PROTOCOL_LIMIT = 6
const PASSED = new Set(['98', '597', '598'])
const DROPPED = new Set(['38', '36', '173', '174', '37'])

function compiled(pattern: string): OsRegexExpression {
  const outcome = compileOsRegex(pattern, { capturing: true })
  if (!outcome.ok) throw new Error(outcome.error.message)
  return outcome.expression
}

export function decodeSonicWall(context: PluginContext): void {
  const { event } = context
  const text = event.log
  const lower = event.logLower
  const result = createMatchResult()
  const group = (index: number): string => text.slice(result.bounds[2 * index], result.bounds[2 * index + 1])
  // Set first, so that it also applies to a log without any of these texts.
  event.type = 'syslog'
  if (!HEAD.search(text, lower, 0, result) || result.count < 3) return
  const category = group(1).slice(0, CATEGORY_LIMIT)
  const id = group(2)
  context.setStatic(STATIC_INDEX.status, group(0))
  context.setStatic(STATIC_INDEX.id, id)
  if (!ENDPOINTS.search(text, foldCase(text), result.end, result) || result.count < 4) return
  context.setStatic(STATIC_INDEX.srcip, group(0))
  context.setStatic(STATIC_INDEX.srcport, group(1))
  context.setStatic(STATIC_INDEX.dstip, group(2))
  context.setStatic(STATIC_INDEX.dstport, group(3))
  const blank = text.indexOf(' ', result.end)
  if (blank >= 0 && text.startsWith('proto=', blank + 1)) {
    const start = blank + 1 + 'proto='.length
    const slash = text.indexOf('/', start)
    context.setStatic(STATIC_INDEX.protocol, text.slice(start, Math.min(slash < 0 ? text.length : slash, start + PROTOCOL_LIMIT)))
  }
  if (category === '32') event.type = 'ids'
  else if (PASSED.has(id)) setFirewall(context, 'pass')
  else if (DROPPED.has(id)) setFirewall(context, 'drop')
  else if (id === '537') setFirewall(context, 'close')
  else if (id === '97') {
    event.type = 'squid'
    if (blank >= 0 && REQUEST.search(text, lower, blank + 1, result) && result.count === 3) {
      context.setStatic(STATIC_INDEX.id, group(0))
      context.setStatic(STATIC_INDEX.url, group(1) + group(2))
    }
  }
}

function setFirewall(context: PluginContext, action: string): void {
  context.event.type = 'firewall'
  context.setStatic(STATIC_INDEX.action, action)
}
