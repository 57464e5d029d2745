/** What a tip knows of a run, and what a tip is. */
import type { Locale } from '../diagnostics/text.js'
import type { Event } from '../event/event.js'
import type { Outcome } from '../match/outcome.js'
import type { EventRunner } from '../match/run-event.js'
import type { Session } from '../match/session.js'
import type { HeaderForm } from '../trace/header-form.js'
import type { TraceRecorder } from '../trace/trace-recorder.js'

/** A run with all its decisions. */
export interface TracedRun {
  readonly form: HeaderForm
  readonly event: Event
  readonly outcome: Outcome
  readonly recorder: TraceRecorder
  readonly session: Session | null
  /** Still stands on the event. */
  readonly runner: EventRunner
}

/** Values that a tip's texts are made with. Strings are Unicode. */
export type TipValues = Readonly<Record<string, string | number>>

/** Something about a run that people ask about. A language that is missing does not compile. */
export interface Tip<V extends TipValues = TipValues> {
  readonly id: string
  /** The values to tell, or null when the tip does not apply. */
  applies(run: TracedRun): V | null
  readonly text: Readonly<Record<Locale, (values: V) => string>>
}

/** Keeps the values of `applies` and of the texts one type. */
export function defineTip<V extends TipValues>(tip: Tip<V>): Tip {
  return tip as unknown as Tip
}
