/**
 * Tells users about changes of their password and second factor, so that they notice a change that was not theirs (CONTRACT.md#notices-about-accounts). Invariants:
 *  1. a notice and the job that mails it are stored in the commit of the change, so that no crash loses it. It is sent at least once
 *  2. it contains no secret: neither a password, nor a code, nor a link with a token
 */
import type { Identities } from '../../../core/auth/identities.js'
import type { RequestContext } from '../../../core/auth/request-context.js'
import type { UserDocument } from '../../../core/auth/users.js'
import type { Notices } from '../../../core/events/notices.js'
import type { NoticedChange } from '../../../core/mail/compose.js'
import { INSTANCE_JOBS, type JobQueue } from '../../../core/jobs/queue.js'
import type { Collection, Storage, Write } from '../../../core/storage/contract.js'
import { newId } from '../../../core/storage/id.js'
import { ACCOUNT_NOTICES, type AccountNoticeDocument } from './store.js'

/** Kind of the job that sends the mail. Its subject is the notice. */
export const ACCOUNT_NOTICE = 'account.notice'

export interface AccountNoticesParts {
  readonly storage: Pick<Storage, 'open'>
  readonly identities: Pick<Identities, 'memberships' | 'tenancy' | 'clock'>
  readonly jobs: JobQueue
  readonly notices: Notices
}

export class AccountNotices {
  readonly #parts: AccountNoticesParts
  readonly #documents: Collection<AccountNoticeDocument>

  constructor(parts: AccountNoticesParts) {
    this.#parts = parts
    this.#documents = parts.storage.open(ACCOUNT_NOTICES)
  }

  /** Returns the writes that tell a user about a change, for its commit: a mail, and a notification in the organization that a login opens. */
  async telling(
    user: Pick<UserDocument, '_id' | 'default_organization_id'>,
    change: NoticedChange,
    { locale, address }: Pick<RequestContext, 'locale' | 'address'>,
  ): Promise<Write[]> {
    const { identities, jobs, notices } = this.#parts
    const { memberships, tenancy, clock } = identities
    const own = (await memberships.ofUser(user._id)).map(({ organization_id }) => organization_id)
    const shown = own.find((id) => id === user.default_organization_id) ?? own[0]
    const notice = { _id: newId(), user_id: user._id, change, locale, address: change === 'second_factor_removed_by_admin' ? null : address, created_at: new Date(clock()) }
    return [
      this.#documents.inserting(notice),
      jobs.enqueuing(INSTANCE_JOBS, { kind: ACCOUNT_NOTICE, subject: notice._id }),
      ...(shown === undefined ? [] : notices.notifying(tenancy.of(shown), { kind: `account.${change}`, params: {}, recipients: { users: [user._id] } })),
    ]
  }
}
