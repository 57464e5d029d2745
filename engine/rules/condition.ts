/** Conditions of compiled rules. Rules with equal conditions share one object, which is evaluated once per event. */
import type { Event } from '../event/event.js'
import { STATIC_FIELDS, STATIC_INDEX } from '../event/static-fields.js'
import type { Expression, Matcher, Prefilter } from '../expressions/expression.js'
import { Literal } from '../expressions/literal.js'
import { foldCase } from '../source/byte-string.js'
import type { ConditionKind } from './options/option.js'

/** The text that a condition tests: a text of the event, a static field, or, from `SUBJECT_DYNAMIC` on, a dynamic field by its number. */
export const SUBJECT_LOG = 0
export const SUBJECT_PROGRAM_NAME = 1
export const SUBJECT_HOSTNAME = 2
export const SUBJECT_LOCATION = 3
/** `dstuser`, or `srcuser` when there is none. */
export const SUBJECT_USER = 4
/** `srcuser`, or `dstuser` when there is none; lists use it for `user`. */
export const SUBJECT_LIST_USER = 5
/** Fields that only builds with GeoIP fill. No event has them. */
export const SUBJECT_NEVER = 6
export const SUBJECT_STATIC = 8
export const SUBJECT_DYNAMIC = SUBJECT_STATIC + STATIC_FIELDS.length
export type Subject = number

/** The subject of a static field. */
export function staticSubject(name: keyof typeof STATIC_INDEX): Subject {
  return SUBJECT_STATIC + STATIC_INDEX[name]
}

/** The local time at which an event was received. */
export interface LocalTime {
  /** `HH:MM`. */
  readonly timeOfDay: string
  /** 0 = Sunday. */
  readonly weekday: number
}

/** Provides the local time on demand. */
export interface LocalClock {
  local(): LocalTime
}

/** How a condition is evaluated. A subject that the event lacks fails the first three kinds, negated or not. */
export type ConditionTest =
  | { readonly kind: 'pattern'; readonly expression: Expression; readonly negate: boolean }
  | { readonly kind: 'exact'; readonly text: string; readonly negate: boolean }
  | { readonly kind: 'text'; readonly negate: boolean; passes(text: string): boolean }
  | { readonly kind: 'event'; passes(event: Event, clock: LocalClock): boolean }

/** Shared by all conditions that require none of several literals. */
const NO_LITERALS: readonly Literal[] = []

/** A condition of rules. What most evaluations read is in members of its own: each further object of it would be on another page of memory. */
export class Condition {
  #prefilter: Prefilter | null | undefined
  #exactValues: readonly string[] | null | undefined
  #literal: Literal | null | undefined
  #literals: readonly Literal[] = NO_LITERALS
  #tried: Condition | null = null
  /** Whether the test is negated. */
  readonly negate: boolean

  constructor(
    /** Dense number; a layer continues the numbers of its base. */
    readonly index: number,
    /** The option that was compiled first. Another rule may write an equal condition with another tag. */
    readonly option: ConditionKind,
    /** Name of the dynamic field, for `<field>`. */
    readonly field: string | null,
    readonly subject: Subject,
    readonly test: ConditionTest,
    /** The pattern to show in traces; null = the content of the rule's own tags. */
    readonly shown: string | null,
    /** Number of the prefilter in the ruleset's table, for conditions on the log; -1 = none. */
    readonly logPrefilter: number,
    /** What runs the pattern of the test; null: it has none. */
    readonly matcher: Matcher | null = test.kind === 'pattern' ? test.expression : null,
  ) {
    this.negate = test.kind !== 'event' && test.negate
  }

  /** An equal condition for the rules that events try, as `Expression.tried`. */
  get tried(): Condition {
    if (this.#tried === null) {
      const { test } = this
      const matcher = test.kind === 'pattern' ? test.expression.tried : null
      this.#tried = new Condition(this.index, this.option, this.field, this.subject, test, this.shown, this.logPrefilter, matcher)
    }
    return this.#tried
  }

  /** A necessary condition on the folded text of the subject, or null. Computed at the first use: most conditions are never evaluated. */
  get prefilter(): Prefilter | null {
    if (this.#prefilter === undefined) this.#prefilter = prefilterOf(this.test)
    return this.#prefilter
  }

  /** Values of which the folded text of the subject must equal one, or null. */
  get exactValues(): readonly string[] | null {
    if (this.#exactValues === undefined) this.#exactValues = this.prefilter?.kind === 'exact' ? this.prefilter.values : null
    return this.#exactValues
  }

  /** The literal that the folded text of the subject must contain; null: there is none, or `literals` are those of which it must contain one. */
  get literal(): Literal | null {
    if (this.#literal === undefined) this.#setLiterals()
    return this.#literal as Literal | null
  }

  /** See `literal`. */
  get literals(): readonly Literal[] {
    if (this.#literal === undefined) this.#setLiterals()
    return this.#literals
  }

  #setLiterals(): void {
    const { prefilter } = this
    const values = prefilter?.kind === 'contains' && !prefilter.values.includes('') ? prefilter.values : []
    this.#literal = values.length === 1 ? new Literal(values[0]) : null
    if (values.length > 1) this.#literals = values.map((value) => new Literal(value))
  }
}

/** A necessary condition for the test to pass. */
export function prefilterOf(test: ConditionTest): Prefilter | null {
  if (test.kind === 'pattern') return test.negate ? null : test.expression.prefilter
  return test.kind === 'exact' && !test.negate ? { kind: 'exact', values: [foldCase(test.text)] } : null
}

/** Creates one condition for each distinct test. */
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

  /** @param key identifies the test: equal keys mean equal tests */
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
