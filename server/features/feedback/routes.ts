/** `/platform/organizations/{organization_id}/feedback-reports`. */
import Type from 'typebox'
import { etagOf } from '../../core/etag.js'
import { noContent, permission, type Route, routesOf } from '../../core/http/route.js'
import { presentPage } from '../../core/tenancy/page.js'
import { presentReport, saveAs } from './present.js'
import { AttachmentParams, FeedbackCreateRequest, FeedbackListQuery, FeedbackReportRecord, FeedbackUpdateRequest, OrganizationParams, ReportParams } from './schema.js'
import type { FeedbackService } from './service.js'
import type { FeedbackDocument } from './store.js'

const defineRoute = routesOf('Feedback')
const COLLECTION = '/platform/organizations/{organization_id}/feedback-reports'
const ITEM = `${COLLECTION}/{report_id}`
const REPORT = { 200: { description: 'The report.', schema: FeedbackReportRecord } } as const

const answer = (report: FeedbackDocument) => ({ body: presentReport(report), etag: etagOf(report) })

export function feedbackRoutes(feedback: FeedbackService): readonly Route[] {
  return [
    defineRoute({
      id: 'feedback.list',
      method: 'GET',
      path: COLLECTION,
      summary: 'List feedback reports',
      description: 'Lists the newest first, without the content of attachments.',
      access: permission('feedback:view'),
      params: OrganizationParams,
      query: FeedbackListQuery,
      responses: { 200: { description: 'The reports.', schema: Type.Array(FeedbackReportRecord) } },
      handle: async ({ scope, query }) => presentPage(await feedback.list(scope, query), presentReport),
    }),
    defineRoute({
      id: 'feedback.create',
      method: 'POST',
      path: COLLECTION,
      summary: 'Create a feedback report',
      description:
        'Every member may create one. A report has at most 5 attachments of 1 MiB each; an organization has at most 10,000 reports and 500 attachments (409). Emits `feedback.created` and notifies the members who may view reports.',
      access: permission('feedback:create'),
      params: OrganizationParams,
      body: { as: 'json', schema: FeedbackCreateRequest },
      bodyExamples: {
        bug: {
          kind: 'bug',
          title: 'Rule 5716 is shown twice',
          description: 'In the catalog, when sorted by level.',
          attachments: [{ filename: 'auth.log', content_type: 'text/plain', content: 'SmFuICA1IDEwOjExOjEyIHdlYjEgc3NoZFsxMl06IG9rCg==' }],
        },
        wish: { kind: 'feature_request', title: 'A dark theme', description: '' },
      },
      responses: REPORT,
      errors: ['feedback_limit', 'attachment_limit'],
      etag: true,
      handle: async (request) => answer(await feedback.create(request.scope, request.body, request)),
    }),
    defineRoute({
      id: 'feedback.get',
      method: 'GET',
      path: ITEM,
      summary: 'Get a feedback report',
      description: "The answer's `ETag` can be sent as `If-Match` with an update.",
      access: permission('feedback:view'),
      params: ReportParams,
      responses: REPORT,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ scope, params }) => answer(await feedback.get(scope, params.report_id)),
    }),
    defineRoute({
      id: 'feedback.update',
      method: 'PATCH',
      path: ITEM,
      summary: 'Update the status of a feedback report',
      description: 'Every status may follow every other.',
      access: permission('feedback:view'),
      params: ReportParams,
      body: { as: 'json', schema: FeedbackUpdateRequest },
      bodyExamples: { begun: { status: 'in_progress' } },
      responses: REPORT,
      errors: ['resource_missing', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => answer(await feedback.update(request.scope, request.params.report_id, request.body, request.ifMatch, request)),
    }),
    defineRoute({
      id: 'feedback.delete',
      method: 'DELETE',
      path: ITEM,
      summary: 'Delete a feedback report',
      description: 'Deletes the report and its attachments. The audit trail keeps its title and who deleted it.',
      access: permission('feedback:view'),
      params: ReportParams,
      responses: { 204: { description: 'The report is deleted.', schema: null } },
      errors: ['resource_missing'],
      handle: (request) => noContent(feedback.remove(request.scope, request.params.report_id, request)),
    }),
    defineRoute({
      id: 'feedback.get-attachment',
      method: 'GET',
      path: `${ITEM}/attachments/{attachment_id}`,
      summary: 'Get an attachment',
      description: 'Answers the bytes that were uploaded, always as a download: browsers save the file and do not display it.',
      access: permission('feedback:view'),
      params: AttachmentParams,
      responses: {
        200: { description: 'The file.', schema: Type.String({ format: 'binary' }), mediaType: 'application/octet-stream', examples: { log: 'Jan  5 10:11:12 web1 sshd[12]: ok' } },
      },
      errors: ['resource_missing'],
      handle: async ({ scope, params }) => {
        const { filename, content } = await feedback.attachment(scope, params.report_id, params.attachment_id)
        return { body: content, headers: { 'Content-Disposition': saveAs(filename) } }
      },
    }),
  ]
}
