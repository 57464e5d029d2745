/**
 * Sends mail after the answer has gone out: no caller waits for a mail server, or learns from the time an answer takes whether there was a mail. What
 * waits is in memory only, because tokens are in it and are stored nowhere; whoever missed a mail asks again. Logs hold neither address nor text.
 */
import type { Mail, MailGateway } from './gateway.js'

/** Mails that wait; more are dropped, and logged. */
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

/** Makes a mail: what it needs may have to be read first. Null: there is none to send. */
export type MailMaker = () => Promise<Mail | null>

export class MailDelivery {
  readonly #gateway: MailGateway
  readonly #log: MailLog
  readonly #retryMs: readonly number[]
  readonly #closeMs: number
  readonly #waiting: { readonly kind: string; readonly make: MailMaker }[] = []
  readonly #pauses = new Set<() => void>()
  readonly #idle: (() => void)[] = []
  #running = 0
  #stopping = false

  constructor(gateway: MailGateway, log: MailLog, { retryMs = RETRY_MS as readonly number[], closeMs = CLOSE_MS } = {}) {
    this.#gateway = gateway
    this.#log = log
    this.#retryMs = retryMs
    this.#closeMs = closeMs
  }

  /** @param kind for the log. @param make run later, at most once */
  post(kind: string, make: MailMaker): void {
    if (this.#stopping || this.#waiting.length >= WAITING_LIMIT) return this.#log.warn({ kind }, 'mail dropped: too many wait')
    this.#waiting.push({ kind, make })
    this.#next()
  }

  /** Resolves when nothing waits and nothing runs. */
  settled(): Promise<void> {
    return this.#running === 0 && this.#waiting.length === 0 ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve))
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
    if (dropped > 0) this.#log.warn({ dropped }, 'mail dropped: the service stops')
    await this.#gateway.close()
  }

  #next(): void {
    while (this.#running < AT_ONCE && this.#waiting.length > 0) {
      const { kind, make } = this.#waiting.shift()!
      this.#running += 1
      void this.#run(kind, make).finally(() => {
        this.#running -= 1
        this.#next()
        if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve()
      })
    }
  }

  async #run(kind: string, make: MailMaker): Promise<void> {
    try {
      const mail = await make()
      if (mail !== null) await this.#send(kind, mail)
    } catch (error) {
      this.#log.warn({ kind, error: nameOf(error) }, 'mail could not be made')
    }
  }

  async #send(kind: string, mail: Mail): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#gateway.send(mail)
      } catch (error) {
        const last = attempt >= this.#retryMs.length || this.#stopping
        this.#log.warn({ kind, attempt: attempt + 1, error: nameOf(error) }, last ? 'mail given up' : 'mail not sent, tried again later')
        if (last) return
        await this.#pause(this.#retryMs[attempt])
      }
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer)
        this.#pauses.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, milliseconds)
      this.#pauses.add(wake)
    })
  }
}

/** A mail server's words may repeat the address, so only the kind of failure is told. */
function nameOf(error: unknown): string {
  const { code, responseCode, name } = error as { code?: unknown; responseCode?: unknown; name?: unknown }
  return [name, code, responseCode].filter((part) => typeof part === 'string' || typeof part === 'number').join(' ')
}
