/** `/platform/organizations/{organization_id}/integrations/{integration_id}/pipeline-runs`. */
import Type from 'typebox'
import type { ErrorReason } from '../../../core/errors.js'
import { PROVIDER_FAILURES } from '../../../core/egress/provider-error.js'
import { permission, type Route, routesOf } from '../../../core/http/route.js'
import { presentPage } from '../../../core/tenancy/page.js'
import { presentPipelineRun } from './present.js'
import { PipelineRunListQuery, PipelineRunParams, PipelineRunRecord, PipelineRunRequest, PipelineRunsParams } from './schema.js'
import type { PipelineRunsService } from './service.js'

const defineRoute = routesOf('Pipeline runs')
const COLLECTION = '/platform/organizations/{organization_id}/integrations/{integration_id}/pipeline-runs'
const ITEM = `${COLLECTION}/{external_run_id}`
const ACCESS = permission('integration:manage')
const RUN = { 200: { description: 'The run.', schema: PipelineRunRecord } } as const
/** `timeoutMs`: several calls of a provider, each with its own time limit. */
const PROVIDER = { load: 'provider', timeoutMs: 90_000 } as const
const OPENING = ['resource_missing', 'integration_kind_wrong', 'credentials_unreadable', 'target_refused'] as const
/** What a CI system can answer. */
const PROVIDER_ERRORS = PROVIDER_FAILURES.filter((failure) => failure !== 'branch_protected' && failure !== 'head_moved').map((failure): ErrorReason => `provider_${failure}`)

export function pipelineRunRoutes(runs: PipelineRunsService): readonly Route[] {
  return [
    defineRoute({
      id: 'pipeline-runs.list',
      method: 'GET',
      path: COLLECTION,
      summary: 'List pipeline runs',
      description: 'Lists the runs of the last 180 days that were started here, as they were last seen.',
      access: ACCESS,
      params: PipelineRunsParams,
      query: PipelineRunListQuery,
      responses: { 200: { description: 'The runs.', schema: Type.Array(PipelineRunRecord) } },
      errors: ['resource_missing'],
      handle: async ({ scope, params, query }) => presentPage(await runs.list(scope, params.integration_id, query), presentPipelineRun),
    }),
    defineRoute({
      id: 'pipeline-runs.create',
      method: 'POST',
      path: COLLECTION,
      summary: 'Start a pipeline run',
      description:
        'Starts a run at the provider of a CI integration, which may have 100 runs that have not ended. The answer is `queued` in most cases; the service follows the run until it ends. All fields are optional where the settings of the integration name the project. A missing project, branch, workflow or parameter is `provider_not_found`.',
      access: ACCESS,
      ...PROVIDER,
      params: PipelineRunsParams,
      body: { as: 'json', schema: PipelineRunRequest, anyName: true },
      bodyExamples: {
        branch: { branch: 'main', inputs: { LEVEL: '3' } },
        workflow: { project: 'example/detections', workflow: 'content.yml', branch: 'main' },
      },
      responses: RUN,
      errors: [...OPENING, 'pipeline_run_limit', ...PROVIDER_ERRORS],
      idempotencyKey: true,
      handle: async (request) => ({ body: presentPipelineRun(await runs.start(request.scope, request.params.integration_id, request.body, request)) }),
    }),
    defineRoute({
      id: 'pipeline-runs.get',
      method: 'GET',
      path: ITEM,
      summary: 'Get a pipeline run',
      description:
        'Asks the provider if the stored state is older than 5 seconds and the run has not ended. If the provider does not answer, the answer has the stored state, with `check_error`.',
      access: ACCESS,
      load: 'provider',
      params: PipelineRunParams,
      responses: RUN,
      errors: ['resource_missing'],
      handle: async ({ scope, params, signal }) => ({ body: presentPipelineRun(await runs.get(scope, params.integration_id, params.external_run_id, signal)) }),
    }),
    defineRoute({
      id: 'pipeline-runs.cancel',
      method: 'POST',
      path: `${ITEM}/cancel`,
      summary: 'Cancel a pipeline run',
      description: 'Asks the provider to end the run, which may take it some seconds: the answer can still be `running`. A run that has ended or is orphaned is answered 409.',
      access: ACCESS,
      ...PROVIDER,
      params: PipelineRunParams,
      responses: RUN,
      errors: [...OPENING, 'pipeline_run_ended', 'pipeline_run_orphaned', ...PROVIDER_ERRORS],
      handle: async (request) => ({
        body: presentPipelineRun(await runs.cancel(request.scope, request.params.integration_id, request.params.external_run_id, request)),
      }),
    }),
  ]
}
