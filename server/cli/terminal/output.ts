/**
 * An output stream with back-pressure. When its reader is closed (`| head`), writing throws `OutputClosed`, which ends the command
 * without an error message.
 */
import type { Writable } from 'node:stream'

export class OutputClosed extends Error {
  override readonly name = 'OutputClosed'
}

export class Output {
  readonly #stream: Writable
  #fault: Error | null = null

  constructor(stream: Writable) {
    this.#stream = stream
    stream.on('error', (fault: Error) => {
      this.#fault ??= fault
    })
  }

  /** Resolves when the stream accepts more. */
  async write(content: string | Uint8Array): Promise<void> {
    if (content.length === 0) return
    this.#check()
    if (this.#stream.write(content)) return this.#check()
    await new Promise<void>((resolve) => {
      const go = (): void => {
        for (const name of ['drain', 'close', 'error']) this.#stream.off(name, go)
        resolve()
      }
      for (const name of ['drain', 'close', 'error']) this.#stream.on(name, go)
    })
    this.#check()
  }

  line(text = ''): Promise<void> {
    return this.write(`${text}\n`)
  }

  #check(): void {
    const code = this.#fault === null ? null : (this.#fault as NodeJS.ErrnoException).code
    if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED' || this.#stream.destroyed) throw new OutputClosed('the reader is closed')
    if (this.#fault !== null) throw this.#fault
  }
}
