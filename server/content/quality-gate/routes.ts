/** `/platform/projects/{project_id}/quality-gate`. */
import { projectPermission, type Route, routesOf } from '../../core/http/route.js'
import { loadProject } from '../shared/load.js'
import { type ProjectDocument, projectEtag } from '../shared/project.js'
import { presentPolicy } from './present.js'
import { ProjectParams, QualityGatePolicyRecord, QualityGateUpdateRequest } from './schema.js'
import type { QualityGateService } from './service.js'

const defineRoute = routesOf('Quality gate')
const PATH = '/platform/projects/{project_id}/quality-gate'
const POLICY = { 200: { description: 'The policy.', schema: QualityGatePolicyRecord } } as const

const answer = (project: ProjectDocument) => ({ body: presentPolicy(project), etag: projectEtag(project) })

export function qualityGateRoutes(gate: QualityGateService): readonly Route[] {
  return [
    defineRoute({
      id: 'quality-gate.get',
      method: 'GET',
      path: PATH,
      summary: 'Get the quality gate policy',
      description: 'A version must meet the policy before it is published. The `ETag` is that of the project.',
      access: projectPermission('project:view'),
      params: ProjectParams,
      responses: POLICY,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ scope, params }) => answer(await loadProject(scope, params.project_id)),
    }),
    defineRoute({
      id: 'quality-gate.update',
      method: 'PATCH',
      path: PATH,
      summary: 'Update the quality gate policy',
      description: 'Updates the fields that are sent. The policy applies from the next publishing on.',
      access: projectPermission('project:edit'),
      params: ProjectParams,
      body: { as: 'json', schema: QualityGateUpdateRequest },
      bodyExamples: { strict: { min_quality_score: 90, max_warnings: 0, min_case_count: 10, require_approved_review: true } },
      responses: POLICY,
      errors: ['resource_missing', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => answer(await gate.update(request.scope, request.params.project_id, request.body, request.ifMatch, request)),
    }),
  ]
}
