import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { composeInvitation, composePasswordReset, composeWebhookDisabled, mailLocale } from '../../../../server/core/mail/compose.js'
import { MailDelivery } from '../../../../server/core/mail/delivery.js'
import { FakeMail } from '../../../support/fake-mail.js'
import { createOutboxFiles } from '../../../../server/core/mail/outbox-files.js'
import { createSmtpMail } from '../../../../server/core/mail/smtp.js'

const root = mkdtempSync(join(tmpdir(), 'mail-'))
after(() => rmSync(root, { recursive: true, force: true }))
const MAIL = { to: 'rui@example.test', subject: 'Olá', text: 'um token: 0123456789' }

class Log {
  readonly lines: string[] = []
  warn(fields: object, message: string): void {
    this.lines.push(`${JSON.stringify(fields)} ${message}`)
  }
}

test('without a mail server a mail is a file for its owner only, and the log is told the file alone', async () => {
  const written: string[] = []
  const mail = createOutboxFiles(root, 'service@example.test', (file) => written.push(file))
  await Promise.all([mail.send(MAIL), mail.send(MAIL)])
  assert.deepEqual(readdirSync(join(root, 'outbox')).sort(), written.map((file) => file.slice(join(root, 'outbox').length + 1)).sort())
  for (const file of written) {
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const text = readFileSync(file, 'utf8')
    assert.match(text, /^From: service@example\.test\nTo: rui@example\.test\nSubject: Olá\nDate: [^\n]+ GMT\n/)
    assert.ok(text.endsWith(`\n\n${MAIL.text}\n`))
  }
  assert.equal(statSync(join(root, 'outbox')).mode & 0o777, 0o700)
})

test('nothing in a subject or an address begins another header', async () => {
  const mail = new FakeMail()
  await mail.send({ ...MAIL, subject: 'Invitation to x\r\nBcc: everyone@example.test\u2028\0y' })
  assert.equal(mail.sent[0].subject, 'Invitation to x Bcc: everyone@example.test y')
  for (const to of ['a@b.test\r\nBcc: c@d.test', 'a@b.test, c@d.test', 'a@b.test;c@d.test', '<a@b.test>', '"x" <a@b.test>', 'a@b.test\0', 'a', '']) {
    await assert.rejects(mail.send({ ...MAIL, to }), TypeError)
  }
})

test('a mail that is refused is tried again a few times, and the log names neither address nor text', async () => {
  const [gateway, log] = [new FakeMail(), new Log()]
  const delivery = new MailDelivery(gateway, log, { retryMs: [1, 1, 1] })
  gateway.failures = 3
  delivery.post('invitation', async () => MAIL)
  await delivery.settled()
  assert.equal(gateway.sent.length, 1)
  gateway.failures = 4
  delivery.post('invitation', async () => MAIL)
  await delivery.settled()
  assert.equal(gateway.sent.length, 1)
  assert.equal(log.lines.length, 7)
  assert.match(log.lines[6], /mail given up/)
  for (const line of log.lines) assert.ok(!line.includes('rui@') && !line.includes('0123456789'), line)
})

test('a mail that waits to be tried again keeps no other waiting', async () => {
  const log = new Log()
  const sent: string[] = []
  const delivery = new MailDelivery(
    {
      async send({ to }) {
        if (to.startsWith('refused')) throw new Error('try again')
        sent.push(to)
      },
      close: async () => undefined,
    },
    log,
    { retryMs: [60_000] },
  )
  for (let at = 0; at < 5; at++) delivery.post('invitation', async () => ({ ...MAIL, to: `refused${at}@example.test` }))
  delivery.post('password_reset', async () => MAIL)
  for (let at = 0; at < 100 && sent.length === 0; at++) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(sent, [MAIL.to])
  await delivery.close()
})

test('what a mail server refuses for good is not sent again', async () => {
  const log = new Log()
  const refusal = Object.assign(new Error('no such mailbox'), { responseCode: 550 })
  const delivery = new MailDelivery({ send: () => Promise.reject(refusal), close: async () => undefined }, log, { retryMs: [60_000] })
  delivery.post('invitation', async () => MAIL)
  await delivery.settled()
  assert.deepEqual(log.lines, ['{"kind":"invitation","attempt":1,"error":"Error 550"} mail given up'])
})

test('a mail that can not be made is logged, and the next goes out', async () => {
  const [gateway, log] = [new FakeMail(), new Log()]
  const delivery = new MailDelivery(gateway, log)
  delivery.post('password_reset', () => Promise.reject(new Error('the database is away, rui@example.test')))
  delivery.post('password_reset', async () => null)
  delivery.post('password_reset', async () => MAIL)
  await delivery.settled()
  assert.equal(gateway.sent.length, 1)
  assert.equal(log.lines.length, 1)
  assert.ok(!log.lines[0].includes('rui@'))
})

test('few mails wait; more are dropped', async () => {
  const [gateway, log] = [new FakeMail(), new Log()]
  const delivery = new MailDelivery(gateway, log)
  for (let at = 0; at < 1100; at++) delivery.post('invitation', async () => MAIL)
  await delivery.settled()
  assert.equal(gateway.sent.length + log.lines.length, 1100)
  assert.ok(log.lines.length > 0 && gateway.sent.length >= 1000)
})

test('what becomes of mails is told', async () => {
  const [gateway, log] = [new FakeMail(), new Log()]
  const outcomes: string[] = []
  const delivery = new MailDelivery(gateway, log, { retryMs: [1, 1], onOutcome: (outcome) => outcomes.push(outcome) })
  gateway.failures = 4
  delivery.post('invitation', async () => MAIL)
  await delivery.settled()
  delivery.post('invitation', async () => MAIL)
  await delivery.settled()
  delivery.post('invitation', () => Promise.reject(new Error('no')))
  delivery.post('invitation', async () => null)
  await delivery.settled()
  assert.deepEqual(outcomes, ['retried', 'retried', 'given_up', 'retried', 'sent', 'not_made'])
  assert.equal(delivery.waiting, 0)
  await delivery.close()
  delivery.post('invitation', async () => MAIL)
  assert.equal(outcomes.at(-1), 'dropped')
})

test('at the stop nobody waits for a retry', async () => {
  const [gateway, log] = [new FakeMail(), new Log()]
  const delivery = new MailDelivery(gateway, log, { retryMs: [60_000] })
  gateway.failures = 1
  delivery.post('invitation', async () => MAIL)
  while (log.lines.length === 0) await new Promise((resolve) => setImmediate(resolve))
  await delivery.close()
  assert.equal(gateway.sent.length, 1)
})

test('a mail server that hangs does not keep the service alive', async () => {
  const log = new Log()
  const delivery = new MailDelivery({ send: () => new Promise(() => undefined), close: async () => undefined }, log, { closeMs: 10 })
  for (let at = 0; at < 5; at++) delivery.post('invitation', async () => MAIL)
  await delivery.close()
  assert.deepEqual(log.lines, ['{"dropped":5} mail dropped: the service stops'])
})

test('mail goes out by SMTP', async () => {
  const lines: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let isData = false
    socket.write('220 test ESMTP\r\n')
    socket.on('data', (chunk) => {
      for (const line of chunk.toString().split('\r\n')) {
        if (line === '') continue
        lines.push(line)
        if (isData && line === '.') {
          isData = false
          socket.write('250 taken\r\n')
        } else if (!isData) {
          isData = line === 'DATA'
          socket.write(isData ? '354 go on\r\n' : line === 'QUIT' ? '221 bye\r\n' : '250 fine\r\n')
        }
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const mail = createSmtpMail(`smtp://127.0.0.1:${port}`, 'Service <service@example.test>')
  await mail.send(MAIL)
  await mail.close()
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
  assert.ok(lines.includes('MAIL FROM:<service@example.test>'))
  assert.ok(lines.includes('RCPT TO:<rui@example.test>'))
  assert.ok(lines.includes('To: rui@example.test'))
  assert.ok(lines.includes('um token: 0123456789'))
})

test('mails are in the language of the reader', () => {
  const common = { to: 'rui@example.test', token: 'THE-TOKEN', expiresAt: new Date('2030-01-02T03:04:05Z') }
  const invitation = { ...common, organization: 'Acme {token}', inviter: 'Ana', role: 'reviewer' }
  const english = composeInvitation({ ...invitation, locale: 'en-US', baseUrl: 'https://content.example.test' })
  assert.equal(english.subject, 'Invitation to Acme {token}')
  assert.ok(english.text.includes('https://content.example.test/invitations/THE-TOKEN') && english.text.includes('2030-01-02 03:04 (UTC)'))
  const portuguese = composeInvitation({ ...invitation, locale: 'pt-BR', baseUrl: 'http://127.0.0.1:8080/app' })
  assert.match(portuguese.subject, /^Convite para Acme/)
  assert.ok(portuguese.text.includes('\n\nhttp://127.0.0.1:8080/app/invitations/THE-TOKEN\n\n'))
  const [reset, redefinition] = (['en-US', 'pt-BR'] as const).map((locale) => composePasswordReset({ ...common, locale, baseUrl: 'https://content.example.test' }))
  for (const { text } of [reset, redefinition]) assert.ok(text.includes('\n\nhttps://content.example.test/reset-password?token=THE-TOKEN\n\n'))
  assert.equal(redefinition.subject, 'Defina uma nova senha')
  for (const text of [english.text, portuguese.text, reset.text, redefinition.text]) assert.doesNotMatch(text.replaceAll('Acme {token}', ''), /\{\w+\}/)
})

test("the reader's preference chooses, else who caused the mail, else Portuguese", () => {
  assert.equal(mailLocale('en', 'pt-BR'), 'en-US')
  assert.equal(mailLocale('pt-BR', 'en-US'), 'pt-BR')
  assert.equal(mailLocale(null, 'en-US'), 'en-US')
})

test('a webhook that was disabled is reported in the language of the reader, with the way to enable it again', () => {
  const common = { to: 'ana@example.test', organization: 'Acme', host: 'hooks.example.test', path: '/api/v1/x' }
  const gone = composeWebhookDisabled({ ...common, locale: 'en-US', description: 'Tickets {path}', reason: 'gone' })
  assert.equal(gone.subject, 'A webhook of Acme was disabled')
  assert.match(gone.text, /hooks\.example\.test \("Tickets \{path\}"\) was disabled\. Its receiver responded 410/)
  assert.match(gone.text, /PATCH \/api\/v1\/x\n\{"is_active": true\}/)
  const failing = composeWebhookDisabled({ ...common, locale: 'pt-BR', description: '', reason: 'failing' })
  assert.match(failing.text, /hooks\.example\.test foi desativado\. O receptor não aceita nada há cinco dias/)
})
