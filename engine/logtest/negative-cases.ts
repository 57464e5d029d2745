/**
 * Tells which rules have a negative case. A positive case of a rule is one whose events match it. A negative case comes near the rule (`near-rules.ts`), does not match
 * it, and passes. A case that fails shows nothing.
 */
import type { CaseReport } from '../records/records.js'

/** Counts the positive and negative cases of rules, from reports of cases that were run with `near`. */
export class NegativeCases {
  readonly #positive = new Set<string>()
  readonly #negative = new Set<string>()

  add({ covered: { own }, passed }: Pick<CaseReport, 'covered' | 'passed'>): void {
    for (const id of own?.matched ?? []) this.#positive.add(id)
    if (passed) for (const id of own?.near ?? []) this.#negative.add(id)
  }

  /** Number of rules with a positive case. */
  get positives(): number {
    return this.#positive.size
  }

  /** The ids of rules with a positive and without a negative case, in ascending order. */
  lacking(): string[] {
    return [...this.#positive].filter((id) => !this.#negative.has(id)).sort((a, b) => Number(a) - Number(b))
  }
}
