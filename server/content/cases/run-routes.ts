/** `/platform/projects/{project_id}/cases/run` and `…/{case_id}/run`. */
import Type from 'typebox'
import { projectPermission, type Route, routesOf } from '../../core/http/route.js'
import { issue } from '../../core/http/validation/issue.js'
import { invalidRequest } from '../../core/http/validation/refuse.js'
import type { Limits } from '../../core/limits/limits.js'
import type { CaseDocument } from '../shared/test-case.js'
import { junitForm } from './junit.js'
import type { CaseRuns, RunCaller } from './run.js'
import { gather, JSON_FORM, RUN_MS, streamLines } from './run-answer.js'
import { RunMemory } from './run-memory.js'
import { BatchRunQuery, CaseBatchRunRequest, CaseBatchRunResponse, CaseParams, CaseRunLine, CaseRunRequest, CaseRunResponse, ProjectParams } from './schema.js'

const defineRoute = routesOf('Cases')
const COLLECTION = '/platform/projects/{project_id}/cases'
const XML = 'application/xml'
const NDJSON = 'application/x-ndjson'
/** Maximum cases of a buffered answer with traces, which may take some hundred kilobytes each. */
const TRACED_CASES = 500
const ERRORS = ['resource_missing', 'plan_quota_exceeded', 'overloaded', 'shutting_down', 'edit_conflict'] as const
const JUNIT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="VPN gateways" tests="1" failures="1" errors="0" time="0.0021">
<testsuite name="VPN gateways" tests="1" failures="1" errors="0" time="0.0021" skipped="0" timestamp="2026-11-21T08:15:30">
<testcase classname="vpn-gateways" name="Failed login" time="0.0004"><properties><property name="case_id" value="b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f"/></properties><failure type="case" message="Rule: 100101 ≠ 100100">Rule: 100101 ≠ 100100</failure></testcase>
</testsuite>
</testsuites>
`

export function caseRunRoutes(runs: CaseRuns, limits: Pick<Limits, 'acquire'>, clock: () => number): readonly Route[] {
  const memory = new RunMemory(limits)
  return [
    defineRoute({
      id: 'cases.run',
      method: 'POST',
      path: `${COLLECTION}/run`,
      summary: 'Run all cases',
      description: [
        "Runs the project's cases on its content, or on the content of a workspace. Each case has a separate session, or the one of its `session_id`. Consumes one unit of `analysis_runs` for each case at the start; units of cases that were not run are refunded.",
        'A case passes if all its expectations are met and its events would not crash Wazuh. An error of the content, for which Wazuh drops a rule, is reported in `diagnostics`, sets `analysis.ok` of every case to false, and is in `system-err` of the JUnit XML.',
        'A case that can have another result at another time, because of a rule with `time` or `weekday` and no `now`, has `depends_on_clock`, and `clock_dependent_cases` counts them.',
        'A run of all cases on the content of the project emits `regression.completed`, then `regression.passed` or `regression.failed`.',
        '`Accept: application/xml` selects JUnit XML. `Accept: application/x-ndjson` streams one line for each case as soon as its result is known, and a last line `{done, total_cases, passed_cases, failed_cases, duration_ms, …}`.',
        '`done` is false if the run was stopped; the line before it is the error. Streams are not stored, so an `Idempotency-Key` is refused with this format.',
        `\`trace\` is for lines, or for at most ${TRACED_CASES} cases.`,
      ].join(' '),
      access: projectPermission('case:run'),
      params: ProjectParams,
      query: BatchRunQuery,
      body: { as: 'json', schema: CaseBatchRunRequest },
      bodyExamples: { all: {}, some: { case_ids: ['b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'] }, workspace: { workspace_id: 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f' } },
      responses: {
        200: {
          description: 'The results.',
          schema: CaseBatchRunResponse,
          alternatives: [
            { mediaType: `${XML}; charset=utf-8`, schema: Type.String({ description: 'JUnit XML with one test for each case.' }), examples: { failed: JUNIT } },
            {
              mediaType: NDJSON,
              schema: CaseRunLine,
              examples: {
                last: { done: true, total_cases: 2, passed_cases: 2, failed_cases: 0, clock_dependent_cases: 0, duration_ms: 3.4, loads: true, summary: null, diagnostics: [] },
              },
            },
          ],
        },
      },
      errors: [...ERRORS, 'answer_too_large'],
      idempotencyKey: true,
      load: 'run',
      timeoutMs: RUN_MS,
      handle: async (request) => {
        const { scope, params, query, body, mediaType, principal, locale, requestId, address, signal } = request
        const trace = query.trace ?? false
        if (mediaType === NDJSON && request.header('idempotency-key') !== undefined)
          throw invalidRequest([issue('headers/idempotency-key', 'either', { not_beside: NDJSON }, { other: `Accept: ${NDJSON}` })], locale)
        const caller: RunCaller = { principal, locale, requestId, address, signal }
        const prepared = await runs.prepare(scope, params.project_id, body)
        if (mediaType === NDJSON) {
          // The timeout of a handler ends when the answer begins, but this run continues.
          const limited = { ...caller, signal: AbortSignal.any([signal, AbortSignal.timeout(RUN_MS)]) }
          return { body: await streamLines(await runs.begin(scope, prepared, trace, limited), caller) }
        }
        if (trace) refuseManyTraces(prepared, locale)
        const form = mediaType === XML ? junitForm(prepared.project, new Date(clock())) : JSON_FORM
        return { body: await memory.reserve(scope, prepared.cases, async () => gather(await runs.begin(scope, prepared, trace, caller), form)) }
      },
    }),
    defineRoute({
      id: 'cases.run-one',
      method: 'POST',
      path: `${COLLECTION}/{case_id}/run`,
      summary: 'Run one case',
      description: 'The answer includes the trace of the last event. Consumes one unit of `analysis_runs`. Emits no events.',
      access: projectPermission('case:run'),
      params: CaseParams,
      body: { as: 'json', schema: CaseRunRequest },
      bodyExamples: { project: {}, workspace: { workspace_id: 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f' } },
      responses: { 200: { description: 'The result.', schema: CaseRunResponse } },
      errors: ERRORS,
      load: 'run',
      handle: async (request) => {
        const result = await runs.runOne(request.scope, request.params.project_id, request.params.case_id, request.body.workspace_id, request)
        return { body: Buffer.from(JSON.stringify(result)) }
      },
    }),
  ]
}

function refuseManyTraces({ cases }: { readonly cases: readonly CaseDocument[] }, locale: RunCaller['locale']): void {
  if (cases.length > TRACED_CASES) throw invalidRequest([issue('query/trace', 'too_many_cases', { max_cases: TRACED_CASES }, { limit: TRACED_CASES })], locale)
}
