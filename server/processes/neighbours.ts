/**
 * The pools of all processes, as one: which process has a session, and how the others reach it; and rulesets by hash, whichever process has compiled them. Only
 * the analysis is forwarded. The process that took the request has checked who asks and what is asked, counts it, and answers it. Invariants:
 *  1. a session has one home, which follows from its name and the number of processes; a process that is started again has the number of the one before
 *  2. what was forwarded runs in the home, or not at all; it is never forwarded again
 *  3. when the caller leaves, the connection to the home is closed, which ends the work there
 *  4. a home that can't be reached, or ends, has no effect: its sessions are gone. The outcome is `busy`, so that the caller tries again, and its successor says
 *     that the session is lost
 */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type {
  AnalysisPool,
  Answer,
  DiskContent,
  Home,
  LineChunk,
  LineItem,
  LineSource,
  LogtestDigest,
  Neighbours,
  PortableLines,
  PortableLogtest,
  PortableOptions,
  PortableRuleset,
  TaskOutcome,
} from '#workers'
import type { Peers } from './peers.js'

/** A process that takes longer for a question about a ruleset does not know it. It only has to look into a table. */
const ANSWER_MS = 3_000
/** Questions of an organization within a second about rulesets that no process knows: each costs every process as much as a small request. */
const MISSES_PER_SECOND = 64
/** Organizations whose questions are counted. */
const ORGANIZATIONS = 10_000
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

export interface ProcessNeighboursOptions {
  readonly peers: Peers
  readonly pool: Pick<AnalysisPool, 'adopt' | 'diskContent' | 'lines' | 'logtest' | 'portableRuleset'>
}

export class ProcessNeighbours implements Neighbours {
  readonly #peers: Peers
  readonly #homes: ReadonlyMap<number, Home>
  /** Questions without an answer yet, and those of the last second that no process could answer, by organization. */
  readonly #misses = new LRUCache<string, number>({ max: ORGANIZATIONS, ttl: 1000, noUpdateTTL: true })
  /** So that many requests for a ruleset ask once. */
  readonly #asking = new Map<string, Promise<PortableRuleset | null>>()

  /** Answers the other processes from now on. */
  constructor({ peers, pool }: ProcessNeighboursOptions) {
    this.#peers = peers
    this.#homes = new Map(peers.others.map((number) => [number, homeAt(peers, number)]))
    peers.answer<RulesetQuestion>('ruleset', async ({ compiledHash, organization }) => pool.portableRuleset(compiledHash, organization))
    peers.answer<string>('disk', async (id) => pool.diskContent(id))
    peers.answer<Forwarded<PortableLogtest>>('logtest', ({ request, options }, signal) => runLogtest(pool, request, options, signal))
    peers.answerStream<Forwarded<PortableLines>>('lines', ({ request, options }, items, signal) => runLines(pool, request, items, options, signal))
  }

  homeOf({ organization, caller, id }: Parameters<Neighbours['homeOf']>[0]): Home | null {
    const hash = createHash('sha256')
      .update(JSON.stringify([organization, caller, id]))
      .digest()
    return this.#homes.get(1 + (hash.readUInt32LE() % (this.#homes.size + 1))) ?? null
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

  /** Asks every other process. Resolves with the first answer that is not null; null when there is none. */
  async #ask<T>(kind: 'ruleset' | 'disk', question: unknown): Promise<T | null> {
    const ask = async (number: number): Promise<T> => {
      const answer = (await this.#peers.ask(number, kind, question, AbortSignal.timeout(ANSWER_MS))) as T | null
      if (answer === null) throw new Error('not known')
      return answer
    }
    return Promise.any(this.#peers.others.map(ask)).catch(() => null)
  }
}

/** The home of sessions that are in the process of that number. */
function homeAt(peers: Peers, number: number): Home {
  const stopped = (signal: AbortSignal | undefined) => ({ outcome: signal?.aborted === true ? 'aborted' : 'busy' }) as const
  return {
    async logtest(request, options, signal) {
      try {
        const forwarded: Forwarded<PortableLogtest> = { request, options }
        const outcome = (await peers.ask(number, 'logtest', forwarded, signal)) as TaskOutcome<Answer<LogtestDigest>>
        return outcome.outcome === 'ok' ? { outcome: 'ok', value: { ...outcome.value, release: NOTHING_SHARED } } : outcome
      } catch {
        return stopped(signal)
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
        for await (const answer of peers.stream(number, 'lines', forwarded, items(), signal)) {
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

/** Runs a logtest that another process has forwarded. */
async function runLogtest(pool: ProcessNeighboursOptions['pool'], { ruleset, ...request }: PortableLogtest, options: PortableOptions, signal: AbortSignal): Promise<unknown> {
  const selected = 'compiledHash' in ruleset ? ruleset : await pool.adopt(ruleset, options.organization)
  if (selected === null) return { outcome: 'busy' }
  const outcome = await pool.logtest({ ...request, ruleset: selected }, { ...options, signal, isHome: true })
  return outcome.outcome === 'ok' ? withoutRelease(outcome) : outcome
}

/** Runs the lines of a batch that another process has forwarded. */
async function* runLines(
  pool: ProcessNeighboursOptions['pool'],
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
  for await (const outcome of pool.lines({ ...request, ruleset: selected, source }, { ...options, signal, isHome: true })) {
    yield outcome.outcome === 'ok' ? withoutRelease(outcome) : outcome
  }
}

/** A copy that can be sent. The memory of the answer is released. */
function withoutRelease<T extends { readonly bytes: Uint8Array; release(): void }>({ value: { release, ...value } }: { readonly value: T }): unknown {
  const bytes = Buffer.from(value.bytes)
  release()
  return { outcome: 'ok', value: { ...value, bytes } }
}
