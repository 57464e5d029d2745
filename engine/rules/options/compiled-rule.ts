import type { Event } from '../../event/event.js'
import { STATIC_INDEX } from '../../event/static-fields.js'
import { SUBJECT_LOG } from '../condition.js'
import { EVENT_FAILS } from './explanations.js'
import type { ConditionOption } from './option.js'

const ID_LENGTH = 10
const CRAWLERS = ['66.249.', '72.14.', '209.85.', '65.55.', '207.46.', '74.6.', '72.30.', '67.195.']

const TESTS = {
  check_id_size: ({ statics }) => (statics[STATIC_INDEX.id] ?? '').length >= ID_LENGTH,
  comp_srcuser_dstuser: ({ statics }) => {
    const source = statics[STATIC_INDEX.srcuser]
    const target = statics[STATIC_INDEX.dstuser]
    return source === undefined || target === undefined || source === target
  },
  comp_mswin_targetuser_calleruser_diff: ({ log }) => accountsDiffer(log),
  is_simple_http_request: ({ statics }) => statics[STATIC_INDEX.url]?.includes('?') === false,
  is_valid_crawler: ({ log }) => CRAWLERS.some((start) => log.startsWith(start)),
} as const satisfies Readonly<Record<string, (event: Event) => boolean>>

type TestName = keyof typeof TESTS
const NAMES = Object.keys(TESTS) as TestName[]

export const compiledRule: ConditionOption<TestName> = {
  name: 'compiled_rule',
  part: 'condition',
  repeat: 'last',
  help: { 'en-US': 'One of the built-in tests.', 'pt-BR': 'Um dos testes embutidos.' },
  attributes: [],
  values: NAMES,
  examples: [
    { xml: '<compiled_rule>is_simple_http_request</compiled_rule>', matches: ['{"url": "/index.html"}'], misses: ['{"url": "/search?q=x"}', 'x'] },
    { xml: '<compiled_rule>check_id_size</compiled_rule>', matches: ['{"id": "0123456789"}'], misses: ['{"id": "012345678"}'] },
    { xml: '<compiled_rule>comp_srcuser_dstuser</compiled_rule>', matches: ['{"srcuser": "a", "dstuser": "a"}', '{"srcuser": "a"}'], misses: ['{"srcuser": "a", "dstuser": "b"}'] },
    { xml: '<compiled_rule>is_valid_crawler</compiled_rule>', matches: ['66.249.64.1 - GET /'], misses: ['10.66.249.1 - GET /'] },
    {
      xml: '<compiled_rule>comp_mswin_targetuser_calleruser_diff</compiled_rule>',
      matches: ['Target Account Name: bob  Caller User Name: eve  end'],
      misses: ['Target Account Name: bob  Caller User Name: bob  end', 'x'],
    },
  ],
  read: (reader, element) => {
    const name = NAMES.find((known) => known === element.content)
    if (name === undefined) return reader.refuse('rule_compiled_rule_unknown', element, { value: element.content }, { known: NAMES })
    reader.draft.setCondition(compiledRule, name)
  },
  meaning: (definition) => definition.valueOf(compiledRule),
  cost: 60,
  compile: (name, compiler) => compiler.add(compiledRule, { key: `compiled ${name}`, subject: SUBJECT_LOG, test: { kind: 'event', passes: TESTS[name] }, shown: name }),
  explain: EVENT_FAILS,
}

/** Compares the texts after the colons of two labels, up to the first tab or double blank of the target's text. */
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
