/**
 * The texts that patterns search. The log of an event is folded from the bytes of the received text, in the memory of the kernel, and becomes a string only if
 * something needs that. A thread has one such log: that of the event that searched last. Another text is a string, which is written when the kernel searches it.
 */
import { fold } from './kernel.js'
import { addressOf, isReceived, isWritten, receivedAddressOf } from './last-bytes.js'
import { LOG_ROOM, LOG_TEXT, RECEIVED_TEXT } from './layout.js'
import { BYTES, textAt } from './memory.js'

/** What has a log. It calls `forgetLog` when that changes. */
export interface LogHolder {
  readonly log: string
  /** The text of which the log is a part, and where the log begins in it, -1: it is no part. */
  readonly fullLog: string
  readonly logStart: number
  /** The log in lower case. */
  readonly logLower: string
  /** The same, null: it is not known yet. */
  readonly knownLower: string | null
}

/** A text that patterns search. It is valid until another one is requested. */
export class SearchedText {
  /** The text as it was received. */
  text = ''
  length = 0
  /** Whether literals are searched by means of the last scan, which was one of this text (`expressions/window-scan.ts`). */
  isScanned = false
  #lower: string | null = ''
  #holder: LogHolder | null = null

  /** Whether the bytes of the folded text are in the memory. */
  get isWritten(): boolean {
    return this.#holder !== null || isWritten(this.#lower as string)
  }

  /** Address of the bytes of the folded text. */
  get address(): number {
    return this.#holder !== null ? LOG_TEXT : addressOf(this.#lower as string)
  }

  /** Address of the bytes of the text as it was received. */
  get receivedAddress(): number {
    const holder = this.#holder
    return holder !== null && holder.logStart >= 0 && isReceived(holder.fullLog) ? RECEIVED_TEXT + holder.logStart : receivedAddressOf(this.text)
  }

  /** The folded text. */
  get lower(): string {
    this.#lower ??= textAt(LOG_TEXT, this.length)
    return this.#lower
  }

  /** Returns a byte of the folded text. */
  byteAt(at: number): number {
    return this.#holder !== null ? BYTES[LOG_TEXT + at] : (this.#lower as string).charCodeAt(at)
  }

  /** Whether this is the log of the holder. */
  isOf(holder: LogHolder): boolean {
    return this.#holder === holder
  }

  /** Whether this is that text, as far as it is known. */
  is(text: string, lower: string): boolean {
    return this.#holder !== null && lower === this.#lower && text === this.text
  }

  /** Writes the folded log of a holder. @param log up to `LOG_ROOM` bytes */
  hold(holder: LogHolder, log: string): void {
    // Nothing is valid while it is written.
    this.#holder = null
    const start = holder.logStart
    fold(start >= 0 && isReceived(holder.fullLog) ? RECEIVED_TEXT + start : receivedAddressOf(log), LOG_TEXT, log.length)
    this.#set(log, holder.knownLower)
    this.isScanned = false
    this.#holder = holder
  }

  set(text: string, lower: string): void {
    if (this.isScanned && lower !== this.#lower) this.isScanned = false
    this.#set(text, lower)
  }

  forget(): void {
    this.#holder = null
    this.#set('', '')
    this.isScanned = false
  }

  #set(text: string, lower: string | null): void {
    this.text = text
    this.length = text.length
    this.#lower = lower
  }
}

const LOG = new SearchedText()
const OTHER = new SearchedText()

/** Returns the log of a holder. */
export function searchedLog(holder: LogHolder): SearchedText {
  if (LOG.isOf(holder)) return LOG
  const { log } = holder
  if (log.length > LOG_ROOM) return searchedText(log, holder.logLower)
  LOG.hold(holder, log)
  return LOG
}

/** Returns a text, a byte string. @param lower the same, folded */
export function searchedText(text: string, lower: string): SearchedText {
  if (LOG.is(text, lower)) return LOG
  OTHER.set(text, lower)
  return OTHER
}

/** Drops the log of a holder, before it gets another one. */
export function forgetLog(holder: LogHolder): void {
  if (LOG.isOf(holder)) LOG.forget()
}
