/**
 * The pools of all processes, as one: which process has a session, and how the others reach it; and rulesets by hash, whichever process has compiled them. Only
 * the analysis is forwarded. The process that took the request has checked who asks and what is asked, counts it, and answers it. Invariants:
 *  1. a session has one home: the first in rank of the processes that there are (`known-peers.ts`)
 *  2. forwarded work runs in the home, or not at all; it is never forwarded again. A process that knows another home names it, and the caller asks there
 *  3. when the caller leaves, the connection to the home is closed, which ends the work there
 *  4. a home that can't be reached, or ends, has no effect. The outcome is `busy`, so that the caller tries again. If only the connection breaks after the event ran
 *     and before its answer arrives, the event counts, and is counted again when it is tried again, as when a caller loses its own connection
 *  5. when processes come or go in order, sessions move with their state: the new home takes them from the former one, or gets them. When one ends without notice,
 *     the next home knows which sessions it had, and says that they are lost
 *  6. a session continues in one process. A process that does not know whether another one continues the session asks first; a process that can't be asked may have it
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AnalysisPool,
  type DiskContent,
  entryCache,
  type FormerSession,
  type Given,
  type Home,
  type LineChunk,
  type LineItem,
  type LineSource,
  type LogtestDigest,
  type Moved,
  type PeerPools,
  type PortableLines,
  type PortableLogtest,
  type PortableOptions,
  type PortableRuleset,
  type PortableSession,
  type SessionName,
  type TaskOutcome,
  type WrittenAnswer,
  HOME_WAIT_MS,
  HOMES_LIMIT,
  MOVED,
} from '#workers'
import type { KnownPeers } from './known-peers.js'
import type { PeerCalls } from './peer-calls.js'
import { sessionWord } from './ranking.js'
import { isAbsent } from './transport.js'

/** A process that takes longer for a question about a ruleset does not know it. It only has to look into a table. */
const ANSWER_MS = 3_000
/** Questions of an organization within a second about rulesets that no process knows: each costs every process as much as a small request. */
const MISSES_PER_SECOND = 64
/** Organizations whose questions are counted. */
const ORGANIZATIONS = 10_000
/** How long a new session waits for the events that run in it in its former home. */
const TAKE_MS = 10_000
/** Time for handing over one session; then it is tried again. */
const GIVE_ONE_MS = 3_000
/** The answer is not in shared memory. */
const NOTHING_SHARED = (): void => {}

interface Forwarded<Request> {
  readonly request: Request
  readonly options: PortableOptions
}

interface RulesetQuestion {
  readonly compiledHash: string
  readonly organization: string
}

interface TakeQuestion {
  readonly session: SessionName
  /** The process that asks, which the other one may not have met. */
  readonly by: string
}

interface Handover {
  readonly session: SessionName
  readonly state: PortableSession
  /** The home has ended without notice, and this process ends, too. */
  readonly isUrgent: boolean
}

/** The answer for a session that has another home. */
interface MovedTo extends Moved {
  /** The name of that process. */
  readonly to: string
}

export interface ConnectedPeerPoolsOptions {
  readonly calls: PeerCalls
  readonly known: KnownPeers
  readonly pool: Pick<AnalysisPool, 'adopt' | 'diskContent' | 'linesHere' | 'logtestHere' | 'portableRuleset' | 'sessions'>
}

export class ConnectedPeerPools implements PeerPools {
  readonly #calls: PeerCalls
  readonly #known: KnownPeers
  readonly #pool: ConnectedPeerPoolsOptions['pool']
  /** Questions without an answer yet, and those of the last second that no process could answer, by organization. */
  readonly #misses = entryCache<number>(ORGANIZATIONS, { ttl: 1000, noUpdateTTL: true })
  /** So that many requests for a ruleset ask once. */
  readonly #asking = new Map<string, Promise<PortableRuleset | null>>()
  /** Marks of this turn of the event loop, by the process that gets them. */
  readonly #marks = new Map<string, Buffer[]>()

  /** Answers the peers from now on. */
  constructor({ calls, known, pool }: ConnectedPeerPoolsOptions) {
    this.#calls = calls
    this.#known = known
    this.#pool = pool
    calls.answer<RulesetQuestion>('ruleset', async ({ compiledHash, organization }) => pool.portableRuleset(compiledHash, organization))
    calls.answer<string>('disk', async (id) => pool.diskContent(id))
    calls.answer<Forwarded<PortableLogtest>>('logtest', ({ request, options }, signal) => this.#runLogtest(request, options, signal))
    calls.answer<number>('home', async (word) => {
      await known.joined
      return this.#movedTo(word)
    })
    calls.answerStream<Forwarded<PortableLines>>('lines', ({ request, options }, items, signal) => runLines(pool, request, items, options, signal))
    calls.answer<TakeQuestion>('take_session', ({ session, by }, signal) => {
      known.hear(by)
      return pool.sessions.take(session, signal)
    })
    calls.answer<Handover>('adopt_session', async ({ session, state, isUrgent }) => {
      // The next home asks for what is here.
      const moved = isUrgent && !known.isLeaving ? null : this.#movedTo(sessionWord(session))
      if (moved === null) pool.sessions.adopt(session, state)
      return moved
    })
    calls.answer<Uint8Array>('mark_sessions', async (marks) => pool.sessions.addMarks(marks))
  }

  homeOf(session: Omit<SessionName, 'rulesetKey'>): Home | null {
    const word = sessionWord(session)
    const name = this.#known.homeOf(word)
    return name === this.#known.self ? null : this.#homeAt(name, word)
  }

  async takeSession(session: SessionName): Promise<FormerSession> {
    const question: TakeQuestion = { session, by: this.#known.self }
    const ask = async (name: string): Promise<FormerSession> => {
      const signal = AbortSignal.timeout(TAKE_MS)
      try {
        return (await this.#calls.ask(name, 'take_session', question, signal)) as FormerSession
      } catch (error) {
        // One that has ended has no session any more.
        return signal.aborted || (!isAbsent(error) && this.#known.has(name)) ? 'busy' : null
      }
    }
    const answers = await Promise.all(this.#known.formerHomesOf(sessionWord(session)).map(ask))
    // One that was handed over late may be in two of them, for some seconds.
    const [state] = answers.filter((answer) => answer !== null && typeof answer === 'object').sort((a, b) => b.version - a.version)
    return state ?? (['busy', 'lost'] as const).find((answer) => answers.includes(answer)) ?? null
  }

  markSession(session: SessionName, mark: Buffer): void {
    const name = this.#known.successorOf(sessionWord(session))
    // Otherwise the next process of this name finds them in the file of the one that has ended.
    if (name === null || !this.#known.areSeveralInstances) return
    const waiting = this.#marks.get(name)
    if (waiting !== undefined) return void waiting.push(mark)
    this.#marks.set(name, [mark])
    setImmediate(() => {
      const marks = Buffer.concat(this.#marks.get(name) ?? [])
      this.#marks.delete(name)
      void this.#sendMarks(name, marks)
    })
  }

  /** Hands on what this process knows of sessions that others had. Never rejects. */
  async giveMarks(): Promise<void> {
    if (!this.#known.areSeveralInstances) return
    const marks = this.#pool.sessions.knownMarks()
    if (marks.length > 0) await Promise.all(this.#known.names.map((name) => this.#sendMarks(name, marks)))
  }

  /** One that can't be reached gets no session from here, either. */
  async #sendMarks(name: string, marks: Buffer): Promise<void> {
    await this.#calls.ask(name, 'mark_sessions', marks, AbortSignal.timeout(ANSWER_MS)).catch(() => undefined)
  }

  /** Hands over the sessions whose home is a peer. Never rejects. @param limitMs how long it may take @returns how many are still here */
  async giveSessions(limitMs: number): Promise<number> {
    const known = this.#known
    const limit = AbortSignal.timeout(limitMs)
    const isAway = (session: SessionName): boolean => known.homeOf(sessionWord(session)) !== known.self
    const give = async (session: SessionName, state: PortableSession): Promise<Given> => {
      const word = sessionWord(session)
      const ended = new Set<string>()
      let given: Given = 'kept'
      for (let tried = 0; tried < HOMES_LIMIT && !limit.aborted; tried++) {
        if (tried > 1) await sleep(HOME_WAIT_MS)
        const name = known.homeOf(word, ended)
        if (name === known.self) break
        const handover: Handover = { session, state, isUrgent: ended.size > 0 }
        try {
          const moved = (await this.#calls.ask(name, 'adopt_session', handover, AbortSignal.timeout(GIVE_ONE_MS))) as MovedTo | null
          if (moved === null) return 'given'
          this.#learn(moved, name, word)
        } catch (error) {
          // The peer may have the session anyway, and says so when it is asked again.
          if (!isAbsent(error)) given = 'unknown'
          else if (known.isLeaving) ended.add(name)
        }
      }
      return given
    }
    return this.#pool.sessions.give(isAway, give, limit)
  }

  async findRuleset(compiledHash: string, organization: string): Promise<PortableRuleset | null> {
    const question = `${organization} ${compiledHash}`
    const asking = this.#asking.get(question)
    if (asking !== undefined) return asking
    const misses = this.#misses.get(organization) ?? 0
    if (misses >= MISSES_PER_SECOND) return null
    this.#misses.set(organization, misses + 1)
    const answer = this.#ask<PortableRuleset>('ruleset', { compiledHash, organization } satisfies RulesetQuestion)
    this.#asking.set(question, answer)
    const found = await answer
    this.#asking.delete(question)
    const counted = this.#misses.get(organization)
    if (found !== null && counted !== undefined) this.#misses.set(organization, counted - 1)
    return found
  }

  findDisk(id: string): Promise<DiskContent | null> {
    return this.#ask<DiskContent>('disk', id)
  }

  /** Asks every peer. Resolves with the first answer that is not null; null when there is none. */
  async #ask<T>(kind: 'ruleset' | 'disk', question: unknown): Promise<T | null> {
    const ask = async (name: string): Promise<T> => {
      const answer = (await this.#calls.ask(name, kind, question, AbortSignal.timeout(ANSWER_MS))) as T | null
      if (answer === null) throw new Error('not known')
      return answer
    }
    return Promise.any(this.#known.names.map(ask)).catch(() => null)
  }

  /** Null: the home is this process. */
  #movedTo(word: number): MovedTo | null {
    const to = this.#known.homeOf(word)
    return to === this.#known.self ? null : { outcome: 'moved', to }
  }

  /** Learns of the home that a peer has named. */
  #learn({ to }: MovedTo, from: string, word: number): Moved {
    const known = this.#known
    // This process has learned of it, since it asked.
    if (known.homeOf(word) !== from) return MOVED
    // Ranks are the same everywhere. So it has met a process that this one has not, or is about to end; or it does not know yet that this one is.
    if (to === known.self ? !known.isLeaving : known.has(to)) known.drop(from)
    else known.hear(to)
    return MOVED
  }

  /** The home of a session in the process of that name. */
  #homeAt(name: string, word: number): Home {
    const calls = this.#calls
    const stopped = (signal: AbortSignal | undefined) => ({ outcome: signal?.aborted === true ? 'aborted' : 'busy' }) as const
    return {
      logtest: async (request, options, signal) => {
        try {
          const forwarded: Forwarded<PortableLogtest> = { request, options }
          const outcome = (await calls.ask(name, 'logtest', forwarded, signal)) as TaskOutcome<WrittenAnswer<LogtestDigest>> | MovedTo
          if (outcome.outcome === 'moved') return this.#learn(outcome, name, word)
          return outcome.outcome === 'ok' ? { outcome: 'ok', value: { ...outcome.value, release: NOTHING_SHARED } } : outcome
        } catch {
          return stopped(signal)
        }
      },
      confirm: async () => {
        try {
          const moved = (await calls.ask(name, 'home', word, AbortSignal.timeout(ANSWER_MS))) as MovedTo | null
          return moved === null ? 'ok' : this.#learn(moved, name, word).outcome
        } catch {
          return 'busy'
        }
      },
      async *lines(request, source, options, signal) {
        let failure: { readonly error: unknown } | null = null
        async function* items(): AsyncGenerator<LineItem, void, undefined> {
          try {
            for (let item = await source.next(); item !== null; item = await source.next()) yield item
          } catch (error) {
            failure = { error }
            throw error
          }
        }
        try {
          const forwarded: Forwarded<PortableLines> = { request, options }
          for await (const answer of calls.stream(name, 'lines', forwarded, items(), signal)) {
            const outcome = answer as TaskOutcome<LineChunk>
            yield outcome.outcome === 'ok' ? { outcome: 'ok', value: { ...outcome.value, release: NOTHING_SHARED } } : outcome
          }
        } catch {
          // What the source throws is the caller's; all else is the end of the home.
          const failed = failure as { readonly error: unknown } | null
          if (failed !== null) throw failed.error
          yield stopped(signal)
        }
      },
    }
  }

  /** Runs a logtest that a peer has forwarded. */
  async #runLogtest({ ruleset, ...request }: PortableLogtest, options: PortableOptions, signal: AbortSignal): Promise<unknown> {
    await this.#known.joined
    const selected = 'compiledHash' in ruleset ? ruleset : await this.#pool.adopt(ruleset, options.organization)
    if (selected === null) return { outcome: 'busy' }
    const outcome = await this.#pool.logtestHere({ ...request, ruleset: selected }, { ...options, signal })
    if (outcome.outcome === 'moved') return this.#movedTo(sessionWord({ ...options, id: request.sessionId })) ?? { outcome: 'busy' }
    return outcome.outcome === 'ok' ? withoutRelease(outcome) : outcome
  }
}

/** Runs the lines of a batch that a peer has forwarded. */
async function* runLines(
  pool: ConnectedPeerPoolsOptions['pool'],
  { ruleset, ...request }: PortableLines,
  items: AsyncIterable<unknown>,
  options: PortableOptions,
  signal: AbortSignal,
): AsyncGenerator<unknown, void, undefined> {
  const selected = await pool.adopt(ruleset, options.organization)
  if (selected === null) return yield { outcome: 'busy' }
  const reading = items[Symbol.asyncIterator]()
  // An upload that is cut off is that of a caller who has left: nobody reads the answers.
  const source: LineSource = {
    next: () =>
      reading.next().then(
        ({ value, done }) => (done === true ? null : (value as LineItem)),
        () => null,
      ),
  }
  for await (const outcome of pool.linesHere({ ...request, ruleset: selected, source }, { ...options, signal })) {
    yield outcome.outcome === 'ok' ? withoutRelease(outcome) : outcome
  }
}

/** A copy that can be sent. The memory of the answer is released. */
function withoutRelease<T extends { readonly bytes: Uint8Array; release(): void }>({ value: { release, ...value } }: { readonly value: T }): unknown {
  const bytes = Buffer.from(value.bytes)
  release()
  return { outcome: 'ok', value: { ...value, bytes } }
}
