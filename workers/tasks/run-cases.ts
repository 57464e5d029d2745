/**
 * Test cases, in chains of those that share a session (`engine/logtest/case-chain.ts`). Ends early when its turn is over, like a batch, but never inside
 * a chain: its session would be lost. A chain has one deadline, as what is run at one go has. Between two of its cases it ends itself, with what it has
 * answered; a case that does not come to its end is ended with the thread, and told where it hangs.
 */
import { momentAt, now, roundMs } from '../clock.js'
import { CaseChain, caseChains, isAnswerOk, measureCoverage } from '#engine'
import type { CaseAnswer, CasesPart, CoverageTask, RunCasesTask } from '../protocol.js'
import { entryOf, performanceOf, plain, type TaskContext, type TaskResult, TURN_MS } from './context.js'

export function runCases(context: TaskContext, task: RunCasesTask): TaskResult {
  const { runner, ruleset, findings, isContentOk } = entryOf(context)
  const { locale, trace } = task
  const moment = momentAt(task.seconds)
  const answers: CaseAnswer[] = []
  const compiled = performanceOf(context, task)
  const turnEnds = now() + TURN_MS
  let overran = false
  for (const chain of caseChains(task.cases)) {
    if (answers.length > 0 && now() >= turnEnds) break
    const run = new CaseChain(runner, moment, locale, chain.length > 1, { trace, now })
    const chainEnds = now() + task.chainMs
    for (const place of chain) {
      const startedAt = now()
      overran = place !== chain[0] && startedAt >= chainEnds
      if (overran) break
      if (place === chain[0]) context.progress?.unit(answers.length)
      else context.progress?.step(answers.length)
      const { times, ...report } = run.run(task.cases[place])
      // What it took to find the ruleset is told once.
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
  const told = task.withFindings ? findings(locale, false) : null
  const part: CasesPart = {
    loads: ruleset.loads,
    count: answers.length,
    overran,
    answers,
    findings: told === null ? null : { summary: told.summary, diagnostics: told.diagnostics },
  }
  return plain(part)
}

/** Which rules and decoders the cases went through. */
export function coverage(context: TaskContext, task: CoverageTask): TaskResult {
  return plain(measureCoverage(entryOf(context).ruleset, task.reports))
}
