/**
 * Lines on their way to standard output, gathered before pino's writer gets them: with every line that comes that writer measures all that it holds, and so
 * copies it.
 */
import pino, { type DestinationStream } from 'pino'

/** Written together. A process that is killed loses at most that, and what is being written. */
const GATHERED_CHARACTERS = 12 * 1024
/** A quiet service shows its last lines this late. */
const FLUSH_MS = 1000
/** Of lines that nobody takes. What comes then is dropped, as much at once as is passed on. */
const UNREAD_BYTES = 16 * 1024 * 1024
/** How long the end of the process waits for whoever reads the log. */
const LAST_FLUSH_MS = 2000

export class LineBuffer implements DestinationStream {
  /** Without a least length it would not say when it has written everything. */
  readonly #output = pino.destination({ dest: 1, sync: false, minLength: 1, maxLength: UNREAD_BYTES })
  #lines = ''

  constructor() {
    // A full disk is no reason to end; pino itself sees to a reader that is gone.
    this.#output.on('error', () => {})
    // Pino calls it at the exit; its own tries again for ever where nobody reads any more.
    this.#output.flushSync = () => this.flushSync()
    setInterval(() => this.#passOn(), FLUSH_MS).unref()
  }

  write(line: string): void {
    this.#lines += line
    if (this.#lines.length >= GATHERED_CHARACTERS) this.#passOn()
  }

  /** What pino calls for `fatal` and at the exit: all goes out that can go at once. */
  flushSync(): void {
    this.#passOn()
    this.#output.flush()
  }

  /** Resolves when all is written, or nobody reads it. */
  flush(): Promise<void> {
    this.#passOn()
    return new Promise((resolve) => {
      const late = setTimeout(resolve, LAST_FLUSH_MS)
      this.#output.flush(() => {
        clearTimeout(late)
        resolve()
      })
    })
  }

  #passOn(): void {
    if (this.#lines === '') return
    this.#output.write(this.#lines)
    this.#lines = ''
  }
}
