/**
 * Server-sent events (HTML Living Standard, 9.2): their format, and a response body that sends the newest state as it changes. For a complete, ordered sequence
 * use a generator of `eventText` (`Readable.from`), which respects backpressure.
 */
import { Readable } from 'node:stream'

export const EVENT_STREAM_TYPE = 'text/event-stream'

/** Nginx, and proxies that know its header, then forward each event at once instead of buffering. */
export const EVENT_STREAM_HEADERS = { 'X-Accel-Buffering': 'no' } as const

/** Buffered bytes per reader. An event has about 40 bytes. */
const BUFFER_BYTES = 4 * 1024

/** Formats an event. @param name null: the default, `message` @param data sent as JSON, which is one line */
export function eventText(name: string | null, data: unknown): string {
  return `${name === null ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
}

/** Formats a comment. Readers ignore it; it keeps proxies from closing an idle connection. @param text one line */
export function commentText(text: string): string {
  return `: ${text}\n\n`
}

/** A stream for a reader that may fall behind. Then events are refused, and the caller sends the newest state later. Nothing accumulates. */
export class EventStream extends Readable {
  #hasRoom = true
  #isEnding = false

  constructor() {
    super({ highWaterMark: BUFFER_BYTES })
  }

  override _read(): void {
    this.#hasRoom = true
  }

  /** Sends text of `eventText` or `commentText`. False: nothing was sent, because the reader is behind or the stream has ended. */
  offer(text: string): boolean {
    if (!this.#hasRoom || this.#isEnding || this.destroyed) return false
    this.#hasRoom = this.push(text)
    return true
  }

  /** Ends the stream after what was sent. */
  end(): void {
    if (this.#isEnding || this.destroyed) return
    this.#isEnding = true
    this.push(null)
  }
}
