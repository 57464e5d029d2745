/** Runs a test case: its events in one session, on a virtual clock. Every expectation is a check. */
import type { DecoderTree } from '../decoders/link.js'
import type { Locale } from '../diagnostics/text.js'
import type { CompiledDecoder } from '../event/decoder.js'
import type { Outcome } from '../match/outcome.js'
import type { EventRunner, Moment } from '../match/run-event.js'
import { createSession, type Session } from '../match/session.js'
import { isAnswerOk } from './answer-ok.js'
import type { CaseCheck, CaseReport, Covered, DiagnosticRecord, LogtestReport, StageTimes, TestCase } from '../records/records.js'
import { decodersThatRan } from './describe-outcome.js'
import { runObserved } from './logtest.js'
import type { NearRules } from './near-rules.js'
import { caseInputs, type TimedInput } from './suite-case.js'
import { later } from './virtual-clock.js'

/** The texts of checks. */
const ENGLISH = {
  run: 'Event is run',
  crash: 'Wazuh does not crash',
  decoder: 'Decoder',
  rule: 'Rule',
  level: 'Level',
  matched: (id: string) => `Rule ${id} matches`,
  forbidden: (id: string) => `Rule ${id} does not match`,
  noRule: 'No rule fires',
  field: (name: string) => `Field ${name}`,
  yes: 'yes',
  no: 'no',
  nothing: '(none)',
}

const WORDS: Readonly<Record<Locale, typeof ENGLISH>> = {
  'en-US': ENGLISH,
  'pt-BR': {
    run: 'O evento é executado',
    crash: 'O Wazuh não quebra',
    decoder: 'Decoder',
    rule: 'Regra',
    level: 'Nível',
    matched: (id) => `A regra ${id} casa`,
    forbidden: (id) => `A regra ${id} não casa`,
    noRule: 'Nenhuma regra dispara',
    field: (name) => `Campo ${name}`,
    yes: 'sim',
    no: 'não',
    nothing: '(nenhum)',
  },
}

export interface CaseOptions {
  /** Also record every decision about the last event. Default false. */
  readonly trace?: boolean
  /** The session to continue. Default: a new one. */
  readonly session?: Session
  /** A monotonic clock in milliseconds, for the stage times; without one they are 0. */
  readonly now?: () => number
  /** Finds the rules that events come near to. Default: they are not searched. */
  readonly near?: NearRules
}

/** The report of a case by itself; whether it depends on the clock is known where the clock is chosen (`case-chain.ts`). */
export type RanCase = Omit<CaseReport, 'depends_on_clock'>

/**
 * Runs one case. `now` is read by `CaseChain`.
 * @param moment second 0 of the virtual clock
 */
export function runCase(runner: EventRunner, testCase: TestCase, moment: Moment, locale: Locale, options: CaseOptions = {}): RanCase {
  const run = runEvents(runner, caseInputs(testCase), moment, locale, options)
  const checks = checkExpectations(testCase, run.analysis, locale)
  return { name: testCase.name, passed: checks.every(({ passed }) => passed), checks, ...run }
}

/** Runs the events of one session; the report and the times are those of the last. Crashes of Wazuh on earlier events are added to it. */
export function runEvents(
  runner: EventRunner,
  events: readonly TimedInput[],
  moment: Moment,
  locale: Locale,
  { trace = false, session: shared, now, near }: CaseOptions,
): Pick<CaseReport, 'analysis' | 'covered' | 'times'> {
  // A single event needs no session.
  const session = shared ?? (events.length === 1 ? null : createSession())
  const coverage = new CoverageNotes(runner, near ?? null)
  const crashes = new Map<string, DiagnosticRecord>()
  let last: { readonly analysis: LogtestReport; readonly times: StageTimes } | null = null
  for (const [index, { input, at }] of events.entries()) {
    const options = { trace: trace && index === events.length - 1, locale, ...(now === undefined ? {} : { now }) }
    const { report, outcome } = runObserved(runner, input, later(moment, at), session, options)
    if (outcome !== null) coverage.add(outcome)
    const { times, ...analysis } = report
    last = { analysis, times }
    if (index === events.length - 1) break
    // One diagnostic for each place, for any number of events.
    for (const found of analysis.diagnostics) if (found.code === 'wazuh_crash') crashes.set(placeOf(found), found)
  }
  if (last === null) throw new RangeError('a case needs at least one event')
  for (const found of last.analysis.diagnostics) crashes.delete(placeOf(found))
  const { analysis, times } = last
  const diagnostics = crashes.size === 0 ? analysis.diagnostics : [...crashes.values(), ...analysis.diagnostics]
  return { analysis: { ...analysis, diagnostics }, times, covered: coverage.covered() }
}

function placeOf({ filename, line, column, message }: DiagnosticRecord): string {
  return `${filename}:${line}:${column}:${message}`
}

/** Returns a failed check if the own content makes Wazuh crash: Wazuh then has no result that could meet the expectations. */
export function crashChecks(analysis: LogtestReport, locale: Locale): CaseCheck[] {
  const { crash, yes, no } = WORDS[locale]
  return !analysis.ok || isAnswerOk(analysis, true) ? [] : [{ label: crash, expected: yes, actual: no, passed: false }]
}

function checkExpectations(testCase: TestCase, analysis: LogtestReport, locale: Locale): CaseCheck[] {
  const { ok, decoder, rule, matched_rules, extracted_fields } = analysis
  const words = WORDS[locale]
  const checks: CaseCheck[] = []
  const add = (label: string, expected: string, actual: string, passed = expected === actual): number => checks.push({ label, expected, actual, passed })
  const yesNo = (value: boolean): string => (value ? words.yes : words.no)
  const { expected_decoder, expected_rule, expected_level, expected_rule_ids, forbidden_rule_ids, expect_no_rule, expected_fields } = testCase
  const matched = new Set(matched_rules.map(({ id }) => id))
  if (!ok) add(words.run, words.yes, words.no)
  checks.push(...crashChecks(analysis, locale))
  if (expected_decoder != null && expected_decoder !== '') add(words.decoder, expected_decoder, decoder?.name ?? words.nothing)
  if (expected_rule != null && expected_rule !== '') add(words.rule, expected_rule, rule?.id ?? words.nothing)
  if (expected_level != null) add(words.level, String(expected_level), rule === null ? words.nothing : String(rule.level))
  for (const id of expected_rule_ids ?? []) add(words.matched(id), words.yes, yesNo(matched.has(id)))
  for (const id of forbidden_rule_ids ?? []) add(words.forbidden(id), words.yes, yesNo(!matched.has(id)))
  if (expect_no_rule === true) {
    const quiet = rule === null || rule.level === 0
    add(words.noRule, words.nothing, quiet ? words.nothing : rule.id, quiet)
  }
  for (const [name, value] of Object.entries(expected_fields ?? {})) {
    const actual = Object.hasOwn(extracted_fields, name) ? extracted_fields[name] : null
    add(words.field(name), value, actual ?? words.nothing, actual === value)
  }
  return checks
}

/** Collects rules and decoders that the events of a case used. */
class CoverageNotes {
  readonly #runner: EventRunner
  readonly #sought: NearRules | null
  readonly #rules = new Set<string>()
  readonly #near = new Set<string>()
  readonly #decoders = new Set<string>()

  constructor(runner: EventRunner, sought: NearRules | null) {
    this.#runner = runner
    this.#sought = sought
  }

  /** @param outcome of the runner's current event */
  add(outcome: Outcome): void {
    const { event, path, rule } = outcome
    this.#sought?.addTo(this.#near, outcome, this.#runner)
    for (const { id } of path) this.#rules.add(String(id))
    if (rule !== null) this.#rules.add(String(rule.id))
    const { decoder } = event
    if (decoder === null) return
    const { decoders } = this.#runner.ruleset
    const root = rootOf(decoder, decoders)
    for (const { definition } of [decoder, ...(root === undefined ? [] : [root]), ...decodersThatRan(decoder, decoders)]) {
      if (definition.source.filename !== '') this.#decoders.add(`${definition.source.filename}:${definition.span.line}`)
    }
  }

  covered(): Covered {
    const covered = { rules: [...this.#rules], decoders: [...this.#decoders] }
    if (this.#sought === null) return covered
    const matched = covered.rules.filter((id) => this.#sought?.has(id))
    // A rule that an earlier event just misses and a later one matches is one that the case fires.
    return { ...covered, own: { matched, near: [...this.#near].filter((id) => !this.#rules.has(id)) } }
  }
}

/** The roots of children, in the trees that are still in use: a tree has thousands of decoders, and each event asks. */
const ROOTS = new WeakMap<DecoderTree, ReadonlyMap<CompiledDecoder, CompiledDecoder>>()

/** The first root that has the decoder for a child. */
function rootOf(decoder: CompiledDecoder, tree: DecoderTree): CompiledDecoder | undefined {
  const known = ROOTS.get(tree)
  if (known !== undefined) return known.get(decoder)
  const found = new Map<CompiledDecoder, CompiledDecoder>()
  for (const root of [...tree.programRoots, ...tree.plainRoots]) for (const child of root.children) if (!found.has(child)) found.set(child, root)
  ROOTS.set(tree, found)
  return found.get(decoder)
}
