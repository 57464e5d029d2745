/**
 * Runs of cases. Decisions where the contract is silent:
 *  - units of the plan are taken before the first case runs, one a case; those of cases that were not reached (the caller went, the pool is busy) are
 *    given back. A case that was stopped at its deadline has run
 *  - events of regression are emitted when all cases were run on the project's own content: a run of some, or of a workspace, says nothing of the project
 *  - the events and the audit entry are stored before the last of the answer goes out
 */
import { type AnalysisPool, type CaseFindings, type CaseOutcome, type DiagnosticRecord, NO_OUTCOME, type RulesetSelection, roundMs } from '#workers'
import type { Actor } from '../../auth/request-context.js'
import { ApiError } from '../../errors.js'
import { type EventPayload, FAILED_CASES_SHOWN } from '../../events/catalogue.js'
import type { Outbox } from '../../events/outbox.js'
import { NO_SUMMARY, okOf, refusalOf, stopOf } from '../../pool-outcome.js'
import { presentCase } from './present.js'
import { rulesetOf } from '../../projects/content.js'
import { loadOfProject, loadProject, loadSnapshot } from '../../projects/load.js'
import type { ProjectDocument } from '../../projects/project.js'
import { loadCases } from '../../projects/test-case.js'
import { type CaseDocument, CASES, toTestCase } from '../../projects/test-case.js'
import { type WorkspaceDocument, WORKSPACES } from '../../projects/workspace.js'
import type { Scope } from '../../tenancy/scope.js'
import type { Usage } from '../../tenancy/usage.js'
import { auditContext, auditing } from '../audit/service.js'
import { projectResource } from '../projects/service.js'
import type { CaseBatchRunRequest, CaseRunResponse } from './schema.js'

/** Findings that are repeated in every analysis on a ruleset that does not load. */
const REFUSALS_SHOWN = 3
const NO_TIME = { source_build_ms: 0, compile_ms: 0, total_ms: 0, cache_hit: false, predecode_ms: 0, decode_ms: 0, rule_ms: 0 } as const

export interface CaseRunParts {
  readonly pool: Pick<AnalysisPool, 'cases'>
  readonly usage: Pick<Usage, 'consume' | 'giveBack'>
  readonly outbox: Pick<Outbox, 'emitting'>
  readonly clock: () => number
}

/** Who runs, until when. */
export interface RunCaller extends Actor {
  readonly signal: AbortSignal
}

/** A result as it is answered; nobody changes what the engine has said. */
export type CaseResult = Omit<CaseRunResponse, 'checks' | 'analysis'> & Pick<Extract<CaseOutcome, { outcome: 'ok' }>['report'], 'checks'> & { readonly analysis: object }

export interface RunTotals {
  readonly total_cases: number
  readonly passed_cases: number
  readonly failed_cases: number
  /** Milliseconds. */
  readonly duration_ms: number
  readonly loads: boolean
  readonly summary: CaseFindings['summary'] | null
  readonly diagnostics: readonly DiagnosticRecord[]
}

/** What is about to be run. */
export interface PreparedRun {
  readonly project: ProjectDocument
  readonly cases: readonly CaseDocument[]
  readonly ruleset: RulesetSelection
  readonly workspaceId: string | null
  /** All cases, on the project's content. */
  readonly isRegression: boolean
}

export class CaseRuns {
  readonly #parts: CaseRunParts

  constructor(parts: CaseRunParts) {
    this.#parts = parts
  }

  /** Reads cases and content. Nothing is taken yet. @throws ApiError resource_missing, edit_conflict */
  async prepare(scope: Scope, projectId: string, { workspace_id, case_ids }: CaseBatchRunRequest): Promise<PreparedRun> {
    const project = await loadProject(scope, projectId)
    const all = await loadCases(scope, projectId)
    const chosen = case_ids === undefined ? null : new Set(case_ids)
    const cases = chosen === null ? all : all.filter(({ _id }) => chosen.has(_id))
    if (chosen !== null && cases.length < chosen.size) throw new ApiError('resource_missing')
    const ruleset = await loadRuleset(scope, projectId, workspace_id)
    return { project, cases, ruleset, workspaceId: workspace_id ?? null, isRegression: case_ids === undefined && workspace_id === undefined }
  }

  /** Takes the units. @throws ApiError plan_quota_exceeded */
  async begin(scope: Scope, prepared: PreparedRun, trace: boolean, caller: RunCaller): Promise<CaseRun> {
    await this.#consume(scope, prepared.cases.length)
    return new CaseRun(this.#parts, scope, prepared, trace, caller)
  }

  /** One case, with all there is to say. @throws ApiError resource_missing, plan_quota_exceeded, overloaded, shutting_down, edit_conflict */
  async runOne(scope: Scope, projectId: string, caseId: string, workspaceId: string | undefined, caller: RunCaller): Promise<CaseResult> {
    const { pool, usage } = this.#parts
    const testCase = await loadOfProject(scope, CASES, projectId, caseId)
    const ruleset = await loadRuleset(scope, projectId, workspaceId)
    await this.#consume(scope, 1)
    const { locale, signal } = caller
    for await (const piece of pool.cases({ ruleset, cases: [toTestCase(testCase)], trace: true }, { organization: scope.organizationId, locale, signal })) {
      const stop = stopOf(piece)
      if (stop !== null) return resultOf(testCase, stop as CaseOutcome, null, [])
      if (piece.outcome !== 'ok') await giveBack(usage, scope, 1)
      const { results, findings } = okOf(piece, signal)
      if (results.length > 0) return resultOf(testCase, results[0], findings, findings?.diagnostics ?? [])
    }
    throw new TypeError('a case that was run has a result')
  }

  async #consume(scope: Scope, units: number): Promise<void> {
    if (units > 0) await this.#parts.usage.consume(scope, 'analysis_runs', units)
  }
}

/** A run under way, whose units are taken. */
export class CaseRun {
  readonly #parts: CaseRunParts
  readonly #scope: Scope
  readonly #prepared: PreparedRun
  readonly #trace: boolean
  readonly #caller: RunCaller
  readonly #startedAt = performance.now()
  readonly #failedIds: string[] = []
  #findings: CaseFindings | null = null
  #loads = true
  #passed = 0
  #reached = 0

  constructor(parts: CaseRunParts, scope: Scope, prepared: PreparedRun, trace: boolean, caller: RunCaller) {
    this.#parts = parts
    this.#scope = scope
    this.#prepared = prepared
    this.#trace = trace
    this.#caller = caller
  }

  /** Of the cases so far; of all when `results` has ended. */
  get totals(): RunTotals {
    return {
      total_cases: this.#reached,
      passed_cases: this.#passed,
      failed_cases: this.#reached - this.#passed,
      duration_ms: roundMs(performance.now() - this.#startedAt),
      loads: this.#loads,
      summary: this.#findings?.summary ?? null,
      diagnostics: this.#findings?.diagnostics ?? [],
    }
  }

  /**
   * The results in the order of the cases, some at a time as they are known. It must be begun, and then read to its end or returned: only so are units
   * of cases that were not reached given back.
   * @throws ApiError overloaded, shutting_down, internal_error; the signal's reason
   */
  async *results(): AsyncGenerator<readonly CaseResult[], void, undefined> {
    const { pool, usage } = this.#parts
    const { cases, ruleset } = this.#prepared
    const { locale, signal } = this.#caller
    try {
      const options = { organization: this.#scope.organizationId, locale, signal }
      for await (const piece of pool.cases({ ruleset, cases: cases.map(toTestCase), trace: this.#trace }, options)) {
        const stop = stopOf(piece)
        if (stop !== null) {
          // The ruleset could not be compiled, so nothing will come of any other.
          this.#loads = false
          yield cases.slice(this.#reached).map((testCase) => this.#take(testCase, stop))
          break
        }
        if (piece.outcome !== 'ok') throw refusalOf(piece, signal)
        const { results, findings, loads } = piece.value
        this.#findings ??= findings
        this.#loads = loads
        if (results.length > 0) yield results.map((result) => this.#take(cases[this.#reached], result))
      }
      await this.#store()
    } finally {
      await giveBack(usage, this.#scope, cases.length - this.#reached)
    }
  }

  #take(testCase: CaseDocument, outcome: CaseOutcome): CaseResult {
    const refusals = this.#loads ? [] : (this.#findings?.diagnostics ?? []).filter(({ engine_effect }) => engine_effect === 'refuse').slice(0, REFUSALS_SHOWN)
    const result = resultOf(testCase, outcome, this.#findings, refusals)
    this.#reached++
    if (result.passed) this.#passed++
    else if (this.#failedIds.length < FAILED_CASES_SHOWN) this.#failedIds.push(testCase._id)
    return result
  }

  /** What others learn of it. */
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

/** @param ofRuleset findings of the ruleset that the analysis tells with those of the event */
function resultOf(testCase: CaseDocument, outcome: CaseOutcome, findings: CaseFindings | null, ofRuleset: readonly DiagnosticRecord[]): CaseResult {
  const summary = findings?.summary ?? NO_SUMMARY
  const record = presentCase(testCase)
  if (outcome.outcome !== 'ok') {
    const analysis = { ok: false, summary, diagnostics: [outcome.diagnostic], performance: NO_TIME, predecoded: null, ...NO_OUTCOME }
    return { case: record, passed: false, checks: [], analysis }
  }
  const { passed, checks, analysis, performance } = outcome.report
  return { case: record, passed, checks, analysis: { ...analysis, summary, diagnostics: [...analysis.diagnostics, ...ofRuleset], performance } }
}

/** Units of what was not done. That they could not be given back is not the caller's trouble. */
async function giveBack(usage: Pick<Usage, 'giveBack'>, scope: Scope, units: number): Promise<void> {
  if (units > 0) await usage.giveBack(scope, 'analysis_runs', units).catch(() => {})
}
