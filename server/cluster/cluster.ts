/**
 * The other processes of the service, for the parts that need them: those of this instance, and those of other instances, if it has an address for them. It is
 * null where a process is alone.
 */
import { type AnalysisPool, SESSION_TTL_MS } from '#workers'
import type { Config } from '../core/config.js'
import type { Log } from '../core/observability/log.js'
import type { Storage } from '../core/storage/contract.js'
import type { Others } from '../core/tenancy/forgetting.js'
import { Directory } from './directory.js'
import { Members } from './members.js'
import type { Member } from './membership.js'
import { ProcessNeighbours } from './neighbours.js'
import { Peers } from './peers.js'

/** Time for handing over sessions to a process that has joined. */
const GIVE_MS = 60_000
/** Time for handing over all sessions when this process ends: three tries for each. */
const LAST_GIVE_MS = 10_000

/** Times of `members.ts`, for tests. */
export interface MemberTimes {
  readonly reportMs?: number
  readonly silentMs?: number
}

export interface ClusterOptions {
  readonly config: Pick<Config, 'peerAddress'>
  /** Null: this instance has one process. */
  readonly membership: Pick<Member, 'number' | 'processes' | 'socketFolder'> | null
  readonly storage: Pick<Storage, 'open'>
  /** The secret of the service for its processes, 32 bytes. */
  readonly key: Buffer
  readonly pool: AnalysisPool
  readonly log: Pick<Log, 'debug' | 'info' | 'warn' | 'error'>
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly times?: MemberTimes
}

export class Cluster implements Others {
  readonly peers: Peers
  readonly neighbours: ProcessNeighbours
  readonly #members: Members
  readonly #log: Pick<Log, 'warn'>

  constructor({ config: { peerAddress }, membership, storage, key, pool, log, clock, times = {} }: ClusterOptions) {
    const network = peerAddress === null ? null : { address: peerAddress, key }
    const peers = new Peers({
      number: membership?.number ?? 1,
      processes: membership?.processes ?? 1,
      folder: membership?.socketFolder ?? null,
      network,
      onError: (error) => log.error({ err: error }, 'a request of another process could not be answered'),
      onRefused: (error) => log.debug({ err: error }, 'a connection to the address for other instances was refused'),
    })
    const members = new Members({
      self: peers.self,
      siblings: peers.siblings,
      directory: network === null ? null : new Directory({ storage, address: peers.self, key, clock }),
      tell: (name, news, signal) => peers.ask(name, news, peers.self, signal),
      sessionTtlMs: SESSION_TTL_MS,
      onChange: (change, peer) => {
        if (change === 'gone') {
          peers.forget(peer)
          log.warn({ peer }, 'another process of the service is gone; its sessions of logtests are lost')
        } else if (peer !== peers.self) log.info({ peer }, `another process of the service has ${change}`)
        void pool.sessions.markAll()
        if (change === 'joined') void this.neighbours.giveSessions(GIVE_MS)
      },
      onLapse: () => {
        log.warn('this process stood still for some seconds; its sessions of logtests are lost')
        pool.sessions.loseAll()
      },
      onError: (error, peer) => {
        if (peer === null) log.warn({ err: error }, 'the addresses of other instances could not be read or written; will retry')
        // Its supervisor starts it again.
        else if (!peers.siblings.includes(peer))
          log.warn({ err: error, peer }, 'a process of another instance cannot be reached at its address; sessions of logtests are not shared with it')
      },
      ...times,
    })
    // A process that this one cannot reach would get sessions that nobody finds.
    peers.answer<string>('join', async (name, signal) => {
      if (members.isLeaving) throw new Error('this process is about to end')
      await peers.ask(name, 'ping', peers.self, signal)
      // One that was started again knows of no session that it would get.
      if (members.has(name)) void pool.sessions.markAll()
      members.meet(name)
    })
    peers.answer<string>('leave', async (name) => members.drop(name))
    peers.answer<string>('end', async (name) => members.setEnded(name))
    peers.answer('ping', async () => null)
    this.peers = peers
    this.#members = members
    this.#log = log
    this.neighbours = new ProcessNeighbours({ peers, members, pool })
    pool.join(this.neighbours)
  }

  get others(): readonly string[] {
    return this.#members.others
  }

  ask(name: string, kind: string, question: unknown, signal: AbortSignal): Promise<unknown> {
    return this.peers.ask(name, kind, question, signal)
  }

  answer<Question>(kind: string, answering: (question: Question) => Promise<unknown>): void {
    this.peers.answer(kind, answering)
  }

  /** Answers the others, and tells them that this process is there. Rejects when its address can't be listened at, or the store fails. */
  async open(): Promise<void> {
    await this.peers.listen()
    await this.#members.join()
  }

  /** For tests: reports nothing more, and looks for nobody, as a process that is killed. */
  stopLooking(): void {
    this.#members.stopLooking()
  }

  /** Tells the others that this process ends. It still answers, and its sessions move when they are used. Never rejects. */
  async leave(): Promise<void> {
    // A process that starts later does not know this one, and asks the others.
    if (!this.#members.isLeaving) await this.neighbours.giveMarks()
    await this.#members.leave()
  }

  /** Hands over the sessions to other instances, and ends the connections. */
  async close(): Promise<void> {
    await this.leave()
    const sessions = await this.neighbours.giveSessions(LAST_GIVE_MS)
    if (sessions > 0) this.#log.warn({ sessions }, 'sessions of logtests could not be handed over to other instances; they are lost')
    await this.#members.end()
    await this.peers.close()
  }
}

/** Null: there are no other processes. */
export function openCluster(options: ClusterOptions): Cluster | null {
  return options.membership === null && options.config.peerAddress === null ? null : new Cluster(options)
}
