/**
 * Sends mail after the answer has gone out: no caller waits for a mail server, or learns from the time an answer takes whether there was a mail. What
 * waits is in memory only, because tokens are in it and are stored nowhere; whoever missed a mail asks again. Logs hold neither address nor text.
 */
import type { Mail, MailGateway } from './gateway.js'

/** Mails that wait, for their turn or to be tried again; more are dropped, and logged. */
const WAITING_LIMIT = 1000
const AT_ONCE = 2
/** What the stop of the service waits for mail; a mail server that hangs must not keep it alive. */
const CLOSE_MS = 5_000
/** After the first attempt, and after each that follows. */
const RETRY_MS = [2_000, 15_000, 60_000] as const

/** What is logged, and where. */
export interface MailLog {
  warn(fields: object, message: string): void
}

/** What became of a mail: it went out; it could not, and is tried again; it could not, for good; too many wait, or the service stops; it could not be made. */
export type MailOutcome = 'sent' | 'retried' | 'given_up' | 'dropped' | 'not_made'

/** Makes a mail: what it needs may have to be read first. Null: there is none to send. */
export type ComposeMail = () => Promise<Mail | null>

export interface MailDeliveryOptions {
  /** Pauses after the first attempt, and after each that follows. */
  readonly retryMs?: readonly number[]
  readonly closeMs?: number
  /** Told of each attempt, and of each mail that there is none of. */
  readonly onOutcome?: (outcome: MailOutcome) => void
}

interface Job {
  /** For the log. */
  readonly kind: string
  readonly make: ComposeMail
  /** How often it was tried. */
  readonly attempts: number
}

export class MailDelivery {
  readonly #gateway: MailGateway
  readonly #log: MailLog
  readonly #retryMs: readonly number[]
  readonly #closeMs: number
  readonly #onOutcome: (outcome: MailOutcome) => void
  readonly #waiting: Job[] = []
  /** Ends the pause of each mail that is to be tried again. Those keep no other from going out: one address that is refused must not hold up everyone's. */
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

  /** @param kind for the log. @param make run later, at most once */
  post(kind: string, make: ComposeMail): void {
    if (this.#stopping || this.waiting >= WAITING_LIMIT) {
      this.#onOutcome('dropped')
      return this.#log.warn({ kind }, 'mail dropped: too many wait')
    }
    this.#waiting.push({ kind, make, attempts: 0 })
    this.#next()
  }

  /** Mails that wait for their turn, or to be tried again. */
  get waiting(): number {
    return this.#waiting.length + this.#pauses.size
  }

  /** Resolves when nothing waits and nothing runs. */
  settled(): Promise<void> {
    return this.#isIdle() ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve))
  }

  /** Tries what is left once more, without pauses between attempts and not for long, and takes no more. */
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
      const job = this.#waiting.shift()!
      this.#running += 1
      void this.#run(job).finally(() => {
        this.#running -= 1
        this.#next()
        if (this.#isIdle()) for (const resolve of this.#idle.splice(0)) resolve()
      })
    }
  }

  #isIdle(): boolean {
    return this.#running === 0 && this.#waiting.length === 0 && this.#pauses.size === 0
  }

  async #run({ kind, make, attempts }: Job): Promise<void> {
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

  #later(job: Job, milliseconds: number): void {
    const wake = (): void => {
      clearTimeout(timer)
      this.#pauses.delete(wake)
      this.#waiting.push(job)
      this.#next()
    }
    const timer = setTimeout(wake, milliseconds)
    this.#pauses.add(wake)
  }
}

/** The mail server has looked at this mail, and will refuse it again (RFC 5321, 4.2.1). That it doesn't let us in is no word on the mail. */
function isFinal(error: unknown): boolean {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
  return code !== 'EAUTH' && typeof responseCode === 'number' && responseCode >= 500
}

/** A mail server's words may repeat the address, so only the kind of failure is told. */
function nameOf(error: unknown): string {
  const { code, responseCode, name } = error as { code?: unknown; responseCode?: unknown; name?: unknown }
  return [name, code, responseCode].filter((part) => typeof part === 'string' || typeof part === 'number').join(' ')
}
