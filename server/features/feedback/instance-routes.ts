/** `/platform/admin/feedback`. */
import Type from 'typebox'
import { etagOf } from '../../core/etag.js'
import { PLATFORM_ADMIN, type Route, routesOf } from '../../core/http/route.js'
import { presentPage } from '../../core/tenancy/page.js'
import type { InstanceFeedback, InstanceReport } from './instance-wide.js'
import { presentInstanceReport } from './present.js'
import { FeedbackUpdateRequest, InstanceFeedbackListQuery, InstanceFeedbackReportRecord, InstanceReportParams } from './schema.js'

const defineRoute = routesOf('Platform administration')
const COLLECTION = '/platform/admin/feedback'
const ITEM = `${COLLECTION}/{report_id}`
const REPORT = { 200: { description: 'The report.', schema: InstanceFeedbackReportRecord } } as const

const answer = (shown: InstanceReport) => ({ body: presentInstanceReport(shown), etag: etagOf(shown.report) })

export function instanceFeedbackRoutes(feedback: InstanceFeedback): readonly Route[] {
  return [
    defineRoute({
      id: 'platform-admin.list-feedback',
      method: 'GET',
      path: COLLECTION,
      summary: 'List the feedback reports of all organizations',
      description: 'Lists the newest first, without the content of attachments.',
      access: PLATFORM_ADMIN,
      query: InstanceFeedbackListQuery,
      responses: { 200: { description: 'The reports.', schema: Type.Array(InstanceFeedbackReportRecord) } },
      handle: async ({ query, principal }) => presentPage(await feedback.list(query, principal), presentInstanceReport),
    }),
    defineRoute({
      id: 'platform-admin.get-feedback',
      method: 'GET',
      path: ITEM,
      summary: 'Get a feedback report of any organization',
      description: "The answer's `ETag` can be sent as `If-Match` with an update.",
      access: PLATFORM_ADMIN,
      params: InstanceReportParams,
      responses: REPORT,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ params }) => answer(await feedback.get(params.report_id)),
    }),
    defineRoute({
      id: 'platform-admin.update-feedback',
      method: 'PATCH',
      path: ITEM,
      summary: 'Update the status of a feedback report of any organization',
      description: 'Every status may follow every other. The user who created the report is notified, and the change is in the audit trail of the organization.',
      access: PLATFORM_ADMIN,
      params: InstanceReportParams,
      body: { as: 'json', schema: FeedbackUpdateRequest },
      bodyExamples: { resolved: { status: 'resolved' } },
      responses: REPORT,
      errors: ['resource_missing', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => answer(await feedback.update(request.params.report_id, request.body, request.ifMatch, request)),
    }),
  ]
}
