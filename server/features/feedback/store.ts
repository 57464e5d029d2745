/** Stored feedback reports. Each attachment is a separate document, so that lists of reports do not read it. */
import { type TenantDocument, tenantCollection } from '../../core/storage/contract.js'

export const FEEDBACK_KINDS = ['bug', 'feature_request', 'improvement', 'question'] as const
export type FeedbackKind = (typeof FEEDBACK_KINDS)[number]

/** Every status may follow every other. */
export const FEEDBACK_STATUSES = ['open', 'in_progress', 'resolved', 'closed'] as const
export type FeedbackStatus = (typeof FEEDBACK_STATUSES)[number]

/** An attachment in the document of its report, without the content. */
export interface AttachmentEntry {
  readonly id: string
  readonly filename: string
  /** Media type that the caller named. It is not checked. */
  readonly content_type: string
  /** Size in bytes. */
  readonly size: number
}

export interface FeedbackDocument extends TenantDocument {
  readonly kind: FeedbackKind
  readonly title: string
  readonly description: string
  readonly attachments: readonly AttachmentEntry[]
  readonly status: FeedbackStatus
  /** Identifier of a user or an API key. */
  readonly created_by: string
  /** E-mail of the user, or name of the key, at that time. */
  readonly created_by_name: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

export interface AttachmentDocument extends TenantDocument {
  readonly report_id: string
  readonly filename: string
  /** The content in base64, because documents hold no bytes. */
  readonly content: string
}

/** Every order in which reports are listed, alone and with a filter: of an organization, and of the instance. */
const ORDERS = (
  [
    { created_at: -1, _id: -1 },
    { updated_at: -1, _id: -1 },
  ] as const
).flatMap((order) => [{ keys: order }, { keys: { status: 1, ...order } }, { keys: { kind: 1, ...order } }] as const)

export const FEEDBACK_REPORTS = tenantCollection<FeedbackDocument>('feedback_reports', ORDERS, ['_id'], { instanceIndexes: ORDERS })
export const FEEDBACK_ATTACHMENTS = tenantCollection<AttachmentDocument>('feedback_attachments', [{ keys: { report_id: 1, _id: 1 } }])
