/** Stored notices about the secrets of an account, each until its mail is sent. */
import type { NoticedChange } from '../../../core/mail/compose.js'
import type { Locale } from '../../../core/i18n/locale.js'
import { platformCollection, type StoredDocument } from '../../../core/storage/contract.js'

export interface AccountNoticeDocument extends StoredDocument {
  readonly user_id: string
  readonly change: NoticedChange
  /** Language of the request, for users without a preference. */
  readonly locale: Locale
  /** IP address of the request; null: that of somebody else than the user. */
  readonly address: string | null
  readonly created_at: Date
}

export const ACCOUNT_NOTICES = platformCollection<AccountNoticeDocument>('account_notices', [])
