/** Runs the events of one stream in order, and builds the complete response for each: a LogtestResponse with `alert`. */
import type { CompiledRuleset, Explanation, Locale, LogtestInput, LogtestOptions, LogtestReport, Session, StageTimes } from '#engine'
import { createSession, describeDiagnostics, EventRunner, explainRule, isAnswerOk, runLogtest, type ToldTips } from '#engine'
import { momentNow, roundMs } from '#workers'
import type { CompiledSelection } from './ruleset-source.js'

/** Maximum number of sessions; the least recently used is evicted. */
export const SESSIONS_LIMIT = 1000

export interface EngineOptions {
  readonly trace: boolean
  /** Rule to explain for each event. */
  readonly explain: string | null
  readonly locale: Locale
  readonly caller: 'json-lines' | 'command-line'
  /** The hints that earlier events had; null: hints are not counted. */
  readonly told: ToldTips | null
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
  readonly #run: LogtestOptions
  readonly #sessions = new Map<string, Session>()
  /** JSON of the summary, which is the same in every response. */
  readonly #summaryJson: string
  readonly #rulesetDiagnostics: LogtestReport['diagnostics']
  readonly #isContentOk: boolean
  #compileMs: number
  #readMs: number
  /** Number of evicted sessions. */
  evicted = 0

  constructor({ ruleset, readMs, compileMs }: CompiledSelection, options: EngineOptions) {
    this.ruleset = ruleset
    this.#options = options
    const { trace, locale, caller, told } = options
    this.#run = { trace, locale, caller, told, now: () => performance.now() }
    this.#runner = new EventRunner(ruleset)
    const { ok, summary, diagnostics } = describeDiagnostics(ruleset, { locale: options.locale, includeBaseline: !ruleset.loads, loadedFromDisk: true })
    this.#summaryJson = JSON.stringify(summary)
    this.#isContentOk = ok
    this.#rulesetDiagnostics = ruleset.loads ? diagnostics : diagnostics.filter(({ severity }) => severity === 'error')
    this.#compileMs = compileMs
    this.#readMs = readMs
  }

  /** @param session null: a new one that is not kept */
  run(input: LogtestInput, session: Session | null): EventAnswer {
    const started = performance.now()
    const moment = momentNow()
    const { explain, locale } = this.#options
    // Explained first, because the event changes the session.
    const explanation = explain === null ? null : explainRule(this.#runner, this.ruleset, explain, input, moment, session, locale)
    const { times, ...report } = runLogtest(this.#runner, input, moment, session, this.#run)
    return { report, times, explanation, totalMs: performance.now() - started }
  }

  /**
   * The response as JSON. It contains the diagnostics of the run, then those of the ruleset; `ok` is false if the caller's content has an error. The first
   * response has the compile times.
   */
  runJson(input: LogtestInput, session: Session | null): string {
    const { report: answer, times, explanation, totalMs } = this.run(input, session)
    const { diagnostics, ok: _, ...report } = answer
    const total = totalMs + this.#readMs + this.#compileMs
    const found = this.#rulesetDiagnostics.length === 0 ? diagnostics : [...diagnostics, ...this.#rulesetDiagnostics]
    const performanceJson =
      `{"source_build_ms":${roundMs(this.#readMs)},"compile_ms":${roundMs(this.#compileMs)},"total_ms":${roundMs(total)},"cache_hit":${this.#compileMs === 0},` +
      `"predecode_ms":${roundMs(times.predecode_ms)},"decode_ms":${roundMs(times.decode_ms)},"rule_ms":${roundMs(times.rule_ms)}}`
    this.#compileMs = 0
    this.#readMs = 0
    const diagnosticsJson = found.length === 0 ? '[]' : JSON.stringify(found)
    const explained = explanation === null ? '' : `,"explanation":${JSON.stringify(explanation)}`
    return `{"ok":${isAnswerOk(answer, this.#isContentOk)},"summary":${this.#summaryJson},"diagnostics":${diagnosticsJson},"performance":${performanceJson},${JSON.stringify(report).slice(1, -1)}${explained}}`
  }

  /** The session with this id; created if new. */
  session(id: string): Session {
    const known = this.#sessions.get(id)
    if (known !== undefined) {
      this.#sessions.delete(id)
      this.#sessions.set(id, known)
      return known
    }
    if (this.#sessions.size >= SESSIONS_LIMIT) {
      this.#sessions.delete(this.#sessions.keys().next().value as string)
      this.evicted++
    }
    const session = createSession()
    this.#sessions.set(id, session)
    return session
  }
}
