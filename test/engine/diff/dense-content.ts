/** Random rulesets of a small vocabulary, edits of them, and random events of the same words: unlike in contents of a large vocabulary, most rules compete for the same events. */
import type { BehaviourEvent, SourceFile } from '#engine'
import type { Random } from '../../parity/random/random.js'

const WORDS = ['alder', 'birch', 'cedar', 'elm', 'fir', 'oak']
const USERS = ['ana', 'bruno']
const ADDRESSES = ['192.0.2.1', '192.0.2.200', '198.51.100.7']
const GROUPS = ['soft', 'hard']
const FIRST_ID = 200
const LEVELS = [0, 3, 5, 5, 7, 7, 10, 12]
const ADVANCES = [0, 1, 1, 5, 31, 61]

const DECODERS = `<decoder name="wood"><program_name>^wood$</program_name></decoder>
<decoder name="wood-user"><parent>wood</parent><regex>user=(\\w+) from (\\S+)</regex><order>user, srcip</order></decoder>
<decoder name="wood-user"><parent>wood</parent><regex>kind=(\\w+)</regex><order>wood.kind</order></decoder>
<decoder name="stone"><prematch>^stone</prematch></decoder>`

/** One line each, so that an edit can change one. */
type Rule = readonly string[]

export interface DenseContent {
  readonly before: readonly SourceFile[]
  readonly after: readonly SourceFile[]
  /** What the edit replaced, and by what. */
  readonly edit: string
}

/** @param edits how many parts of rules are changed */
export function makeDense(random: Random, edits: number): DenseContent {
  const rules = random.times(8, 16, (index) => makeRule(random, FIRST_ID + 1 + index))
  let changed: readonly Rule[] = rules
  const said: string[] = []
  for (let count = 0; count < edits; count++) {
    const at = random.between(0, changed.length - 1)
    const rule = edited(random, changed[at])
    said.push(`${changed[at].join('')} -> ${rule.join('')}`)
    changed = rule.length === 0 ? changed.filter((_, index) => index !== at) : changed.with(at, rule)
  }
  return { before: filesOf(rules), after: filesOf(changed), edit: said.join('\n') }
}

/** A sequence of up to six events. */
export function makeSequence(random: Random): BehaviourEvent[] {
  const words = random.times(1, 3, () => random.pick(WORDS))
  return random.times(1, 6, (): BehaviourEvent => {
    const parts = [
      ...(random.chance(0.5) ? words : random.times(0, 4, () => random.pick(WORDS))),
      ...random.maybe(0.5, () => `user=${random.pick(USERS)} from ${random.pick(ADDRESSES)}`),
      ...random.maybe(0.3, () => `kind=${random.pick(WORDS)}`),
    ]
    return { event: `Mar 10 08:15:30 web1 wood: ${parts.join(' ')}`, log_format: 'syslog', advance: random.pick(ADVANCES) }
  })
}

function filesOf(rules: readonly Rule[]): SourceFile[] {
  const file = (kind: SourceFile['kind'], filename: string, content: string): SourceFile => ({ kind, scope: 'custom', filename, content })
  return [
    file('decoders', 'decoders.xml', DECODERS),
    file('rules', '0-template.xml', '<group name="syslog,"><rule id="1" level="0" noalert="1"><category>syslog</category><description>Template.</description></rule></group>'),
    file(
      'rules',
      'rules.xml',
      `<group name="own,"><rule id="${FIRST_ID}" level="0"><decoded_as>wood</decoded_as><description>wood</description></rule>\n${rules.map((lines) => lines.join('\n')).join('\n')}\n</group>`,
    ),
  ]
}

function makeRule(random: Random, id: number): Rule {
  const isComposite = random.chance(0.25) && id > FIRST_ID + 2
  const earlier = (): number => random.between(FIRST_ID, id - 1)
  const attributes = isComposite
    ? ` frequency="${random.between(2, 4)}" timeframe="${random.pick([30, 60])}"${random.chance(0.2) ? ' ignore="30"' : ''}`
    : `${random.chance(0.1) ? ' noalert="1"' : ''}${random.chance(0.1) ? ' ignore="30"' : ''}`
  const parent = isComposite
    ? random.pick([() => `<if_matched_sid>${random.between(FIRST_ID + 1, id - 1)}</if_matched_sid>`, () => `<if_matched_group>${random.pick(GROUPS)}</if_matched_group>`])()
    : random.chance(0.15)
      ? `<if_group>${random.pick(GROUPS)}</if_group>`
      : `<if_sid>${random.chance(0.4) ? FIRST_ID : earlier()}</if_sid>`
  return [
    `<rule id="${id}" level="${random.pick(LEVELS)}"${attributes}>`,
    parent,
    ...random.times(isComposite ? 0 : 1, isComposite ? 1 : 2, () => makeCondition(random)),
    ...(isComposite ? random.maybe(0.6, () => random.pick(['<same_user />', '<same_source_ip />', '<different_user />', '<same_field>wood.kind</same_field>'])) : []),
    ...random.maybe(0.4, () => `<group>${random.pick(GROUPS)},</group>`),
    `<description>${id}</description></rule>`,
  ]
}

function makeCondition(random: Random): string {
  const word = (): string => random.pick(WORDS)
  const not = random.chance(0.2) ? ' negate="yes"' : ''
  return random.pick([
    () => `<match${not}>${word()}</match>`,
    () => `<match${not}>${word()}|${word()}</match>`,
    () => `<match${not}>${word()}</match>`,
    () => `<match${not}>^${word()}|${word()}$</match>`,
    () => `<regex${not}>${word()}\\.*${word()}</regex>`,
    () => `<regex type="pcre2"${not}>\\b(?:${word()}|${word()})\\b.*${word()}</regex>`,
    () => `<user${not}>${random.pick(USERS)}</user>`,
    () => `<srcip>${random.pick(['192.0.2.0/24', '192.0.2.0/25', '198.51.100.7'])}</srcip>`,
    () => `<field name="wood.kind"${not}>${word()}|${word()}</field>`,
  ])()
}

/** Empty: the rule is gone. */
function edited(random: Random, rule: Rule): Rule {
  if (random.chance(0.1)) return []
  const at = random.between(0, rule.length - 2)
  const line = rule[at]
  if (at > 1) {
    if (random.chance(0.3)) return rule.filter((_, index) => index !== at)
    if (/^<(?:match|regex|user|srcip|field)/.test(line)) return rule.with(at, makeCondition(random))
    if (line.startsWith('<group')) return rule.with(at, `<group>${random.pick(GROUPS)},</group>`)
    return rule.filter((_, index) => index !== at)
  }
  if (at === 1)
    return random.chance(0.5)
      ? [...rule.slice(0, 2), makeCondition(random), ...rule.slice(2)]
      : rule.with(
          1,
          line.replace(/\d{3}/, (id) => String(Math.max(FIRST_ID, Number(id) - 1))),
        )
  return rule.with(
    0,
    random.pick([
      () => line.replace(/level="\d+"/, `level="${random.pick(LEVELS)}"`),
      () => line.replace(/frequency="\d"/, `frequency="${random.between(2, 5)}"`),
      () => line.replace(/timeframe="\d+"/, `timeframe="${random.pick([30, 60, 5])}"`),
      () => line.replace(/ ignore="30"/, '').replace(/ noalert="1"/, ''),
      () => (line.includes('ignore') ? line : line.replace('>', ' ignore="30">')),
    ])(),
  )
}
