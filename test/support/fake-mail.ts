/** A mail gateway that keeps the mails in memory. */
import { checkAddress, headerText, type Mail, type MailGateway } from '../../server/core/mail/gateway.js'

export class FakeMail implements MailGateway {
  readonly sent: Mail[] = []
  /** Number of next mails to refuse. */
  failures = 0

  async send(mail: Mail): Promise<void> {
    if (this.failures > 0) {
      this.failures -= 1
      throw new Error('the mail server refuses')
    }
    this.sent.push({ to: checkAddress(mail.to), subject: headerText(mail.subject), text: mail.text })
  }

  async close(): Promise<void> {}
}
