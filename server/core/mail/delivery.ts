/**
 * Sends mail in the background after the response: no caller waits for a mail server, and response times don't reveal whether a mail was sent. Waiting mails
 * are in memory only, because they contain tokens that are stored nowhere; a user who misses a mail requests another. Logs contain neither address nor text.
 */
import type { Mail, MailGateway } from './gateway.js'

/** Maximum number of waiting mails; further ones are dropped and logged. */
const WAITING_LIMIT = 1000
const AT_ONCE = 2
/** How long the stop of the service waits for mail, so that a hanging mail server does not keep it alive. */
const CLOSE_MS = 5_000
/** Pauses after the first attempt and after each later one. */
const RETRY_MS = [2_000, 15_000, 60_000] as const

/** The log for mail. */
export interface MailLog {
  warn(fields: object, message: string): void
}

/** Outcome of a mail: sent; failed and retried; failed finally; dropped because too many wait or the service stops; could not be composed. */
export type MailOutcome = 'sent' | 'retried' | 'given_up' | 'dropped' | 'not_made'

/** Composes a mail, which may read from the store first. Null: there is nothing to send. */
export type ComposeMail = () => Promise<Mail | null>

export interface MailDeliveryOptions {
  /** Pauses after the first attempt and after each later one. */
  readonly retryMs?: readonly number[]
  readonly closeMs?: number
  /** Called after each attempt, and for each mail without one. */
  readonly onOutcome?: (outcome: MailOutcome) => void
}

interface QueuedMail {
  /** Kind of the mail, for the log. */
  readonly kind: string
  readonly make: ComposeMail
  /** Number of attempts. */
  readonly attempts: number
}

export class MailDelivery {
  readonly #gateway: MailGateway
  readonly #log: MailLog
  readonly #retryMs: readonly number[]
  readonly #closeMs: number
  readonly #onOutcome: (outcome: MailOutcome) => void
  readonly #waiting: QueuedMail[] = []
  /** Functions that end the pause of each mail to be retried. A paused mail does not delay others. */
  readonly #pauses = new Set<() => void>()
  readonly #idle: (() => void)[] = []
  #running = 0
  #stopping = false

  constructor(gateway: MailGateway, log: MailLog, { retryMs = RETRY_MS, closeMs = CLOSE_MS, onOutcome = () => {} }: MailDeliveryOptions = {}) {
    this.#gateway = gateway
    this.#log = log
    this.#retryMs = retryMs
    this.#closeMs = closeMs
    this.#onOutcome = onOutcome
  }

  /** @param kind for the log @param make called later, at most once */
  post(kind: string, make: ComposeMail): void {
    if (this.#stopping || this.waiting >= WAITING_LIMIT) {
      this.#onOutcome('dropped')
      return this.#log.warn({ kind }, 'mail dropped: too many wait')
    }
    this.#waiting.push({ kind, make, attempts: 0 })
    this.#next()
  }

  /**
   * Sends a mail for a job, which repeats it after a failure. Resolves also if the mail server refuses the mail for good, which is logged.
   * @param kind for the log @throws Error without the address, if another attempt may succeed
   */
  async send(kind: string, mail: Mail): Promise<void> {
    try {
      await this.#gateway.send(mail)
      this.#onOutcome('sent')
    } catch (error) {
      const isLast = isFinal(error)
      this.#onOutcome(isLast ? 'given_up' : 'retried')
      if (!isLast) throw new Error(`the mail was not sent: ${nameOf(error)}`)
      this.#log.warn({ kind, attempt: 1, error: nameOf(error) }, 'mail given up')
    }
  }

  /** Number of mails that wait for their first attempt or for a retry. */
  get waiting(): number {
    return this.#waiting.length + this.#pauses.size
  }

  /** Resolves when no mail waits or is being sent. */
  settled(): Promise<void> {
    return this.#isIdle() ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve))
  }

  /** Tries each waiting mail once more without pauses, within `CLOSE_MS`, and accepts no more. */
  async close(): Promise<void> {
    this.#stopping = true
    for (const wake of this.#pauses) wake()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#closeMs)
    })
    await Promise.race([this.settled(), late])
    clearTimeout(timer)
    const dropped = this.#waiting.splice(0).length + this.#running
    for (let count = 0; count < dropped; count++) this.#onOutcome('dropped')
    if (dropped > 0) this.#log.warn({ dropped }, 'mail dropped: the service stops')
    await this.#gateway.close()
  }

  #next(): void {
    while (this.#running < AT_ONCE && this.#waiting.length > 0) {
      const mail = this.#waiting.shift()!
      this.#running += 1
      void this.#run(mail).finally(() => {
        this.#running -= 1
        this.#next()
        if (this.#isIdle()) for (const resolve of this.#idle.splice(0)) resolve()
      })
    }
  }

  #isIdle(): boolean {
    return this.#running === 0 && this.#waiting.length === 0 && this.#pauses.size === 0
  }

  async #run({ kind, make, attempts }: QueuedMail): Promise<void> {
    let mail: Mail | null
    try {
      mail = await make()
    } catch (error) {
      this.#onOutcome('not_made')
      return this.#log.warn({ kind, error: nameOf(error) }, 'mail could not be made')
    }
    if (mail === null) return
    try {
      await this.#gateway.send(mail)
      this.#onOutcome('sent')
    } catch (error) {
      const isLast = attempts >= this.#retryMs.length || this.#stopping || isFinal(error)
      this.#onOutcome(isLast ? 'given_up' : 'retried')
      this.#log.warn({ kind, attempt: attempts + 1, error: nameOf(error) }, isLast ? 'mail given up' : 'mail not sent, tried again later')
      if (!isLast) this.#later({ kind, make: () => Promise.resolve(mail), attempts: attempts + 1 }, this.#retryMs[attempts])
    }
  }

  #later(mail: QueuedMail, milliseconds: number): void {
    const wake = (): void => {
      clearTimeout(timer)
      this.#pauses.delete(wake)
      this.#waiting.push(mail)
      this.#next()
    }
    const timer = setTimeout(wake, milliseconds)
    this.#pauses.add(wake)
  }
}

/** Whether the mail server will refuse this mail again (RFC 5321, 4.2.1). A failed login says nothing about the mail. */
function isFinal(error: unknown): boolean {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
  return code !== 'EAUTH' && typeof responseCode === 'number' && responseCode >= 500
}

/** Describes the kind of failure only: the message of a mail server may contain the address. */
function nameOf(error: unknown): string {
  const { code, responseCode, name } = error as { code?: unknown; responseCode?: unknown; name?: unknown }
  return [name, code, responseCode].filter((part) => typeof part === 'string' || typeof part === 'number').join(' ')
}
