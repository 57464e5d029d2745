/** The job that mails a notice about an account to its user, in the user's language. */
import type { Users } from '../../../core/auth/users.js'
import { composeAccountNotice, mailLocale } from '../../../core/mail/compose.js'
import type { MailDelivery } from '../../../core/mail/delivery.js'
import type { JobQueue } from '../../../core/jobs/queue.js'
import type { JobKind } from '../../../core/jobs/runner.js'
import type { PublicAddress } from '../../../core/public-address.js'
import type { Storage } from '../../../core/storage/contract.js'
import { ignoreStale } from '../../../core/storage/errors.js'
import { ACCOUNT_NOTICE } from './service.js'
import { ACCOUNT_NOTICES } from './store.js'

/** As many as mails are sent at once otherwise. All belong to the instance, so they take turns with one another only. */
const CONCURRENCY = 2
/** Longer than a mail server may take, with its time limits. */
const LEASE_MS = 120_000

export interface AccountNoticeJobParts {
  readonly storage: Pick<Storage, 'open'>
  readonly users: Pick<Users, 'byId'>
  readonly mail: Pick<MailDelivery, 'send'>
  readonly jobs: Pick<JobQueue, 'finishing'>
  readonly address: Pick<PublicAddress, 'pages'>
}

export function accountNoticeJob({ storage, users, mail, jobs, address }: AccountNoticeJobParts): JobKind {
  const documents = storage.open(ACCOUNT_NOTICES)
  return {
    kind: ACCOUNT_NOTICE,
    concurrency: CONCURRENCY,
    perOrganization: CONCURRENCY,
    leaseMs: LEASE_MS,
    async run(job, scope) {
      const notice = await documents.findOne({ _id: job.subject })
      if (notice === null) return 'done'
      const user = await users.byId(notice.user_id)
      if (user !== null) {
        const { change, created_at: at } = notice
        const locale = mailLocale(user.locale, notice.locale)
        await mail.send('account_notice', composeAccountNotice({ to: user.email, locale, change, at, address: notice.address, baseUrl: address.pages }))
      }
      // If the lease has expired, another instance has the job: the user receives a second mail.
      await scope.commit([jobs.finishing(job), documents.deleting({ _id: notice._id }, { optional: true })]).catch(ignoreStale)
      return 'settled'
    },
    abandoning: ({ subject }) => [documents.deletingMany({ _id: subject })],
  }
}
