/**
 * Test cases for rules, made from the rules themselves: events are composed of the literals of rules and decoders, and run; the first that fires the rule is its case,
 * and what is expected is what the engine says. Invariants:
 *  1. every case was run: its expectations are the outcome of exactly these events
 *  2. a rule takes at most `RUNS_LIMIT` runs, and the whole at most the time of its caller
 */
import type { Locale } from '../diagnostics/text.js'
import { decodersThatRan } from '../logtest/describe-outcome.js'
import { runLogtest, runObserved } from '../logtest/logtest.js'
import { later } from '../logtest/virtual-clock.js'
import type { EventRunner, Moment } from '../match/run-event.js'
import { createSession } from '../match/session.js'
import type { LogtestReport, TestCase } from '../records/records.js'
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import { isComposite } from '../rules/rule.js'
import type { FileScope } from '../source/source-file.js'
import { fromByteString } from '../source/byte-string.js'
import { type Composition, compose, subjectsOf } from './compose-event.js'
import { comparedFields, wantedTexts } from './wanted-texts.js'

/** Runs for one rule; nearly all that succeed need less than a hundred. */
const RUNS_LIMIT = 600
/** Placements of a rule that are tried: below `if_group` it may have thousands. */
const PLACEMENTS_TRIED = 4
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

export function generateCases(runner: EventRunner, moment: Moment, { scopes, limit, locale, mayGoOn }: GenerateOptions): Generated {
  const rules = runner.ruleset.rules.inOrder().filter(({ definition }) => scopes.includes(definition.source.scope))
  const cases: GeneratedCase[] = []
  const withoutCase: number[] = []
  let tried = 0
  for (const rule of rules) {
    if (cases.length >= limit || !mayGoOn()) break
    tried++
    const found = new RuleTrial(runner, moment, rule, locale).run()
    if (found === null) withoutCase.push(rule.id)
    else cases.push(found)
  }
  if (rules.length === 0) cases.push(...decoderCases(runner, moment, { scopes, limit, locale, mayGoOn }))
  return { cases, withoutCase, untried: rules.length - tried }
}

/** Where there are no rules, events that the decoders read. */
function decoderCases(runner: EventRunner, moment: Moment, { scopes, limit, locale, mayGoOn }: GenerateOptions): GeneratedCase[] {
  const { decoders, rules } = runner.ruleset
  const cases: GeneratedCase[] = []
  const [template] = rules.top
  for (const root of [...decoders.programRoots, ...decoders.plainRoots]) {
    for (const decoder of [root, ...root.children]) {
      const { source, name } = decoder.definition
      if (!scopes.includes(source.scope) || cases.length >= limit || !mayGoOn()) continue
      const fields = new Map(subjectsOf(decoder).map((subject, at) => [subject, decoder.definition.order?.[at]?.name ?? '']))
      const path = [{ ...template.rule, identity: root.identity, category: root.definition.type, conditions: [], lists: [] }]
      const goal = { path, wanted: wantedTexts(path, runner.ruleset.lists, fields), varied: new Set<number>() }
      let runs = 0
      for (const composition of compose(decoders, goal)) {
        const event = fromByteString(composition(0))
        if (event === '') continue
        const { report, outcome } = runObserved(runner, { event, log_format: 'auto' }, moment, null, { locale, trace: false })
        const reported = outcome?.event.decoder ?? null
        if (reported !== null && decodersThatRan(reported, decoders).some(({ definition }) => definition === decoder.definition)) {
          cases.push(presentCase(`${fromByteString(name)}: ${Object.keys(report.extracted_fields).join(', ')}`, [event], report))
          break
        }
        if (++runs >= RUNS_LIMIT) break
      }
    }
  }
  return cases
}

/** @param events of which the last one has the report */
function presentCase(name: string, events: readonly string[], report: LogtestReport): GeneratedCase {
  return {
    name: name.slice(0, NAME_CHARACTERS),
    description: report.rule?.description ?? '',
    event_text: events.at(-1) ?? '',
    log_format: 'auto',
    ...(events.length > 1 ? { events: events.map((event_text, at) => ({ event_text, at })) } : {}),
    expected_decoder: report.decoder?.name ?? null,
    expected_rule: report.rule?.id ?? null,
    expected_rule_ids: report.matched_rules.map(({ id }) => id),
    expected_fields: Object.fromEntries(Object.entries(report.extracted_fields).slice(0, FIELDS_SHOWN)),
  }
}

/** The search for events that fire one rule. */
class RuleTrial {
  readonly #runner: EventRunner
  readonly #moment: Moment
  readonly #rule: CompiledRule
  readonly #locale: Locale
  #runs = 0

  constructor(runner: EventRunner, moment: Moment, rule: CompiledRule, locale: Locale) {
    this.#runner = runner
    this.#moment = moment
    this.#rule = rule
    this.#locale = locale
  }

  run(): GeneratedCase | null {
    const { ruleset } = this.#runner
    const { same, different } = comparedFields(this.#rule)
    const fields = new Map([...same, ...different])
    for (const node of ruleset.rules.placements(this.#rule.id).slice(0, PLACEMENTS_TRIED)) {
      const path = this.#pathOf(node)
      const goal = { path, wanted: wantedTexts(path, ruleset.lists, fields), varied: new Set(different.keys()) }
      const tried = new Set<string>()
      for (const composition of compose(ruleset.decoders, goal)) {
        const event = composition(0)
        if (event === '' || tried.has(event)) continue
        tried.add(event)
        const found = this.#needsHistory ? this.#repeat(composition) : this.#single(event)
        if (found !== null) return found
        if (this.#runs >= RUNS_LIMIT) return null
      }
    }
    return null
  }

  get #needsHistory(): boolean {
    return isComposite(this.#rule.definition) || this.#rule.definition.checkDiff
  }

  #pathOf(placement: RuleNode): CompiledRule[] {
    const path: CompiledRule[] = []
    for (let node: RuleNode | null = placement; node !== null; node = this.#runner.ruleset.rules.parentOf(node)) path.unshift(node.rule)
    return path
  }

  #single(text: string): GeneratedCase | null {
    const event = fromByteString(text)
    const report = this.#report(event, 0, null)
    return report.rule?.id === String(this.#rule.id) ? this.#caseOf([event], report) : null
  }

  /** Repeats an event until the rule that counts fires. The parents have to match at once, or nothing is counted. */
  #repeat(composition: Composition): GeneratedCase | null {
    const { frequency, checkDiff } = this.#rule.definition
    const session = createSession()
    const events: string[] = []
    const count = Math.min((frequency ?? 2) + 3, EVENTS_LIMIT)
    for (let round = 0; round < count; round++) {
      const text = fromByteString(composition(round))
      const event = checkDiff ? `${text} ${round}` : text
      events.push(event)
      const report = this.#report(event, round, session)
      if (report.rule?.id === String(this.#rule.id)) return this.#caseOf(events, report)
      if (round === 0 && report.rule === null && !checkDiff) return null
    }
    return null
  }

  #report(event: string, second: number, session: Parameters<typeof runLogtest>[3]): LogtestReport {
    this.#runs++
    return runLogtest(this.#runner, { event, log_format: 'auto' }, later(this.#moment, second), session, { locale: this.#locale, trace: false })
  }

  #caseOf(events: readonly string[], report: LogtestReport): GeneratedCase {
    return presentCase(`${this.#rule.id}: ${report.rule?.description ?? ''}`, events, report)
  }
}
