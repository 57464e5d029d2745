/** Runs test cases, each in a session of its own, and finds out why a rule that was expected did not answer. */
import type { CaseReport, CompiledRuleset, IniCase, Locale, LogtestInput, TestCase } from '#engine'
import { createSession, EventRunner, explainRule, later, runCase, runIniCase, runLogtest } from '#engine'
import { momentOf } from './clock.js'
import type { CaseFile } from './input/case-files.js'

/** Failed cases that are explained: a whole suite on the wrong ruleset needs no thousand explanations. */
const EXPLAINED_LIMIT = 100

export interface CaseResult {
  readonly path: string
  readonly line: number
  readonly name: string
  readonly passed: boolean
  readonly checks: CaseReport['checks']
  /** Of the last event. */
  readonly event: string
  /** Why the expected rule did not answer, or what can't be read. */
  readonly reason: string | null
  readonly ms: number
  /** Null when it was not run. */
  readonly report: CaseReport | null
}

export class CaseRunner {
  readonly #ruleset: CompiledRuleset
  readonly #runner: EventRunner
  readonly #locale: Locale
  readonly #moment = momentOf(Date.now())
  #explained = 0

  constructor(ruleset: CompiledRuleset, locale: Locale) {
    this.#ruleset = ruleset
    this.#runner = new EventRunner(ruleset)
    this.#locale = locale
  }

  *run({ path, cases, faults }: CaseFile): Generator<CaseResult> {
    for (const { line, message } of faults) yield { path, line, name: `line ${line}`, passed: false, checks: [], event: '', reason: message, ms: 0, report: null }
    for (const { line, testCase } of cases) yield this.#runCase(path, line, testCase)
  }

  #runCase(path: string, line: number, testCase: TestCase | IniCase): CaseResult {
    const started = performance.now()
    const isIni = 'verdict' in testCase
    const report = isIni ? runIniCase(this.#runner, testCase, this.#moment, this.#locale) : runCase(this.#runner, testCase, this.#moment, this.#locale)
    const ms = performance.now() - started
    const { passed, checks, name } = report
    const events = timedInputs(testCase)
    const reason = passed ? null : this.#explain(testCase, report, events)
    return { path, line, name, passed, checks, event: events.at(-1)?.input.event ?? '', reason, ms, report }
  }

  /** The rule that should have answered and didn't, explained on the state that the last event found. */
  #explain(testCase: TestCase | IniCase, { analysis }: CaseReport, events: readonly TimedInput[]): string | null {
    const isIni = 'verdict' in testCase
    const matched = new Set(analysis.matched_rules.map(({ id }) => id))
    const expected = isIni ? (testCase.verdict === 'pass' ? testCase.rule : '') : (testCase.expected_rule ?? testCase.expected_rule_ids?.find((id) => !matched.has(id)) ?? '')
    if (expected === '' || expected === analysis.rule?.id || this.#explained >= EXPLAINED_LIMIT) return null
    this.#explained++
    const session = events.length > 1 ? createSession() : null
    for (const { input, at } of events.slice(0, -1)) runLogtest(this.#runner, input, later(this.#moment, at), session, { trace: false, locale: this.#locale })
    const last = events.at(-1)
    return last === undefined ? null : explainRule(this.#runner, this.#ruleset, expected, last.input, later(this.#moment, last.at), session, this.#locale).reason
  }
}

interface TimedInput {
  readonly input: LogtestInput
  readonly at: number
}

/** The events of a case as the engine runs them. */
function timedInputs(testCase: TestCase | IniCase): TimedInput[] {
  if ('verdict' in testCase) return testCase.events.map((event) => ({ at: 0, input: { event, log_format: 'syslog' } }))
  const { events, event_text, log_format = 'auto', location } = testCase
  let at = 0
  const written: NonNullable<TestCase['events']> = events === undefined || events.length === 0 ? [{ event_text: event_text ?? '' }] : events
  return written.map((event) => {
    at = event.at ?? at
    const place = event.location ?? location
    return { at, input: { event: event.event_text, log_format, ...(place == null || place === '' ? {} : { location: place }) } }
  })
}
