/** `/platform/projects/{project_id}/cases/run` and `…/{case_id}/run`. */
import Type from 'typebox'
import { defineRoute, projectPermission, type Route } from '../../http/route.js'
import { issue } from '../../http/validation/issue.js'
import { invalidRequest } from '../../http/validation/refuse.js'
import type { Limits } from '../../limits/limits.js'
import type { CaseDocument } from '../../projects/test-case.js'
import { junitForm } from './junit.js'
import type { CaseRuns, RunCaller } from './run.js'
import { gather, JSON_FORM, RUN_MS, streamLines } from './run-answer.js'
import { RunMemory } from './run-memory.js'
import { BatchRunQuery, CaseBatchRunRequest, CaseBatchRunResponse, CaseParams, CaseRunLine, CaseRunRequest, CaseRunResponse, ProjectParams } from './schema.js'

const TAG = 'Cases'
const COLLECTION = '/platform/projects/{project_id}/cases'
const XML = 'application/xml'
const NDJSON = 'application/x-ndjson'
/** Cases whose traces are gathered for one answer: each may have some hundred kilobytes. */
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
      tag: TAG,
      summary: 'Run all cases',
      description: [
        "Runs the project's cases on its content, or on that of a workspace, each in a session of its own, or in that which its `session_id` names. Takes one unit of `analysis_runs` a case, before it begins; cases that are not reached cost nothing.",
        'A case passes by what it expects, if its events do not make Wazuh itself crash. An error of the content, for which Wazuh drops a rule, is in `diagnostics`, makes `analysis.ok` of every case false, and in JUnit XML stands in `system-err`.',
        'A run of all cases on the content of the project emits `regression.completed`, and then `regression.passed` or `regression.failed`.',
        '`Accept: application/xml` gives JUnit XML. `Accept: application/x-ndjson` gives a line a case as soon as its result is known, and a last line `{done, total_cases, passed_cases, failed_cases, duration_ms, …}`;',
        '`done` is false when the run was ended, and the line before it says why in the error shape. Such a stream is not kept, so an `Idempotency-Key` beside it is refused.',
        `\`trace\` is for lines, or for at most ${TRACED_CASES} cases.`,
      ].join(' '),
      access: projectPermission('case:run'),
      params: ProjectParams,
      query: BatchRunQuery,
      body: { as: 'json', schema: CaseBatchRunRequest },
      bodyExamples: { all: {}, some: { case_ids: ['b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'] }, workspace: { workspace_id: 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f' } },
      responses: {
        200: {
          description: 'What became of them.',
          schema: CaseBatchRunResponse,
          alternatives: [
            { mediaType: `${XML}; charset=utf-8`, schema: Type.String({ description: 'JUnit XML: a test a case.' }), examples: { failed: JUNIT } },
            {
              mediaType: NDJSON,
              schema: CaseRunLine,
              examples: { last: { done: true, total_cases: 2, passed_cases: 2, failed_cases: 0, duration_ms: 3.4, loads: true, summary: null, diagnostics: [] } },
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
          // The time of a handler ends with its answer's beginning, and this one goes on.
          const limited = { ...caller, signal: AbortSignal.any([signal, AbortSignal.timeout(RUN_MS)]) }
          return { body: await streamLines(await runs.begin(scope, prepared, trace, limited), caller) }
        }
        if (trace) refuseManyTraces(prepared, locale)
        const form = mediaType === XML ? junitForm(prepared.project, new Date(clock())) : JSON_FORM
        return { body: await memory.hold(scope, prepared.cases, async () => gather(await runs.begin(scope, prepared, trace, caller), form)) }
      },
    }),
    defineRoute({
      id: 'cases.run-one',
      method: 'POST',
      path: `${COLLECTION}/{case_id}/run`,
      tag: TAG,
      summary: 'Run one case',
      description: 'With the trace of its last event. Takes one unit of `analysis_runs`. Emits nothing.',
      access: projectPermission('case:run'),
      params: CaseParams,
      body: { as: 'json', schema: CaseRunRequest },
      bodyExamples: { project: {}, workspace: { workspace_id: 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f' } },
      responses: { 200: { description: 'What became of it.', schema: CaseRunResponse } },
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
  if (cases.length > TRACED_CASES) throw invalidRequest([issue('query/trace', 'either', { max_cases: TRACED_CASES }, { other: `more than ${TRACED_CASES} cases` })], locale)
}
