/** Runs test cases, each in its own session or the one it names, and explains why an expected rule did not match. */
import type { CaseReport, CompiledRuleset, Locale, NearRules, SuiteCase } from '#engine'
import { CaseChain, createSession, EventRunner, explainRule, isIniCase, later, nowOf, readNow, runLogtest, sessionOf, suiteCaseInputs } from '#engine'
import { momentNow } from '#workers'
import { type CaseFile, type WrittenCase, describeRemark } from './input/case-files.js'

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
  /** What makes the case less than it seems: a result that depends on the clock, members that are ignored. With `strict` the case fails for them. */
  readonly remarks: readonly string[]
  readonly ms: number
  /** Null: the case was not run. */
  readonly report: CaseReport | null
}

export class CaseRunner {
  readonly #ruleset: CompiledRuleset
  readonly #runner: EventRunner
  readonly #locale: Locale
  readonly #isStrict: boolean
  readonly #near: NearRules | null
  readonly #moment = momentNow()
  #explained = 0

  /**
   * @param isStrict whether cases with a remark fail
   * @param near finds the rules that events come near; null: they are not searched for
   */
  constructor(ruleset: CompiledRuleset, locale: Locale, isStrict: boolean, near: NearRules | null = null) {
    this.#ruleset = ruleset
    this.#runner = new EventRunner(ruleset)
    this.#locale = locale
    this.#isStrict = isStrict
    this.#near = near
  }

  *run({ path, cases, faults }: CaseFile): Generator<CaseResult> {
    for (const { line, name, message } of faults) yield { path, line, name, passed: false, checks: [], event: '', reason: message, remarks: [], ms: 0, report: null }
    /** Sessions by id, for the duration of the file. */
    const chains = new Map<string, CaseChain>()
    for (const written of cases) yield this.#runCase(path, written, this.#chainOf(chains, sessionOf(written.testCase)))
  }

  #chainOf(chains: Map<string, CaseChain>, session: string): CaseChain {
    const known = session === '' ? undefined : chains.get(session)
    if (known !== undefined) return known
    const chain = new CaseChain(this.#runner, this.#moment, this.#locale, session !== '', this.#near === null ? {} : { near: this.#near })
    if (session !== '') chains.set(session, chain)
    return chain
  }

  #runCase(path: string, { line, testCase, unknown }: WrittenCase, chain: CaseChain): CaseResult {
    const started = performance.now()
    const report = chain.run(testCase)
    const ms = performance.now() - started
    const { checks, name, depends_on_clock } = report
    const remarks = unknown.map((member) => describeRemark('member_ignored', { member }, this.#locale))
    if (depends_on_clock) remarks.push(describeRemark(isIniCase(testCase) ? 'clock_of_section' : 'clock_of_case', {}, this.#locale))
    const passed = report.passed && !(this.#isStrict && remarks.length > 0)
    const events = suiteCaseInputs(testCase)
    const reason = report.passed ? null : this.#explain(testCase, report, events)
    return { path, line, name, passed, checks, event: events.at(-1)?.input.event ?? '', reason, remarks, ms, report }
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
    const start = readNow(nowOf(testCase) ?? '') ?? this.#moment
    for (const { input, at } of events.slice(0, -1)) runLogtest(this.#runner, input, later(start, at), session, { trace: false, locale: this.#locale })
    const last = events.at(-1)
    return last === undefined ? null : explainRule(this.#runner, this.#ruleset, expected, last.input, later(start, last.at), session, this.#locale).reason
  }
}

/** The results of files, so that a run of `--watch` does not repeat those that cannot have changed. */
export class KnownResults {
  readonly #known = new Map<string, { readonly ruleset: CompiledRuleset; readonly text: string; readonly results: readonly CaseResult[] }>()

  /** Null: the file or the content has changed, or a clock decides. */
  of({ path, text }: CaseFile, ruleset: CompiledRuleset): readonly CaseResult[] | null {
    const known = this.#known.get(path)
    if (known?.ruleset !== ruleset || known.text !== text) return null
    return known.results.some(({ report }) => report?.depends_on_clock === true) ? null : known.results
  }

  keep({ path, text }: CaseFile, ruleset: CompiledRuleset, results: readonly CaseResult[]): void {
    this.#known.set(path, { ruleset, text, results })
  }
}
