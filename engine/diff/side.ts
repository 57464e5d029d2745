/** One of two rulesets that are compared: runs events, always in a fresh session, and says what happened to each. */
import type { DecoderTree } from '../decoders/link.js'
import type { CompiledDecoder } from '../event/decoder.js'
import { STATIC_FIELDS } from '../event/static-fields.js'
import { BoundPrograms, Bounds } from '../generate/exclusion.js'
import type { PatternCache } from '../generate/text-tests.js'
import { USUAL_ADVANCE, WITNESS_EPOCH } from '../generate/witnesses.js'
import { decodersThatRan, describeFields, matchedRules } from '../logtest/describe-outcome.js'
import { runStages } from '../logtest/logtest.js'
import { utcMoment } from '../logtest/virtual-clock.js'
import { EventRunner } from '../match/run-event.js'
import { createSession } from '../match/session.js'
import type { LogFormat } from '../records/records.js'
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import { pathTo } from '../rules/placement-path.js'
import { Condition, type Subject, SUBJECT_DYNAMIC, SUBJECT_STATIC } from '../rules/condition.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { fromByteString } from '../source/byte-string.js'

/** An event of a sequence. */
export interface BehaviourEvent {
  readonly event: string
  readonly log_format: LogFormat
  readonly location?: string
  /** Seconds before the event; 1 where it is absent. */
  readonly advance?: number
}

/** The answer of Wazuh to an event, without its texts. */
export interface BehaviourAnswer {
  /** Null: no rule; only shown where neither ruleset has one. */
  readonly rule_id: string | null
  readonly level: number | null
  readonly decoder: string | null
  readonly fields: Readonly<Record<string, string>>
}

/** The result of one event. */
export interface Observation {
  readonly answer: BehaviourAnswer
  /** The final rule; null: none. */
  readonly rule: number | null
  readonly alert: boolean
  /** Ids of the rules that matched. */
  readonly path: ReadonlySet<number>
  /** Names of the decoders that ran and that are reported, and of their root. */
  readonly decoders: ReadonlySet<string>
  /** Equal for equal answers. */
  readonly key: string
}

export class Side {
  readonly ruleset: CompiledRuleset
  readonly runner: EventRunner
  /** Automata of patterns, shared by both sides, since layers share their patterns. */
  readonly cache: PatternCache
  /** Automata of proofs. */
  readonly bounds = new Bounds(new BoundPrograms())
  readonly #fieldNames: readonly string[]
  readonly #decoderNames = new WeakMap<CompiledDecoder, ReadonlySet<string>>()

  /** @param runner of the ruleset, if there is one already: its caches are filled */
  constructor(ruleset: CompiledRuleset, cache: PatternCache, runner = new EventRunner(ruleset)) {
    this.ruleset = ruleset
    this.runner = runner
    this.cache = cache
    this.#fieldNames = ruleset.fieldNames.names()
  }

  /** Runs the events in a fresh session. */
  run(events: readonly BehaviourEvent[]): Observation[] {
    const session = events.length > 1 ? createSession() : null
    let seconds = WITNESS_EPOCH
    return events.map(({ event, log_format, location, advance = USUAL_ADVANCE }) => {
      seconds += advance
      const stages = runStages(this.runner, location === undefined ? { event, log_format } : { event, log_format, location }, utcMoment(seconds), session, null, {
        locale: 'en-US',
      })
      if (stages.kind === 'refused') return REFUSED
      const { outcome } = stages
      const { rule, event: decoded, alert } = outcome
      const decoder = decoded.decoder === null ? null : fromByteString(decoded.decoder.name)
      const fields = describeFields(decoded)
      const answer: BehaviourAnswer = { rule_id: rule === null ? null : String(rule.id), level: rule?.level ?? null, decoder, fields }
      return {
        answer,
        rule: rule?.id ?? null,
        alert,
        path: new Set(matchedRules(outcome).map(({ id }) => id)),
        decoders: decoded.decoder === null ? NO_NAMES : this.#namesOf(decoded.decoder),
        key: JSON.stringify([answer.rule_id, answer.level, decoder, Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))]),
      }
    })
  }

  /** Rules from the top of the tree to a placement. */
  pathTo(placement: RuleNode): CompiledRule[] {
    return pathTo(this.ruleset.rules, placement).map(({ rule }) => rule)
  }

  /** The paths to the first placements of a rule. @param most number of them */
  pathsTo(id: number, most: number): CompiledRule[][] {
    return this.ruleset.rules
      .placements(id)
      .slice(0, most)
      .map((node) => this.pathTo(node))
  }

  /** The name of a text, which is the same in every ruleset; fields are numbered in each one. */
  subjectName(subject: Subject): string {
    if (subject >= SUBJECT_DYNAMIC) return `field ${this.#fieldNames[subject - SUBJECT_DYNAMIC] ?? ''}`
    return subject >= SUBJECT_STATIC ? STATIC_FIELDS[subject - SUBJECT_STATIC] : `text ${subject}`
  }

  /** The name of the field that a subject is; empty: it is another text. */
  fieldOf(subject: Subject): string {
    if (subject >= SUBJECT_DYNAMIC) return this.#fieldNames[subject - SUBJECT_DYNAMIC] ?? ''
    return subject >= SUBJECT_STATIC ? STATIC_FIELDS[subject - SUBJECT_STATIC] : ''
  }

  /** The condition of a rule of the other side for this one. Null: no event can have its field here. */
  translate(condition: Condition, other: Side): Condition | null {
    const { subject, index, option, field, test, shown } = condition
    if (subject < SUBJECT_DYNAMIC || other === this) return condition
    const key = this.ruleset.fieldNames.find(other.#fieldNames[subject - SUBJECT_DYNAMIC] ?? '')
    return key < 0 ? null : new Condition(index, option, field, SUBJECT_DYNAMIC + key, test, shown, -1)
  }

  #namesOf(decoder: CompiledDecoder): ReadonlySet<string> {
    let names = this.#decoderNames.get(decoder)
    if (names === undefined) {
      const { decoders } = this.ruleset
      const ran = decoder.definition.parent === null && !isLinked(decoder, decoders) ? [] : decodersThatRan(decoder, decoders)
      names = new Set([decoder, ...ran].flatMap(({ definition: { name, parent } }) => (parent === null ? [name] : [name, parent])).map(fromByteString))
      this.#decoderNames.set(decoder, names)
    }
    return names
  }
}

const NO_NAMES: ReadonlySet<string> = new Set()
/** An event that the engine refuses, such as one that is no Windows event. */
const REFUSED: Observation = { answer: { rule_id: null, level: null, decoder: null, fields: {} }, rule: null, alert: false, path: new Set(), decoders: NO_NAMES, key: 'refused' }

/** Whether the decoder is one of the content; that for Windows events is built in. */
function isLinked(decoder: CompiledDecoder, { programRoots, plainRoots }: DecoderTree): boolean {
  return (decoder.programName === null ? plainRoots : programRoots).includes(decoder)
}
