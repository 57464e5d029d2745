/**
 * What peers ask one another, whether they are of one instance or of several (`transport.ts`). Invariants:
 *  1. all questions of a process to a peer share a connection; each answer has the number of its question
 *  2. an exchange of streams has a connection of its own, for its flow control; each stream ends with `null`, as the end of a process ends a connection, too
 *  3. who asks no longer says so, or closes the connection; the work then ends in the peer
 */
import type { Server, Socket } from 'node:net'
import { addAbortSignal, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { TLSSocket } from 'node:tls'
import type { HostAndPort } from '../core/config.js'
import { frameOf, readFrames, send } from './frames.js'
import { addressOf, connectToAddress, connectToFile, isAbsent, listenAtAddress, listenAtFile, nameAt, socketFile } from './transport.js'

/** Bytes that wait to be sent to a peer; above them it is asked nothing. A peer that stands still reads nothing, and its callers try again and again. */
const UNSENT_BYTES = 64 * 1024 * 1024
/** Time in which the peers finish what they ask this one, when all of them stop. */
const DRAIN_MS = 10_000

/** Answers a question of a peer. A rejection is one there, without its reason. */
export type Answering<Question = never> = (question: Question, signal: AbortSignal) => Promise<unknown>
/** Answers a stream with a stream. */
export type Streaming<Question = never> = (question: Question, values: AsyncIterable<unknown>, signal: AbortSignal) => AsyncIterable<unknown>

type FromAsking =
  | { readonly id: number; readonly kind: string; readonly question: unknown }
  /** The answer is no longer needed. */
  | { readonly cancelled: number }
  /** The first and only one of its connection; values follow. `from`: the name of the process that asks. */
  | { readonly stream: string; readonly question: unknown; readonly from: string }

type FromAnswering = { readonly id: number; readonly answer: unknown } | { readonly id: number; readonly hasFailed: true }

/** How other instances reach the processes of this one. */
export interface PeerNetwork {
  /** Address of the first process; the others have the ports after it. */
  readonly address: HostAndPort
  /** 32 bytes, the same in all instances. */
  readonly key: Buffer
}

export interface PeerCallsOptions {
  /** Number of this process, from 1. */
  readonly number: number
  /** Number of processes of this instance. */
  readonly processes: number
  /** Folder of the socket files. Null: this instance has one process. */
  readonly folder: string | null
  /** Null: there are no other instances. */
  readonly network?: PeerNetwork | null
  /** Called with what could not be answered. */
  readonly onError: (error: unknown) => void
  /** Called when somebody without the key connects. */
  readonly onRefused?: (error: unknown) => void
}

/** A connection on which a peer asks. */
interface Incoming {
  readonly isOfInstance: boolean
  /** Questions without an answer by their number, and a stream as `STREAM`. */
  readonly running: Map<number, AbortController>
}

/** Questions have numbers from 1. */
const STREAM = 0

/** Questions and streams to the peers, and the answers to theirs. */
export class PeerCalls {
  /** The names of the processes of this instance, in the order of their numbers. */
  readonly instance: readonly string[]
  readonly #options: PeerCallsOptions
  readonly #answering = new Map<string, Answering<unknown>>()
  readonly #streaming = new Map<string, Streaming<unknown>>()
  readonly #links = new Map<string, Link>()
  /** Connections of streams, to a peer and from it. */
  readonly #streams = new Map<string, Set<Socket>>()
  readonly #servers: Server[] = []
  readonly #incoming = new Map<Socket, Incoming>()
  #isClosing = false

  constructor(options: PeerCallsOptions) {
    const { processes, network = null } = options
    this.#options = options
    this.instance = Array.from({ length: processes }, (_, index) => (network === null ? String(index + 1) : nameAt(network.address, index + 1)))
  }

  /** The name of this process. */
  get self(): string {
    return this.instance[this.#options.number - 1]
  }

  /** Answers questions of the kind from now on. */
  answer<Question>(kind: string, answering: Answering<Question>): void {
    this.#answering.set(kind, answering as Answering<unknown>)
  }

  /** Answers streams of the kind from now on. */
  answerStream<Question>(kind: string, streaming: Streaming<Question>): void {
    this.#streaming.set(kind, streaming as Streaming<unknown>)
  }

  /** Begins to answer. Rejects when the address can't be listened at. */
  async listen(): Promise<void> {
    const { folder, network = null, number, onRefused = () => {} } = this.#options
    if (folder !== null) this.#servers.push(await listenAtFile(socketFile(folder, number), (socket) => void this.#serve(socket, true)))
    if (network === null) return
    this.#servers.push(await listenAtAddress(addressOf(this.self), network.key, (socket) => void this.#serve(socket, false), onRefused))
  }

  /** Rejects when the peer can't be reached, ends or fails, or the signal is aborted. */
  async ask(name: string, kind: string, question: unknown, signal?: AbortSignal): Promise<unknown> {
    const link = this.#link(name)
    try {
      return await link.ask(kind, question, signal)
    } catch (error) {
      // A machine that stands still for some seconds ends a handshake that was going well. Nothing has been asked yet.
      if (link.hasConnected || isAbsent(error) || signal?.aborted === true || this.#isClosing) throw error
      return this.#link(name).ask(kind, question, signal)
    }
  }

  #link(name: string): Link {
    const link = this.#links.get(name)
    if (link === undefined || link.isClosed) {
      const created = new Link(this.#connect(name), () => {
        if (this.#links.get(name) === created) this.#links.delete(name)
      })
      this.#links.set(name, created)
      return created
    }
    return link
  }

  /** Ends what a peer is asked, and the streams that it has sent: it is gone, and its machine may not have said so. */
  forget(name: string): void {
    this.#links.get(name)?.close()
    for (const socket of [...(this.#streams.get(name) ?? [])]) socket.destroy(new Error('the process is gone'))
  }

  /** Notes the connection of a stream until it is closed. */
  #noteStream(name: string, socket: Socket): void {
    const streams = this.#streams.get(name) ?? new Set()
    this.#streams.set(name, streams.add(socket))
    socket.once('close', () => {
      streams.delete(socket)
      if (streams.size === 0) this.#streams.delete(name)
    })
  }

  /** Sends values while answers are received. Throws as `ask` rejects, also when `values` throws. Ending it early closes the connection. */
  async *stream(name: string, kind: string, question: unknown, values: AsyncIterable<unknown>, signal?: AbortSignal): AsyncGenerator<unknown, void, undefined> {
    const socket = this.#connect(name)
    this.#noteStream(name, socket)
    const from = this.self
    if (signal !== undefined) addAbortSignal(signal, socket)
    // `readFrames` throws it.
    socket.on('error', () => {})
    async function* upload(): AsyncGenerator<unknown, void, undefined> {
      yield { stream: kind, question, from } satisfies FromAsking
      yield* values
    }
    // Otherwise the peer would wait for the rest.
    void sendAll(upload(), socket).catch(() => socket.destroy())
    try {
      yield* untilNull(readFrames(socket))
    } finally {
      socket.destroy()
    }
  }

  /**
   * Asks nothing more, and stops answering when the others ask nothing more, either: those of this instance close their connections, which stop as well; those of
   * other instances go on, and get the answers to what they have asked. @param drainMs how long this waits for them
   */
  async close(drainMs = DRAIN_MS): Promise<void> {
    this.#isClosing = true
    for (const link of this.#links.values()) link.close()
    for (const socket of this.#incoming.keys()) this.#closeIfDone(socket)
    const late = setTimeout(() => {
      for (const socket of this.#incoming.keys()) socket.destroy()
    }, drainMs)
    await Promise.all(this.#servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))))
    clearTimeout(late)
  }

  #connect(name: string): Socket {
    const { folder, network = null } = this.#options
    const number = this.instance.indexOf(name) + 1
    if (number > 0 && folder !== null) return connectToFile(socketFile(folder, number))
    if (network === null) throw new Error(`no process ${name}`)
    return connectToAddress(addressOf(name), network.key)
  }

  #closeIfDone(socket: Socket): void {
    const incoming = this.#incoming.get(socket)
    if (this.#isClosing && incoming !== undefined && !incoming.isOfInstance && incoming.running.size === 0) socket.end()
  }

  /** Answers what comes on a connection. */
  async #serve(socket: Socket, isOfInstance: boolean): Promise<void> {
    const running = new Map<number, AbortController>()
    this.#incoming.set(socket, { isOfInstance, running })
    const closed = new AbortController()
    socket.once('close', () => {
      this.#incoming.delete(socket)
      closed.abort()
      for (const controller of running.values()) controller.abort()
    })
    // `close` follows.
    socket.on('error', () => {})
    const frames = readFrames(socket)
    try {
      for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
        const message = next.value as FromAsking
        if ('stream' in message) {
          const streaming = this.#streaming.get(message.stream)
          if (streaming === undefined) throw new Error(`no stream ${message.stream}`)
          running.set(STREAM, closed)
          this.#noteStream(message.from, socket)
          return await sendAll(streaming(message.question, untilNull(frames), closed.signal), socket)
        }
        if ('cancelled' in message) running.get(message.cancelled)?.abort()
        else void this.#answer(socket, message, running).finally(() => this.#closeIfDone(socket))
      }
    } catch (error) {
      // A peer that has left has an error, has ended its side, or is closed.
      if (socket.errored === null && !socket.readableEnded && !closed.signal.aborted) this.#options.onError(error)
      socket.destroy()
    }
  }

  async #answer(socket: Socket, { id, kind, question }: Extract<FromAsking, { kind: string }>, running: Map<number, AbortController>): Promise<void> {
    const controller = new AbortController()
    running.set(id, controller)
    let answer: FromAnswering
    try {
      const answering = this.#answering.get(kind)
      if (answering === undefined) throw new Error(`no answers of the kind ${kind}`)
      answer = { id, answer: await answering(question, controller.signal) }
    } catch (error) {
      this.#options.onError(error)
      answer = { id, hasFailed: true }
    }
    running.delete(id)
    if (!controller.signal.aborted) send(socket, answer)
  }
}

interface Waiting {
  resolve(answer: unknown): void
  reject(reason: unknown): void
}

/** The connection for questions to one peer. */
class Link {
  isClosed = false
  /** Otherwise nothing has been sent yet. */
  hasConnected = false
  readonly #socket: Socket
  readonly #waiting = new Map<number, Waiting>()
  #last = 0

  /** @param onClosed called once, when nothing can be asked any more */
  constructor(socket: Socket, onClosed: () => void) {
    this.#socket = socket
    let reason: unknown = new Error('the process has ended')
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
      this.hasConnected = true
    })
    socket.on('error', (error) => {
      reason = error
    })
    socket.once('close', () => {
      this.isClosed = true
      onClosed()
      for (const { reject } of this.#waiting.values()) reject(reason)
      this.#waiting.clear()
    })
    void this.#read()
  }

  ask(kind: string, question: unknown, signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason)
      if (this.#socket.writableLength > UNSENT_BYTES) return reject(new Error('the process does not read'))
      const id = ++this.#last
      const onAbort = (): void => {
        this.#waiting.delete(id)
        send(this.#socket, { cancelled: id } satisfies FromAsking)
        reject(signal?.reason)
      }
      const settle =
        <T>(by: (value: T) => void) =>
        (value: T): void => {
          signal?.removeEventListener('abort', onAbort)
          by(value)
        }
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject) })
      signal?.addEventListener('abort', onAbort, { once: true })
      return send(this.#socket, { id, kind, question } satisfies FromAsking)
    })
  }

  close(): void {
    this.isClosed = true
    this.#socket.destroy()
  }

  async #read(): Promise<void> {
    try {
      for await (const message of readFrames(this.#socket)) {
        const reply = message as FromAnswering
        const waiting = this.#waiting.get(reply.id)
        this.#waiting.delete(reply.id)
        if ('hasFailed' in reply) waiting?.reject(new Error('the other process has failed'))
        else waiting?.resolve(reply.answer)
      }
    } catch {
      // `close` rejects what waits.
    }
    this.#socket.destroy()
  }
}

/** Sends all values, and `null` after the last one. */
async function sendAll(values: AsyncIterable<unknown>, socket: Socket): Promise<void> {
  async function* frames(): AsyncGenerator<Buffer, void, undefined> {
    for await (const value of values) yield frameOf(value)
    yield frameOf(null)
  }
  await pipeline(Readable.from(frames()), socket, { end: false })
}

/** The values before `null`. Throws when the connection ends before. */
async function* untilNull(frames: AsyncGenerator<unknown, void, undefined>): AsyncGenerator<unknown, void, undefined> {
  for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
    if (next.value === null) return
    yield next.value
  }
  throw new Error('the process has ended')
}
