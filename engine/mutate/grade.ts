/**
 * Grades test cases by mutants: each rule and decoder is changed in small ways, and a mutant that no case notices shows what is not tested. Invariants:
 *  1. `killed` and `survived` were run: the named case passes on the original and fails on the mutant
 *  2. `equivalent` is proven; where neither an event nor a proof is found, the mutant is `unknown`
 *  3. an item's rows depend on the content, the cases and its own steps only: not on the items before it, the number of threads or, unless the time ends, the clock
 */
import type { Locale } from '../diagnostics/text.js'
import type { SuiteCase } from '../logtest/suite-case.js'
import { EventRunner, type Moment } from '../match/run-event.js'
import type { TestCase } from '../records/records.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { fromByteString } from '../source/byte-string.js'
import type { FileKind, FileScope } from '../source/source-file.js'
import { eventsOfCase } from './case-events.js'
import { CaseRuns, type KnownCase } from './case-runs.js'
import { type CompiledMutant, MutantCompiler } from './compile-mutant.js'
import { mutantsOfDecoder } from './decoder-mutants.js'
import { type Proof, proveEquivalent } from './equivalence.js'
import { type CaseEvents, eventsOfSequence, killingCase, kills } from './killing-case.js'
import type { Mutant, MutatedItem, MutationOperator } from './mutant.js'
import { ReachingCases } from './reach.js'
import { mutantsOfRule } from './rule-mutants.js'
import { KillerSearch, type Steps } from './search.js'

/** Steps of the search for one mutant, and for all mutants together: a step is the run of one event. */
export const STEPS_OF_MUTANT = 600
export const STEPS_OF_ALL = 20_000_000
/** Sequences of one search that are made into cases: most that tell the two apart make one. */
const CASES_TRIED = 4

export type MutantStatus = 'killed' | 'survived' | 'equivalent' | 'unknown' | 'invalid'

/** What happened to a mutant. */
export interface MutantRow {
  /** The id of a rule. */
  readonly rule_id?: string
  /** The name of a decoder. */
  readonly decoder?: string
  readonly operator: MutationOperator
  readonly file: string
  readonly kind: FileKind
  readonly scope: FileScope
  readonly line: number
  readonly status: MutantStatus
  /** The name of the case that kills it, or a case that would. */
  readonly case?: string | TestCase
  readonly before: string
  readonly after: string
  /** Why it is equivalent. */
  readonly proof?: Proof
  /** Whether the search had ended when its steps or the time were over. */
  readonly isCut?: true
  /** Milliseconds that it took. */
  readonly ms: number
}

export interface MutationSummary {
  readonly killed: number
  readonly survived: number
  readonly equivalent: number
  readonly unknown: number
  /** killed / (killed + survived + unknown); 1 where there is none of them: nothing is untested. */
  readonly score: number
}

export interface MutationOptions {
  readonly locale: Locale
  /** Second 0 of cases that do not set the clock. */
  readonly moment: Moment
  /** Items of these scopes are changed. */
  readonly scopes: readonly FileScope[]
  /** Rules that are changed; absent: all, and the decoders. */
  readonly only?: ReadonlySet<number>
  /** Steps for all mutants together. Default `STEPS_OF_ALL`. */
  readonly steps?: number
  /** Whether there is time for another mutant. */
  readonly mayGoOn?: () => boolean
  /** A monotonic clock in milliseconds, for the time of each mutant; without one it is 0. */
  readonly now?: () => number
  /** Called after each item. */
  readonly onProgress?: (done: number, total: number) => void
}

/** A case that fails before anything is changed. */
export interface FailedBefore {
  readonly suite: number
  readonly place: number
  readonly name: string
}

export interface MutationGrade {
  /** Where there are some, nothing was changed and there is no score. */
  readonly failed: readonly FailedBefore[]
  readonly rows: readonly MutantRow[]
  readonly summary: MutationSummary | null
  /** Items that were not tried, because the time was over. */
  readonly untried: number
}

/** @param suites lists of cases; cases of one list may share a session */
export function gradeMutants(ruleset: CompiledRuleset, suites: readonly (readonly SuiteCase[])[], options: MutationOptions): MutationGrade {
  const grader = new MutationGrader(ruleset, suites, options)
  if (grader.failed.length > 0) return { failed: grader.failed, rows: [], summary: null, untried: 0 }
  const rows: MutantRow[] = []
  let untried = 0
  for (let at = 0; at < grader.items; at++) {
    const found = grader.grade(at)
    if (found === null) untried++
    else rows.push(...found)
    options.onProgress?.(at + 1, grader.items)
  }
  return { failed: [], rows, summary: summarizeMutants(rows), untried }
}

export function summarizeMutants(rows: readonly Pick<MutantRow, 'status'>[]): MutationSummary {
  const count = (status: MutantStatus): number => rows.filter((row) => row.status === status).length
  const [killed, survived, equivalent, unknown] = (['killed', 'survived', 'equivalent', 'unknown'] as const).map(count)
  const counted = killed + survived + unknown
  return { killed, survived, equivalent, unknown, score: counted === 0 ? 1 : killed / counted }
}

/** Grades item by item, so that threads can share the work. */
export class MutationGrader {
  readonly #options: MutationOptions
  readonly #runner: EventRunner
  readonly #runs: CaseRuns
  readonly #items: readonly MutatedItem[]
  readonly #reach: ReachingCases
  readonly #compiler: MutantCompiler
  readonly #search: KillerSearch
  readonly #stepsOfMutant: number
  readonly failed: readonly FailedBefore[]
  readonly mutants: number

  constructor(ruleset: CompiledRuleset, suites: readonly (readonly SuiteCase[])[], options: MutationOptions) {
    this.#options = options
    this.#runner = new EventRunner(ruleset)
    this.#runs = new CaseRuns(this.#runner, suites, options.moment, options.locale)
    this.failed = this.#runs.cases.filter(({ passed }) => !passed).map(({ suite, place, name }) => ({ suite, place, name }))
    this.#items = this.failed.length > 0 ? [] : itemsOf(ruleset, options)
    this.mutants = this.#items.reduce((sum, { mutants }) => sum + mutants.length, 0)
    this.#reach = new ReachingCases(ruleset, this.#runs.cases)
    this.#compiler = new MutantCompiler(ruleset)
    this.#search = new KillerSearch(this.#runner, { mayGoOn: () => this.#mayGoOn() })
    this.#stepsOfMutant = Math.max(1, Math.min(STEPS_OF_MUTANT, Math.floor((options.steps ?? STEPS_OF_ALL) / Math.max(1, this.mutants))))
  }

  /** Number of rules and decoders. */
  get items(): number {
    return this.#items.length
  }

  /** The rows of an item. Null: the time was over before its last one. */
  grade(index: number): readonly MutantRow[] | null {
    const item = this.#items[index]
    if (item === undefined || !this.#mayGoOn()) return null
    this.#search.begin()
    const killers: TestCase[] = []
    const rows: MutantRow[] = []
    for (const mutant of item.mutants) {
      if (!this.#mayGoOn()) return null
      const started = this.#now()
      const row = this.#gradeMutant(item, mutant, killers)
      rows.push({ ...row, ms: this.#now() - started })
    }
    return rows
  }

  #now(): number {
    return this.#options.now?.() ?? 0
  }

  #mayGoOn(): boolean {
    return this.#options.mayGoOn?.() ?? true
  }

  /** @param killers cases that kill other mutants of the item, which are tried first */
  #gradeMutant(item: MutatedItem, mutant: Mutant, killers: TestCase[]): Omit<MutantRow, 'ms'> {
    const { source } = item.kind === 'rule' ? item.rule.definition : item.definition
    const row = (status: MutantStatus, rest: Pick<MutantRow, 'case' | 'proof' | 'isCut'> = {}): Omit<MutantRow, 'ms'> => ({
      ...(item.kind === 'rule' ? { rule_id: String(item.rule.id) } : { decoder: fromByteString(item.name) }),
      operator: mutant.operator,
      file: source.filename,
      kind: source.kind,
      scope: source.scope,
      line: mutant.line,
      status,
      ...rest,
      before: mutant.before,
      after: mutant.after,
    })
    const compiled = this.#compiler.compile(item, mutant)
    if (compiled === null) return row('invalid')
    const { killer, unaware } = this.#runs.judge(this.#reach.casesFor(item, mutant), compiled)
    if (killer !== null) return row('killed', { case: killer.name })
    const steps: Steps = { left: this.#stepsOfMutant }
    const found = this.#killerOf(item, compiled, unaware, killers, steps)
    if (found !== null) {
      if (!killers.includes(found)) killers.push(found)
      return row('survived', { case: found })
    }
    const proof = proveEquivalent(item, mutant, this.#search.original, this.#search.sideOf(compiled.ruleset))
    if (proof !== null) return row('equivalent', { proof })
    return row('unknown', steps.left <= 0 ? { isCut: true } : {})
  }

  #killerOf(item: MutatedItem, { ruleset }: CompiledMutant, unaware: KnownCase | null, killers: readonly TestCase[], steps: Steps): TestCase | null {
    const { moment } = this.#options
    const side = this.#search.sideOf(ruleset)
    const known = killers.find((testCase) => kills(testCase, side.runner, moment))
    if (known !== undefined) return known
    const name = `${fromByteString(item.name)}${killers.length === 0 ? '' : ` (${killers.length + 1})`}`
    const caseOf = (events: CaseEvents): TestCase | null => killingCase(this.#runner, side.runner, events, name, moment)
    const seen = unaware === null ? null : caseOf(eventsOfCase(unaware.testCase))
    if (seen !== null) return seen
    let left = CASES_TRIED
    for (const events of this.#search.find(item, side, steps)) {
      const testCase = caseOf(eventsOfSequence(events))
      if (testCase !== null) return testCase
      if (--left <= 0) break
    }
    return null
  }
}

/** Rules, then decoders, in load order, as far as they are asked for. */
function itemsOf(ruleset: CompiledRuleset, { scopes, only }: MutationOptions): readonly MutatedItem[] {
  const { rules, decoders } = ruleset
  const changed = rules.inOrder().filter(({ id, definition }) => scopes.includes(definition.source.scope) && only?.has(id) !== false)
  const fieldsOfFile = new Map<string, Set<string>>()
  for (const { definition, conditions } of changed) {
    const known = fieldsOfFile.get(definition.source.filename) ?? new Set<string>()
    for (const { field } of conditions) if (field !== null) known.add(field)
    fieldsOfFile.set(definition.source.filename, known)
  }
  const found: MutatedItem[] = changed.map((rule) => ({
    kind: 'rule',
    name: String(rule.id),
    rule,
    mutants: mutantsOfRule(rule, rules, [...(fieldsOfFile.get(rule.definition.source.filename) ?? [])]),
  }))
  if (only !== undefined) return found
  for (const definition of decoders.definitions)
    if (scopes.includes(definition.source.scope)) found.push({ kind: 'decoder', name: definition.name, definition, mutants: mutantsOfDecoder(definition) })
  return found
}
