/**
 * One test of an event, shared by every rule that asks the same: equal tests are one object, so the answer is found once per event
 * (engine-rules.md 2.1 to 2.4, 2.6, 2.7).
 */
import type { AddressEntry } from '../conditions/address.js'
import type { TimeRange } from '../conditions/time-range.js'
import { STATIC_FIELDS, STATIC_INDEX } from '../event/static-fields.js'
import type { Expression, Gate } from '../expressions/expression.js'
import type { CompiledRuleName } from './rule.js'

/** What a condition looks at: the texts of the event, its static fields, then dynamic fields by their number. */
export const SUBJECT_LOG = 0
export const SUBJECT_PROGRAM_NAME = 1
export const SUBJECT_HOSTNAME = 2
export const SUBJECT_LOCATION = 3
/** `dstuser`, or `srcuser` when there is none. */
export const SUBJECT_USER = 4
/** `srcuser`, or `dstuser`: how lists understand `user`. */
export const SUBJECT_LIST_USER = 5
/** Only builds with GeoIP fill these. */
export const SUBJECT_NEVER = 6
export const SUBJECT_STATIC = 8
export const SUBJECT_DYNAMIC = SUBJECT_STATIC + STATIC_FIELDS.length
export type Subject = number

/** Subject of a static field. */
export function staticSubject(name: keyof typeof STATIC_INDEX): Subject {
  return SUBJECT_STATIC + STATIC_INDEX[name]
}

/** How a condition decides. */
export type ConditionTest =
  | { readonly kind: 'pattern'; readonly expression: Expression; readonly negate: boolean }
  | { readonly kind: 'exact'; readonly text: string; readonly negate: boolean }
  | { readonly kind: 'address'; readonly entries: readonly AddressEntry[]; readonly negate: boolean }
  | { readonly kind: 'length'; readonly minimum: number }
  | { readonly kind: 'time'; readonly range: TimeRange }
  | { readonly kind: 'weekday'; readonly days: ReadonlySet<number> }
  | { readonly kind: 'compiled'; readonly name: CompiledRuleName }

export interface Condition {
  /** Dense number; a layer continues those of its base. */
  readonly index: number
  /** The tag that it was written with, for traces and explanations. */
  readonly tag: string
  /** Name of the dynamic field, for tag `field`. */
  readonly field: string | null
  readonly subject: Subject
  readonly test: ConditionTest
  /** A necessary condition on the folded text of the subject, or null. */
  readonly gate: Gate | null
  /** Number of the gate in the ruleset's table, for conditions on the log; -1 = none. */
  readonly logGate: number
}

/** Gives out conditions, one for each different test. */
export class ConditionPool {
  readonly #base: ConditionPool | null
  readonly #own = new Map<string, Condition>()
  readonly #first: number

  constructor(base: ConditionPool | null = null) {
    this.#base = base
    this.#first = base?.size ?? 0
  }

  get size(): number {
    return this.#first + this.#own.size
  }

  /** @param key says what is tested: equal keys, equal tests */
  get(key: string, make: (index: number) => Condition): Condition {
    const known = this.#find(key)
    if (known !== undefined) return known
    const condition = make(this.size)
    this.#own.set(key, condition)
    return condition
  }

  #find(key: string): Condition | undefined {
    return this.#own.get(key) ?? (this.#base === null ? undefined : this.#base.#find(key))
  }
}
