/**
 * Events for a goal and a way to decode them: values for the fields first, then one log in which all patterns of decoders and rules are found at once, then the header.
 * What comes out is a guess; the engine runs it.
 */
import type { CompiledDecoder } from '../event/decoder.js'
import type { Expression } from '../expressions/expression.js'
import { alternationOf, childrenOf, type Node } from '../expressions/pcre2/ast.js'
import { setOf } from '../expressions/pcre2/byte-set.js'
import { SUBJECT_HOSTNAME, SUBJECT_LOCATION, SUBJECT_PROGRAM_NAME, type Subject } from '../rules/condition.js'
import { foldCase } from '../source/byte-string.js'
import type { DetectedFormat } from '../logtest/detect-format.js'
import { DEFAULT_LOCATION } from '../predecoding/location.js'
import { eventchannelEvent, WRITTEN } from './compose-eventchannel.js'
import { jsonLog } from './compose-json.js'
import { type DecodePlan, subjectsOf } from './decode-plan.js'
import { findText } from './find-text.js'
import { type Goal, isSameField, LOG } from './goal.js'
import { isAnchored, literalNode, partsOf } from '../expressions/pattern-nodes.js'
import { TextAutomaton } from './text-automaton.js'
import type { Part } from './text-program.js'
import { usualValue } from './usual-values.js'
import { type GroupTexts, partsBehind, type PatternCache, patternsOf, type TextPatterns, TextTests } from './text-tests.js'

/** How one plan is composed. */
interface Variant {
  /** The first decoder of the family reads the event too. */
  readonly first: boolean
  /** Wanted fields are not filled with a value: their tests are searched for in the log itself, together with all other patterns. */
  readonly loose: boolean
  /** What the decoders read follows each other, with a space between: the form of most families of keys and values. `behind`: also what chooses the decoders. */
  readonly apart: 'no' | 'over' | 'behind'
  /** Fields that nothing wants have no value of their own. */
  readonly bare: boolean
  /** Which of several decoders fills a field. */
  readonly supplier: number
}

const USUAL: Variant = { first: false, loose: false, apart: 'no', bare: false, supplier: 0 }
const VARIANT_LIST: readonly Variant[] = [
  { ...USUAL, apart: 'over' },
  USUAL,
  { ...USUAL, first: true, apart: 'over' },
  { ...USUAL, apart: 'behind' },
  { ...USUAL, first: true },
  { ...USUAL, first: true, loose: true },
  { ...USUAL, loose: true, bare: true },
  { ...USUAL, first: true, bare: true },
  { ...USUAL, bare: true, supplier: 1 },
  { ...USUAL, loose: true, bare: true, supplier: 1 },
  { ...USUAL, bare: true, supplier: 2 },
]
/** Compositions of one plan. */
export const VARIANTS = VARIANT_LIST.length
const AGENT = '[001] '
const TIMESTAMP = 'Nov 23 10:11:12'
const HOST = 'web1'
/** The process id that most programs write after their name. */
const PID = '[2201]: '
const NAME_BYTES = setOf((byte) => /[\w()\-./@]/.test(String.fromCharCode(byte)))
const NAME: Node = { kind: 'repeat', body: { kind: 'set', set: NAME_BYTES }, min: 0, max: Number.POSITIVE_INFINITY, mode: 'greedy' }
const PADDING = 'a'
/** Numbers of the entries that the SymantecWS decoder reads; the id is written with its own (BEHAVIOUR.md#symantec-decoder). */
const SYMANTEC_ENTRIES: ReadonlyMap<string, string> = new Map([
  ['dstuser', '10'],
  ['srcip', '11'],
  ['url', '60'],
])
const SONICWALL_FIELDS: readonly string[] = ['status', 'id', 'srcip', 'srcport', 'dstip', 'dstport', 'protocol', 'action']
const BETWEEN: Part = { node: literalNode(' ') }

/** An event as it is sent. Texts are byte strings. */
export interface ComposedEvent {
  readonly text: string
  /** Null: the default one. */
  readonly location: string | null
  readonly format: DetectedFormat
}

/** @param round rounds differ in the fields that vary. Null: there is no such event */
export function composeEvent(plan: DecodePlan, goal: Goal, variant: number, round: number): ComposedEvent | null {
  const composer = new Composer(plan, goal, variant, round)
  const text = composer.event()
  if (text === null) return null
  const location = composer.location()
  return location === undefined
    ? null
    : { text, location, format: plan.kind === 'eventchannel' ? 'eventchannel' : plan.kind === 'json' && text.startsWith('{') ? 'json' : 'syslog' }
}

/** A log behind the header of a program whose name an expression accepts; none if no name is found. */
export function withProgram(program: Expression, log: string, cache: PatternCache): string[] {
  const { wanted, unwanted } = patternsOf(cache, program, false)
  const nameOnly = cache.wholeOf(NAME)
  const name = findText([...wanted, ...(nameOnly === null ? [] : [nameOnly])], unwanted, cache.budget)
  return name === null ? [] : [`${TIMESTAMP} ${HOST} ${name}${PID}${log}`]
}

class Composer {
  readonly #plan: DecodePlan
  readonly #goal: Goal
  readonly #variant: number
  readonly #how: Variant
  readonly #round: number
  readonly #values = new Map<Subject, string>()

  constructor(plan: DecodePlan, goal: Goal, variant: number, round: number) {
    this.#plan = plan
    this.#goal = goal
    this.#variant = variant
    this.#how = VARIANT_LIST[variant]
    this.#round = round
  }

  event(): string | null {
    const { kind } = this.#plan
    if (kind === 'eventchannel')
      return this.#variant > 0 ? null : eventchannelEvent(this.#goal, (subject, tests) => this.valueOf(subject, tests, this.#goal.cache.wholeOf(WRITTEN)))
    const log = kind === 'json' ? this.json() : kind === 'plain' ? this.plain() : this.text()
    return log === null ? null : this.withHeader(log)
  }

  /** Where the event comes from. Null: the default location is right; undefined: none is known. */
  location(): string | null | undefined {
    const tests = this.#goal.of(SUBJECT_LOCATION)
    const isVaried = this.#goal.varied.has(SUBJECT_LOCATION)
    if (!isVaried && (tests === undefined || tests.passes(DEFAULT_LOCATION))) return null
    const found = (tests ?? new TextTests('', this.#goal.cache)).value(null, isVaried ? this.#round : 0)
    // Behind a bracket there is the number of an agent.
    return found?.startsWith('[') ? `${AGENT}${found}` : found
  }

  plain(): string | null {
    if (this.#variant > 0) return null
    const found = this.#log([])
    return found === null ? null : this.#lengthened(found)
  }

  /** The log of a family of regexes. */
  text(): string | null {
    const { root, entry, members } = this.#plan
    const cache = this.#goal.cache
    const patterns: TextPatterns[] = []
    const rootParts = root?.prematch == null ? [] : partsBehind(root.prematch, [])
    if (root?.prematch != null) patterns.push(patternsOf(cache, root.prematch, false))
    let entryParts: Part[] = rootParts
    if (entry?.prematch != null) {
      const before = entry.definition.prematch?.offset === 'after_parent' ? rootParts : []
      patterns.push(patternsOf(cache, entry.prematch, false, before))
      entryParts = partsBehind(entry.prematch, before)
    }
    const needed = this.#neededMembers()
    if (needed === null) return null
    let regexParts: Part[] | null = null
    let apart: { readonly parts: readonly Part[]; readonly count: number } = { parts: [], count: 0 }
    for (const member of members) {
      const { regex, definition } = member
      if (regex === null || !needed.has(member)) continue
      const offset = definition.regex?.offset ?? 'none'
      const before = offset === 'none' ? [] : offset === 'after_parent' ? rootParts : offset === 'after_regex' && regexParts !== null ? regexParts : entryParts
      const { texts, loose } = this.#groupsOf(member)
      if (this.#how.apart !== 'no' && offset !== 'after_regex' && !isAnchored(partsOf(regex).main, 'subject_start')) {
        const preceding = apart.count > 0 ? apart.parts : this.#how.apart === 'behind' ? entryParts : []
        const [part] = partsBehind(regex, [], texts)
        apart = { parts: [...preceding, ...(preceding.length === 0 ? [] : [BETWEEN]), { ...part, node: firstBranch(part) }], count: apart.count + 1 }
        regexParts = partsBehind(regex, before, texts)
        continue
      }
      patterns.push(patternsOf(cache, regex, false, before, texts), ...loose.map((each) => patternsOf(cache, regex, false, before, each)))
      regexParts = partsBehind(regex, before, texts)
    }
    const plugin = members.find(({ definition }) => definition.plugin !== null)?.definition.plugin?.name
    const entries = plugin === 'SymantecWS_Decoder' ? this.#symantecEntries() : plugin === 'SonicWall_Decoder' ? this.#sonicWallMembers() : ''
    if (entries === null) return null
    if (this.#how.apart !== 'no') {
      if (apart.count === 0) return null
      const automaton = TextAutomaton.of(apart.parts)
      if (automaton !== null) patterns.push({ wanted: [automaton], unwanted: [] })
    }
    const found = this.#log(patterns)
    return found === null ? null : this.#lengthened(`${found}${entries}`)
  }

  /** The entries of the wanted fields, behind the two columns that the prematch reads. Null: a field is not read. */
  #symantecEntries(): string | null {
    let entries = ''
    for (const [subject, tests] of this.#goal.required) {
      const value = this.valueOf(subject, tests, null)
      const number = SYMANTEC_ENTRIES.get(tests.name)
      if (value === undefined || (number === undefined && tests.name !== 'id')) return null
      entries += `${entries === '' ? '' : ','}${number === undefined ? '' : `${number}=`}${value}`
    }
    return entries
  }

  /** What the SonicWall decoder reads, behind the beginning of a log (BEHAVIOUR.md#sonicwall-decoder). Null: a field is not read. */
  #sonicWallMembers(): string | null {
    const values = new Map<string, string>()
    for (const [subject, tests] of this.#goal.required) {
      const value = this.valueOf(subject, tests, null)
      if (value === undefined || !SONICWALL_FIELDS.includes(tests.name)) return null
      values.set(tests.name, value)
    }
    const of = (name: string): string => values.get(name) ?? usualValue(name)
    const [top] = this.#goal.path
    const message = values.get('id') ?? (top.category === 'firewall' ? (values.get('action') === 'drop' ? '36' : '98') : '12')
    const ends = `src=${of('srcip')}:${of('srcport')}:X1 dst=${of('dstip')}:${of('dstport')}:X0 proto=${values.get('protocol') ?? 'tcp'}/https`
    return `2026-11-23 10:11:12" fw=192.0.2.1 pri=${values.get('status') ?? '6'} c=${top.category === 'ids' ? '32' : '16'} m=${message} msg="value" n=1 ${ends}`
  }

  /** A log that is one JSON object. */
  json(): string | null {
    const { root, entry } = this.#plan
    const goal = this.#goal
    if (this.#variant > 3) return null
    const patterns: TextPatterns[] = []
    if (root?.prematch != null) patterns.push(patternsOf(goal.cache, root.prematch, false))
    if (entry?.prematch != null) {
      const before = entry.definition.prematch?.offset === 'after_parent' && root?.prematch != null ? partsBehind(root.prematch, []) : []
      patterns.push(patternsOf(goal.cache, entry.prematch, false, before))
    }
    const sample =
      patterns.length === 0
        ? ''
        : findText(
            patterns.flatMap(({ wanted }) => wanted),
            patterns.flatMap(({ unwanted }) => unwanted),
            goal.cache.budget,
          )
    if (sample === null) return null
    return jsonLog(
      sample,
      goal,
      (subject, tests) => this.valueOf(subject, tests, null),
      (log) => [root?.prematch, entry?.prematch].every((expression) => expression == null || expression.test(log, foldCase(log), 0)),
      this.#variant,
    )
  }

  /** The log behind the header that its program name or host needs. Null: no name is right. */
  withHeader(log: string): string | null {
    const own = this.#plan.root?.programName ?? null
    const wanted = this.#goal.of(SUBJECT_PROGRAM_NAME)
    const host = this.#goal.of(SUBJECT_HOSTNAME)
    if (own === null && this.#plan.kind !== 'plain' && wanted !== undefined) return null
    if (own === null && wanted === undefined && host === undefined) return log
    const nameOnly = this.#goal.cache.wholeOf(NAME)
    const hostname = host === undefined ? HOST : host.value(nameOnly)
    if (hostname === undefined) return null
    if (own === null && wanted === undefined) return `${TIMESTAMP} ${hostname} ${log}`
    const tests = wanted?.copy() ?? new TextTests('', this.#goal.cache)
    if (own !== null) tests.addPatterns(patternsOf(this.#goal.cache, own, false))
    const name = tests.value(nameOnly)
    const found =
      name !== undefined && (own === null || own.test(name, foldCase(name), 0))
        ? name
        : findText([...tests.patterns.wanted, ...(nameOnly === null ? [] : [nameOnly])], tests.patterns.unwanted, this.#goal.cache.budget)
    return found === null ? null : `${TIMESTAMP} ${hostname} ${found}${PID}${log}`
  }

  /** The value of a field; a field has one value in an event. */
  valueOf(subject: Subject, tests: TextTests | undefined, body: TextAutomaton | null, name = ''): string | undefined {
    const known = this.#values.get(subject)
    if (known !== undefined) return body === null || body.accepts(known) ? known : undefined
    const varied = [...this.#goal.varied].some((each) => isSameField(subject, each))
    // What web servers log as the protocol of a request is its method.
    const kind = name === 'protocol' && this.#plan.reported?.definition.type === 'web-log' ? 'method' : name
    const value = (tests ?? new TextTests(kind, this.#goal.cache)).value(body, varied ? this.#round : 0)
    if (value !== undefined) this.#values.set(subject, value)
    return value
  }

  #log(patterns: readonly TextPatterns[]): string | null {
    const tests = this.#goal.of(LOG)
    const all = tests === undefined ? patterns : [...patterns, tests.patterns]
    const wanted = all.flatMap((each) => each.wanted)
    const unwanted = all.flatMap((each) => each.unwanted)
    const { budget } = this.#goal.cache
    const found = findText(wanted, unwanted, budget) ?? (unwanted.length > 0 ? findText(wanted, [], budget) : null)
    if (found !== null && found !== '') return found
    return found === '' && patterns.length === 0 ? (tests?.value(null) ?? 'event') : found === '' ? 'event' : null
  }

  /** Members whose fields are wanted, and in every second variant the first one. Null: a field is filled by none. */
  #neededMembers(): ReadonlySet<CompiledDecoder> | null {
    const { members, root } = this.#plan
    const needed = new Set<CompiledDecoder>()
    for (const [wanted] of this.#goal.required) {
      const suppliers = members.filter((member) => member.regex !== null && subjectsOf(member).some((own) => isSameField(own, wanted)))
      if (suppliers.length === 0) {
        if (members.some(({ definition }) => definition.plugin !== null)) continue
        return null
      }
      if (!suppliers.some((supplier) => needed.has(supplier))) needed.add(suppliers[this.#how.supplier % suppliers.length])
    }
    if (this.#how.first) for (const member of members.slice(0, 1)) needed.add(member)
    // Without those before it the text would begin elsewhere.
    if (!this.#how.bare)
      for (let at = members.length - 1; at > 0; at--)
        if (needed.has(members[at]) && members[at].regexOffset === 'after_regex' && members[at - 1].regex !== null) needed.add(members[at - 1])
    if (root !== null && root.children.length > 0) needed.delete(root)
    return needed
  }

  /** What the groups of a decoder have to match, and for loose fields the same with each of their tests. */
  #groupsOf(member: CompiledDecoder): { readonly texts: GroupTexts; readonly loose: readonly GroupTexts[] } {
    const subjects = subjectsOf(member)
    const bodies = bodiesOf(partsOf(member.regex as Expression).main)
    const { required } = this.#goal
    const fills = new Map<number, string>()
    const forced = new Set<number>()
    const loose: GroupTexts[] = []
    for (const [at, subject] of subjects.entries()) {
      const group = at + 1
      const body = bodies.get(group)
      if (body === undefined) continue
      const isWanted = required.some(([wanted]) => isSameField(subject, wanted))
      if (isWanted) forced.add(group)
      const tests = this.#goal.of(subject)
      const others = this.#how.loose && isWanted ? (tests?.bodies(body) ?? null) : null
      if (others !== null) {
        for (const other of others) loose.push({ fill: (each) => (each === group ? other : fills.get(each)), forced })
        continue
      }
      if (this.#how.bare && !isWanted) continue
      const text = this.valueOf(subject, tests, this.#goal.cache.wholeOf(body), member.definition.order?.[at]?.name ?? '')
      if (text !== undefined) fills.set(group, text)
    }
    return { texts: { fill: (group) => fills.get(group), forced }, loose }
  }

  /** Rules may need a long log. */
  #lengthened(log: string): string {
    const missing = this.#goal.minimumLength - log.length
    if (missing <= 0) return log
    const url = [...this.#values.values()].find((value) => value.startsWith('/') && log.includes(value))
    if (url === undefined) return `${log} ${PADDING.repeat(missing)}`
    const at = log.indexOf(url) + url.length
    return `${log.slice(0, at)}${PADDING.repeat(missing)}${log.slice(at)}`
  }
}

/** The first alternative that accepts the texts of the groups: it is the one that matches. */
function firstBranch({ node, fill }: Part): Node {
  if (node.kind !== 'alternation') return node
  return (
    node.branches.find((branch) =>
      [...bodiesOf(branch)].every(([group, body]) => {
        const text = fill?.(group)
        return typeof text !== 'string' || TextAutomaton.of([{ node: body }], true)?.accepts(text) === true
      }),
    ) ?? node
  )
}

/** The bodies of groups. */
function bodiesOf(root: Node): ReadonlyMap<number, Node> {
  const bodies = new Map<number, Node>()
  const open: Node[] = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.kind === 'capture') {
      const known = bodies.get(node.index)
      bodies.set(node.index, known === undefined ? node.body : alternationOf([known, node.body]))
    }
    open.push(...childrenOf(node))
  }
  return bodies
}
