/** `/platform/projects/{project_id}/impact/{workspace_id}`. */
import { defineRoute, projectPermission, type Route } from '../../core/http/route.js'
import { MEASURE_TIMEOUT_MS } from '../shared/measure.js'
import { ImpactParams, ProjectImpactResponse } from './schema.js'
import type { ImpactService } from './service.js'

export function impactRoutes(impacts: ImpactService): readonly Route[] {
  return [
    defineRoute({
      id: 'projects.compare-workspace',
      method: 'POST',
      path: '/platform/projects/{project_id}/impact/{workspace_id}',
      tag: 'Reports',
      summary: 'Compare a workspace with its project',
      description:
        "Reports what would change if the workspace's content replaced the content of the project: quality scores, introduced and resolved diagnostics, differences of rules, decoders and lists by meaning, newly shadowed rules, and the result of every case on both contents. Read-only; consumes no units of the plan.",
      access: projectPermission('project:view'),
      params: ImpactParams,
      responses: { 200: { description: 'The comparison.', schema: ProjectImpactResponse } },
      errors: ['resource_missing', 'edit_conflict', 'overloaded'],
      load: 'run',
      timeoutMs: MEASURE_TIMEOUT_MS,
      handle: async (request) => ({ body: await impacts.impact(request.params.project_id, request.params.workspace_id, request) }),
    }),
  ]
}
