/**
 * Events that bring an attack to the pattern it is made for: through header, decoder and the rules above. Each was run: the trace says that the pattern was tried,
 * the text that it was tried on is at hand, and its steps are counted on that text. Patterns of decoders are tried on logs without a header, and on those of the
 * programs that a rule's witness has.
 */
import { runStages } from '../logtest/logtest.js'
import { utcMoment } from '../logtest/virtual-clock.js'
import { EventRunner, type Moment } from '../match/run-event.js'
import { Pcre2Expression } from '../expressions/pcre2/compile.js'
import type { LogtestInput } from '../records/records.js'
import type { AttackNote, Diagnostic } from '../diagnostics/diagnostic.js'
import type { AttackRecord } from '../records/attack.js'
import { type Attack, attackText, callsOn, EVENT_BYTES, findAttack, MATCH_LIMIT } from '../redos/attack.js'
import type { CompiledDecoder } from '../event/decoder.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { Condition } from '../rules/condition.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { foldCase, fromByteString, toByteString } from '../source/byte-string.js'
import { TraceRecorder } from '../trace/trace-recorder.js'
import { decoderCandidates, type DecoderPattern, meetsDecoder, patternsOfDecoders } from './attack-decoder-events.js'
import { inputsWith } from './near-events.js'
import { FIRST_EFFORT, RuleSearch, type SearchContext } from './rule-search.js'
import { PatternCache } from './text-tests.js'
import { USUAL_ADVANCE, WITNESS_EPOCH } from './witnesses.js'

/** Events of one witness that are looked at. */
const EVENTS_LIMIT = 200
/** A pattern that is blinded is given a little more than it needs: what stands before the attack in the event is read as well. */
const MORE_COPIES = 1.03

/** Finds the attacks on the patterns of one ruleset, and the events that bring them there. */
export class AttackFinder {
  readonly #ruleset: CompiledRuleset
  readonly #runner: EventRunner
  readonly #moment: Moment = utcMoment(WITNESS_EPOCH + USUAL_ADVANCE)
  readonly #mayGoOn: () => boolean
  /** Attacks by the text of the pattern: rules repeat patterns. */
  readonly #attacks = new Map<string, Attack | null>()

  /** @param mayGoOn whether there is time for another event */
  constructor(ruleset: CompiledRuleset, mayGoOn: () => boolean) {
    this.#ruleset = ruleset
    this.#runner = new EventRunner(ruleset)
    this.#mayGoOn = mayGoOn
  }

  /** Patterns that were searched. */
  get searched(): number {
    return this.#attacks.size
  }

  /** The attacks on the PCRE2 patterns of a rule. */
  ofRule(rule: CompiledRule): AttackRecord[] {
    const found: AttackRecord[] = []
    for (const condition of rule.conditions) {
      const { test } = condition
      if (test.kind !== 'pattern' || !(test.expression instanceof Pcre2Expression)) continue
      const attack = this.#attackOn(test.expression)
      if (attack === null) continue
      const option = condition.field === null ? condition.option.name : `field ${fromByteString(condition.field)}`
      found.push(recordOf({ rule_id: String(rule.id), decoder: null }, option, test.expression, attack, lastOf(this.#ruleSteps(rule, condition, test.expression, attack))))
    }
    return found
  }

  /** The attacks on the PCRE2 patterns of the decoders of one root. */
  ofDecoders(root: CompiledDecoder): AttackRecord[] {
    return patternsOfDecoders([root]).flatMap((pattern) => {
      const attack = this.#attackOn(pattern.expression)
      if (attack === null) return []
      const event = lastOf(this.#decoderSteps(pattern, attack))
      return [recordOf({ rule_id: null, decoder: fromByteString(pattern.decoder.definition.name) }, pattern.option, pattern.expression, attack, event)]
    })
  }

  #attackOn(expression: Pcre2Expression): Attack | null {
    const known = this.#attacks.get(expression.pattern)
    if (known !== undefined) return known
    const attack = findAttack(expression.tree)
    this.#attacks.set(expression.pattern, attack)
    return attack
  }

  /** Looks for the event that brings the attack of a diagnostic to its pattern; a step is an event that was tried. Null: none of them does. */
  *eventSteps({ kind, filename, span, attack: note }: Diagnostic): Generator<undefined, AttackRecord['event']> {
    if (note === undefined || span === null) return null
    const attack = attackOf(note)
    if (kind === 'decoders') {
      const { programRoots, plainRoots } = this.#ruleset.decoders
      for (const pattern of patternsOfDecoders([...programRoots, ...plainRoots])) {
        if (pattern.expression.pattern !== note.pattern || pattern.decoder.definition.source.filename !== filename) continue
        const event = yield* this.#decoderSteps(pattern, attack)
        if (event !== null) return eventRecord(event)
      }
      return null
    }
    for (const rule of this.#ruleset.rules.inOrder()) {
      const { source, element } = rule.definition
      if (source.filename !== filename || span.start < element.start || span.start >= element.end) continue
      for (const condition of rule.conditions) {
        const { test } = condition
        if (test.kind !== 'pattern' || !(test.expression instanceof Pcre2Expression) || test.expression.pattern !== note.pattern) continue
        const event = yield* this.#ruleSteps(rule, condition, test.expression, attack)
        if (event !== null) return eventRecord(event)
      }
    }
    return null
  }

  /** Null: none of the events that were tried brings the attack to the pattern. */
  *#ruleSteps(rule: CompiledRule, condition: Condition, expression: Pcre2Expression, attack: Attack): Generator<undefined, LogtestInput | null> {
    for (const base of this.#bases(rule, condition)) {
      yield
      const text = this.#run(base)?.text(condition)
      if (text === undefined || text === '') continue
      for (const { event, killing } of candidates(base, text, attack)) {
        if (!this.#mayGoOn()) return null
        if (this.#reaches(event, rule, condition, expression, killing, attack)) return event
        yield
      }
    }
    return null
  }

  /** The same for the pattern of a decoder. */
  *#decoderSteps(pattern: DecoderPattern, attack: Attack): Generator<undefined, LogtestInput | null> {
    for (const text of decoderCandidates(pattern, attack, new PatternCache())) {
      if (!this.#mayGoOn()) return null
      const input: LogtestInput = { event: text, log_format: 'syslog' }
      const run = this.#run(input)
      if (run !== null && meetsDecoder(pattern, { log: run.log, steps: run.recorder.decoderSteps }, attack)) return input
      yield
    }
    return null
  }

  /** Events that reach the rule: one that fails the condition alone, and one that fires it. */
  *#bases(rule: CompiledRule, condition: Condition): Generator<LogtestInput> {
    const context: SearchContext = { runner: this.#runner, moment: this.#moment, cache: new PatternCache(), eventsLimit: EVENTS_LIMIT, mayGoOn: this.#mayGoOn }
    const failing = new RuleSearch(context, rule, FIRST_EFFORT).without(condition)
    if (failing !== null) yield failing.input
    const firing = new RuleSearch({ ...context, cache: new PatternCache() }, rule, FIRST_EFFORT).run()?.events.at(-1)
    if (firing !== undefined) yield firing.input
  }

  #reaches(event: LogtestInput, rule: CompiledRule, condition: Condition, expression: Pcre2Expression, killing: string, attack: Attack): boolean {
    if (toByteString(event.event).length > EVENT_BYTES) return false
    const run = this.#run(event)
    if (run === null) return false
    const step = run.recorder.ruleSteps.find((one) => one.rule === rule)
    if (step === undefined) return false
    // It is tried if nothing before it failed; the engine itself finds matches for which PCRE2 gives up.
    const isTried = step.failure === null || step.failure.kind !== 'condition' ? step.failure?.kind !== 'decoder' : isNotBefore(rule, step.failure.condition, condition)
    const text = run.text(condition)
    if (!isTried || text === undefined) return false
    // A stall is what its text takes: nothing may match before it.
    return attack.blind === null ? text.includes(killing) && !expression.test(text, foldCase(text), 0) : callsOn(expression.tree, text) >= MATCH_LIMIT
  }

  #run(event: LogtestInput): { readonly recorder: TraceRecorder; readonly log: string; readonly text: (condition: Condition) => string | undefined } | null {
    const recorder = new TraceRecorder()
    const stages = runStages(this.#runner, event, this.#moment, null, recorder, { locale: 'en-US' })
    return stages.kind === 'run' ? { recorder, log: stages.event.log, text: ({ subject }) => this.#runner.evaluator.text(subject) } : null
  }
}

interface Candidate {
  readonly event: LogtestInput
  /** The text of the attack, as a byte string. */
  readonly killing: string
}

/** Whether a condition is tested after another one, or is that one. */
function isNotBefore({ conditions }: CompiledRule, failed: Condition, condition: Condition): boolean {
  return conditions.indexOf(failed) >= conditions.indexOf(condition)
}

/** The event with the attack in place of the text, and behind and before it. */
function* candidates(base: LogtestInput, text: string, attack: Attack): Generator<Candidate> {
  const isJson = base.event.trimStart().startsWith('{')
  const written = (bytes: string): string => (isJson ? JSON.stringify(fromByteString(bytes)).slice(1, -1) : fromByteString(bytes))
  const room = EVENT_BYTES - toByteString(base.event).length
  const fixed = attack.prefix.length + attack.suffix.length
  // Escapes take twice the room.
  const most = Math.floor((room - fixed - 1) / toByteString(written(attack.pump)).length)
  const wanted = attack.blind === null ? most : Math.ceil(attack.blind.copies * MORE_COPIES)
  if (most < 1 || wanted > most) return
  const killing = attackText(attack, wanted)
  for (const other of [killing, `${text} ${killing}`, `${text}${killing}`, `${killing} ${text}`])
    for (const event of inputsWith(base, written(text), written(other))) yield { event, killing }
}

function recordOf(owner: Pick<AttackRecord, 'rule_id' | 'decoder'>, option: string, { pattern }: Pcre2Expression, attack: Attack, event: LogtestInput | null): AttackRecord {
  const { prefix, pump, suffix, degree, blind, stall } = attack
  return {
    ...owner,
    option,
    pattern: fromByteString(pattern),
    kind: blind === null ? 'stall' : 'blind',
    degree,
    prefix: fromByteString(prefix),
    pump: fromByteString(pump),
    suffix: fromByteString(suffix),
    copies: (blind ?? stall).copies,
    bytes: (blind ?? stall).bytes,
    steps: stall.steps,
    ms: stall.ms,
    event: event === null ? null : eventRecord(event),
  }
}

function eventRecord({ event, log_format: format, location }: LogtestInput): NonNullable<AttackRecord['event']> {
  return { event, log_format: format === undefined || format === 'auto' ? 'syslog' : format, ...(location === undefined ? {} : { location }) }
}

/** The attack that a diagnostic tells of. */
function attackOf({ kind, degree, prefix, pump, suffix, copies, bytes, steps, ms }: AttackNote): Attack {
  return { prefix, pump, suffix, degree, blind: kind === 'blind' ? { copies, bytes } : null, stall: { copies, bytes, steps, ms } }
}

function lastOf<T>(steps: Generator<unknown, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value
}
