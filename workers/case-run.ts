/**
 * Many cases as tasks of some each. Invariants:
 *  1. answers come in the order of the cases, whatever the order of the run
 *  2. the cases of a chain (`engine/logtest/case-chain.ts`) are in one task, one after the other: their session lives in its thread
 *  3. a case that is stopped takes those after it in its session with it: what they would have found is not known
 */
import { caseChains, type SuiteCase } from '#engine'
import type { Failed, TimedOut } from './failure.js'
import { type AnsweredPart, inParts, type Stop } from './in-parts.js'
import type { Submitted } from './job.js'
import type { CaseAnswer, CaseFindings, CasesPart } from './protocol.js'

/** A task of stock events takes some milliseconds; a message costs a tenth of one. A longer chain is a task of its own. */
const CASES_PER_TASK = 64

/** A case's answer, or how its run was stopped. */
export type CaseOutcome = { readonly outcome: 'ok'; readonly report: CaseAnswer } | TimedOut | Failed

/** Some of the answers, in the order of the cases; the first comes with the findings, and without an answer when there is no case. */
export interface CasesPiece {
  readonly loads: boolean
  readonly results: readonly CaseOutcome[]
  /** On the first piece of a run whose first task was not stopped. */
  readonly findings: CaseFindings | null
}

export interface CaseRunOptions {
  /** @param hasChain whether a case of them goes on from another */
  submit(
    cases: readonly SuiteCase[],
    withFindings: boolean,
    hasChain: boolean,
  ): Promise<Exclude<Submitted, { outcome: 'ok' }> | { readonly outcome: 'ok'; readonly part: CasesPart & AnsweredPart }>
  describe(stop: Stop): TimedOut | Failed
}

type Ended = Exclude<Submitted, { outcome: 'ok' }>

/** A case at its place in the run. */
interface Placed {
  /** Among the cases. */
  readonly index: number
  readonly suiteCase: SuiteCase
  /** It finds what the one before it left. */
  readonly goesOn: boolean
}

/** Yields pieces; an `Ended` is the last, and says that the whole was turned away or stopped. */
export async function* runCaseParts(cases: readonly SuiteCase[], options: CaseRunOptions): AsyncGenerator<CasesPiece | Ended, void, undefined> {
  const placed = caseChains(cases).flatMap((chain) => chain.map((index, at): Placed => ({ index, suiteCase: cases[index], goesOn: at > 0 })))
  const ordered = new InOrder()
  const counted = { stops: 0 }
  let withFindings = true
  const submit = async (some: readonly Placed[]) => {
    const submitted = await options.submit(
      some.map(({ suiteCase }) => suiteCase),
      withFindings,
      some.some(({ goesOn }) => goesOn),
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
    for await (const outcome of inParts(placed.slice(first, end), first, counted, submit, ({ goesOn }) => goesOn)) {
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

/** Behind the last case of the task that begins there: never inside a chain. */
function endOfTask(placed: readonly Placed[], first: number): number {
  let end = Math.min(first + CASES_PER_TASK, placed.length)
  while (end < placed.length && placed[end].goesOn) end++
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
