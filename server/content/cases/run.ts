/**
 * Runs of cases. Decisions:
 *  - one unit of the plan for each case is consumed before the first case runs. Units of cases that were not run (the caller disconnected, the pool is
 *    busy) are refunded. A case that was stopped at its deadline counts as run
 *  - domain events are emitted only if all cases ran on the content of the project: other runs say nothing about the project
 *  - the domain events and the audit entry are stored before the answer ends
 */
import { type AnalysisPool, type CaseDiagnostics, type CaseOutcome, type DiagnosticRecord, NO_OUTCOME, type RulesetSelection, roundMs } from '#workers'
import type { Actor } from '../../core/auth/request-context.js'
import { ApiError } from '../../core/errors.js'
import { type EventPayload, FAILED_CASES_SHOWN } from '../../core/events/catalogue.js'
import type { Outbox } from '../../core/events/outbox.js'
import { NO_SUMMARY, okOf, refusalOf, stopOf } from '../../core/pool-outcome.js'
import { presentCase } from './present.js'
import { rulesetOf } from '../shared/content.js'
import { loadOfProject, loadProject, loadSnapshot } from '../shared/load.js'
import type { ProjectDocument } from '../shared/project.js'
import { loadCases } from '../shared/test-case.js'
import { type CaseDocument, CASES, toTestCase } from '../shared/test-case.js'
import { type WorkspaceDocument, WORKSPACES } from '../shared/workspace.js'
import type { Scope } from '../../core/tenancy/scope.js'
import type { Usage } from '../../core/tenancy/usage.js'
import { auditContext, auditing } from '../../core/audit/service.js'
import { projectResource } from '../projects/service.js'
import type { CaseBatchRunRequest, CaseRunResponse } from './schema.js'

/** Maximum diagnostics that are repeated in every analysis on a ruleset that does not load. */
const REFUSALS_SHOWN = 3
const NO_TIME = { source_build_ms: 0, compile_ms: 0, total_ms: 0, cache_hit: false, predecode_ms: 0, decode_ms: 0, rule_ms: 0 } as const

export interface CaseRunParts {
  readonly pool: Pick<AnalysisPool, 'cases'>
  readonly usage: Pick<Usage, 'consume' | 'refund'>
  readonly outbox: Pick<Outbox, 'emitting'>
  readonly clock: () => number
}

/** The caller of a run; the signal stops it. */
export interface RunCaller extends Actor {
  readonly signal: AbortSignal
}

/** A result of the answer. Checks and analysis are those of the engine, unchanged. */
export type CaseResult = Omit<CaseRunResponse, 'checks' | 'analysis'> & Pick<Extract<CaseOutcome, { outcome: 'ok' }>['report'], 'checks'> & { readonly analysis: object }

export interface RunTotals {
  readonly total_cases: number
  readonly passed_cases: number
  readonly failed_cases: number
  readonly clock_dependent_cases: number
  /** Milliseconds. */
  readonly duration_ms: number
  readonly loads: boolean
  readonly summary: CaseDiagnostics['summary'] | null
  readonly diagnostics: readonly DiagnosticRecord[]
}

/** Input of a run. */
export interface PreparedRun {
  readonly project: ProjectDocument
  readonly cases: readonly CaseDocument[]
  readonly ruleset: RulesetSelection
  readonly workspaceId: string | null
  /** Whether all cases run on the project's content. */
  readonly isRegression: boolean
}

export class CaseRuns {
  readonly #parts: CaseRunParts

  constructor(parts: CaseRunParts) {
    this.#parts = parts
  }

  /** Reads cases and content. Consumes no units. @throws ApiError resource_missing, edit_conflict */
  async prepare(scope: Scope, projectId: string, { workspace_id, case_ids }: CaseBatchRunRequest): Promise<PreparedRun> {
    const project = await loadProject(scope, projectId)
    const all = await loadCases(scope, projectId)
    const chosen = case_ids === undefined ? null : new Set(case_ids)
    const cases = chosen === null ? all : all.filter(({ _id }) => chosen.has(_id))
    if (chosen !== null && cases.length < chosen.size) throw new ApiError('resource_missing')
    const ruleset = await loadRuleset(scope, projectId, workspace_id)
    return { project, cases, ruleset, workspaceId: workspace_id ?? null, isRegression: case_ids === undefined && workspace_id === undefined }
  }

  /** Consumes the units. @throws ApiError plan_quota_exceeded */
  async begin(scope: Scope, prepared: PreparedRun, trace: boolean, caller: RunCaller): Promise<CaseRun> {
    await this.#consume(scope, prepared.cases.length)
    return new CaseRun(this.#parts, scope, prepared, trace, caller)
  }

  /** Runs one case, with trace. @throws ApiError resource_missing, plan_quota_exceeded, overloaded, shutting_down, edit_conflict */
  async runOne(scope: Scope, projectId: string, caseId: string, workspaceId: string | undefined, caller: RunCaller): Promise<CaseResult> {
    const { pool, usage } = this.#parts
    const testCase = await loadOfProject(scope, CASES, projectId, caseId)
    const ruleset = await loadRuleset(scope, projectId, workspaceId)
    await this.#consume(scope, 1)
    const { locale, signal } = caller
    for await (const chunk of pool.cases({ ruleset, cases: [toTestCase(testCase)], trace: true }, { organization: scope.organizationId, locale, signal })) {
      const stop = stopOf(chunk)
      if (stop !== null) return resultOf(testCase, stop as CaseOutcome, null, [])
      if (chunk.outcome !== 'ok') await usage.refund(scope, 'analysis_runs', 1)
      const { results, contentReport } = okOf(chunk, signal)
      if (results.length > 0) return resultOf(testCase, results[0], contentReport, contentReport?.diagnostics ?? [])
    }
    throw new TypeError('a case that was run has a result')
  }

  async #consume(scope: Scope, units: number): Promise<void> {
    if (units > 0) await this.#parts.usage.consume(scope, 'analysis_runs', units)
  }
}

/** A run whose units are consumed. */
export class CaseRun {
  readonly #parts: CaseRunParts
  readonly #scope: Scope
  readonly #prepared: PreparedRun
  readonly #trace: boolean
  readonly #caller: RunCaller
  readonly #startedAt = performance.now()
  readonly #failedIds: string[] = []
  #contentReport: CaseDiagnostics | null = null
  #loads = true
  #passed = 0
  #clockDependent = 0
  #reached = 0

  constructor(parts: CaseRunParts, scope: Scope, prepared: PreparedRun, trace: boolean, caller: RunCaller) {
    this.#parts = parts
    this.#scope = scope
    this.#prepared = prepared
    this.#trace = trace
    this.#caller = caller
  }

  /** Totals of the cases that have run; of all cases when `results` has ended. */
  get totals(): RunTotals {
    return {
      total_cases: this.#reached,
      passed_cases: this.#passed,
      failed_cases: this.#reached - this.#passed,
      clock_dependent_cases: this.#clockDependent,
      duration_ms: roundMs(performance.now() - this.#startedAt),
      loads: this.#loads,
      summary: this.#contentReport?.summary ?? null,
      diagnostics: this.#contentReport?.diagnostics ?? [],
    }
  }

  /**
   * Yields the results in the order of the cases, as they become known. Callers must start the generator and then read it to its end or return it, so
   * that the units of cases that were not run are refunded.
   * @throws ApiError overloaded, shutting_down, internal_error; the reason of the signal
   */
  async *results(): AsyncGenerator<readonly CaseResult[], void, undefined> {
    const { pool, usage } = this.#parts
    const { cases, ruleset } = this.#prepared
    const { locale, signal } = this.#caller
    try {
      const options = { organization: this.#scope.organizationId, locale, signal }
      for await (const chunk of pool.cases({ ruleset, cases: cases.map(toTestCase), trace: this.#trace }, options)) {
        const stop = stopOf(chunk)
        if (stop !== null) {
          // The ruleset could not be compiled, so no other case can run.
          this.#loads = false
          yield cases.slice(this.#reached).map((testCase) => this.#record(testCase, stop))
          break
        }
        if (chunk.outcome !== 'ok') throw refusalOf(chunk, signal)
        const { results, contentReport, loads } = chunk.value
        this.#contentReport ??= contentReport
        this.#loads = loads
        if (results.length > 0) yield results.map((result) => this.#record(cases[this.#reached], result))
      }
      await this.#store()
    } finally {
      await usage.refund(this.#scope, 'analysis_runs', cases.length - this.#reached)
    }
  }

  #record(testCase: CaseDocument, outcome: CaseOutcome): CaseResult {
    const refusals = this.#loads ? [] : (this.#contentReport?.diagnostics ?? []).filter(({ engine_effect }) => engine_effect === 'refuse').slice(0, REFUSALS_SHOWN)
    const result = resultOf(testCase, outcome, this.#contentReport, refusals)
    this.#reached++
    if (result.depends_on_clock) this.#clockDependent++
    if (result.passed) this.#passed++
    else if (this.#failedIds.length < FAILED_CASES_SHOWN) this.#failedIds.push(testCase._id)
    return result
  }

  /** Stores the audit entry and the domain events. */
  async #store(): Promise<void> {
    const { project, workspaceId, isRegression } = this.#prepared
    const { total_cases, passed_cases, failed_cases } = this.totals
    const payload: EventPayload<'regression.completed'> = {
      project_id: project._id,
      project_name: project.name,
      ...{ total_cases, passed_cases, failed_cases },
      failed_case_ids: this.#failedIds,
    }
    const verdict = failed_cases === 0 ? 'regression.passed' : 'regression.failed'
    const shown = { total_cases, passed_cases, failed_cases, ...(workspaceId === null ? {} : { workspace_id: workspaceId }) }
    const diff = Object.fromEntries(Object.entries(shown).map(([name, after]) => [name, { before: null, after }]))
    const entry = { action: 'case.run', resource: projectResource(project), projectId: project._id, diff } as const
    await this.#scope.commit([
      auditing(this.#scope, auditContext(this.#caller), entry, new Date(this.#parts.clock())),
      ...(isRegression ? await this.#parts.outbox.emitting(this.#scope, { name: 'regression.completed', payload }, { name: verdict, payload }) : []),
    ])
  }
}

async function loadRuleset(scope: Scope, projectId: string, workspaceId: string | undefined): Promise<RulesetSelection> {
  const load = (): Promise<ProjectDocument | WorkspaceDocument> =>
    workspaceId === undefined ? loadProject(scope, projectId) : loadOfProject(scope, WORKSPACES, projectId, workspaceId)
  const { owner, content } = await loadSnapshot(scope, load)
  const { include_disk_defaults, include_disk_custom } = owner
  return rulesetOf({ ...content, include_disk_defaults, include_disk_custom })
}

/** @param ofRuleset diagnostics of the ruleset that are added to those of the event */
function resultOf(testCase: CaseDocument, outcome: CaseOutcome, contentReport: CaseDiagnostics | null, ofRuleset: readonly DiagnosticRecord[]): CaseResult {
  const summary = contentReport?.summary ?? NO_SUMMARY
  const record = presentCase(testCase)
  if (outcome.outcome !== 'ok') {
    const analysis = { ok: false, summary, diagnostics: [outcome.diagnostic], performance: NO_TIME, predecoded: null, ...NO_OUTCOME }
    return { case: record, passed: false, checks: [], analysis, depends_on_clock: false }
  }
  const { passed, checks, analysis, performance, depends_on_clock } = outcome.report
  return { case: record, passed, checks, analysis: { ...analysis, summary, diagnostics: [...analysis.diagnostics, ...ofRuleset], performance }, depends_on_clock }
}
