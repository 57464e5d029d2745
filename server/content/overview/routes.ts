/** `/platform/projects/{project_id}/overview`. */
import { defineRoute, projectPermission, type Route } from '../../core/http/route.js'
import { MEASURE_TIMEOUT_MS } from '../shared/measure.js'
import { ProjectOverviewResponse, ProjectParams } from './schema.js'
import type { OverviewService } from './service.js'

export function overviewRoutes(overviews: OverviewService): readonly Route[] {
  return [
    defineRoute({
      id: 'projects.get-overview',
      method: 'GET',
      path: '/platform/projects/{project_id}/overview',
      tag: 'Reports',
      summary: 'Get the overview of a project',
      description:
        "Answers the quality score, the result of the quality gate, the diagnostics and counts of the project's current content, its newest versions and, for callers with `audit:view`, the newest entries of its audit trail. The measurement is cached until the content, the rulesets on disk or a case change. Consumes no units of the plan.",
      access: projectPermission('project:view'),
      params: ProjectParams,
      responses: { 200: { description: 'The overview.', schema: ProjectOverviewResponse } },
      errors: ['resource_missing', 'edit_conflict', 'overloaded'],
      load: 'run',
      timeoutMs: MEASURE_TIMEOUT_MS,
      handle: async (request) => ({ body: await overviews.overview(request.params.project_id, request) }),
    }),
  ]
}
