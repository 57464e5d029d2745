/** The family of tags that compare one fixed text of the event with a pattern. They differ only by their row in the table below. */
import type { Localized } from '../../diagnostics/text.js'
import { STATIC_INDEX, type StaticFieldName } from '../../event/static-fields.js'
import { append } from '../../source/append.js'
import type { XmlElement } from '../../xml/node.js'
import type { Subject } from '../condition.js'
import { SUBJECT_HOSTNAME, SUBJECT_LOCATION, SUBJECT_LOG, SUBJECT_NEVER, SUBJECT_PROGRAM_NAME, SUBJECT_USER, staticSubject } from '../condition.js'
import type { RuleReader } from '../parse.js'
import type { RuleReporter } from '../reporter.js'
import { TEXT_FAILS } from './explanations.js'
import type { ConditionOption, ExampleEvents } from './option.js'
import { checkEdges, DIALECT_NAME, NEGATE_ATTRIBUTE, patternMeaning, readDialect, readNegate, type RulePattern, TYPE_ATTRIBUTE } from './pattern-text.js'

export type PatternTag = Exclude<StaticFieldName, 'srcip' | 'dstip' | 'srcuser' | 'dstuser'> | keyof typeof TEXT_SUBJECTS

const TEXT_SUBJECTS = {
  match: SUBJECT_LOG,
  regex: SUBJECT_LOG,
  program_name: SUBJECT_PROGRAM_NAME,
  hostname: SUBJECT_HOSTNAME,
  location: SUBJECT_LOCATION,
  user: SUBJECT_USER,
  srcgeoip: SUBJECT_NEVER,
  dstgeoip: SUBJECT_NEVER,
} as const satisfies Record<string, Subject>

interface PatternRow {
  readonly tag: PatternTag
  /** Texts that decoders set to one of few values come first, the log last. */
  readonly cost: number
  readonly dialect: RulePattern['dialect']
  /** The text that the pattern tests. */
  readonly compared: Localized
  readonly content: string
  readonly matches: readonly ExampleEvents[]
  readonly misses: readonly ExampleEvents[]
}

const LOG: Localized = { 'en-US': 'the log, after timestamp, host and program were removed', 'pt-BR': 'o log, depois de retirados data, host e programa' }

/** Returns the row of a static field under its own name. JSON events have it as a member. */
function fieldRow(
  tag: PatternTag & StaticFieldName,
  cost: number,
  content: string,
  [match, miss]: readonly [string, string],
  more: Localized = { 'en-US': '', 'pt-BR': '' },
  dialect: RulePattern['dialect'] = 'osmatch',
): PatternRow {
  const compared = { 'en-US': `the field ${tag}${more['en-US']}`, 'pt-BR': `o campo ${tag}${more['pt-BR']}` }
  const member = tag === 'system_name' ? 'systemname' : tag
  return { tag, cost, dialect, compared, content, matches: [JSON.stringify({ [member]: match })], misses: [JSON.stringify({ [member]: miss }), '{"other": "x"}'] }
}

const AS_TEXT: Localized = { 'en-US': ', as text: 22 also matches 2222', 'pt-BR': ', como texto: 22 também casa com 2222' }

const ROWS: readonly PatternRow[] = [
  { tag: 'match', cost: 25, dialect: 'osmatch', compared: LOG, content: 'authentication failure', matches: ['an Authentication failure'], misses: ['a failure'] },
  { tag: 'regex', cost: 26, dialect: 'osregex', compared: LOG, content: 'user \\S+ not found', matches: ['user bob not found'], misses: ['user not found'] },
  {
    tag: 'program_name',
    cost: 14,
    dialect: 'osmatch',
    compared: { 'en-US': 'the program name of the header', 'pt-BR': 'o nome do programa no cabeçalho' },
    content: '^sshd',
    matches: ['Jan  5 10:11:12 web1 sshd[2201]: hello'],
    misses: ['Jan  5 10:11:12 web1 cron[2201]: hello', 'hello'],
  },
  {
    tag: 'hostname',
    cost: 20,
    dialect: 'osmatch',
    compared: { 'en-US': "the host name of the header, for agents the agent's name", 'pt-BR': 'o nome do host no cabeçalho; para agentes, o nome do agente' },
    content: '^web',
    matches: ['Jan  5 10:11:12 web1 sshd[2201]: hello'],
    misses: ['Jan  5 10:11:12 db1 sshd[2201]: hello'],
  },
  {
    tag: 'location',
    cost: 21,
    dialect: 'osmatch',
    compared: { 'en-US': 'the place that the event came from', 'pt-BR': 'o lugar de onde o evento veio' },
    content: '/var/log/examples.log',
    matches: ['hello'],
    misses: [],
  },
  {
    tag: 'user',
    cost: 19,
    dialect: 'osmatch',
    compared: { 'en-US': 'dstuser, or srcuser when there is none', 'pt-BR': 'dstuser, ou srcuser quando não há' },
    content: '^root$',
    matches: ['{"dstuser": "root", "srcuser": "bob"}', '{"srcuser": "root"}'],
    misses: ['{"dstuser": "bob", "srcuser": "root"}', 'root'],
  },
  fieldRow('id', 11, '^4625$|^4771$', ['4771', '14625']),
  fieldRow('status', 12, '^50', ['503', '404']),
  fieldRow('url', 22, '.env', ['/app/.env', '/index.html']),
  fieldRow('data', 23, 'denied', ['access denied', 'granted']),
  fieldRow('extra_data', 24, '^Security', ['Security log', 'System']),
  fieldRow('protocol', 15, '^tcp$', ['TCP', 'udp']),
  fieldRow('system_name', 16, '^DC01', ['dc01.example', 'web1']),
  fieldRow('srcport', 17, '^22$', ['22', '2222'], AS_TEXT),
  fieldRow('dstport', 18, '^3389$', ['3389', '33890'], AS_TEXT),
  {
    tag: 'srcgeoip',
    cost: 27,
    dialect: 'osmatch',
    compared: { 'en-US': 'the place of srcip; only builds with GeoIP have it', 'pt-BR': 'o lugar de srcip; só existe em builds com GeoIP' },
    content: '^BR',
    matches: [],
    misses: ['{"srcip": "203.0.113.7"}'],
  },
  {
    tag: 'dstgeoip',
    cost: 28,
    dialect: 'osmatch',
    compared: { 'en-US': 'the place of dstip; only builds with GeoIP have it', 'pt-BR': 'o lugar de dstip; só existe em builds com GeoIP' },
    content: '^BR',
    matches: [],
    misses: ['{"dstip": "203.0.113.7"}'],
  },
  fieldRow('action', 13, 'deny', ['deny', 'Deny'], undefined, 'exact'),
]

function patternOption({ tag, cost, dialect, compared, content, matches, misses }: PatternRow): ConditionOption<RulePattern> {
  const option: ConditionOption<RulePattern> = {
    name: tag,
    part: 'condition',
    repeat: 'joined',
    help: {
      'en-US': `Pattern for ${compared['en-US']}. Default dialect: ${DIALECT_NAME[dialect]['en-US']}.`,
      'pt-BR': `Padrão para ${compared['pt-BR']}. Dialeto padrão: ${DIALECT_NAME[dialect]['pt-BR']}.`,
    },
    attributes: [TYPE_ATTRIBUTE, NEGATE_ATTRIBUTE],
    values: [],
    examples: [{ xml: `<${tag}>${content}</${tag}>`, matches, misses }],
    read: (reader, element) => reader.draft.setCondition(option, joinPattern(reader, reader.draft.valueOf(option), tag, dialect, element)),
    check: (reporter) => {
      const pattern = reporter.rule.definition.valueOf(option)
      if (pattern !== undefined) checkPattern(reporter, tag, pattern)
    },
    meaning: (definition) => {
      const pattern = definition.valueOf(option)
      return pattern === undefined ? undefined : patternMeaning(pattern)
    },
    cost,
    compile: (pattern, compiler) =>
      compiler.addPattern(option, pattern, tag in TEXT_SUBJECTS ? TEXT_SUBJECTS[tag as keyof typeof TEXT_SUBJECTS] : staticSubject(tag as StaticFieldName)),
    explain: TEXT_FAILS,
    patternText: ({ text }) => text,
    neededFields: ({ elements }) =>
      tag === 'user'
        ? [{ name: tag, field: 'user', element: elements[0] }]
        : tag in STATIC_INDEX
          ? [{ name: tag, field: { static: STATIC_INDEX[tag as StaticFieldName] }, element: elements[0] }]
          : [],
  }
  return option
}

function joinPattern(reader: RuleReader, before: RulePattern | undefined, tag: PatternTag, dialect: RulePattern['dialect'], element: XmlElement): RulePattern | null {
  const written = readDialect(reader, element)
  const negate = readNegate(reader, element)
  const text = reader.joinText(before?.text ?? null, element, tag)
  return text === null ? null : { text, dialect: written ?? dialect, negate, elements: append(before?.elements ?? [], element) }
}

function checkPattern(reporter: RuleReporter, tag: PatternTag, pattern: RulePattern): void {
  const { text, dialect, negate, elements } = pattern
  if (elements.length > 1) checkRepeat(reporter, tag, elements, dialect === 'osmatch' || dialect === 'exact')
  if (negate && dialect === 'osmatch' && text.startsWith('!')) reporter.report('rule_double_negation', elements[elements.length - 1], { tag })
  if (tag === 'action' && dialect === 'exact' && /[|^$!*\\]/.test(text)) reporter.report('rule_action_exact', elements[0], { value: text })
  checkEdges(reporter, tag, pattern, tag === 'match' || tag === 'regex')
}

/** @param isList the dialect is a list of plain alternatives, whose texts never continue the previous one */
function checkRepeat(reporter: RuleReporter, tag: PatternTag, elements: readonly XmlElement[], isList: boolean): void {
  const last = elements[elements.length - 1]
  for (const [name, absent] of [
    ['type', ''],
    ['negate', 'no'],
  ] as const) {
    const written = (element: XmlElement): string => element.attributes.find((attribute) => attribute.name === name)?.value.toLowerCase() ?? absent
    const odd = elements.find((element) => written(element) !== written(last))
    if (odd !== undefined) reporter.report('rule_negate_lost_on_repeat', odd, { tag, name })
  }
  if (!isList) return
  const joint = elements.findIndex((element, index) => index > 0 && !element.content.startsWith('|') && !elements[index - 1].content.endsWith('|'))
  if (joint > 0) reporter.report('rule_repeat_glued', elements[joint], { tag, value: elements.map(({ content }) => content).join('') })
}

export const PATTERN_OPTIONS: readonly ConditionOption<RulePattern>[] = ROWS.map(patternOption)

const BY_TAG = new Map(PATTERN_OPTIONS.map((option) => [option.name, option]))

/** Returns the option of a tag of this family. */
export function patternOptionOf(tag: PatternTag): ConditionOption<RulePattern> {
  return BY_TAG.get(tag) as ConditionOption<RulePattern>
}
