/**
 * Test cases for rules, made from the rules themselves: events are composed of the literals of rules and decoders, and run; the first that fires the rule is its case,
 * and what is expected is what the engine says. Invariants:
 *  1. every case was run: its expectations are the outcome of exactly these events
 *  2. a rule takes at most `RUNS_LIMIT` runs and `COMPOSITIONS_LIMIT` searches of a limited number of steps, and the whole at most the time of its caller
 *  3. an event that another decoder or rule took is composed again without what that one needs
 */
import type { Locale } from '../diagnostics/text.js'
import { CaseChain } from '../logtest/case-chain.js'
import { runEvents } from '../logtest/cases.js'
import { decodersThatRan } from '../logtest/describe-outcome.js'
import { runObserved } from '../logtest/logtest.js'
import { later, writeNow } from '../logtest/virtual-clock.js'
import type { EventRunner, Moment } from '../match/run-event.js'
import type { LogtestReport, TestCase } from '../records/records.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { fromByteString } from '../source/byte-string.js'
import type { FileScope } from '../source/source-file.js'
import { composeEvent, VARIANTS } from './compose-event.js'
import { plansOf, subjectsOf } from './decode-plan.js'
import { Goal } from './goal.js'
import { inputOf, RuleSearch, type SearchContext, type Witness, type WitnessEvent } from './rule-search.js'
import { PatternCache } from './text-tests.js'

/** Events of a case; the API accepts as many. */
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
  /** Rules that get cases; absent: all rules of the scopes. */
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
  /** Rules that were not tried, because the time was over or the maximum number of cases was reached. */
  readonly untried: number
}

/** Makes a test case for each rule that an event can fire, until the limit or the time is reached. @param moment second 0 of the clock of the cases */
export function generateCases(runner: EventRunner, moment: Moment, { scopes, only, limit, locale, mayGoOn }: GenerateOptions): Generated {
  const rules = runner.ruleset.rules.inOrder().filter(({ id, definition }) => scopes.includes(definition.source.scope) && only?.has(id) !== false)
  const context: SearchContext = { runner, moment, cache: new PatternCache(), eventsLimit: EVENTS_LIMIT, mayGoOn }
  const cases: GeneratedCase[] = []
  const withoutCase: number[] = []
  let tried = 0
  for (const rule of rules) {
    if (cases.length >= limit || !mayGoOn()) break
    tried++
    const found = new RuleSearch(context, rule).run()
    if (found !== null) cases.push(caseOf(runner, moment, locale, rule, found))
    else if (mayGoOn()) withoutCase.push(rule.id)
    else tried--
  }
  if (rules.length === 0) cases.push(...decoderCases(runner, moment, { scopes, limit, locale, mayGoOn }))
  return { cases, withoutCase, untried: rules.length - tried }
}

/** The case of a witness: what is expected is what the engine says. The clock is set where another one would have another result. */
function caseOf(runner: EventRunner, moment: Moment, locale: Locale, rule: CompiledRule, { events, start }: Witness): GeneratedCase {
  const first = later(moment, start)
  const { analysis } = runEvents(runner, events, first, locale, {})
  const found = presentCase(`${rule.id}: ${analysis.rule?.description ?? ''}`, events, analysis)
  return start !== 0 || new CaseChain(runner, first, locale, false).run(found).depends_on_clock ? { ...found, now: writeNow(first) } : found
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
        const composed = composeEvent(plan, goal, variant, 0)
        if (composed === null) continue
        const input = inputOf(composed)
        const { event } = input
        const { report, outcome } = runObserved(runner, input, moment, null, { locale, trace: false })
        const reported = outcome?.event.decoder ?? null
        const ran = reported === null ? [] : [...decodersThatRan(reported, decoders), reported]
        if (!ran.some(({ definition }) => definition === decoder.definition) || cases.some(({ event_text }) => event_text === event)) continue
        cases.push(presentCase(`${fromByteString(decoder.definition.name)}: ${Object.keys(report.extracted_fields).join(', ')}`, [{ input, at: 0 }], report))
        break
      }
    }
  }
  return cases
}

/** @param events of which the last one has the report */
function presentCase(name: string, events: readonly WitnessEvent[], report: LogtestReport): GeneratedCase {
  const last = events[events.length - 1].input
  const isEventchannel = events.some(({ input }) => input.log_format === 'eventchannel')
  return {
    name: name.slice(0, NAME_CHARACTERS),
    description: report.rule?.description ?? '',
    event_text: last.event,
    log_format: isEventchannel ? 'eventchannel' : 'auto',
    ...(last.location == null ? {} : { location: last.location }),
    ...(events.length > 1 ? { events: events.map(({ input, at }) => ({ event_text: input.event, at, ...(input.location == null ? {} : { location: input.location }) })) } : {}),
    expected_decoder: report.decoder?.name ?? null,
    expected_rule: report.rule?.id ?? null,
    expected_rule_ids: report.matched_rules.map(({ id }) => id),
    expected_fields: Object.fromEntries(Object.entries(report.extracted_fields).slice(0, FIELDS_SHOWN)),
  }
}
