/** The contract of a tip, and the run that it explains. */
import type { Locale } from '../diagnostics/text.js'
import type { Event } from '../event/event.js'
import type { Outcome } from '../match/outcome.js'
import type { EventRunner } from '../match/run-event.js'
import type { Session } from '../match/session.js'
import type { LocalClock } from '../rules/condition.js'
import type { HeaderForm } from '../trace/header-form.js'
import type { TraceRecorder } from '../trace/trace-recorder.js'
import type { NearContent } from './near-content.js'
import type { Caller } from './own-content.js'
import type { RunFailures } from './run-failures.js'

/** A run with its recorded decisions. */
export interface TracedRun {
  readonly form: HeaderForm
  readonly event: Event
  readonly outcome: Outcome
  readonly recorder: TraceRecorder
  readonly session: Session | null
  readonly clock: LocalClock
  /** The runner whose current event is this one. */
  readonly runner: EventRunner
}

/** A run, and what the caller's own content has to do with it. */
export interface ToldRun extends TracedRun {
  readonly caller: Caller
  readonly failures: RunFailures
  /** Null: the caller has no content of his own. */
  readonly near: NearContent | null
}

/** Parameters of a tip's texts. Strings are Unicode. */
export type TipValues = object

/** Explains one aspect of a run. A missing language does not compile. */
export interface Tip<V extends TipValues = TipValues> {
  readonly id: string
  /** Whether it applies only to callers who have content of their own. */
  readonly isOfOwnContent?: true
  /** The parameters, or null if the tip does not apply. */
  applies(run: ToldRun): V | null
  readonly text: Readonly<Record<Locale, (values: V) => string>>
  /**
   * What the tip is about, for tips that a file of events must not repeat for each of its lines. Without it the tip is about this event.
   */
  readonly about?: (values: V) => string | number
}

/** Ties the parameters of `applies` and of the texts to one type. */
export function defineTip<V extends TipValues>(tip: Tip<V>): Tip {
  return tip as unknown as Tip
}
