/** Feedback reports as the API returns them. */
import type { Static } from 'typebox'
import type { InstanceReport } from './instance-wide.js'
import type { FeedbackReportRecord, InstanceFeedbackReportRecord } from './schema.js'
import type { FeedbackDocument } from './store.js'

export function presentReport(report: FeedbackDocument): Static<typeof FeedbackReportRecord> {
  return {
    id: report._id,
    organization_id: report.organization_id,
    kind: report.kind,
    title: report.title,
    description: report.description,
    attachments: report.attachments.map(({ id, filename, content_type, size }) => ({ id, filename, content_type, size })),
    status: report.status,
    created_by: report.created_by,
    created_by_name: report.created_by_name,
    created_at: report.created_at.toISOString(),
    updated_at: report.updated_at.toISOString(),
  }
}

export function presentInstanceReport({ report, organizationName }: InstanceReport): Static<typeof InstanceFeedbackReportRecord> {
  return { ...presentReport(report), organization_name: organizationName }
}

/** Returns a `Content-Disposition` with which browsers save the file under its name and do not open it (RFC 6266, RFC 8187). */
export function saveAs(filename: string): string {
  const encoded = encodeURIComponent(filename).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="attachment"; filename*=UTF-8''${encoded}`
}
