/** The built-in tests of `<compiled_rule>` (engine-rules.md 2.7). */
import type { Event } from '../event/event.js'
import { STATIC_INDEX } from '../event/static-fields.js'
import type { CompiledRuleName } from './rule.js'

const ID_LENGTH = 10
const CRAWLERS = ['66.249.', '72.14.', '209.85.', '65.55.', '207.46.', '74.6.', '72.30.', '67.195.']

const FUNCTIONS: Readonly<Record<CompiledRuleName, (event: Event) => boolean>> = {
  check_id_size: ({ statics }) => (statics[STATIC_INDEX.id] ?? '').length >= ID_LENGTH,
  comp_srcuser_dstuser: ({ statics }) => {
    const source = statics[STATIC_INDEX.srcuser]
    const target = statics[STATIC_INDEX.dstuser]
    return source === undefined || target === undefined || source === target
  },
  comp_mswin_targetuser_calleruser_diff: ({ log }) => accountsDiffer(log),
  is_simple_http_request: ({ statics }) => statics[STATIC_INDEX.url]?.includes('?') === false,
  is_valid_crawler: ({ log }) => CRAWLERS.some((start) => log.startsWith(start)),
}

export function runCompiledRule(name: CompiledRuleName, event: Event): boolean {
  return FUNCTIONS[name](event)
}

/** Compares what stands behind the colons of two labels, up to the first tab or double blank of the target's text. */
function accountsDiffer(log: string): boolean {
  const target = valueAfter(log, 'Target Account Name')
  const caller = valueAfter(log, 'Caller User Name')
  if (target === null || caller === null) return false
  for (let at = 0; at < target.length; at++) {
    if (target[at] !== caller[at]) return true
    if (target[at] === '\t' || (target[at] === ' ' && target[at + 1] === ' ')) return false
  }
  return caller.length !== target.length
}

function valueAfter(log: string, label: string): string | null {
  const at = log.indexOf(label)
  const colon = at < 0 ? -1 : log.indexOf(':', at)
  return colon < 0 ? null : log.slice(colon + 1)
}
