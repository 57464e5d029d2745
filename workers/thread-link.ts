/**
 * A thread of the pool, and the port by which turns reach it. Piscina makes the thread, ends it when it is told to, and puts another in its place; all that
 * it has of ours is one task that lasts as long as the thread. Turns pass it by: a task of Piscina's costs more than most of ours, and what it makes to
 * describe a thread to its balancer keeps every answer alive until the next major collection.
 */
import { EventEmitter } from 'node:events'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Piscina } from 'piscina'
import type { Reply, ThreadHello, Turn, TurnReply } from './protocol.js'

/** A thread that has not said that it is there by then does not start at all (a start takes under a second). */
export const START_LIMIT_MS = 30_000

export interface ThreadLinkEvents {
  /** The thread has compiled the default rulesets, and takes turns. */
  onReady(): void
  onReply(replies: readonly Reply[]): void
  /** The thread is gone, or never came. Nothing follows. */
  onEnd(error: unknown): void
}

export class ThreadLink {
  readonly #port: MessagePort
  /** No `AbortSignal`: it is one listener that Piscina wants. */
  readonly #stop = new EventEmitter()
  #threadId: number | null = null
  #endedFor: unknown

  constructor(piscina: Piscina, { onReady, onReply, onEnd }: ThreadLinkEvents) {
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    const late = setTimeout(() => this.end(), START_LIMIT_MS)
    late.unref()
    port1.on('message', (message: ThreadHello | TurnReply) => {
      if ('replies' in message) return onReply(typeof message.replies === 'string' ? (JSON.parse(message.replies) as Reply[]) : message.replies)
      clearTimeout(late)
      this.#threadId = message.threadId
      onReady()
    })
    const ended = (error: unknown): void => {
      clearTimeout(late)
      port1.close()
      onEnd(this.#endedFor ?? error)
    }
    piscina.run({ port: port2 }, { transferList: [port2], signal: this.#stop }).then(ended, ended)
  }

  /** Null: it has not started yet. */
  get threadId(): number | null {
    return this.#threadId
  }

  /** @throws what can't be cloned */
  send(turn: Turn): void {
    this.#port.postMessage(turn)
  }

  /** Ends the thread, whatever it is at. @param error what is told as its end */
  end(error?: unknown): void {
    this.#endedFor = error
    this.#stop.emit('abort')
  }
}
