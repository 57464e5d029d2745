/** An outgoing mail, and the contract of mail gateways. */
export interface Mail {
  /** One address. */
  readonly to: string
  /** One line. */
  readonly subject: string
  readonly text: string
}

/** Sends mail: by SMTP or into a folder. */
export interface MailGateway {
  /** Resolves when the mail is handed over. Rejects otherwise; the caller may retry. */
  send(mail: Mail): Promise<void>
  close(): Promise<void>
}

/** Text for a header, without control characters, so that a caller's value can't begin another header. */
export function headerText(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}

const ADDRESS = /^[^\s@<>(),;:"\\[\]\p{Cc}]+@[^\s@<>(),;:"\\[\]\p{Cc}]+$/u

/** Checks that a text is one plain address, not a list or a header. @throws TypeError that does not contain the address */
export function checkAddress(address: string): string {
  if (!ADDRESS.test(address)) throw new TypeError('not one plain e-mail address')
  return address
}
