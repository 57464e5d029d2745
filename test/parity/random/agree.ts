/**
 * Properties that must hold for any content:
 *  1. nothing throws, and every diagnostic has texts in both languages
 *  2. content compiled at once and in one or two layers has the same diagnostics, trees and results; the base of the layers does not change
 *  3. a trace changes no result, a written report equals the object, and the written trace equals the trace
 *  4. a state that was serialized and restored continues unchanged, and a second run returns the same results
 *  5. matched rules are nested in the tree, and the last of them that may be final is the result
 *  6. the explanation of a rule agrees with the result
 */
import { deserialize, serialize } from 'node:v8'
import type { CompiledRuleset, Diagnostic, Explanation, FileScope, LogtestReport, Moment, Session, SourceFile } from '#engine'
import { compileLayer, compileRuleset, createSession, entryOf, describeDiagnostic, EventRunner, explainRule, LOCALES, runLogtest } from '#engine'
import { ATTACK_BUDGET, checkAttacks } from '../../../engine/checks/attacks.js'
import { runs } from '../../support/runs.js'
import { type WrittenReport, writtenReport } from '../../support/written-report.js'
import type { StoredEvent } from '../../../engine/match/session.js'
import { portrait } from '../../support/portrait.js'
import { momentAt } from '../conformance.js'
import { type RandomContent, type RandomEvent, type RandomSession, toSourceFile } from './content.js'

/** Two modes disagree, or one violates a property. */
export class Disagreement extends Error {}

/** Counts that show whether the contents are useful. */
export interface Statistics {
  rulesets: number
  loaded: number
  events: number
  decoded: number
  withFields: number
  answered: number
  composites: number
  alerts: number
  crashes: number
  /** Codes of diagnostics, and ids of final rules, that occurred. */
  readonly codes: Set<string>
}

export function emptyStatistics(): Statistics {
  return { rulesets: 0, loaded: 0, events: 0, decoded: 0, withFields: 0, answered: 0, composites: 0, alerts: 0, crashes: 0, codes: new Set() }
}

/** Throws a Disagreement, or any error of the engine. @param layOn the engine's function, replaced only in tests of this module */
export function checkAgreement(content: RandomContent, statistics = emptyStatistics(), layOn = compileLayer): void {
  const inLayer = (layer: number): SourceFile[] => content.files.filter((file) => file.layer === layer).map(toSourceFile)
  // Files with one name load in the order in which they are passed, so those of the base are first.
  const files = [...inLayer(0), ...inLayer(1), ...inLayer(2)]
  const whole = compileRuleset(files)
  const base = compileRuleset(inLayer(0))
  const below = content.isThorough ? portrait(base, diagnosticsOf(base)) : null
  // Rulesets share cached facts about rules and decoders with their base, so the base runs first.
  runOnBase(base, content.sessions)
  const layered = layOn(layOn(base, inLayer(1)), inLayer(2))
  statistics.rulesets++
  const look = (ruleset: CompiledRuleset): unknown => portrait(ruleset, content.isThorough ? diagnosticsOf(ruleset) : inOneOrder(ruleset.loadDiagnostics))
  same('layered', look(layered), look(whole))
  if (content.isThorough) same('compiled again', look(compileRuleset(files)), look(whole))
  const diagnostics = content.isThorough ? diagnosticsOf(whole) : whole.loadDiagnostics
  checkWords(diagnostics)
  for (const { code } of diagnostics) statistics.codes.add(code)
  if (whole.loads) statistics.loaded++
  const ways = new Ways(whole, layered)
  // Explaining why nothing loads reads all diagnostics.
  const explained = whole.loads || content.isThorough ? content.explained : []
  for (const session of content.sessions) ways.run(session, explained, statistics)
  if (below !== null) same('the base afterwards', portrait(base, diagnosticsOf(base)), below)
}

/** An attack is confirmed by ten million steps, which random patterns, most of which have one, would take nearly all of the time of this test for. */
const ATTACK_STEPS = runs(200_000, ATTACK_BUDGET)
const ALL_SCOPES: ReadonlySet<FileScope> = new Set<FileScope>(['default', 'custom', 'adhoc'])

/** All that a ruleset has, and attacks as far as those steps reach. */
function diagnosticsOf(ruleset: CompiledRuleset): readonly Diagnostic[] {
  return [...ruleset.diagnosticsWithoutAttacks, ...checkAttacks(ruleset.surveyed(), ALL_SCOPES, { left: ATTACK_STEPS })]
}

function runOnBase(base: CompiledRuleset, sessions: readonly RandomSession[]): void {
  const runner = new EventRunner(base)
  for (const { events } of sessions) {
    const session = createSession()
    const different = new Map(events.map((event) => [event.event, event]))
    for (const event of different.values()) writtenReport(null, runner, ...callOf(event, session, true))
  }
}

/** Diagnostics of the loader in a layer follow those in the base. */
function inOneOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const keyed = diagnostics.map((diagnostic) => ({
    diagnostic,
    key: textOf([diagnostic.kind, diagnostic.filename, diagnostic.span?.start, diagnostic.code, diagnostic.params, diagnostic.evidence]),
  }))
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ diagnostic }) => diagnostic)
}

/** Checks that every placeholder has a value. */
function checkWords(diagnostics: readonly Diagnostic[]): void {
  for (const diagnostic of diagnostics) {
    const { message, hint } = entryOf(diagnostic.code).texts['en-US']
    for (const [, name] of `${message} ${hint}`.matchAll(/\{(\w+)\}/g)) {
      if (!Object.hasOwn(diagnostic.params, name)) throw new Disagreement(`${diagnostic.code} has no value for {${name}}`)
    }
    for (const locale of LOCALES) describeDiagnostic(diagnostic, locale)
  }
}

const EXPLAINED_EVERY = 3

/** The report for callers without its times. */
type Told = Omit<LogtestReport, 'trace' | 'insights'>

class Ways {
  readonly #whole: CompiledRuleset
  readonly #layered: CompiledRuleset
  /** One for all sessions, as in a thread. */
  readonly #wholeRunner: EventRunner
  readonly #layeredRunner: EventRunner

  constructor(whole: CompiledRuleset, layered: CompiledRuleset) {
    this.#whole = whole
    this.#layered = layered
    this.#wholeRunner = new EventRunner(whole)
    this.#layeredRunner = new EventRunner(layered)
  }

  run({ events, restoredAt }: RandomSession, explained: readonly string[], statistics: Statistics): void {
    const plain = createSession()
    const traced = createSession()
    let restored = createSession()
    const second = createSession()
    const told: Told[] = []
    for (const [index, event] of events.entries()) {
      if (index === restoredAt) restored = deserialize(serialize(restored)) as Session
      const at = (way: string): string => `event ${index} ${way}`
      // Each explanation runs the event again, on a copy of the session.
      const asked = index % EXPLAINED_EVERY === 0 ? explained : []
      const explanation = this.#explain(this.#wholeRunner, this.#whole, asked, event, plain)
      same(at('explained, layered'), this.#explain(this.#layeredRunner, this.#layered, asked, event, plain), explanation)
      const report = runLogtest(this.#wholeRunner, ...callOf(event, plain, false))
      const want = toldOf(report)
      told.push(want)
      const watched = runLogtest(this.#layeredRunner, ...callOf(event, traced, true))
      same(at('layered, traced'), toldOf(watched), want)
      const written = writtenReport(null, this.#wholeRunner, ...callOf(event, restored, true))
      same(at('written, traced, restored'), toldOfWritten(written), want)
      same(at('trace, written'), reportOf(written).trace, watched.trace)
      same(at('insights, layered'), watched.insights, written.run.insights)
      same(at('layered, written'), toldOfWritten(writtenReport(null, this.#layeredRunner, ...callOf(event, second, false))), want)
      checkPath(this.#whole, report)
      checkExplanations(explanation, report)
      count(report, statistics)
    }
    const states = [
      ['traced', this.#layered, traced],
      ['restored', this.#whole, restored],
      ['written', this.#layered, second],
    ] as const
    for (const [way, ruleset, state] of states) same(`state, ${way}`, stateOf(state, ruleset), stateOf(plain, this.#whole))
    const fresh = new EventRunner(this.#whole)
    const again = createSession()
    for (const [index, event] of events.entries()) same(`event ${index} again`, toldOf(runLogtest(fresh, ...callOf(event, again, false))), told[index])
  }

  #explain(runner: EventRunner, ruleset: CompiledRuleset, ids: readonly string[], event: RandomEvent, session: Session): Explanation[] {
    const [input, moment] = callOf(event, session, false)
    return ids.map((id) => explainRule(runner, ruleset, id, input, moment, session, 'en-US'))
  }
}

/** Returns a state with fields under their names, because their numbers depend on the order of compilation. */
function stateOf(session: Session, { fieldNames }: CompiledRuleset): unknown {
  const names = fieldNames.names()
  const named = ({ fields, ...stored }: StoredEvent): unknown => ({ ...stored, fields: [...fields].map(([key, value]) => [names[key], value]) })
  return {
    ...session,
    memory: session.memory.map(named),
    ruleHistory: [...session.ruleHistory].map(([index, events]) => [index, events.map(({ sequence, mark }) => [sequence, mark])]),
    groupHistory: [...session.groupHistory].map(([index, { events, times }]) => [index, events.map(({ sequence }) => sequence), times]),
  }
}

type Call = Parameters<typeof runLogtest> extends [EventRunner, ...infer Rest] ? Rest : never

function callOf({ event, log_format, location, now }: RandomEvent, session: Session, trace: boolean): Call {
  const moment: Moment = momentAt(now)
  return [{ event, log_format, location }, moment, session, { trace, locale: 'en-US' }]
}

function toldOf({ ok, diagnostics, predecoded, decoder, rule, matched_rules, extracted_fields, alert, previous_output }: LogtestReport): Told {
  return { ok, diagnostics, predecoded, decoder, rule, matched_rules, extracted_fields, alert, previous_output }
}

function toldOfWritten(written: WrittenReport): Told {
  return toldOf({ ...reportOf(written), diagnostics: written.run.diagnostics })
}

/** A report without its diagnostics. */
function reportOf({ json }: WrittenReport): LogtestReport {
  return JSON.parse(json) as LogtestReport
}

function checkPath({ rules }: CompiledRuleset, { rule, matched_rules }: LogtestReport): void {
  const seen = new Set<number>()
  for (const [index, { id }] of matched_rules.entries()) {
    const above = rules.placements(Number(id)).map((node) => rules.parentOf(node)?.rule.id ?? null)
    // An imported alert names its rule, and no rule is tried.
    const imported = matched_rules.length === 1 && rule?.id === id
    if (!imported && !above.some((parent) => parent === null || seen.has(parent))) throw new Disagreement(`rule ${id} on the way (place ${index}) stands below none before it`)
    seen.add(Number(id))
  }
  const last = matched_rules.findLast(({ id }) => rules.find(Number(id))?.definition.noalert === false)
  if ((last?.id ?? null) !== (rule?.id ?? null) && rule !== null) throw new Disagreement(`rule ${rule.id} answered, and ${last?.id} is the last on the way that may`)
}

function checkExplanations(explanations: readonly Explanation[], { ok, rule, matched_rules }: LogtestReport): void {
  if (!ok) return
  for (const { rule_id, exists, matched, final } of explanations) {
    const want = [exists && matched_rules.some(({ id }) => id === rule_id), exists && rule?.id === rule_id]
    same(`explanation of rule ${rule_id}`, [matched, final], want)
  }
}

function count({ decoder, extracted_fields, rule, alert, diagnostics }: LogtestReport, statistics: Statistics): void {
  statistics.events++
  if (decoder !== null) statistics.decoded++
  if (Object.keys(extracted_fields).length > 0) statistics.withFields++
  if (rule !== null) statistics.answered++
  if (rule !== null && rule.frequency !== null) statistics.composites++
  if (alert) statistics.alerts++
  if (diagnostics.some(({ code }) => code === 'wazuh_crash')) statistics.crashes++
}

/** Characters shown of each side around the first difference. */
const SHOWN = 200

function same(what: string, got: unknown, want: unknown): void {
  const [ours, theirs] = [textOf(got), textOf(want)]
  if (ours === theirs) return
  let at = 0
  while (ours[at] === theirs[at]) at++
  const from = Math.max(0, at - SHOWN)
  throw new Disagreement(`${what}:\n  ${ours.slice(from, at + SHOWN)}\ninstead of\n  ${theirs.slice(from, at + SHOWN)}`)
}

/** Returns JSON in which maps and sets keep their content. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (part instanceof Map || part instanceof Set ? [...part] : part === undefined ? '(undefined)' : part))
}
