/** Feedback reports. What was attached is beside them, a document each, so that lists of reports don't read it. */
import { type TenantDocument, tenantCollection } from '../../storage/contract.js'

export const FEEDBACK_KINDS = ['bug', 'feature_request', 'improvement', 'question'] as const
export type FeedbackKind = (typeof FEEDBACK_KINDS)[number]

/** Any may follow any: people change their minds. */
export const FEEDBACK_STATUSES = ['open', 'in_progress', 'resolved', 'closed'] as const
export type FeedbackStatus = (typeof FEEDBACK_STATUSES)[number]

/** What a report tells of an attachment. */
export interface AttachmentEntry {
  readonly id: string
  readonly filename: string
  /** As the sender says; nothing is believed of it. */
  readonly content_type: string
  /** Bytes. */
  readonly size: number
}

export interface FeedbackDocument extends TenantDocument {
  readonly kind: FeedbackKind
  readonly title: string
  readonly description: string
  readonly attachments: readonly AttachmentEntry[]
  readonly status: FeedbackStatus
  /** A user or an API key. */
  readonly created_by: string
  /** E-mail of the user, name of the key, at that time. */
  readonly created_by_name: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

export interface AttachmentDocument extends TenantDocument {
  readonly report_id: string
  readonly filename: string
  /** Base64: documents hold no bytes. */
  readonly content: string
}

export const FEEDBACK_REPORTS = tenantCollection<FeedbackDocument>('feedback_reports', [
  { keys: { created_at: -1, _id: -1 } },
  { keys: { updated_at: -1, _id: -1 } },
  { keys: { status: 1, created_at: -1, _id: -1 } },
  { keys: { status: 1, updated_at: -1, _id: -1 } },
  { keys: { kind: 1, created_at: -1, _id: -1 } },
  { keys: { kind: 1, updated_at: -1, _id: -1 } },
])
export const FEEDBACK_ATTACHMENTS = tenantCollection<AttachmentDocument>('feedback_attachments', [{ keys: { report_id: 1, _id: 1 } }])
