/**
 * Runs test cases, in chains of those that share a session (`engine/logtest/case-chain.ts`). Ends early when its slice is over, but never inside a chain,
 * because its session would be lost. A chain has one deadline. Between two cases it ends by itself and answers those before; a case that does not return is
 * ended with its thread, and reported with the place where it was running.
 */
import { CaseChain, caseChains, type FileScope, isAnswerOk, NearRules, type SuiteCase } from '#engine'
import type { CaseAnswer, CaseDiagnostics } from '../../shared/answers.js'
import { momentAt, now, roundMs } from '../../shared/clock.js'
import type { TaskHead } from '../../shared/protocol.js'
import { beginSlice, entryOf, performanceOf, plain, type TaskDefinition } from './context.js'

export interface CasesTask extends TaskHead {
  readonly kind: 'cases'
  /** The cases of a chain are adjacent, and all are in this task. */
  readonly cases: readonly SuiteCase[]
  /** Time after which a chain ends by itself between two cases. */
  readonly chainMs: number
  readonly seconds: number
  readonly trace: boolean
  readonly withDiagnostics: boolean
  /** Whether each answer names the rules of the request's own files that its events match or come near (`covered.own`). Default false. */
  readonly withNear?: boolean
}

/** Scope of the request's own files. */
const OWN_SCOPE: FileScope = 'adhoc'

/** Answers to the first `count` cases of a task. */
export interface CasesPart {
  readonly loads: boolean
  readonly count: number
  /** The next case belongs to a chain whose time is over. */
  readonly overran: boolean
  readonly answers: readonly CaseAnswer[]
  /** Null if they were not requested. */
  readonly contentReport: CaseDiagnostics | null
}

export const cases: TaskDefinition<CasesTask> = {
  run(context, task) {
    const { runner, ruleset, report, isContentOk } = entryOf(context)
    const { locale, trace } = task
    const { clock } = context
    const moment = momentAt(task.seconds)
    const answers: CaseAnswer[] = []
    const compiled = performanceOf(context, task)
    const isOver = beginSlice(context, clock())
    const near = task.withNear === true ? { near: new NearRules(ruleset, [OWN_SCOPE]) } : {}
    let overran = false
    for (const chain of caseChains(task.cases)) {
      if (answers.length > 0 && isOver(clock())) break
      const run = new CaseChain(runner, moment, locale, chain.length > 1, { trace, now, ...near })
      const chainEnds = clock() + task.chainMs
      for (const place of chain) {
        overran = place !== chain[0] && clock() >= chainEnds
        if (overran) break
        const startedAt = now()
        if (place === chain[0]) context.progress?.unit(answers.length, startedAt)
        else context.progress?.step(answers.length)
        const { times, ...report } = run.run(task.cases[place])
        // The time of the ruleset is reported once.
        const base = answers.length === 0 ? compiled : { source_build_ms: 0, compile_ms: 0, cache_hit: true }
        const performance = {
          ...base,
          total_ms: roundMs(now() - startedAt + (answers.length === 0 ? compiled.total_ms : 0)),
          predecode_ms: roundMs(times.predecode_ms),
          decode_ms: roundMs(times.decode_ms),
          rule_ms: roundMs(times.rule_ms),
        }
        answers.push({ ...report, analysis: { ...report.analysis, ok: isAnswerOk(report.analysis, isContentOk) }, performance })
      }
      if (overran) break
    }
    const found = task.withDiagnostics ? report(locale, false) : null
    const part: CasesPart = {
      loads: ruleset.loads,
      count: answers.length,
      overran,
      answers,
      contentReport: found === null ? null : { summary: found.summary, diagnostics: found.diagnostics },
    }
    return plain(part)
  },
}
