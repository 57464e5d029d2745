/** Runs one event through all stages: predecoding, decoders, rules, and the update of the session (BEHAVIOUR.md#ignore). */
import { DecoderMatcher } from '../decoders/match.js'
import { accumulate as ACCUMULATE } from '../decoders/options/accumulate.js'
import { JsonPath } from '../json/paths.js'
import { JSON_STATIC } from '../event/static-fields.js'
import { PrefilterScanner } from '../expressions/prefilter-table.js'
import type { Origin } from '../predecoding/location.js'
import { predecode } from '../predecoding/predecode.js'
import { LOG_ALERT_LEVEL } from '../rules/alert-levels.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { LocalClock } from '../rules/condition.js'
import { ConditionEvaluator } from '../rules/evaluate.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import type { DecodeRecorder } from '../decoders/recorder.js'
import type { RuleRecorder } from '../rules/recorder.js'
import type { Event } from '../event/event.js'
import { accumulate } from './accumulate.js'
import { expandDescription } from './describe-rule.js'
import { RuleMatcher } from './match-rules.js'
import type { Outcome } from './outcome.js'
import type { Session } from './session.js'
import { toStoredEvent } from './session.js'
import { countFinal, isStored, storeEvent } from './store-event.js'

/** The time at which an event is received. The engine never reads a clock. */
export interface Moment extends LocalClock {
  /** Whole seconds since the epoch. */
  readonly seconds: number
}

/** Settings of the manager that events run on. */
export interface RunOptions {
  /** Host name that replaces the manager's own when an event has none. */
  readonly managerName?: string
}

const DEFAULT_MANAGER = 'manager'

/** Runs events against one compiled ruleset and keeps caches for it. One per thread; not reentrant. */
export class EventRunner {
  readonly ruleset: CompiledRuleset
  readonly #prefilters: PrefilterScanner
  readonly decoders: DecoderMatcher
  /** Evaluates conditions of the last event until the next one is run. */
  readonly evaluator: ConditionEvaluator
  readonly rules: RuleMatcher

  constructor(ruleset: CompiledRuleset, options: RunOptions = {}) {
    this.ruleset = ruleset
    const prefilters = new PrefilterScanner(ruleset.prefilters)
    this.#prefilters = prefilters
    this.decoders = new DecoderMatcher(
      ruleset.decoders,
      JsonPath.root({ find: (lower) => ruleset.fieldNames.find(lower), statics: JSON_STATIC }),
      (id) => ruleset.rules.find(id) !== undefined,
      prefilters,
    )
    this.evaluator = new ConditionEvaluator(ruleset.conditions.size, ruleset.fieldNames.size, prefilters, ruleset.lists, options.managerName ?? DEFAULT_MANAGER)
    this.rules = new RuleMatcher(ruleset.rules.top, this.evaluator)
  }

  /**
   * @param text the event, a byte string
   * @param session state of earlier events; null = a new session of one event, with the same outcome at lower cost
   */
  run(text: string, origin: Origin, moment: Moment, session: Session | null, recorder: (DecodeRecorder & RuleRecorder) | null = null): Outcome {
    const event = predecode(text, origin, moment.seconds)
    this.decoders.run(event, session, recorder)
    return this.runRules(event, moment, session, recorder)
  }

  /** Runs only the rule stage, for a decoded event. */
  runRules(event: Event, moment: Moment, session: Session | null, recorder: RuleRecorder | null): Outcome {
    if (session !== null && accumulates(event)) accumulate(event, session, this.evaluator.hostnameOf(event))
    this.#beginRules(event, moment)
    const rule = event.type === 'alert' ? this.#importedRule(event) : this.rules.run(event, session, recorder)
    const { path, search, previousLog } = this.rules
    if (rule === null) return { event, rule, description: '', firedTimes: 0, path, alert: false, previous: [], previousLog: null }
    const firedTimes = session === null ? 1 : countFinal(session, rule)
    const stored = this.#remember(event, rule, session)
    return {
      event,
      rule,
      description: this.describe(rule),
      firedTimes,
      path,
      alert: stored && rule.level >= LOG_ALERT_LEVEL,
      previous: search.previous,
      previousLog,
    }
  }

  /**
   * Runs the rule stage of a decoded event up to the first test that depends on earlier events. The final rule, or null: none; undefined: the answer depends on
   * earlier events.
   */
  runUntilHistory(event: Event, moment: Moment): CompiledRule | null | undefined {
    if (accumulates(event)) return undefined
    this.#beginRules(event, moment)
    return event.type === 'alert' ? this.#importedRule(event) : this.rules.runUntilHistory(event)
  }

  /** The description of a rule for the last event. */
  describe(rule: CompiledRule): string {
    return expandDescription(rule, this.evaluator)
  }

  #beginRules(event: Event, moment: Moment): void {
    if (event.hasUnreadLog) this.#prefilters.beginUnread(event)
    else this.#prefilters.begin(event)
    this.evaluator.begin(event, moment)
  }

  /** An imported alert names its rule, so no rules are tried. */
  #importedRule(event: Event): CompiledRule | null {
    this.rules.forget()
    return event.importedRule === null ? null : (this.ruleset.rules.find(event.importedRule) ?? null)
  }

  /** Returns false when the event is silenced: level 0, or inside the rule's `ignore` window. */
  #remember(event: Event, rule: CompiledRule, session: Session | null): boolean {
    if (rule.level === 0) return false
    if (session === null) return true
    if (!isStored(session, rule, event.received)) return false
    storeEvent(session, this.ruleset.rules, rule, toStoredEvent(event, session.nextSequence++, this.rules.search.mark))
    return true
  }
}

/** Whether the event gets fields of earlier ones. */
export function accumulates({ decoder }: Event): boolean {
  return decoder?.definition.valueOf(ACCUMULATE) === true
}
