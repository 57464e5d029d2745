/**
 * The peers of this process, for the parts of the service that need them: the other processes of this instance, and those of other instances, if it has an address
 * for them.
 */
import { type AnalysisPool, SESSION_TTL_MS } from '#workers'
import type { Config } from '../core/config.js'
import type { Log } from '../core/observability/log.js'
import type { Storage } from '../core/storage/contract.js'
import type { PeerGroup } from '../core/tenancy/forgetting.js'
import { Directory } from './directory.js'
import { KnownPeers } from './known-peers.js'
import type { OwnProcess } from './own-process.js'
import { ConnectedPeerPools } from './peer-pools.js'
import { PeerCalls } from './peer-calls.js'

/** Time for handing over sessions to a process that has joined. */
const GIVE_MS = 60_000
/** Time for handing over all sessions when this process ends: three tries for each. */
const LAST_GIVE_MS = 10_000

/** Times of `known-peers.ts`, for tests. */
export interface PeerTimes {
  readonly reportMs?: number
  readonly silentMs?: number
}

export interface PeersOptions {
  readonly config: Pick<Config, 'peerAddress'>
  /** Null: this instance has one process. */
  readonly ownProcess: Pick<OwnProcess, 'number' | 'processes' | 'socketFolder'> | null
  readonly storage: Pick<Storage, 'open'>
  /** The secret of the service for its processes, 32 bytes. */
  readonly key: Buffer
  readonly pool: AnalysisPool
  readonly log: Pick<Log, 'debug' | 'info' | 'warn' | 'error'>
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly times?: PeerTimes
}

/** The peers of this process. */
export class Peers implements PeerGroup {
  readonly calls: PeerCalls
  readonly pools: ConnectedPeerPools
  readonly #known: KnownPeers
  readonly #log: Pick<Log, 'warn'>

  constructor({ config: { peerAddress }, ownProcess, storage, key, pool, log, clock, times = {} }: PeersOptions) {
    const network = peerAddress === null ? null : { address: peerAddress, key }
    const calls = new PeerCalls({
      number: ownProcess?.number ?? 1,
      processes: ownProcess?.processes ?? 1,
      folder: ownProcess?.socketFolder ?? null,
      network,
      onError: (error) => log.error({ err: error }, 'a request of another process could not be answered'),
      onRefused: (error) => log.debug({ err: error }, 'a connection to the address for other instances was refused'),
    })
    const known = new KnownPeers({
      self: calls.self,
      instance: calls.instance,
      directory: network === null ? null : new Directory({ storage, address: calls.self, key, clock }),
      tell: (name, news, signal) => calls.ask(name, news, calls.self, signal),
      sessionTtlMs: SESSION_TTL_MS,
      onChange: (change, peer) => {
        if (change === 'gone') {
          calls.forget(peer)
          log.warn({ peer }, 'another process of the service is gone; its sessions of logtests are lost')
        } else if (peer !== calls.self) log.info({ peer }, `another process of the service has ${change}`)
        void pool.sessions.markAll()
        if (change === 'joined') void this.pools.giveSessions(GIVE_MS)
      },
      onLapse: () => {
        log.warn('this process stood still for some seconds; its sessions of logtests are lost')
        pool.sessions.loseAll()
      },
      onError: (error, peer) => {
        if (peer === null) log.warn({ err: error }, 'the addresses of other instances could not be read or written; will retry')
        // Its supervisor starts it again.
        else if (!calls.instance.includes(peer))
          log.warn({ err: error, peer }, 'a process of another instance cannot be reached at its address; sessions of logtests are not shared with it')
      },
      ...times,
    })
    // A process that this one cannot reach would get sessions that nobody finds.
    calls.answer<string>('join', async (name, signal) => {
      if (known.isLeaving) throw new Error('this process is about to end')
      await calls.ask(name, 'ping', calls.self, signal)
      // One that was started again knows of no session that it would get.
      if (known.has(name)) void pool.sessions.markAll()
      known.meet(name)
    })
    calls.answer<string>('leave', async (name) => known.drop(name))
    calls.answer<string>('end', async (name) => known.setEnded(name))
    calls.answer('ping', async () => null)
    this.calls = calls
    this.#known = known
    this.#log = log
    this.pools = new ConnectedPeerPools({ calls, known, pool })
    pool.join(this.pools)
  }

  get names(): readonly string[] {
    return this.#known.names
  }

  ask(name: string, kind: string, question: unknown, signal: AbortSignal): Promise<unknown> {
    return this.calls.ask(name, kind, question, signal)
  }

  answer<Question>(kind: string, answering: (question: Question) => Promise<unknown>): void {
    this.calls.answer(kind, answering)
  }

  /** Answers the others, and tells them that this process is there. Rejects when its address can't be listened at, or the store fails. */
  async open(): Promise<void> {
    await this.calls.listen()
    await this.#known.join()
  }

  /** For tests: reports nothing more, and looks for nobody, as a process that is killed. */
  stopLooking(): void {
    this.#known.stopLooking()
  }

  /** Tells the others that this process ends. It still answers, and its sessions move when they are used. Never rejects. */
  async leave(): Promise<void> {
    // A process that starts later does not know this one, and asks the others.
    if (!this.#known.isLeaving) await this.pools.giveMarks()
    await this.#known.leave()
  }

  /** Hands over the sessions to other instances, and ends the connections. */
  async close(): Promise<void> {
    await this.leave()
    const sessions = await this.pools.giveSessions(LAST_GIVE_MS)
    if (sessions > 0) this.#log.warn({ sessions }, 'sessions of logtests could not be handed over to other instances; they are lost')
    await this.#known.end()
    await this.calls.close()
  }
}

/** Null: this process has no peers. */
export function openPeers(options: PeersOptions): Peers | null {
  return options.ownProcess === null && options.config.peerAddress === null ? null : new Peers(options)
}
