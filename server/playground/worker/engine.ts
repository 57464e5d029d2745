/** The engine for one page: a base that is compiled once, the content that is edited on it, and runs of events. It needs neither a page nor Node. */
import {
  attackMatrix,
  CaseChain,
  caseChains,
  type CompiledRuleset,
  compileRuleset,
  createSession,
  describeDiagnostics,
  describeRuleGraph,
  type Diagnostic,
  diagnosticHelp,
  EventBlocks,
  EventRunner,
  inspect,
  type Inspection,
  insideOf,
  later,
  type LogtestInput,
  type Moment,
  type NearMiss,
  nearMisses,
  ownDiagnostics,
  readNow,
  runLogtest,
  runUnwritten,
  type Session,
  type SourceFile,
  type StageTimes,
  unwrap,
} from '#engine'
import { LayeredContent, momentNow, now, scopeOf } from '#in-thread'
import type { AuditRun } from './audit.js'
import type { PageLanguage } from './language.js'
import type { MutationRun } from './mutation.js'
import { loadLanguage } from './languages.js'
import {
  ATTACK_MS,
  BASE_CHARACTERS,
  BASE_FILES,
  CASES_LIMIT,
  CONTENT_CHARACTERS,
  CONTENT_FILES,
  COSTS_MS,
  COSTS_RUNS,
  DIFFERENCES_MS,
  DIFFERENCES_SENT,
  EVENTS_CHARACTERS,
  EVENTS_LIMIT,
  LAST_SECOND,
  SLICE_MS,
  TRACED_EVENTS_LIMIT,
} from './limits.js'
import { marksOf } from './marks.js'
import {
  type AttackEvent,
  type AttackRequest,
  type AuditPart,
  type AuditRequest,
  type BaseFileRequest,
  type BaseRequest,
  type CaseOutcome,
  type ContentFile,
  type DiagnoseRequest,
  type Diagnosis,
  type Differences,
  type DifferencesRequest,
  type EventAnswer,
  type EventInput,
  type Graph,
  type HelpRequest,
  type InspectRequest,
  type LanguageAnswer,
  type LanguageRequest,
  type LastEventRequest,
  type MutateRequest,
  type MutationPart,
  type Opened,
  type OpenRequest,
  RefusedError,
  type RunEnd,
  type RunPart,
  type RunRequest,
  type SplitEvents,
  type SplitRequest,
  type TestRequest,
} from './protocol.js'
import { nextTurn } from './turn.js'

/** An event with its moment. */
interface TimedEvent {
  readonly input: LogtestInput
  readonly moment: Moment
  readonly trace: boolean
}

export class PlaygroundEngine {
  #base: LayeredContent | null = null
  #files: readonly SourceFile[] = []
  #runner: EventRunner | null = null
  #language: Promise<PageLanguage> | null = null
  /** Id of the last request for differences. */
  #differencesId = 0
  /** Id of the last request for proofs. */
  #proofsId = 0
  /** Id of the last request for the event of an attack. */
  #attackId = 0
  #audit: AuditRun | null = null
  #mutation: MutationRun | null = null
  #isCompiled = (): void => {}
  readonly #compiled = new Promise<void>((resolve) => {
    this.#isCompiled = resolve
  })

  /** Changes what the content is compiled on. Until this is called it is the reference ruleset. */
  async base({ ruleset }: BaseRequest): Promise<Opened> {
    this.#base = new LayeredContent(typeof ruleset === 'string' ? await shippedFiles(ruleset) : baseFiles(ruleset), [])
    return this.#compile()
  }

  /** Replaces the content. */
  async open({ files }: OpenRequest): Promise<Opened> {
    requireFits(files, CONTENT_FILES, CONTENT_CHARACTERS)
    this.#files = files.map(({ filename, kind, content }) => ({ filename, kind, content, scope: 'custom' }))
    this.#base ??= new LayeredContent(await shippedFiles('reference'), [])
    return this.#compile()
  }

  /** Returns the diagnostics of the content. The first call also checks the base, which takes as long as its compilation. */
  async diagnose(request: DiagnoseRequest): Promise<Diagnosis> {
    const { ruleset } = await this.#current()
    await loadLanguage(request.locale)
    return this.#diagnosis(ruleset, request, null)
  }

  /** Returns also those that need a proof. A newer request and other content make it useless. */
  async prove(request: DiagnoseRequest): Promise<Diagnosis> {
    const id = ++this.#proofsId
    const [{ stepsWithProofs }, runner] = await Promise.all([import('./proofs.js'), this.#current(), loadLanguage(request.locale)])
    const proven = await this.#inSlices(stepsWithProofs(runner.ruleset), () => this.#proofsId === id && this.#runner === runner)
    return this.#diagnosis(runner.ruleset, request, proven)
  }

  /** @param proven the diagnostics of the ruleset with those that need a proof; null: without those */
  #diagnosis(ruleset: CompiledRuleset, { locale, includeBaseline }: DiagnoseRequest, proven: readonly Diagnostic[] | null): Diagnosis {
    const withBaseline = includeBaseline || !ruleset.loads
    const report = describeDiagnostics(ruleset, { locale, includeBaseline: withBaseline, ...(proven === null ? {} : { diagnosticsOf: () => proven }) })
    // The same selection in the same order as in the report.
    const shown = withBaseline ? (proven ?? ruleset.diagnostics) : ownDiagnostics(ruleset, proven ?? undefined)
    return { ...report, marks: marksOf(shown, this.#files, ruleset) }
  }

  /** Takes the steps of a search beside the other requests. @param isWanted whether somebody waits for it yet */
  async #inSlices<T>(steps: Generator<unknown, T>, isWanted: () => boolean): Promise<T> {
    let sliceEnd = now() + SLICE_MS
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value
      if (now() < sliceEnd) continue
      await nextTurn()
      if (!isWanted()) throw new RefusedError('superseded')
      sliceEnd = now() + SLICE_MS
    }
  }

  /** Runs test cases. Those with the same session follow each other. */
  async test({ cases, locale }: TestRequest, isSuperseded: () => boolean): Promise<readonly CaseOutcome[]> {
    if (cases.length > CASES_LIMIT) throw new RefusedError('too_many_cases', CASES_LIMIT)
    const runner = await this.#current()
    await loadLanguage(locale)
    const outcomes: CaseOutcome[] = []
    const moment = momentNow()
    let sliceEnd = now() + SLICE_MS
    for (const chain of caseChains(cases)) {
      const session = new CaseChain(runner, moment, locale, chain.length > 1)
      for (const index of chain) {
        const { passed, checks, depends_on_clock, covered } = session.run(cases[index])
        outcomes[index] = { passed, checks, depends_on_clock, covered_rules: covered.rules }
        if (now() < sliceEnd) continue
        await nextTurn()
        if (isSuperseded()) throw new RefusedError('superseded')
        sliceEnd = now() + SLICE_MS
      }
    }
    return outcomes
  }

  /** Looks for what the content does differently than before. A newer request and other content make it useless. */
  async differences({ before }: DifferencesRequest): Promise<Differences> {
    requireFits(before, CONTENT_FILES, CONTENT_CHARACTERS)
    const id = ++this.#differencesId
    const [{ alertChanges, behaviourRecord, behaviourSteps, differencesOf, EFFECTS }, runner] = await Promise.all([import('./differences.js'), this.#current()])
    const files = before.map(({ filename, kind, content }): SourceFile => ({ filename, kind, content, scope: 'custom' }))
    const old = this.#base === null ? compileRuleset(files) : this.#base.compileWith(files)
    if (!old.loads || !runner.ruleset.loads) return NOT_COMPARED
    const ends = now() + DIFFERENCES_MS
    const steps = behaviourSteps(old, runner.ruleset, { mayGoOn: () => now() < ends })
    const { items, complete } = await this.#inSlices(steps, () => this.#differencesId === id && this.#runner === runner)
    const all = differencesOf(items.map(behaviourRecord)).sort((a, b) => EFFECTS.indexOf(a.effect) - EFFECTS.indexOf(b.effect))
    const { lost, gained, changed } = alertChanges(items)
    const count = (result: (typeof items)[number]['result'], proven: boolean): number => items.filter((item) => item.result === result && item.proven === proven).length
    return {
      loads: true,
      differences: all.slice(0, DIFFERENCES_SENT),
      more: Math.max(0, all.length - DIFFERENCES_SENT),
      alerts: { lost: lost.length, gained: gained.length, changed: changed.length },
      proven: count('equal', true),
      searched: count('equal', false),
      unknown: count('unknown', false),
      complete,
    }
  }

  /** Looks for the event that brings the attack of a diagnostic to its pattern. A newer request and other content make it useless. */
  async attack({ kind, filename, line, column }: AttackRequest): Promise<AttackEvent> {
    const id = ++this.#attackId
    const [{ AttackFinder }, runner] = await Promise.all([import('./attack.js'), this.#current()])
    const found = runner.ruleset.diagnostics.find(
      (one) => one.attack !== undefined && one.kind === kind && one.filename === filename && one.span?.line === line && one.span.column === column,
    )
    if (found === undefined) return null
    const ends = now() + ATTACK_MS
    return this.#inSlices(new AttackFinder(runner.ruleset, () => now() < ends).eventSteps(found), () => this.#attackId === id && this.#runner === runner)
  }

  /** Judges own rules for a slice of time; the page asks for the next ones. */
  async audit({ locale, from }: AuditRequest): Promise<AuditPart> {
    const [{ AuditRun }, { ruleset }] = await Promise.all([import('./audit.js'), this.#current(), loadLanguage(locale)])
    const known = this.#audit
    const run = known !== null && known.ruleset === ruleset && known.locale === locale ? known : new AuditRun(ruleset, locale)
    this.#audit = run
    return run.part(from)
  }

  /** Grades the cases for a slice of time; the page asks for the next one. */
  async mutate({ locale, cases, from }: MutateRequest): Promise<MutationPart> {
    if (cases !== null && cases.length > CASES_LIMIT) throw new RefusedError('too_many_cases', CASES_LIMIT)
    const [{ MutationRun }, { ruleset }] = await Promise.all([import('./mutation.js'), this.#current(), loadLanguage(locale)])
    if (cases !== null) this.#mutation = new MutationRun(ruleset, cases, locale)
    // The content has changed since.
    if (this.#mutation?.ruleset !== ruleset) throw new RefusedError('superseded')
    return this.#mutation.part(from)
  }

  /** Splits a text into its events. */
  async split({ text }: SplitRequest): Promise<SplitEvents> {
    if (text.length > EVENTS_CHARACTERS) throw new RefusedError('events_too_large', EVENTS_CHARACTERS)
    const blocks = new EventBlocks(false)
    const lines = text.split(/\r?\n/)
    const events = [...lines.flatMap((line) => [...blocks.add(line)]), ...blocks.end()].filter((event) => event.trim() !== '')
    const inside = events.map((event) => {
      const wrapper = unwrap(event)
      return wrapper === null ? null : insideOf(wrapper)
    })
    return { events, inside }
  }

  /** The text of a file of the base. */
  async baseFile({ kind, filename }: BaseFileRequest): Promise<string | null> {
    await this.#current()
    return this.#base?.defaults.find((file) => file.kind === kind && file.filename === filename)?.content ?? null
  }

  /**
   * Runs events in their order.
   * @param send gets the answers, some at a time
   * @param isSuperseded whether a newer request makes this one useless
   */
  async run(request: RunRequest, send: (part: RunPart) => void, isSuperseded: () => boolean): Promise<RunEnd> {
    const started = now()
    const events = timedEvents(request)
    const { locale } = request
    const runner = await this.#current()
    await loadLanguage(locale)
    const session = request.session ? createSession() : null
    let answers: EventAnswer[] = []
    let sliceEnd = now() + SLICE_MS
    for (const [index, { input, moment, trace }] of events.entries()) {
      const { times: _, ...report } = runLogtest(runner, input, moment, session, { trace, locale, caller: 'playground' })
      const wrapper = unwrap(input.event)
      answers.push({ report, inside: wrapper === null ? null : insideOf(wrapper) })
      if (index < events.length - 1 && now() < sliceEnd) continue
      send({ first: index + 1 - answers.length, answers })
      answers = []
      await nextTurn()
      if (isSuperseded()) throw new RefusedError('superseded')
      sliceEnd = now() + SLICE_MS
    }
    return { events: events.length, run_ms: now() - started }
  }

  /** Shows what the last event meets of a rule or decoder, condition by condition. */
  async inspect(request: InspectRequest, isSuperseded: () => boolean): Promise<Inspection> {
    const { runner, last, session } = await this.#beforeLast(request, isSuperseded)
    return inspect(runner, request.target, last.input, last.moment, session)
  }

  /** Finds the rules and decoders that came near to the last event. */
  async near(request: LastEventRequest, isSuperseded: () => boolean): Promise<readonly NearMiss[]> {
    const { runner, last, session } = await this.#beforeLast(request, isSuperseded)
    return nearMisses(runner, last.input, last.moment, session)
  }

  /** Lists the rules with what leads from one to another. */
  async graph(): Promise<Graph> {
    const { ruleset } = await this.#current()
    return { rules: describeRuleGraph(ruleset), tactics: attackMatrix() }
  }

  /** Measures what the last event costs, without a trace. */
  async costs(request: LastEventRequest, isSuperseded: () => boolean): Promise<StageTimes> {
    const { runner, last, session } = await this.#beforeLast(request, isSuperseded)
    const sum = { predecode_ms: 0, decode_ms: 0, rule_ms: 0 }
    const end = now() + COSTS_MS
    let runs = 0
    do {
      const copy = session === null ? null : structuredClone(session)
      const { times } = runUnwritten(runner, last.input, last.moment, copy, { trace: false, locale: 'en-US', now })
      sum.predecode_ms += times.predecode_ms
      sum.decode_ms += times.decode_ms
      sum.rule_ms += times.rule_ms
      runs++
    } while (runs < COSTS_RUNS && now() < end)
    return { predecode_ms: sum.predecode_ms / runs, decode_ms: sum.decode_ms / runs, rule_ms: sum.rule_ms / runs }
  }

  /** Runs all events but the last one. */
  async #beforeLast(
    request: LastEventRequest,
    isSuperseded: () => boolean,
  ): Promise<{ readonly runner: EventRunner; readonly last: TimedEvent; readonly session: Session | null }> {
    const events = timedEvents(request)
    const runner = await this.#current()
    const last = events.pop()
    if (last === undefined) throw new RefusedError('too_many_events', 0)
    if (!request.session) return { runner, last, session: null }
    const session = createSession()
    let sliceEnd = now() + SLICE_MS
    for (const { input, moment } of events) {
      // These answers are not shown, so their language does not matter.
      runUnwritten(runner, input, moment, session, { trace: false, locale: 'en-US' })
      if (now() < sliceEnd) continue
      await nextTurn()
      if (isSuperseded()) throw new RefusedError('superseded')
      sliceEnd = now() + SLICE_MS
    }
    return { runner, last, session }
  }

  /** The page about a diagnostic. */
  async help({ code, locale }: HelpRequest): Promise<string> {
    await loadLanguage(locale)
    return diagnosticHelp(code, locale).markdown
  }

  /** Asks the language server. It sees the base that was compiled last, so the first answer waits for a compilation. */
  async language(request: LanguageRequest): Promise<LanguageAnswer> {
    this.#language ??= loadLanguageServer().catch((error: unknown) => {
      // The next request tries again: the network may be back.
      this.#language = null
      throw error
    })
    const [language] = await Promise.all([this.#language, this.#compiled])
    if (request.files !== null) requireFits(request.files, CONTENT_FILES, CONTENT_CHARACTERS)
    return language.answer(this.#base?.defaults ?? [], request)
  }

  async #current(): Promise<EventRunner> {
    if (this.#runner === null) await this.open({ files: [] })
    return this.#runner as EventRunner
  }

  #compile(): Opened {
    const started = now()
    const ruleset = this.#base === null ? compileRuleset(this.#files) : this.#base.compileWith(this.#files)
    this.#runner = new EventRunner(ruleset)
    this.#isCompiled()
    return { loads: ruleset.loads, counts: ruleset.counts, compiled_hash: ruleset.hash, compile_ms: now() - started }
  }
}

const NOT_COMPARED: Differences = {
  loads: false,
  differences: [],
  more: 0,
  alerts: { lost: 0, gained: 0, changed: 0 },
  proven: 0,
  searched: 0,
  unknown: 0,
  complete: true,
}

async function loadLanguageServer(): Promise<PageLanguage> {
  const { PageLanguage } = await import('./language.js')
  return new PageLanguage()
}

async function shippedFiles(ruleset: 'reference' | 'none'): Promise<readonly SourceFile[]> {
  return ruleset === 'none' ? [] : (await import('playground:reference')).default
}

/** Returns the files of a ruleset that was dropped in, with the scopes that they have in a folder of the server. */
function baseFiles(files: readonly ContentFile[]): SourceFile[] {
  requireFits(files, BASE_FILES, BASE_CHARACTERS)
  return files.map(({ filename, kind, content }) => ({ filename, kind, content, scope: scopeOf(filename, 'default') }))
}

function requireFits(files: readonly ContentFile[], count: number, characters: number): void {
  if (files.length > count) throw new RefusedError('too_many_files', count)
  if (files.reduce((sum, { content }) => sum + content.length, 0) > characters) throw new RefusedError('content_too_large', characters)
}

/** Checks the events of a request, and places them on its clock. */
function timedEvents({ events, now: written }: Pick<RunRequest, 'events' | 'now'>): TimedEvent[] {
  if (events.length > EVENTS_LIMIT) throw new RefusedError('too_many_events', EVENTS_LIMIT)
  if (events.reduce((sum, { event }) => sum + event.length, 0) > EVENTS_CHARACTERS) throw new RefusedError('events_too_large', EVENTS_CHARACTERS)
  if (events.filter(({ trace }) => trace).length > TRACED_EVENTS_LIMIT) throw new RefusedError('too_many_traces', TRACED_EVENTS_LIMIT)
  const start = written === null ? momentNow() : readNow(written)
  if (start === null) throw new RefusedError('clock_invalid')
  let second = 0
  return events.map(({ event, log_format = 'auto', location, at = second, trace = false }: EventInput): TimedEvent => {
    if (!Number.isInteger(at) || at < second || at > LAST_SECOND) throw new RefusedError('second_invalid', LAST_SECOND)
    second = at
    return { input: { event, log_format, ...(location === undefined || location === '' ? {} : { location }) }, moment: later(start, at), trace }
  })
}
