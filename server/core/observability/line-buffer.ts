/** Buffers log lines for standard output before they reach pino's writer. That writer measures, and so copies, its whole buffer with every line. */
import pino, { type DestinationStream } from 'pino'

/** Characters that are written together. A killed process loses at most these and the current write. */
const BUFFER_CHARACTERS = 12 * 1024
/** Maximum delay of a line. */
const FLUSH_MS = 1000
/** Maximum bytes that wait for a reader. Later lines are dropped, a whole buffer at a time. */
const UNREAD_BYTES = 16 * 1024 * 1024
/** How long the process waits at its end for the reader of the log. */
const LAST_FLUSH_MS = 2000

export class LineBuffer implements DestinationStream {
  /** Without `minLength` the writer would not report when everything is written. */
  readonly #output = pino.destination({ dest: 1, sync: false, minLength: 1, maxLength: UNREAD_BYTES })
  #lines = ''

  constructor() {
    // A full disk must not end the process; pino handles a closed reader.
    this.#output.on('error', () => {})
    // Called by pino at the exit. The writer's own method retries for ever when the reader is gone.
    this.#output.flushSync = () => this.flushSync()
    setInterval(() => this.#writeBuffered(), FLUSH_MS).unref()
  }

  write(line: string): void {
    this.#lines += line
    if (this.#lines.length >= BUFFER_CHARACTERS) this.#writeBuffered()
  }

  /** Called by pino for `fatal` and at the exit: writes as much as possible synchronously. */
  flushSync(): void {
    this.#writeBuffered()
    this.#output.flush()
  }

  /** Resolves when all lines are written or the reader is gone. */
  flush(): Promise<void> {
    this.#writeBuffered()
    return new Promise((resolve) => {
      const late = setTimeout(resolve, LAST_FLUSH_MS)
      this.#output.flush(() => {
        clearTimeout(late)
        resolve()
      })
    })
  }

  #writeBuffered(): void {
    if (this.#lines === '') return
    this.#output.write(this.#lines)
    this.#lines = ''
  }
}
