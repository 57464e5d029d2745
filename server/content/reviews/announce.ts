/** Domain events and notices about a review. Both are stored in the commit of the change. */
import { nameOf, type Principal, userIdOf } from '../../core/auth/principal.js'
import type { DomainEvent } from '../../core/events/catalogue.js'
import type { Notices } from '../../core/events/notices.js'
import { NOTICE_USERS_LIMIT } from '../../core/events/notices.js'
import type { Outbox } from '../../core/events/outbox.js'
import type { ProjectDocument } from '../shared/project.js'
import type { ReviewDocument } from '../shared/review.js'
import type { ReviewDecision } from '../shared/transitions.js'
import type { Write } from '../../core/storage/contract.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { APPROVERS, type People } from './people.js'

/** A review after a change, and the caller who changed it. */
export interface ReviewChange {
  readonly scope: Scope
  readonly project: Pick<ProjectDocument, '_id' | 'name'>
  readonly review: ReviewDocument
  readonly principal: Principal
}

export class Announcements {
  readonly #outbox: Pick<Outbox, 'emitting'>
  readonly #notices: Pick<Notices, 'notifying'>
  readonly #people: Pick<People, 'approversByProject'>

  constructor(outbox: Pick<Outbox, 'emitting'>, notices: Pick<Notices, 'notifying'>, people: Pick<People, 'approversByProject'>) {
    this.#outbox = outbox
    this.#notices = notices
    this.#people = people
  }

  /** Returns the writes of the event, and of the notice to the reviewers; without reviewers to all who may approve, but for the author. */
  async opened(change: ReviewChange): Promise<Write[]> {
    const { scope, review } = change
    const notices =
      review.reviewer_ids.length > 0 ? this.#notices.notifying(scope, { kind: 'review.created', ...noticeOf(change, review.reviewer_ids) }) : await this.#notifyingApprovers(change)
    return [...(await this.#outbox.emitting(scope, { name: 'review.created', payload: payloadOf(change) })), ...notices]
  }

  async #notifyingApprovers(change: ReviewChange): Promise<Write[]> {
    const { scope, project, review } = change
    // The owner of an API key cannot approve what it opened.
    const author = review.opened_for ?? null
    const { params, link } = noticeOf(change, [])
    const inProject = (await this.#people.approversByProject(scope, project._id)).filter((id) => id !== author)
    const writes = this.#notices.notifying(scope, { kind: 'review.created', params, link, recipients: { role: APPROVERS, but: author } })
    for (let at = 0; at < inProject.length; at += NOTICE_USERS_LIMIT)
      writes.push(...this.#notices.notifying(scope, { kind: 'review.created', params, link, recipients: { users: inProject.slice(at, at + NOTICE_USERS_LIMIT) } }))
    return writes
  }

  /** Returns the writes of the event, and of the notice to the author of the review. Closing is not a decision and has no event. */
  async decided(change: ReviewChange, status: ReviewDecision): Promise<Write[]> {
    const { scope, review } = change
    const events: DomainEvent[] = status === 'closed' ? [] : [{ name: `review.${status}`, payload: payloadOf(change) }]
    return [...(await this.#outbox.emitting(scope, ...events)), ...this.#notices.notifying(scope, { kind: `review.${status}`, ...noticeOf(change, openerOf(review)) })]
  }

  /** Returns the writes of the notice to the author and the reviewers. */
  commented(change: ReviewChange): Write[] {
    const { scope, review } = change
    return this.#notices.notifying(scope, { kind: 'review.commented', ...noticeOf(change, [...openerOf(review), ...review.reviewer_ids]) })
  }
}

function payloadOf({ project, review, principal }: ReviewChange) {
  return {
    project_id: project._id,
    project_name: project.name,
    review_id: review._id,
    title: review.title,
    status: review.status,
    workspace_id: review.workspace_id,
    actor_id: userIdOf(principal),
    reviewer_ids: [...review.reviewer_ids],
  }
}

/** Callers are not notified of their own changes. */
function noticeOf({ project, review, principal }: ReviewChange, users: readonly string[]) {
  const own = userIdOf(principal)
  return {
    params: { project: project.name, title: review.title, actor: nameOf(principal) },
    recipients: { users: users.filter((id) => id !== own) },
    link: `/platform/projects/${project._id}/reviews/${review._id}`,
  }
}

/** Returns the user who opened the review; empty if an API key did. */
function openerOf({ opened_by, opened_by_type }: ReviewDocument): string[] {
  return opened_by_type === 'user' ? [opened_by] : []
}
