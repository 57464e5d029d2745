/** `/platform/projects/{project_id}/impact/{workspace_id}`. */
import Type from 'typebox'
import { defineRoute, projectPermission, type Route } from '../../core/http/route.js'
import { REPORT_POLICY } from '../../core/report-page/page.js'
import { MEASURE_TIMEOUT_MS } from '../shared/measure.js'
import { impactDocument } from './document.js'
import { ImpactParams, ProjectImpactResponse } from './schema.js'
import type { ImpactService } from './service.js'

const HTML = 'text/html'

export function impactRoutes(impacts: ImpactService): readonly Route[] {
  return [
    defineRoute({
      id: 'projects.compare-workspace',
      method: 'POST',
      path: '/platform/projects/{project_id}/impact/{workspace_id}',
      tag: 'Reports',
      summary: 'Compare a workspace with its project',
      description:
        "Reports what would change if the workspace's content replaced the content of the project: quality scores, introduced and resolved diagnostics, differences of rules, decoders and lists by meaning, newly shadowed rules, and the result of every case on both contents. Read-only; consumes no units of the plan. `Accept: text/html` selects a printable page in the language of the request.",
      access: projectPermission('project:view'),
      params: ImpactParams,
      responses: {
        200: {
          description: 'The comparison.',
          schema: ProjectImpactResponse,
          alternatives: [
            {
              mediaType: `${HTML}; charset=utf-8`,
              schema: Type.String({ description: 'A page without scripts and external resources.' }),
              examples: { page: '<!doctype html>\n<html lang="en-US">…</html>\n' },
            },
          ],
        },
      },
      errors: ['resource_missing', 'edit_conflict', 'overloaded'],
      load: 'run',
      timeoutMs: MEASURE_TIMEOUT_MS,
      handle: async (request) => {
        const impact = await impacts.impact(request.params.project_id, request.params.workspace_id, request)
        if (request.mediaType !== HTML) return { body: impact }
        return { body: Buffer.from(impactDocument(impact, request.locale)), headers: { 'Content-Security-Policy': REPORT_POLICY, 'Content-Language': request.locale } }
      },
    }),
  ]
}
