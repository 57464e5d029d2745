/**
 * The first phase of a replay: runs an event without a session, up to the first test that depends on earlier events. Events may run in any order and thread. What
 * the second phase (`second-phase.ts`) needs is returned.
 */
import type { Event } from '../event/event.js'
import type { RunFormat } from '../logtest/detect-format.js'
import { decodeAs } from '../logtest/received-event.js'
import type { EventRunner, Moment } from '../match/run-event.js'
import type { KeptCaptures } from '../decoders/match.js'
import type { Origin } from '../predecoding/location.js'
import { predecode } from '../predecoding/predecode.js'
import type { CompiledRule } from '../rules/compiled-rule.js'

/** The result of the first phase for an event. */
export interface FirstAnswer {
  readonly event: Event
  /** The final rule, or null; undefined: it depends on earlier events, so the second phase runs the event. */
  readonly rule: CompiledRule | null | undefined
  /** A decoder may take what an earlier event captured. */
  readonly lacksCaptures: boolean
}

/**
 * Runs an event through predecoding and decoders.
 * @param text as it is received, a byte string
 * @param captures those of earlier events; null: none
 * @returns null: Wazuh drops the event
 */
export function decode(runner: EventRunner, text: string, format: RunFormat, origin: Origin, { seconds }: Moment, captures: KeptCaptures | null): Event | null {
  const event = predecode(text, origin, seconds)
  return decodeAs(format, event, runner, captures, null) ? event : null
}

/** Runs events of one ruleset up to the first test that depends on earlier events. */
export class FirstPhase {
  readonly #runner: EventRunner

  constructor(runner: EventRunner) {
    this.#runner = runner
  }

  /** Runs one event. @param text a byte string @returns null: Wazuh drops the event */
  run(text: string, format: RunFormat, origin: Origin, moment: Moment): FirstAnswer | null {
    const event = decode(this.#runner, text, format, origin, moment, null)
    if (event === null) return null
    const lacksCaptures = format !== 'eventchannel' && this.#runner.decoders.lacksCaptures
    return { event, rule: lacksCaptures ? undefined : this.#runner.runUntilHistory(event, moment), lacksCaptures }
  }
}
