/**
 * What the events of a replay leave in the list of captures (BEHAVIOUR.md#captures-kept-between-searches). Nearly every event replaces what was in it, and hardly
 * any reads it. So the last events are remembered, and decoded again only where the list is needed, from the last one back to one that replaces it.
 */
import type { KeptCaptures } from '../decoders/match.js'
import type { EventRunner } from '../match/run-event.js'
import type { Session } from '../match/session.js'
import { decode } from './first-phase.js'
import type { ReplayEvent } from './read-record.js'

/** Reads an event again. */
export type ReadEvent = () => Pick<ReplayEvent, 'text' | 'format' | 'origin'> | null

/** Events that are remembered; then the list is brought up to date. */
const EVENTS_LIMIT = 256
/** Marks captures that an event has not set: they are still this list. */
const UNTOUCHED: readonly string[] = ['']
/** Decoders read no clock. */
const NO_MOMENT = { seconds: 0, local: () => ({ timeOfDay: '00:00', weekday: 0 }) }

export class CaptureTrail {
  readonly #runner: EventRunner
  readonly #session: Session
  #events: ReadEvent[] = []

  /** @param session its captures are those before the events that are remembered */
  constructor(runner: EventRunner, session: Session) {
    this.#runner = runner
    this.#session = session
  }

  /** Remembers an event that was finished. */
  pass(read: ReadEvent): void {
    this.#events.push(read)
    if (this.#events.length >= EVENTS_LIMIT) this.settle()
  }

  /** Sets the captures of the session to those after the last event. */
  settle(): void {
    const events = this.#events
    this.#events = []
    for (let i = events.length - 1; i >= 0; i--) {
      const read = events[i]()
      if (read === null || read.format === 'eventchannel') continue
      const kept: KeptCaptures = { captures: UNTOUCHED, hasCaptured: true }
      decode(this.#runner, read.text, read.format, read.origin, NO_MOMENT, kept)
      if (kept.captures === UNTOUCHED) continue
      this.#session.captures = kept.captures
      return
    }
  }
}
