/** Asks the engine what the cases are worth, a part at a time, until all is graded or somebody stops it. */
import type { EnginePort } from '../../worker/client.js'
import type { MutationPart } from '../../worker/protocol.js'
import type { CaseGrade, State } from './state.js'
import type { Store } from './store.js'

type Asking = <T>(request: (port: EnginePort) => Promise<T>, use: (answer: T) => void) => Promise<void>

const NOTHING: CaseGrade = {
  loads: true,
  failed: 0,
  total: null,
  done: 0,
  untried: 0,
  counts: { killed: 0, survived: 0, equivalent: 0, unknown: 0, invalid: 0 },
  survivors: [],
  isRunning: true,
  isOld: false,
}

export class CaseGrading {
  readonly #store: Store<State>
  readonly #asking: Asking
  /** Number of gradings that were begun or ended. */
  #turns = 0

  constructor(store: Store<State>, asking: Asking) {
    this.#store = store
    this.#asking = asking
  }

  /** Begins again. */
  begin(): void {
    this.#store.update({ caseGrade: NOTHING })
    void this.#grade(++this.#turns)
  }

  goOn(): void {
    this.#change({ isRunning: true })
    void this.#grade(++this.#turns)
  }

  /** Stops the grading; the results so far stay. */
  stop(): void {
    this.#turns++
    if (this.#store.state.caseGrade?.isRunning === true) this.#change({ isRunning: false })
  }

  /** The content or the cases have changed. */
  changed(change: 'content' | 'cases'): void {
    if (this.#store.state.caseGrade === null) return
    this.stop()
    if (change === 'content') this.#store.update({ caseGrade: null })
    else this.#change({ isOld: true })
  }

  #change(change: Partial<CaseGrade>): void {
    const { caseGrade } = this.#store.state
    if (caseGrade !== null) this.#store.update({ caseGrade: { ...caseGrade, ...change } })
  }

  async #grade(turn: number): Promise<void> {
    for (;;) {
      const { cases, locale, caseGrade: known } = this.#store.state
      if (known === null) return
      let isAnswered = false
      await this.#asking(
        (port) => port.mutate({ locale, cases: known.total === null ? cases.map(({ testCase }) => testCase) : null, from: known.done }),
        (part) => {
          isAnswered = true
          if (turn === this.#turns) this.#store.update({ caseGrade: added(known, part) })
        },
      )
      if (turn !== this.#turns) return
      if (!isAnswered) return this.stop()
      if (this.#store.state.caseGrade?.isRunning !== true) return
    }
  }
}

function added(known: CaseGrade, part: MutationPart): CaseGrade {
  const sum = (status: keyof CaseGrade['counts']): number => known.counts[status] + part.counts[status]
  return {
    ...known,
    ...part,
    untried: known.untried + part.untried,
    counts: { killed: sum('killed'), survived: sum('survived'), equivalent: sum('equivalent'), unknown: sum('unknown'), invalid: sum('invalid') },
    survivors: [...known.survivors, ...part.survivors],
    isRunning: part.done < part.total,
  }
}
