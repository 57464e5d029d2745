/** The grading of the cases by small changes of the rules and decoders that are edited, a part at a time. It is loaded when somebody asks for it. */
import { type CompiledRuleset, type Locale, MutationGrader, type MutantStatus, type SuiteCase } from '#engine'
import { momentNow, now } from '#in-thread'
import { MUTATION_ITEM_MS, MUTATION_SLICE_MS, SURVIVORS_SENT } from './limits.js'
import type { MutationPart, Survivor } from './protocol.js'

/** The grading of the cases of one ruleset. */
export class MutationRun {
  readonly #grader: MutationGrader | null
  #ends = 0
  /** Survivors that were sent. */
  #sent = 0

  constructor(
    readonly ruleset: CompiledRuleset,
    cases: readonly SuiteCase[],
    locale: Locale,
  ) {
    const options = { locale, moment: momentNow(), scopes: ['custom'], mayGoOn: () => now() < this.#ends } as const
    this.#grader = ruleset.loads ? new MutationGrader(ruleset, [cases], options) : null
  }

  /** Grades items for a slice of time, at least one. @param from number of the items that are graded */
  part(from: number): MutationPart {
    const counts: Record<MutantStatus, number> = { killed: 0, survived: 0, equivalent: 0, unknown: 0, invalid: 0 }
    const survivors: Survivor[] = []
    const { items = 0, failed = [] } = this.#grader ?? {}
    let untried = 0
    let done = from
    const sliceEnd = now() + MUTATION_SLICE_MS
    while (done < items) {
      this.#ends = now() + MUTATION_ITEM_MS
      const rows = this.#grader?.grade(done) ?? null
      done++
      if (rows === null) untried++
      for (const { status, operator, rule_id: rule = null, decoder = null, kind, file, line, before, after, case: killer } of rows ?? []) {
        counts[status]++
        if (status !== 'survived' || typeof killer !== 'object' || this.#sent >= SURVIVORS_SENT) continue
        this.#sent++
        survivors.push({ rule, decoder, kind, filename: file, line, before, after: operator === 'delete' ? '' : after, killer })
      }
      if (now() >= sliceEnd) break
    }
    return { loads: this.#grader !== null, failed: failed.length, total: items, done, untried, counts, survivors }
  }
}
