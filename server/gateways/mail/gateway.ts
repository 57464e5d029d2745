/** Mail on its way out: what is sent, and the contract of whoever carries it. */
export interface Mail {
  /** One address. */
  readonly to: string
  /** One line. */
  readonly subject: string
  readonly text: string
}

/** Carries mail: by SMTP, or into a folder. */
export interface MailGateway {
  /** Resolves when the mail is out of our hands. Rejects when it isn't; the caller may try again. */
  send(mail: Mail): Promise<void>
  close(): Promise<void>
}

/** What a header takes: no control characters, so nothing of a caller's can begin another one. */
export function headerText(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}

const ADDRESS = /^[^\s@<>(),;:"\\[\]\p{Cc}]+@[^\s@<>(),;:"\\[\]\p{Cc}]+$/u

/** A single plain address: neither a list of them nor a header. @throws TypeError that doesn't name it */
export function checkAddress(address: string): string {
  if (!ADDRESS.test(address)) throw new TypeError('not one plain e-mail address')
  return address
}
