/** Sends mail by SMTP. */
import { createTransport } from 'nodemailer'
import { checkAddress, headerText, type Mail, type MailGateway } from './gateway.js'

const CONNECTIONS = 2
const CONNECT_TIMEOUT_MS = 10_000
/** Maximum time without data from the server. */
const SOCKET_TIMEOUT_MS = 30_000

/** @param url smtp:// or smtps://, with user and password if the server requires them */
export function createSmtpMail(url: string, from: string): MailGateway {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: CONNECTIONS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    // Mails are plain text; no part may reference a file or a URL to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ to, subject, text }: Mail): Promise<void> {
      await transport.sendMail({ from, to: { name: '', address: checkAddress(to) }, subject: headerText(subject), text })
    },
    async close(): Promise<void> {
      transport.close()
    },
  }
}
