/**
 * Runs many cases as tasks of several cases each, on several threads at once. Invariants:
 *  1. answers are yielded in the order of the cases, also if they run in another order
 *  2. the cases of a chain (`engine/logtest/case-chain.ts`) are in one task, one after the other, because their session is in its thread
 *  3. when a case is stopped, the later cases of its session are not run, because the session is lost
 *  4. nothing is run beyond the window: a reader that takes no more chunks stops the run
 */
import { caseChains, type SuiteCase } from '#engine-data'
import type { NotOk } from '../pool/pending-task.js'
import type { CaseAnswer, CaseDiagnostics } from '../shared/answers.js'
import type { Failed, TimedOut } from '../shared/failure.js'
import type { CasesPart } from '../thread/tasks/cases.js'
import { type AnsweredPart, type ChunkOutcome, runInChunks, type Stop } from './run-in-chunks.js'

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
  /** Tasks that run at once. */
  readonly window: number
  readonly signal: AbortSignal | undefined
  /** @param hasChain whether a case continues the session of another one */
  submit(
    cases: readonly SuiteCase[],
    withDiagnostics: boolean,
    hasChain: boolean,
    signal: AbortSignal,
  ): Promise<NotOk | { readonly outcome: 'ok'; readonly part: CasesPart & AnsweredPart }>
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

type Outcomes = AsyncGenerator<ChunkOutcome<CasesPart & AnsweredPart>, void, undefined>

/** Yields chunks. Any other outcome is the last: the whole run was refused or stopped. */
export async function* runCaseChunks(cases: readonly SuiteCase[], options: CaseRunOptions): AsyncGenerator<CasesChunk | NotOk, void, undefined> {
  const placed = caseChains(cases).flatMap((chain) => chain.map((index, at): Placed => ({ index, suiteCase: cases[index], continuesPrevious: at > 0 })))
  const ordered = new InOrder()
  const counted = { stops: 0 }
  // Tasks that run ahead are cancelled when the reader stops early.
  const left = new AbortController()
  const signal = options.signal === undefined ? left.signal : AbortSignal.any([options.signal, left.signal])
  /** The first task that runs reports the diagnostics, or that the whole run is refused. Until then tasks run one by one. */
  let hasRun = false
  const submit = async (some: readonly Placed[]) => {
    const hasChain = some.some(({ continuesPrevious }) => continuesPrevious)
    const cases = some.map(({ suiteCase }) => suiteCase)
    const submitted = await options.submit(cases, !hasRun, hasChain, signal)
    if (submitted.outcome === 'ok') hasRun = true
    return submitted
  }
  if (cases.length === 0) {
    const submitted = await submit([])
    yield submitted.outcome === 'ok' ? { loads: submitted.part.loads, results: [], contentReport: submitted.part.contentReport } : submitted
    return
  }
  const ahead: { readonly outcomes: Outcomes; next: ReturnType<Outcomes['next']> }[] = []
  let loads = true
  let begun = 0
  let first = 0
  try {
    for (;;) {
      while (begun < placed.length && ahead.length < (hasRun ? options.window : 1)) {
        const end = endOfTask(placed, begun)
        const outcomes = runInChunks(placed.slice(begun, end), begun, counted, submit, ({ continuesPrevious }) => continuesPrevious)
        ahead.push({ outcomes, next: outcomes.next() })
        begun = end
      }
      const [task] = ahead
      if (task === undefined) return
      const { value: outcome, done } = await task.next
      if (done === true) {
        ahead.shift()
        continue
      }
      if (outcome.outcome === 'ended') return yield outcome.by
      // The task continues while this chunk is read.
      task.next = task.outcomes.next()
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
        if (outcome.abandoned) return
      }
    }
  } finally {
    left.abort()
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
