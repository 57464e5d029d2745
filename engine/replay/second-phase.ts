/**
 * The second phase of a replay: takes the events in their order, and does to one session what a run of all of them in one thread does. Only events whose rule
 * depends on earlier ones are run; of the others it has the final rule (`first-phase.ts`).
 */
import type { RunFormat } from '../logtest/detect-format.js'
import type { Outcome } from '../match/outcome.js'
import type { EventRunner, Moment } from '../match/run-event.js'
import { LOG_ALERT_LEVEL } from '../rules/alert-levels.js'
import type { Session } from '../match/session.js'
import { countFinal, isStored, storeEvent } from '../match/store-event.js'
import type { Origin } from '../predecoding/location.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { decode } from './first-phase.js'
import { CaptureTrail, type ReadEvent } from './capture-trail.js'
import { inheritsCaptures } from './inherits-captures.js'
import { type StoredForm, toStored } from './stored-form.js'

/** Takes the events of one session in their order. */
export class SecondPhase {
  readonly #runner: EventRunner
  readonly #session: Session
  /** Null: the ruleset has no decoder that takes what earlier events captured. */
  readonly #trail: CaptureTrail | null

  constructor(runner: EventRunner, session: Session) {
    this.#runner = runner
    this.#session = session
    this.#trail = inheritsCaptures(runner.ruleset) ? new CaptureTrail(runner, session) : null
  }

  /**
   * Takes an event whose final rule is known.
   * @param received seconds since the epoch
   * @param form null: no composite reads more of it than its time
   * @returns how often the rule has fired, negative: and this time without an alert
   */
  take(rule: CompiledRule, received: number, form: StoredForm | null): number {
    const session = this.#session
    const times = countFinal(session, rule)
    if (!isStored(session, rule, received)) return -times
    storeEvent(session, this.#runner.ruleset.rules, rule, toStored(form, session.nextSequence++, received))
    return rule.level < LOG_ALERT_LEVEL ? -times : times
  }

  /**
   * Runs an event whose rule depends on earlier ones.
   * @param text as it is received, a byte string
   * @param lacksCaptures of the first phase
   * @returns null: Wazuh drops it
   */
  run(text: string, format: RunFormat, origin: Origin, moment: Moment, lacksCaptures: boolean): Outcome | null {
    const session = this.#session
    if (lacksCaptures) this.settle()
    const event = decode(this.#runner, text, format, origin, moment, lacksCaptures ? session : null)
    return event === null ? null : this.#runner.runRules(event, moment, session, null)
  }

  /** Notes that an event was finished, unless it was run with captures. @param read reads it again, if what it captured matters */
  pass(read: ReadEvent): void {
    this.#trail?.pass(read)
  }

  /** Brings the captures of the session up to date, before it is kept. */
  settle(): void {
    this.#trail?.settle()
  }
}
