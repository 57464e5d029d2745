/** `/platform/projects/{project_id}/report`. */
import Type from 'typebox'
import { defineRoute, projectPermission, type Route } from '../../core/http/route.js'
import { REPORT_POLICY } from '../../core/report-page/page.js'
import { MEASURE_TIMEOUT_MS } from '../shared/measure.js'
import { reportDocument } from './document.js'
import { ProjectParams, ProjectReportResponse } from './schema.js'
import type { ReportsService } from './service.js'

const HTML = 'text/html'

export function reportRoutes(reports: ReportsService): readonly Route[] {
  return [
    defineRoute({
      id: 'projects.get-report',
      method: 'GET',
      path: '/platform/projects/{project_id}/report',
      tag: 'Reports',
      summary: 'Get the report of a project',
      description:
        "Explains the quality of the project's content: each term of the quality score, quality gate, diagnostics, failing cases, coverage of rules by file and level, ATT&CK techniques, versions. `Accept: text/html` selects a printable page with charts, in the language of the request. Consumes no units of the plan.",
      access: projectPermission('project:view'),
      params: ProjectParams,
      responses: {
        200: {
          description: 'The report.',
          schema: ProjectReportResponse,
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
        const report = await reports.report(request.params.project_id, request)
        if (request.mediaType !== HTML) return { body: report }
        return { body: Buffer.from(reportDocument(report, request.locale)), headers: { 'Content-Security-Policy': REPORT_POLICY, 'Content-Language': request.locale } }
      },
    }),
  ]
}
