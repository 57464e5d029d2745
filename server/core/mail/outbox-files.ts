/**
 * Writes mails to a folder when no mail server is configured: one file each, readable by its owner only, because mails contain tokens. The log names the file,
 * never the text.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkAddress, headerText, type Mail, type MailGateway } from './gateway.js'

const FOLDER = 'outbox'

/** @param written called with the path of each file */
export function createOutboxFiles(dataDir: string, from: string, written: (file: string) => void, clock: () => number = Date.now): MailGateway {
  const folder = join(dataDir, FOLDER)
  return {
    async send({ to, subject, text }: Mail): Promise<void> {
      const now = new Date(clock())
      const headers = [
        `From: ${headerText(from)}`,
        `To: ${checkAddress(to)}`,
        `Subject: ${headerText(subject)}`,
        `Date: ${now.toUTCString()}`,
        'MIME-Version: 1.0',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: 8bit',
      ]
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = join(folder, `${now.toISOString().replace(/[:.]/g, '-')}-${randomUUID().slice(0, 8)}.eml`)
      // Renamed when complete, so that readers of the folder never see a partial mail.
      const draft = `${file}.draft`
      await writeFile(draft, `${headers.join('\n')}\n\n${text}\n`, { mode: 0o600, flag: 'wx' })
      await rename(draft, file)
      written(file)
    },
    async close(): Promise<void> {},
  }
}
