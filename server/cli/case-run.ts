/** Runs test cases, each in its own session or the one it names, and explains why an expected rule did not match. */
import type { CaseReport, CompiledRuleset, Locale, SuiteCase } from '#engine'
import { CaseChain, createSession, EventRunner, explainRule, isIniCase, later, runLogtest, sessionOf, suiteCaseInputs } from '#engine'
import { momentNow } from '#workers'
import type { CaseFile } from './input/case-files.js'

/** Maximum number of failed cases that are explained: a suite with the wrong ruleset needs no thousand explanations. */
const EXPLAINED_LIMIT = 100

export interface CaseResult {
  readonly path: string
  readonly line: number
  readonly name: string
  readonly passed: boolean
  readonly checks: CaseReport['checks']
  /** Text of the last event. */
  readonly event: string
  /** Why the expected rule did not match, or why the case cannot be read. */
  readonly reason: string | null
  readonly ms: number
  /** Null: the case was not run. */
  readonly report: CaseReport | null
}

export class CaseRunner {
  readonly #ruleset: CompiledRuleset
  readonly #runner: EventRunner
  readonly #locale: Locale
  readonly #moment = momentNow()
  #explained = 0

  constructor(ruleset: CompiledRuleset, locale: Locale) {
    this.#ruleset = ruleset
    this.#runner = new EventRunner(ruleset)
    this.#locale = locale
  }

  *run({ path, cases, faults }: CaseFile): Generator<CaseResult> {
    for (const { line, name, message } of faults) yield { path, line, name, passed: false, checks: [], event: '', reason: message, ms: 0, report: null }
    /** Sessions by id, for the duration of the file. */
    const chains = new Map<string, CaseChain>()
    for (const { line, testCase } of cases) yield this.#runCase(path, line, testCase, this.#chainOf(chains, sessionOf(testCase)))
  }

  #chainOf(chains: Map<string, CaseChain>, session: string): CaseChain {
    const known = session === '' ? undefined : chains.get(session)
    if (known !== undefined) return known
    const chain = new CaseChain(this.#runner, this.#moment, this.#locale, session !== '')
    if (session !== '') chains.set(session, chain)
    return chain
  }

  #runCase(path: string, line: number, testCase: SuiteCase, chain: CaseChain): CaseResult {
    const started = performance.now()
    const report = chain.run(testCase)
    const ms = performance.now() - started
    const { passed, checks, name } = report
    const events = suiteCaseInputs(testCase)
    const reason = passed ? null : this.#explain(testCase, report, events)
    return { path, line, name, passed, checks, event: events.at(-1)?.input.event ?? '', reason, ms, report }
  }

  /** Explains the expected rule in the state before the last event. Null in a shared session, whose earlier cases are not run again. */
  #explain(testCase: SuiteCase, { analysis }: CaseReport, events: ReturnType<typeof suiteCaseInputs>): string | null {
    const matched = new Set(analysis.matched_rules.map(({ id }) => id))
    const expected = isIniCase(testCase)
      ? testCase.verdict === 'pass'
        ? testCase.rule
        : ''
      : (testCase.expected_rule ?? testCase.expected_rule_ids?.find((id) => !matched.has(id)) ?? '')
    if (expected === '' || expected === analysis.rule?.id || sessionOf(testCase) !== '' || this.#explained >= EXPLAINED_LIMIT) return null
    this.#explained++
    const session = events.length > 1 ? createSession() : null
    for (const { input, at } of events.slice(0, -1)) runLogtest(this.#runner, input, later(this.#moment, at), session, { trace: false, locale: this.#locale })
    const last = events.at(-1)
    return last === undefined ? null : explainRule(this.#runner, this.#ruleset, expected, last.input, later(this.#moment, last.at), session, this.#locale).reason
  }
}
