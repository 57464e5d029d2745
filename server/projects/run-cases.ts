/** Runs the cases of a project and tells what became of each: for the quality gate, and for comparing contents. Takes no units of the plan. */
import type { AnalysisPool, CaseCheck, CaseOutcome, CoverageReport, Locale, RulesetSelection } from '#workers'
import type { Scope } from '../tenancy/scope.js'
import { okOf, stopOf } from '../pool-outcome.js'
import { type CaseDocument, CASES, toTestCase } from './test-case.js'

/** All cases of a project, in the order in which they were made. */
export function loadCases(scope: Scope, projectId: string): Promise<CaseDocument[]> {
  return scope.collection(CASES).find({ project_id: projectId }, { sort: { created_at: 1, _id: 1 } })
}

export interface ProjectCasesRequest {
  readonly ruleset: RulesetSelection
  /** In the order in which they were made (`loadCases`): cases with the same session share it in that order. */
  readonly cases: readonly CaseDocument[]
  /** On whose behalf. */
  readonly organization: string
  /** Language of the checks. Default en-US. */
  readonly locale?: Locale
  readonly signal?: AbortSignal
  /** Also count which of the own rules and decoders the cases go through. Default false. */
  readonly coverage?: boolean
}

export interface ProjectCaseResult {
  readonly case_id: string
  readonly name: string
  readonly passed: boolean
  /** The final rule of the last event; null: none, or the case was stopped. */
  readonly rule_id: string | null
  /** That answered for the last event; null: none, or the case was stopped. */
  readonly decoder: string | null
  /** Empty where the case was stopped. */
  readonly checks: readonly CaseCheck[]
}

export interface ProjectCasesRun {
  /** False: Wazuh would not start with the ruleset, or it could not be compiled in time or memory; every case fails. */
  readonly loads: boolean
  readonly total_cases: number
  readonly passed_cases: number
  readonly failed_cases: number
  /** Some were not run to their end: another run of the same may come out otherwise. */
  readonly isStopped: boolean
  /** In the order of the cases. */
  readonly results: readonly ProjectCaseResult[]
  /** Null unless asked for, or when the ruleset could not be compiled. */
  readonly coverage: CoverageReport | null
}

/** @throws ApiError overloaded, shutting_down, internal_error; the signal's reason when it is aborted */
export async function runProjectCases(pool: Pick<AnalysisPool, 'runCases'>, request: ProjectCasesRequest): Promise<ProjectCasesRun> {
  const { ruleset, cases, organization, locale = 'en-US', signal, coverage = false } = request
  const options = { organization, locale, ...(signal === undefined ? {} : { signal }) }
  const outcome = await pool.runCases({ ruleset, cases: cases.map(toTestCase), coverage }, options)
  if (stopOf(outcome) !== null) return summarize(false, true, cases.map(stopped), null)
  const answer = okOf(outcome, signal)
  return summarize(
    answer.loads,
    answer.results.some((result) => result.outcome !== 'ok'),
    answer.results.map((result, index) => resultOf(cases[index], result)),
    answer.coverage,
  )
}

function resultOf(testCase: CaseDocument, result: CaseOutcome): ProjectCaseResult {
  if (result.outcome !== 'ok') return stopped(testCase)
  const { passed, checks, analysis } = result.report
  return { case_id: testCase._id, name: testCase.name, passed, rule_id: analysis.rule?.id ?? null, decoder: analysis.decoder?.name ?? null, checks }
}

/** A case that was not run, as its content can't be. */
export function stopped({ _id, name }: CaseDocument): ProjectCaseResult {
  return { case_id: _id, name, passed: false, rule_id: null, decoder: null, checks: [] }
}

function summarize(loads: boolean, isStopped: boolean, results: readonly ProjectCaseResult[], coverage: CoverageReport | null): ProjectCasesRun {
  const passed = results.filter((result) => result.passed).length
  return { loads, total_cases: results.length, passed_cases: passed, failed_cases: results.length - passed, isStopped, results, coverage }
}
