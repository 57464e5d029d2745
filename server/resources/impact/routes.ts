/** `/platform/projects/{project_id}/impact/{workspace_id}`. */
import { defineRoute, projectPermission, type Route } from '../../http/route.js'
import { MEASURE_TIMEOUT_MS } from '../../projects/measure.js'
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
        "What would change if the workspace's content took the place of the project's: quality scores, findings that come and go, rules, decoders and lists by what they mean, rules that others now hide, and every case of the project on both contents. Changes nothing, and consumes no units of the plan.",
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
