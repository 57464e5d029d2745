/** Feedback reports of all organizations, for platform admins: they list them, and say what happens to them. */
import type { Identities } from '../../core/auth/identities.js'
import type { UserPrincipal } from '../../core/auth/principal.js'
import type { Actor } from '../../core/auth/request-context.js'
import { required } from '../../core/errors.js'
import type { IfMatch } from '../../core/etag.js'
import { findOptions, findPage, type Page } from '../../core/tenancy/page.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { platformContext } from '../../core/audit/service.js'
import { type FeedbackUpdateRequest, type InstanceFeedbackListQuery, kindOf } from './schema.js'
import type { FeedbackService } from './service.js'
import { FEEDBACK_REPORTS, type FeedbackDocument } from './store.js'

/** A report with the present name of its organization. */
export interface InstanceReport {
  readonly report: FeedbackDocument
  readonly organizationName: string
}

export class InstanceFeedback {
  readonly #identities: Pick<Identities, 'tenancy' | 'organizations'>
  readonly #feedback: FeedbackService

  constructor(identities: Pick<Identities, 'tenancy' | 'organizations'>, feedback: FeedbackService) {
    this.#identities = identities
    this.#feedback = feedback
  }

  /** @throws ApiError platform_admin_required */
  async list({ organization_id, kind, status, ...page }: InstanceFeedbackListQuery, principal: UserPrincipal): Promise<Page<InstanceReport>> {
    const { tenancy, organizations } = this.#identities
    const reports = tenancy.allOrganizations(principal).collection(FEEDBACK_REPORTS)
    const filter = {
      ...(organization_id === undefined ? {} : { organization_id }),
      ...(kind === undefined ? {} : { kind: kindOf(kind) }),
      ...(status === undefined ? {} : { status }),
    }
    const { items, total } = await findPage(reports, filter, findOptions(page))
    const found = await organizations.byIds([...new Set(items.map((report) => report.organization_id))])
    return { items: items.map((report) => ({ report, organizationName: found.get(report.organization_id)?.name ?? '' })), total }
  }

  /** @throws ApiError resource_missing */
  async get(reportId: string): Promise<InstanceReport> {
    return this.#named((await this.#located(reportId)).report)
  }

  /** As `FeedbackService.update`. @throws ApiError resource_missing, precondition_failed, edit_conflict */
  async update(reportId: string, request: FeedbackUpdateRequest, ifMatch: IfMatch, actor: Actor<UserPrincipal>): Promise<InstanceReport> {
    const { scope } = await this.#located(reportId)
    return this.#named(await this.#feedback.update(scope, reportId, request, ifMatch, actor, platformContext(actor)))
  }

  async #located(reportId: string): Promise<{ readonly scope: Scope; readonly report: FeedbackDocument }> {
    const found = required(await this.#identities.tenancy.locate(FEEDBACK_REPORTS, '_id', reportId))
    return { scope: found.scope, report: found.document }
  }

  async #named(report: FeedbackDocument): Promise<InstanceReport> {
    const organization = await this.#identities.organizations.byId(report.organization_id)
    return { report, organizationName: organization?.name ?? '' }
  }
}
