/**
 * Server-sent events (HTML Living Standard, 9.2): how they are written, and the body of an answer that tells of them as they happen. What is told in
 * order and whole, as an assistant's answer, is a generator of `eventText` instead (`Readable.from`), which waits for its reader.
 */
import { Readable } from 'node:stream'

export const EVENT_STREAM_TYPE = 'text/event-stream'

/** Nginx, and what understands its header, passes each event on at once instead of gathering a buffer of them. */
export const EVENT_STREAM_HEADERS = { 'X-Accel-Buffering': 'no' } as const

/** What may wait for a reader before nothing more is taken. Events of ours have about 40 bytes. */
const BUFFER_BYTES = 4 * 1024

/** An event. @param name null: `message`, as readers call those without one @param data goes out as JSON, which is one line */
export function eventText(name: string | null, data: unknown): string {
  return `${name === null ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
}

/** Readers pass over comments; they only move bytes, so that nobody on the way takes the connection for dead. @param text one line */
export function commentText(text: string): string {
  return `: ${text}\n\n`
}

/** Events for a reader who may fall behind: then they are not taken, and whoever offers them tells the newest later. Nothing gathers. */
export class EventStream extends Readable {
  #hasRoom = true
  #isEnding = false

  constructor() {
    super({ highWaterMark: BUFFER_BYTES })
  }

  override _read(): void {
    this.#hasRoom = true
  }

  /** Sends text of `eventText` or `commentText`. False: the reader is behind, or the stream is over, and nothing was sent. */
  offer(text: string): boolean {
    if (!this.#hasRoom || this.#isEnding || this.destroyed) return false
    this.#hasRoom = this.push(text)
    return true
  }

  /** Ends it in order, after what was sent. */
  end(): void {
    if (this.#isEnding || this.destroyed) return
    this.#isEnding = true
    this.push(null)
  }
}
