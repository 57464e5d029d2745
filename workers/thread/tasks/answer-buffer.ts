/**
 * Writes answers in memory that is reused. Joining hundreds of answers would read thousands of texts that have left the processor's caches, which takes twice as
 * long.
 */
import { JsonWriter } from '#engine'
import { BUFFER_BYTES, type SharedBuffers } from '../../shared/buffers.js'
import type { TaskResult } from './context.js'

export class AnswerBuffer extends JsonWriter {
  constructor() {
    super(BUFFER_BYTES)
  }

  /**
   * Moves all bytes into shared memory if they fit, else into separate memory, which can be moved to another thread. No later step may fail: a place that is not
   * reported is never released.
   */
  take(buffers: SharedBuffers | null): Pick<TaskResult, 'place' | 'bytes'> {
    const place = buffers?.copy(this.written) ?? null
    const bytes = place === null ? new Uint8Array(this.written) : null
    this.clear()
    return { place, bytes }
  }
}

/** The answers of the running task; a thread runs one at a time. */
export const answers = new AnswerBuffer()
