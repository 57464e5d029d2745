/** Opens the mail of the service: SMTP, or files in a folder. */
import type { Config } from '../config.js'
import type { Log } from '../observability/log.js'
import type { MailGateway } from './gateway.js'
import { createOutboxFiles } from './outbox-files.js'

/** The library of SMTP is loaded only where it is used. */
export async function openMail({ smtpUrl, mailFrom, dataDir }: Config, log: Log): Promise<MailGateway> {
  if (smtpUrl === null) return createOutboxFiles(dataDir, mailFrom, (file) => log.info({ file }, 'mail written to a file: no SMTP_URL is set'))
  const { createSmtpMail } = await import('./smtp.js')
  return createSmtpMail(smtpUrl, mailFrom)
}
