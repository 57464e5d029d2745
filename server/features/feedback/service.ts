/** Feedback reports of an organization. Every member may create them; reading, updating and deleting them needs a permission. */
import { ENTERPRISE_ROLES, type Permission, ROLE_PERMISSIONS } from '../../core/tenancy/permissions.js'
import { idOf, nameOf, userIdOf } from '../../core/auth/principal.js'
import type { Actor } from '../../core/auth/request-context.js'
import { ApiError, required } from '../../core/errors.js'
import { etagOf, type IfMatch, requireMatch } from '../../core/etag.js'
import type { Notices } from '../../core/events/notices.js'
import type { Outbox } from '../../core/events/outbox.js'
import { issue } from '../../core/http/validation/issue.js'
import { invalidRequest } from '../../core/http/validation/refuse.js'
import type { Locale } from '../../core/i18n/locale.js'
import { newId } from '../../core/storage/id.js'
import { findOptions, findPage, type Page } from '../../core/tenancy/page.js'
import type { Quotas } from '../../core/tenancy/quotas.js'
import { refuseStale, retryStale } from '../../core/tenancy/retry-stale.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { type AuditResource, auditContext, auditing, diffOf } from '../../core/audit/service.js'
import { ATTACHMENT_BYTES, type AttachmentUpload, type FeedbackCreateRequest, type FeedbackListQuery, type FeedbackUpdateRequest, kindOf } from './schema.js'
import { FEEDBACK_ATTACHMENTS, FEEDBACK_REPORTS, type FeedbackDocument } from './store.js'

/** Most reports of an organization. */
export const REPORTS_LIMIT = 10_000
/** Most attachments of an organization: half a gigabyte together. */
export const ATTACHMENTS_LIMIT = 500
/** Attempts of an update that conflicts with concurrent updates of the same report. */
const ATTEMPTS = 8
/** Roles that are notified of a new report: those that may read it. */
const READERS = ENTERPRISE_ROLES.filter((role) => (ROLE_PERMISSIONS[role] as readonly Permission[]).includes('feedback:view'))
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

export interface FeedbackParts {
  readonly outbox: Pick<Outbox, 'emitting'>
  readonly notices: Pick<Notices, 'notifying'>
  readonly quotas: Pick<Quotas, 'creating'>
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

/** An attached file. */
export interface Attachment {
  readonly filename: string
  readonly content: Uint8Array
}

export class FeedbackService {
  readonly #parts: FeedbackParts

  constructor(parts: FeedbackParts) {
    this.#parts = parts
  }

  async list(scope: Scope, query: FeedbackListQuery): Promise<Page<FeedbackDocument>> {
    const reports = scope.collection(FEEDBACK_REPORTS)
    const { kind, status } = query
    const filter = { ...(kind === undefined ? {} : { kind: kindOf(kind) }), ...(status === undefined ? {} : { status }) }
    return findPage(reports, filter, findOptions(query))
  }

  /** @throws ApiError resource_missing */
  async get(scope: Scope, reportId: string): Promise<FeedbackDocument> {
    return required(await scope.collection(FEEDBACK_REPORTS).findOne({ _id: reportId }))
  }

  /** @throws ApiError resource_missing */
  async attachment(scope: Scope, reportId: string, attachmentId: string): Promise<Attachment> {
    const attachment = required(await scope.collection(FEEDBACK_ATTACHMENTS).findOne({ _id: attachmentId, report_id: reportId }))
    return { filename: attachment.filename, content: Buffer.from(attachment.content, 'base64') }
  }

  /** @throws ApiError request_validation_failed, feedback_limit, attachment_limit, edit_conflict */
  async create(scope: Scope, { kind, title, description = '', attachments = [] }: FeedbackCreateRequest, actor: Actor): Promise<FeedbackDocument> {
    const { outbox, notices, quotas, clock } = this.#parts
    const sizes = sizesOf(attachments, actor.locale)
    const [reports, files] = [scope.collection(FEEDBACK_REPORTS), scope.collection(FEEDBACK_ATTACHMENTS)]
    const requireRoom = async (there: number): Promise<void> => {
      if (there >= REPORTS_LIMIT) throw new ApiError('feedback_limit', { params: { limit: REPORTS_LIMIT } })
      const isFull = attachments.length > 0 && (await files.count({})) + attachments.length > ATTACHMENTS_LIMIT
      if (isFull) throw new ApiError('attachment_limit', { params: { limit: ATTACHMENTS_LIMIT } })
    }
    const now = new Date(clock())
    const { principal } = actor
    const entries = attachments.map(({ filename, content_type }, index) => ({ id: newId(), filename: filename.trim(), content_type, size: sizes[index] }))
    const report: FeedbackDocument = {
      _id: newId(),
      organization_id: scope.organizationId,
      kind: kindOf(kind),
      title: title.trim(),
      description,
      attachments: entries,
      status: 'open',
      created_by: idOf(principal),
      created_by_name: nameOf(principal),
      created_at: now,
      updated_at: now,
      revision: 1,
    }
    const payload = { report_id: report._id, kind: report.kind, title: report.title }
    const link = linkOf(report)
    const recipients = { role: READERS, but: userIdOf(principal) }
    const entry = { action: 'feedback.created', resource: resourceOf(report), diff: diffOf(null, report, ['kind', 'title', 'status']) } as const
    const writes = async () => [
      reports.inserting(report),
      ...entries.map(({ id, filename }, index) => files.inserting({ _id: id, report_id: report._id, filename, content: attachments[index].content })),
      auditing(scope, auditContext(actor), entry, now),
      ...(await outbox.emitting(scope, { name: 'feedback.created', payload })),
      ...notices.notifying(scope, { kind: 'feedback.created', params: { title: report.title }, recipients, link }),
    ]
    await quotas.creating(scope, 'feedback_reports', { count: () => reports.count({}), requireRoom, writes })
    return report
  }

  /**
   * Sets the status, and notifies the user who created the report. @param ifMatch ETags of which one must match; null: no condition @param context of the audit entry
   * @throws ApiError resource_missing, precondition_failed, edit_conflict
   */
  async update(scope: Scope, reportId: string, { status }: FeedbackUpdateRequest, ifMatch: IfMatch, actor: Actor, context = auditContext(actor)): Promise<FeedbackDocument> {
    const { notices, clock } = this.#parts
    return retryStale(ATTEMPTS, async () => {
      const report = await this.get(scope, reportId)
      requireMatch(etagOf(report), ifMatch)
      if (status === undefined || status === report.status) return report
      const now = new Date(clock())
      const changed = { ...report, status, updated_at: now, revision: report.revision + 1 }
      const entry = { action: 'feedback.updated', resource: resourceOf(report), diff: diffOf(report, changed, ['status']) } as const
      await scope.commit([
        scope.collection(FEEDBACK_REPORTS).updating({ _id: reportId, revision: report.revision }, { set: { status, updated_at: now }, increment: { revision: 1 } }),
        auditing(scope, context, entry, now),
        ...notices.notifying(scope, {
          kind: 'feedback.updated',
          params: { title: report.title, status },
          // A key that created the report is no user, and so receives nothing.
          recipients: { users: report.created_by === idOf(actor.principal) ? [] : [report.created_by] },
          link: linkOf(report),
        }),
      ])
      return changed
    })
  }

  /** Deletes the report and its attachments. @throws ApiError resource_missing */
  async remove(scope: Scope, reportId: string, actor: Actor): Promise<void> {
    const report = await this.get(scope, reportId)
    const entry = { action: 'feedback.deleted', resource: resourceOf(report), diff: diffOf(report, null, ['kind', 'title', 'status', 'created_by_name']) } as const
    await refuseStale('resource_missing', () =>
      scope.commit([
        scope.collection(FEEDBACK_REPORTS).deleting({ _id: reportId }),
        scope.collection(FEEDBACK_ATTACHMENTS).deletingMany({ report_id: reportId }),
        auditing(scope, auditContext(actor), entry, new Date(this.#parts.clock())),
      ]),
    )
  }
}

/** Returns the size of each attachment in bytes. @throws ApiError request_validation_failed if one is not base64, or too large */
function sizesOf(attachments: readonly AttachmentUpload[], locale: Locale): number[] {
  const sizes = attachments.map(({ content }) => (content.length % 4 === 0 && BASE64.test(content) ? Buffer.byteLength(content, 'base64') : null))
  const issues = sizes.flatMap((size, index) => {
    const path = `/attachments/${index}/content`
    if (size === null) return [issue(path, 'format', { contentEncoding: 'base64' }, { format: 'base64' })]
    return size > ATTACHMENT_BYTES ? [issue(path, 'invalid', { maxBytes: ATTACHMENT_BYTES })] : []
  })
  if (issues.length > 0) throw invalidRequest(issues, locale)
  return sizes as number[]
}

function linkOf({ _id, organization_id }: FeedbackDocument): string {
  return `/platform/organizations/${organization_id}/feedback-reports/${_id}`
}

function resourceOf({ _id, title }: FeedbackDocument): AuditResource {
  return { type: 'feedback_report', id: _id, name: title }
}
