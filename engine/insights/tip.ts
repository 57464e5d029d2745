/** The contract of a tip, and the run that it explains. */
import type { Locale } from '../diagnostics/text.js'
import type { Event } from '../event/event.js'
import type { Outcome } from '../match/outcome.js'
import type { EventRunner } from '../match/run-event.js'
import type { Session } from '../match/session.js'
import type { HeaderForm } from '../trace/header-form.js'
import type { TraceRecorder } from '../trace/trace-recorder.js'

/** A run with its recorded decisions. */
export interface TracedRun {
  readonly form: HeaderForm
  readonly event: Event
  readonly outcome: Outcome
  readonly recorder: TraceRecorder
  readonly session: Session | null
  /** The runner whose current event is this one. */
  readonly runner: EventRunner
}

/** Parameters of a tip's texts. Strings are Unicode. */
export type TipValues = Readonly<Record<string, string | number>>

/** Explains one aspect of a run. A missing language does not compile. */
export interface Tip<V extends TipValues = TipValues> {
  readonly id: string
  /** The parameters, or null if the tip does not apply. */
  applies(run: TracedRun): V | null
  readonly text: Readonly<Record<Locale, (values: V) => string>>
}

/** Ties the parameters of `applies` and of the texts to one type. */
export function defineTip<V extends TipValues>(tip: Tip<V>): Tip {
  return tip as unknown as Tip
}
