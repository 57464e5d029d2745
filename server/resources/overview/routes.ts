/** `/platform/projects/{project_id}/overview`. */
import { defineRoute, projectPermission, type Route } from '../../http/route.js'
import { MEASURE_TIMEOUT_MS } from '../../projects/measure.js'
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
        "The project's content as it is: quality score, what the quality gate says of it, findings, what it is made of; its newest versions, and, for callers with `audit:view`, what happened last. The content is measured once, and again when it, what it stands on or a case changes. Consumes no units of the plan.",
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
