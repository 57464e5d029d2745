/** Runs the events of one stream in order, and builds the complete response for each: a LogtestResponse with `alert`. */
import type { CompiledRuleset, Explanation, Locale, LogtestInput, LogtestOptions, LogtestReport, Session, StageTimes } from '#engine'
import { createSession, describeSummary, EventRunner, explainRule, isAnswerOk, isContentOk, ownDiagnostics, presentDiagnostic, runLogtest, type ToldTips } from '#engine'
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

interface Content {
  readonly ok: boolean
  readonly summaryJson: string
  readonly diagnostics: LogtestReport['diagnostics']
}

export class EventEngine {
  readonly ruleset: CompiledRuleset
  readonly #runner: EventRunner
  readonly #options: EngineOptions
  readonly #run: LogtestOptions
  readonly #sessions = new Map<string, Session>()
  /** What every response of JSON lines has. Null: the caller writes none. */
  readonly #content: Content | null
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
    this.#content = caller === 'json-lines' ? describeContent(ruleset, locale) : null
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
   * response has the compile times. Only for JSON lines.
   */
  runJson(input: LogtestInput, session: Session | null): string {
    if (this.#content === null) throw new Error('not an engine of JSON lines')
    const { ok: isContentOk, summaryJson, diagnostics: ofContent } = this.#content
    const { report: answer, times, explanation, totalMs } = this.run(input, session)
    const { diagnostics, ok: _, ...report } = answer
    const total = totalMs + this.#readMs + this.#compileMs
    const found = ofContent.length === 0 ? diagnostics : [...diagnostics, ...ofContent]
    const performanceJson =
      `{"source_build_ms":${roundMs(this.#readMs)},"compile_ms":${roundMs(this.#compileMs)},"total_ms":${roundMs(total)},"cache_hit":${this.#compileMs === 0},` +
      `"predecode_ms":${roundMs(times.predecode_ms)},"decode_ms":${roundMs(times.decode_ms)},"rule_ms":${roundMs(times.rule_ms)}}`
    this.#compileMs = 0
    this.#readMs = 0
    const diagnosticsJson = found.length === 0 ? '[]' : JSON.stringify(found)
    const explained = explanation === null ? '' : `,"explanation":${JSON.stringify(explanation)}`
    return `{"ok":${isAnswerOk(answer, isContentOk)},"summary":${summaryJson},"diagnostics":${diagnosticsJson},"performance":${performanceJson},${JSON.stringify(report).slice(1, -1)}${explained}}`
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

/** With the diagnostics of the caller's own content, or else the errors for which Wazuh would not start. */
function describeContent(ruleset: CompiledRuleset, locale: Locale): Content {
  const diagnostics = ownDiagnostics(ruleset).filter(({ severity }) => ruleset.loads || severity === 'error')
  return {
    ok: isContentOk(ruleset),
    summaryJson: JSON.stringify(describeSummary(ruleset, true)),
    diagnostics: diagnostics.map((diagnostic) => presentDiagnostic(diagnostic, locale)),
  }
}
