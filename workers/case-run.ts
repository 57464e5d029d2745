/**
 * Runs many cases as tasks of several cases each. Invariants:
 *  1. answers are yielded in the order of the cases, whatever the order of the run
 *  2. the cases of a chain (`engine/logtest/case-chain.ts`) are in one task, one after the other, because their session is in its thread
 *  3. when a case is stopped, the later cases of its session are not run, because the session is lost
 */
import { caseChains, type SuiteCase } from '#engine'
import type { CaseAnswer, CaseDiagnostics } from './answers.js'
import type { Failed, TimedOut } from './failure.js'
import type { NotOk } from './pending-task.js'
import { type AnsweredPart, runInChunks, type Stop } from './run-in-chunks.js'
import type { CasesPart } from './tasks/cases.js'

/** Such a task takes some milliseconds for ordinary events, and its message a tenth of one. A longer chain is a separate task. */
const CASES_PER_TASK = 64

/** The answer to a case, or how its run was stopped. */
export type CaseOutcome = { readonly outcome: 'ok'; readonly report: CaseAnswer } | TimedOut | Failed

/** Part of the answers, in the order of the cases. The first chunk has the diagnostics; it has no answer if there is no case. */
export interface CasesChunk {
  readonly loads: boolean
  readonly results: readonly CaseOutcome[]
  /** Set on the first chunk, unless the first task was stopped. */
  readonly contentReport: CaseDiagnostics | null
}

export interface CaseRunOptions {
  /** @param hasChain whether a case continues the session of another one */
  submit(cases: readonly SuiteCase[], withDiagnostics: boolean, hasChain: boolean): Promise<NotOk | { readonly outcome: 'ok'; readonly part: CasesPart & AnsweredPart }>
  describe(stop: Stop): TimedOut | Failed
}

/** A case with its place in the run. */
interface Placed {
  /** Index among the cases. */
  readonly index: number
  readonly suiteCase: SuiteCase
  /** The case runs in the session of the case before it. */
  readonly continuesPrevious: boolean
}

/** Yields chunks. Any other outcome is the last: the whole run was refused or stopped. */
export async function* runCaseChunks(cases: readonly SuiteCase[], options: CaseRunOptions): AsyncGenerator<CasesChunk | NotOk, void, undefined> {
  const placed = caseChains(cases).flatMap((chain) => chain.map((index, at): Placed => ({ index, suiteCase: cases[index], continuesPrevious: at > 0 })))
  const ordered = new InOrder()
  const counted = { stops: 0 }
  let withDiagnostics = true
  const submit = async (some: readonly Placed[]) => {
    const submitted = await options.submit(
      some.map(({ suiteCase }) => suiteCase),
      withDiagnostics,
      some.some(({ continuesPrevious }) => continuesPrevious),
    )
    if (submitted.outcome === 'ok') withDiagnostics = false
    return submitted
  }
  if (cases.length === 0) {
    const submitted = await submit([])
    yield submitted.outcome === 'ok' ? { loads: submitted.part.loads, results: [], contentReport: submitted.part.contentReport } : submitted
    return
  }
  let loads = true
  for (let first = 0; first < placed.length; ) {
    const end = endOfTask(placed, first)
    for await (const outcome of runInChunks(placed.slice(first, end), first, counted, submit, ({ continuesPrevious }) => continuesPrevious)) {
      if (outcome.outcome === 'ended') return yield outcome.by
      if (outcome.outcome === 'ok') {
        const { part } = outcome
        loads = part.loads
        for (const report of part.answers) ordered.add(placed[first++].index, { outcome: 'ok', report })
        yield { loads, results: ordered.take(), contentReport: part.contentReport }
      } else {
        const stopped = options.describe(outcome.stop)
        const until = outcome.abandoned ? placed.length : first + outcome.count
        while (first < until) ordered.add(placed[first++].index, stopped)
        yield { loads, results: ordered.take(), contentReport: null }
      }
    }
  }
}

/** Returns the end of the task that begins at `first`. It never splits a chain. */
function endOfTask(placed: readonly Placed[], first: number): number {
  let end = Math.min(first + CASES_PER_TASK, placed.length)
  while (end < placed.length && placed[end].continuesPrevious) end++
  return end
}

/** Keeps answers until all earlier ones are available. */
class InOrder {
  readonly #waiting = new Map<number, CaseOutcome>()
  #next = 0

  add(index: number, outcome: CaseOutcome): void {
    this.#waiting.set(index, outcome)
  }

  take(): CaseOutcome[] {
    const some: CaseOutcome[] = []
    for (let outcome = this.#waiting.get(this.#next); outcome !== undefined; outcome = this.#waiting.get(this.#next)) {
      this.#waiting.delete(this.#next++)
      some.push(outcome)
    }
    return some
  }
}
