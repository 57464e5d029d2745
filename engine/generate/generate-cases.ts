/**
 * Test cases for rules, made from the rules themselves: events are composed of the literals of rules and decoders, and run; the first that fires the rule is its case,
 * and what is expected is what the engine says. Invariants:
 *  1. every case was run: its expectations are the outcome of exactly these events
 *  2. a rule takes at most `RUNS_LIMIT` runs and `COMPOSITIONS_LIMIT` searches of a limited number of steps, and the whole at most the time of its caller
 *  3. an event that another decoder or rule took is composed again without what that one needs
 */
import type { Locale } from '../diagnostics/text.js'
import type { DecoderTree } from '../decoders/link.js'
import type { CompiledDecoder } from '../event/decoder.js'
import { decodersThatRan } from '../logtest/describe-outcome.js'
import { CaseChain } from '../logtest/case-chain.js'
import { runLogtest, runObserved, runStages } from '../logtest/logtest.js'
import { later, writeNow } from '../logtest/virtual-clock.js'
import { neededEvents } from '../match/history.js'
import type { Outcome } from '../match/outcome.js'
import type { EventRunner, Moment } from '../match/run-event.js'
import { createSession } from '../match/session.js'
import type { LogtestReport, TestCase } from '../records/records.js'
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import { type Subject, SUBJECT_LOG, SUBJECT_PROGRAM_NAME } from '../rules/condition.js'
import { isComposite } from '../rules/rule.js'
import type { FileScope } from '../source/source-file.js'
import { fromByteString } from '../source/byte-string.js'
import { composeEvent, VARIANTS } from './compose-event.js'
import { type DecodePlan, plansFor, plansOf, subjectsOf } from './decode-plan.js'
import { comparedFields, type Fields, Goal } from './goal.js'
import { partsBehind, PatternCache } from './text-tests.js'

/** Runs for one rule; nearly all that succeed need less than twenty. */
const RUNS_LIMIT = 160
/** Events that are composed for one rule: each is a search of a limited number of steps. */
const COMPOSITIONS_LIMIT = 120
/** Runs after each of which one plan is sharpened: a decoder or a rule that took the event is excluded. */
const REFINEMENTS_LIMIT = 12
/** Placements of a rule that are tried: below `if_group` it may have thousands. */
const PLACEMENTS_TRIED = 6
/** Placements of a rule that took an event, of which the one that matched is sought. */
const PLACEMENTS_SEARCHED = 64
/** Rules whose events a composite may count, of which that many are tried. */
const FEEDERS_TRIED = 6
/** Events of a case for a rule that counts. A case of the API has as many at most. */
const EVENTS_LIMIT = 60
/** Longest name of a case. */
const NAME_CHARACTERS = 120
/** Fields of an event that are expected; what is beyond them tells cases apart no better. */
const FIELDS_SHOWN = 20

/** A case that was run. */
export type GeneratedCase = TestCase

export interface GenerateOptions {
  /** Rules of these scopes get cases. */
  readonly scopes: readonly FileScope[]
  /** Rules that get cases; without it all of the scopes. */
  readonly only?: ReadonlySet<number>
  /** Maximum number of cases. */
  readonly limit: number
  readonly locale: Locale
  /** Whether there is time for another rule. */
  readonly mayGoOn: () => boolean
}

export interface Generated {
  readonly cases: readonly GeneratedCase[]
  /** Rules for which no event was found that fires them. */
  readonly withoutCase: readonly number[]
  /** Rules that were not tried, because the time or the number of cases was over. */
  readonly untried: number
}

export function generateCases(runner: EventRunner, moment: Moment, { scopes, only, limit, locale, mayGoOn }: GenerateOptions): Generated {
  const rules = runner.ruleset.rules.inOrder().filter(({ id, definition }) => scopes.includes(definition.source.scope) && only?.has(id) !== false)
  const shared: Shared = { runner, moment, locale, cache: new PatternCache(), mayGoOn }
  const cases: GeneratedCase[] = []
  const withoutCase: number[] = []
  let tried = 0
  for (const rule of rules) {
    if (cases.length >= limit || !mayGoOn()) break
    tried++
    const found = new RuleTrial(shared, rule).run()
    if (found !== null) cases.push(withClock(runner, moment, locale, found))
    else if (mayGoOn()) withoutCase.push(rule.id)
    else tried--
  }
  if (rules.length === 0) cases.push(...decoderCases(runner, moment, { scopes, limit, locale, mayGoOn }))
  return { cases, withoutCase, untried: rules.length - tried }
}

/** Sets the clock of a case that would have another result at another time. */
function withClock(runner: EventRunner, moment: Moment, locale: Locale, found: GeneratedCase): GeneratedCase {
  return new CaseChain(runner, moment, locale, false).run(found).depends_on_clock ? { ...found, now: writeNow(moment) } : found
}

/** Where there are no rules, events that the decoders read. */
function decoderCases(runner: EventRunner, moment: Moment, { scopes, limit, locale, mayGoOn }: GenerateOptions): GeneratedCase[] {
  const { decoders, rules, lists } = runner.ruleset
  const cases: GeneratedCase[] = []
  const [template] = rules.top
  const cache = new PatternCache()
  for (const plan of plansOf(decoders)) {
    for (const decoder of new Set([plan.root, plan.entry, ...plan.members])) {
      if (decoder === null || !scopes.includes(decoder.definition.source.scope)) continue
      if (cases.length >= limit || !mayGoOn()) return cases
      const fields = new Map(subjectsOf(decoder).map((subject, at) => [subject, decoder.definition.order?.[at]?.name ?? '']))
      const path = [{ ...template.rule, identity: -1, category: plan.reported?.definition.type ?? '', conditions: [], lists: [] }]
      const goal = Goal.forPath(path, lists, fields, new Set(), cache)
      for (let variant = 0; variant < VARIANTS; variant++) {
        const text = composeEvent(plan, goal, variant, 0)
        if (text === null) continue
        const event = fromByteString(text)
        const { report, outcome } = runObserved(runner, { event, log_format: 'auto' }, moment, null, { locale, trace: false })
        const reported = outcome?.event.decoder ?? null
        const ran = reported === null ? [] : [...decodersThatRan(reported, decoders), reported]
        if (!ran.some(({ definition }) => definition === decoder.definition) || cases.some(({ event_text }) => event_text === event)) continue
        cases.push(presentCase(`${fromByteString(decoder.definition.name)}: ${Object.keys(report.extracted_fields).join(', ')}`, [event], report))
        break
      }
    }
  }
  return cases
}

/** @param events of which the last one has the report */
function presentCase(name: string, events: readonly string[], report: LogtestReport, secondOf: (round: number) => number = (round) => round): GeneratedCase {
  return {
    name: name.slice(0, NAME_CHARACTERS),
    description: report.rule?.description ?? '',
    event_text: events.at(-1) ?? '',
    log_format: 'auto',
    ...(events.length > 1 ? { events: events.map((event_text, round) => ({ event_text, at: secondOf(round) })) } : {}),
    expected_decoder: report.decoder?.name ?? null,
    expected_rule: report.rule?.id ?? null,
    expected_rule_ids: report.matched_rules.map(({ id }) => id),
    expected_fields: Object.fromEntries(Object.entries(report.extracted_fields).slice(0, FIELDS_SHOWN)),
  }
}

/** What all searches of one generation share. */
interface Shared {
  readonly runner: EventRunner
  readonly moment: Moment
  readonly locale: Locale
  readonly cache: PatternCache
  readonly mayGoOn: () => boolean
}

/** The search for events that fire one rule. */
class RuleTrial {
  readonly #shared: Shared
  readonly #rule: CompiledRule
  #runs = 0
  #compositions = 0

  constructor(shared: Shared, rule: CompiledRule) {
    this.#shared = shared
    this.#rule = rule
  }

  run(): GeneratedCase | null {
    const { definition } = this.#rule
    if (definition.noalert) return null
    if (isComposite(definition)) return this.#composite()
    const { different } = comparedFields(this.#rule)
    for (const path of this.#paths(this.#rule)) {
      const found = this.#search(path, new Map(), new Set(different.keys()), (event, compose) => this.#fired(event, compose))
      if (found !== null) return found
    }
    return null
  }

  /** Paths to the placements of a rule. */
  #paths(rule: CompiledRule): (readonly CompiledRule[])[] {
    const { rules, decoders, lists } = this.#shared.runner.ruleset
    return rules
      .placements(rule.id)
      .slice(0, PLACEMENTS_SEARCHED)
      .map((placement) => this.#pathTo(placement))
      .filter((path) => plansFor(decoders, Goal.forPath(path, lists, new Map(), new Set(), this.#shared.cache)).length > 0)
      .slice(0, PLACEMENTS_TRIED)
  }

  #pathTo(placement: RuleNode): CompiledRule[] {
    const { rules } = this.#shared.runner.ruleset
    const path: CompiledRule[] = []
    for (let node: RuleNode | null = placement; node !== null; node = rules.parentOf(node)) path.unshift(node.rule)
    return path
  }

  /**
   * Composes events for a path until one is accepted.
   * @param accept returns what was sought, or null: the event is run, and the goal sharpened by what took it
   */
  #search<T>(
    path: readonly CompiledRule[],
    fields: Fields,
    varied: ReadonlySet<Subject>,
    accept: (event: string, compose: (round: number) => string | null) => T | null,
    pinned: Pinned = [],
  ): T | null {
    const { runner, cache } = this.#shared
    const { ruleset } = runner
    const goal = Goal.forPath(path, ruleset.lists, fields, varied, cache)
    for (const { subject, name, value } of pinned) goal.pin(subject, name, value)
    const plans = plansFor(ruleset.decoders, goal)
    if (plans.length === 0) return null
    for (let variant = 0; variant < VARIANTS; variant++) {
      for (const plan of plans) {
        let sharpened = goal
        const tried = new Set<string>()
        for (let round = 0; round < REFINEMENTS_LIMIT; round++) {
          if (this.#runs >= RUNS_LIMIT || this.#compositions++ >= COMPOSITIONS_LIMIT || !this.#shared.mayGoOn()) return null
          const event = composeEvent(plan, sharpened, variant, 0)
          if (event === null || tried.has(event)) break
          tried.add(event)
          const current = sharpened
          const found = accept(event, (other) => composeEvent(plan, current, variant, other))
          if (found !== null) return found
          const next = this.#sharpen(plan, current, event)
          if (next === null) break
          sharpened = next
        }
      }
    }
    return null
  }

  /** A single event, or several where the rule compares logs. */
  #fired(text: string, compose: (round: number) => string | null): GeneratedCase | null {
    const event = fromByteString(text)
    if (!this.#rule.definition.checkDiff) {
      const report = this.#report(event, 0, null)
      return report.rule?.id === String(this.#rule.id) ? this.#caseOf([event], report) : null
    }
    return this.#repeat((round) => compose(round) ?? text, ' ')
  }

  #composite(): GeneratedCase | null {
    const { same, different } = comparedFields(this.#rule)
    const varied = new Set(different.keys())
    const fields = new Map([...same, ...different])
    for (const path of this.#paths(this.#rule)) {
      const found = this.#search(path, fields, varied, (text, compose) => this.#repeat((round) => compose(round) ?? text, ''))
      if (found !== null) return found
    }
    // Events of one rule, then one of another: the fields that are compared are those of the last one.
    for (const feeder of this.#feeders()) {
      for (const path of this.#paths(this.#rule)) {
        const found = this.#search(path, fields, varied, (text, compose) => this.#followed(feeder, same, different, text, compose))
        if (found !== null) return found
      }
    }
    return null
  }

  /** Rules whose events the composite counts. */
  #feeders(): CompiledRule[] {
    const { search, index } = this.#rule
    const { rules } = this.#shared.runner.ruleset
    const known = rules.inOrder()
    if (search?.kind === 'rule') return known.filter((rule) => rule.index === search.target)
    if (search?.kind !== 'group') return []
    return known
      .filter((rule) => !isComposite(rule.definition) && rules.wiring.feeds.get(rule.index)?.some(({ composite }) => composite === index) === true)
      .slice(0, FEEDERS_TRIED)
  }

  #followed(feeder: CompiledRule, same: Fields, different: Fields, text: string, compose: (round: number) => string | null): GeneratedCase | null {
    const { runner } = this.#shared
    const last = this.#outcomeOf(text)
    if (last === null) return null
    const pinned: { subject: Subject; name: string; value: string }[] = []
    for (const [subject, name] of same) {
      const value = runner.evaluator.text(subject)
      if (value === undefined) return null
      pinned.push({ subject, name, value })
    }
    const fields = new Map([...same, ...different])
    for (const path of this.#paths(feeder)) {
      const found = this.#search(
        path,
        fields,
        new Set(different.keys()),
        (event, composeFeeder) => {
          if (this.#outcomeOf(event)?.rule !== feeder) return null
          const count = neededEvents(this.#rule) + 1
          const before = Array.from({ length: Math.min(count, EVENTS_LIMIT - 1) }, (_, round) => composeFeeder(round) ?? event)
          return this.#sequence([...before, compose(before.length) ?? text])
        },
        pinned,
      )
      if (found !== null) return found
    }
    return null
  }

  #sequence(texts: readonly string[]): GeneratedCase | null {
    const session = createSession()
    const events = texts.map(fromByteString)
    let report: LogtestReport | null = null
    for (const [round, event] of events.entries()) report = this.#report(event, this.#secondOf(round, events.length), session)
    return report?.rule?.id === String(this.#rule.id) ? this.#caseOf(events, report) : null
  }

  /** Repeats an event until the rule that counts fires. The parents have to match at once, or nothing is counted. @param differs put before the number of the round */
  #repeat(compose: (round: number) => string, differs: string): GeneratedCase | null {
    const { frequency, checkDiff } = this.#rule.definition
    const session = createSession()
    const events: string[] = []
    const count = Math.min((frequency ?? 2) + 3, EVENTS_LIMIT)
    for (let round = 0; round < count; round++) {
      const text = fromByteString(compose(round))
      const event = differs === '' ? text : `${text}${differs}${round}`
      events.push(event)
      const report = this.#report(event, this.#secondOf(round, count), session)
      if (report.rule?.id === String(this.#rule.id)) return this.#caseOf(events, report)
      if (round === 0 && report.rule === null && !checkDiff) return null
    }
    return null
  }

  /** Events follow each other in a second each, or faster where the rule counts for a shorter time. */
  #secondOf(round: number, count: number): number {
    return Math.floor(round * Math.min(1, this.#rule.definition.timeframe / (2 * count)))
  }

  /** Excludes what took the event: another decoder, or another rule. Null: nothing did, or it cannot be excluded. */
  #sharpen(plan: DecodePlan, goal: Goal, text: string): Goal | null {
    const { runner } = this.#shared
    const outcome = this.#outcomeOf(text)
    if (outcome === null) return null
    const { decoder } = outcome.event
    const next = goal.copy()
    if (decoder !== plan.reported && (plan.kind !== 'plain' || goal.path.some(({ identity }) => identity >= 0)))
      return decoder !== null && excludeDecoder(next, plan, decoder, runner.ruleset.decoders) ? next : null
    const matched = new Set(outcome.path)
    const own = new Set(goal.path)
    const missing = goal.path.find((rule) => !matched.has(rule))
    const isMet = missing === undefined || missing.conditions.every((condition) => runner.evaluator.passes(condition))
    // A condition that the decoder could have met does not hold: an event of another form is needed.
    if (!isMet) return plan.kind === 'plain' && decoder !== null && excludeDecoder(next, plan, decoder, runner.ruleset.decoders) ? next : null
    const taker = this.#taker(outcome, own, matched)
    return taker !== null && next.refute(taker) ? next : null
  }

  /** The first rule beside the path on the way to the final one. */
  #taker({ rule }: Outcome, own: ReadonlySet<CompiledRule>, matched: ReadonlySet<CompiledRule>): CompiledRule | null {
    if (rule === null) return null
    const { rules } = this.#shared.runner.ruleset
    for (const placement of rules.placements(rule.id).slice(0, PLACEMENTS_SEARCHED)) {
      const chain = this.#pathTo(placement)
      if (chain.every((each) => matched.has(each))) return chain.find((each) => !own.has(each)) ?? null
    }
    return null
  }

  #outcomeOf(text: string): Outcome | null {
    const { runner, moment, locale } = this.#shared
    this.#runs++
    const stages = runStages(runner, { event: fromByteString(text), log_format: 'auto' }, moment, null, null, { locale })
    return stages.kind === 'run' ? stages.outcome : null
  }

  #report(event: string, second: number, session: Parameters<typeof runLogtest>[3]): LogtestReport {
    const { runner, moment, locale } = this.#shared
    this.#runs++
    return runLogtest(runner, { event, log_format: 'auto' }, later(moment, second), session, { locale, trace: false })
  }

  #caseOf(events: readonly string[], report: LogtestReport): GeneratedCase {
    return presentCase(`${this.#rule.id}: ${report.rule?.description ?? ''}`, events, report, (round) => this.#secondOf(round, events.length))
  }
}

type Pinned = readonly { readonly subject: Subject; readonly name: string; readonly value: string }[]

/** Excludes the patterns of a decoder that another plan has in its place. Returns false if it has none. */
function excludeDecoder(goal: Goal, plan: DecodePlan, decoder: CompiledDecoder, tree: DecoderTree): boolean {
  const root = decoder.definition.parent === null ? decoder : [...tree.programRoots, ...tree.plainRoots].find(({ children }) => children.includes(decoder))
  if (root === undefined) return false
  if (root !== plan.root) {
    const { prematch, programName } = root
    if (prematch !== null) goal.exclude(SUBJECT_LOG, prematch)
    else if (programName !== null && programName !== plan.root?.programName) goal.exclude(SUBJECT_PROGRAM_NAME, programName)
    else return false
    return true
  }
  const { prematch, definition } = decoder
  if (decoder === root || prematch === null) return false
  const before = definition.prematch?.offset === 'after_parent' && root.prematch !== null ? partsBehind(root.prematch, []) : []
  goal.exclude(SUBJECT_LOG, prematch, before)
  return true
}
