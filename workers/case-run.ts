/**
 * Runs many cases as tasks of some each. Invariants:
 *  1. answers come in the order of the cases, whatever the order of the run
 *  2. the cases of a chain (`engine/logtest/case-chain.ts`) are in one task, one after the other: their session lives in its thread
 *  3. when a case is stopped, those after it in its session are not run, because its session is lost
 */
import { caseChains, type SuiteCase } from '#engine'
import type { CaseAnswer, CaseFindings } from './answers.js'
import type { Failed, TimedOut } from './failure.js'
import type { NotOk } from './pending-task.js'
import { type AnsweredPart, runInChunks, type Stop } from './run-in-chunks.js'
import type { CasesPart } from './tasks/cases.js'

/** Such a task takes some milliseconds for ordinary events, and its message a tenth of one. A longer chain is a task of its own. */
const CASES_PER_TASK = 64

/** A case's answer, or how its run was stopped. */
export type CaseOutcome = { readonly outcome: 'ok'; readonly report: CaseAnswer } | TimedOut | Failed

/** Some of the answers, in the order of the cases. The first chunk has the findings, and no answer when there is no case. */
export interface CasesChunk {
  readonly loads: boolean
  readonly results: readonly CaseOutcome[]
  /** On the first chunk of a run whose first task was not stopped. */
  readonly findings: CaseFindings | null
}

export interface CaseRunOptions {
  /** @param hasChain whether one of the cases continues from another */
  submit(cases: readonly SuiteCase[], withFindings: boolean, hasChain: boolean): Promise<NotOk | { readonly outcome: 'ok'; readonly part: CasesPart & AnsweredPart }>
  describe(stop: Stop): TimedOut | Failed
}

/** A case at its place in the run. */
interface Placed {
  /** Among the cases. */
  readonly index: number
  readonly suiteCase: SuiteCase
  /** It runs in the session that the one before it left. */
  readonly continuesPrevious: boolean
}

/** Yields chunks. Anything else is the last: the whole run was refused or stopped. */
export async function* runCaseChunks(cases: readonly SuiteCase[], options: CaseRunOptions): AsyncGenerator<CasesChunk | NotOk, void, undefined> {
  const placed = caseChains(cases).flatMap((chain) => chain.map((index, at): Placed => ({ index, suiteCase: cases[index], continuesPrevious: at > 0 })))
  const ordered = new InOrder()
  const counted = { stops: 0 }
  let withFindings = true
  const submit = async (some: readonly Placed[]) => {
    const submitted = await options.submit(
      some.map(({ suiteCase }) => suiteCase),
      withFindings,
      some.some(({ continuesPrevious }) => continuesPrevious),
    )
    if (submitted.outcome === 'ok') withFindings = false
    return submitted
  }
  if (cases.length === 0) {
    const submitted = await submit([])
    yield submitted.outcome === 'ok' ? { loads: submitted.part.loads, results: [], findings: submitted.part.findings } : submitted
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
        yield { loads, results: ordered.take(), findings: part.findings }
      } else {
        const stopped = options.describe(outcome.stop)
        const until = outcome.abandoned ? placed.length : first + outcome.count
        while (first < until) ordered.add(placed[first++].index, stopped)
        yield { loads, results: ordered.take(), findings: null }
      }
    }
  }
}

/** The end of the task that begins at `first`: never inside a chain. */
function endOfTask(placed: readonly Placed[], first: number): number {
  let end = Math.min(first + CASES_PER_TASK, placed.length)
  while (end < placed.length && placed[end].continuesPrevious) end++
  return end
}

/** Holds answers back until all before them are there. */
class InOrder {
  readonly #held = new Map<number, CaseOutcome>()
  #next = 0

  add(index: number, outcome: CaseOutcome): void {
    this.#held.set(index, outcome)
  }

  take(): CaseOutcome[] {
    const some: CaseOutcome[] = []
    for (let outcome = this.#held.get(this.#next); outcome !== undefined; outcome = this.#held.get(this.#next)) {
      this.#held.delete(this.#next++)
      some.push(outcome)
    }
    return some
  }
}
