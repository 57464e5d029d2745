/** Runs the events of one stream, in order, and makes the whole answer for each: what a LogtestResponse says, and whether it alerts. */
import type { CompiledRuleset, Explanation, Locale, LogtestInput, LogtestReport, Session, StageTimes } from '#engine'
import { createSession, describeFindings, EventRunner, explainRule, isAnswerOk, runLogtest } from '#engine'
import { momentNow, roundMs } from '#workers'
import type { CompiledSelection } from './ruleset-source.js'

/** Sessions that are remembered at once; the one that was asked for longest ago is forgotten first. */
export const SESSIONS_LIMIT = 1000

export interface EngineOptions {
  readonly trace: boolean
  /** Rule to explain for each event. */
  readonly explain: string | null
  readonly locale: Locale
}

export interface EventAnswer {
  readonly report: LogtestReport
  readonly times: StageTimes
  readonly explanation: Explanation | null
  readonly totalMs: number
}

export class EventEngine {
  readonly ruleset: CompiledRuleset
  readonly #runner: EventRunner
  readonly #options: EngineOptions
  readonly #run: { readonly trace: boolean; readonly locale: Locale; readonly now: () => number }
  readonly #sessions = new Map<string, Session>()
  /** JSON of what is the same in every answer. */
  readonly #summaryJson: string
  readonly #findings: LogtestReport['diagnostics']
  readonly #isContentOk: boolean
  #compileMs: number
  #readMs: number
  /** Sessions that were forgotten because there were too many. */
  forgotten = 0

  constructor({ ruleset, readMs, compileMs }: CompiledSelection, options: EngineOptions) {
    this.ruleset = ruleset
    this.#options = options
    this.#run = { trace: options.trace, locale: options.locale, now: () => performance.now() }
    this.#runner = new EventRunner(ruleset)
    const { ok, summary, diagnostics } = describeFindings(ruleset, { locale: options.locale, includeBaseline: !ruleset.loads, loadedFromDisk: true })
    this.#summaryJson = JSON.stringify(summary)
    this.#isContentOk = ok
    this.#findings = ruleset.loads ? diagnostics : diagnostics.filter(({ severity }) => severity === 'error')
    this.#compileMs = compileMs
    this.#readMs = readMs
  }

  /** @param session null = fresh */
  run(input: LogtestInput, session: Session | null): EventAnswer {
    const started = performance.now()
    const moment = momentNow()
    const { explain, locale } = this.#options
    // Before the event changes the session.
    const explanation = explain === null ? null : explainRule(this.#runner, this.ruleset, explain, input, moment, session, locale)
    const { times, ...report } = runLogtest(this.#runner, input, moment, session, this.#run)
    return { report, times, explanation, totalMs: performance.now() - started }
  }

  /** As JSON. Findings of the ruleset follow those of the run, and an error of the own content makes `ok` false; the times of compiling belong to the first answer. */
  runJson(input: LogtestInput, session: Session | null): string {
    const { report: answer, times, explanation, totalMs } = this.run(input, session)
    const { diagnostics, ok: _, ...report } = answer
    const total = totalMs + this.#readMs + this.#compileMs
    const found = this.#findings.length === 0 ? diagnostics : [...diagnostics, ...this.#findings]
    const performanceJson =
      `{"source_build_ms":${roundMs(this.#readMs)},"compile_ms":${roundMs(this.#compileMs)},"total_ms":${roundMs(total)},"cache_hit":${this.#compileMs === 0},` +
      `"predecode_ms":${roundMs(times.predecode_ms)},"decode_ms":${roundMs(times.decode_ms)},"rule_ms":${roundMs(times.rule_ms)}}`
    this.#compileMs = 0
    this.#readMs = 0
    const diagnosticsJson = found.length === 0 ? '[]' : JSON.stringify(found)
    const explained = explanation === null ? '' : `,"explanation":${JSON.stringify(explanation)}`
    return `{"ok":${isAnswerOk(answer, this.#isContentOk)},"summary":${this.#summaryJson},"diagnostics":${diagnosticsJson},"performance":${performanceJson},${JSON.stringify(report).slice(1, -1)}${explained}}`
  }

  /** The session of that name, begun when it is new. */
  session(id: string): Session {
    const known = this.#sessions.get(id)
    if (known !== undefined) {
      this.#sessions.delete(id)
      this.#sessions.set(id, known)
      return known
    }
    if (this.#sessions.size >= SESSIONS_LIMIT) {
      this.#sessions.delete(this.#sessions.keys().next().value as string)
      this.forgotten++
    }
    const session = createSession()
    this.#sessions.set(id, session)
    return session
  }
}
