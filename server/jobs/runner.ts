/**
 * Runs the jobs of this instance: looks for due ones about once a second, at once when this instance stores one, and never has more of them at work
 * than each kind allows, in all and for one organization, so that nobody's slow work keeps others waiting.
 */
import type { Log } from '../observability/log.js'
import type { Scope, Tenancy } from '../tenancy/scope.js'
import type { ClaimedJob, JobQueue } from './queue.js'

/** How late a job of another instance, or of one that died, may begin. */
const POLL_MS = 1000
/** A job that is being stored is looked for after that: its commit is most likely done. */
const SOON_MS = 20
/** Between attempts of a job whose handler failed: doubled each time, up to the second figure. */
const RETRY_MS = 1000
const RETRY_LIMIT_MS = 10 * 60 * 1000

/** What becomes of a job after its work. */
export type JobOutcome =
  /** It is over, and goes. */
  | 'done'
  /** The handler has settled it in a commit of its own (`finishing`, `postponing`). */
  | 'settled'
  | { readonly again: Date }

/** How jobs of a kind are run. */
export interface JobKind {
  readonly kind: string
  /** At work at a time on this instance. */
  readonly concurrency: number
  /** The same, for one organization. */
  readonly perOrganization: number
  /** The handler has to be done by then: afterwards another instance may take the job. */
  readonly leaseMs: number
  /** What it throws is logged, and the job comes again later. @param signal aborted when the instance stops, or the lease ends */
  run(job: ClaimedJob, scope: Scope, signal: AbortSignal): Promise<JobOutcome>
}

export interface JobRunnerOptions {
  readonly queue: JobQueue
  readonly tenancy: Pick<Tenancy, 'of'>
  readonly log: Pick<Log, 'error'>
  readonly clock?: () => number
}

/** A kind at work. */
interface Lane {
  readonly definition: JobKind
  /** Of each organization: how many are at work. */
  readonly busy: Map<string, number>
  running: number
  /** A look is under way; another one follows when something may have come meanwhile. */
  looking: boolean
  again: boolean
}

export class JobRunner {
  readonly #options: JobRunnerOptions
  readonly #clock: () => number
  readonly #lanes = new Map<string, Lane>()
  readonly #stop = new AbortController()
  readonly #work = new Set<Promise<void>>()
  readonly #soon = new Map<string, NodeJS.Timeout>()
  #poll: NodeJS.Timeout | null = null

  constructor(options: JobRunnerOptions, kinds: readonly JobKind[]) {
    this.#options = options
    this.#clock = options.clock ?? Date.now
    for (const definition of kinds) this.#lanes.set(definition.kind, { definition, busy: new Map(), running: 0, looking: false, again: false })
    options.queue.onEnqueuing((kind) => this.#lookSoon(kind))
  }

  start(): void {
    this.#poll ??= setInterval(() => {
      for (const lane of this.#lanes.values()) this.#look(lane)
    }, POLL_MS).unref()
  }

  /** Takes no more jobs, and tells those at work to end. Resolves when they have; what they left undone is due again. */
  async stop(): Promise<void> {
    if (this.#poll !== null) clearInterval(this.#poll)
    for (const timer of this.#soon.values()) clearTimeout(timer)
    this.#soon.clear()
    this.#stop.abort('stopping')
    await Promise.all(this.#work)
  }

  #lookSoon(kind: string): void {
    const lane = this.#lanes.get(kind)
    if (lane === undefined || this.#soon.has(kind) || this.#stop.signal.aborted || this.#poll === null) return
    const timer = setTimeout(() => {
      this.#soon.delete(kind)
      this.#look(lane)
    }, SOON_MS).unref()
    this.#soon.set(kind, timer)
  }

  #look(lane: Lane): void {
    if (this.#stop.signal.aborted) return
    if (lane.looking) {
      lane.again = true
      return
    }
    lane.looking = true
    lane.again = false
    const looking = this.#claimDue(lane)
      .catch((error: unknown) => {
        this.#options.log.error({ err: error, kind: lane.definition.kind }, 'due jobs could not be read; they are looked for again')
        return false
      })
      .then((more) => {
        lane.looking = false
        this.#work.delete(looking)
        if (more || lane.again) this.#look(lane)
      })
    this.#work.add(looking)
  }

  /** Claims what there is room for. Gives whether there may be more for the room that is left. */
  async #claimDue(lane: Lane): Promise<boolean> {
    const { definition, busy } = lane
    const room = definition.concurrency - lane.running
    if (room <= 0) return false
    const full = [...busy].filter(([, count]) => count >= definition.perOrganization).map(([organization]) => organization)
    const due = await this.#options.queue.due(definition.kind, full, room)
    let begun = 0
    for (const job of due) {
      if (this.#stop.signal.aborted) return false
      if ((busy.get(job.organization_id) ?? 0) >= definition.perOrganization) continue
      const claimed = await this.#options.queue.claim(job, definition.leaseMs)
      if (claimed === null) continue
      begun++
      this.#begin(lane, claimed)
    }
    return begun > 0 && due.length === room
  }

  #begin(lane: Lane, job: ClaimedJob): void {
    const { busy } = lane
    lane.running++
    busy.set(job.organization_id, (busy.get(job.organization_id) ?? 0) + 1)
    const work = this.#run(lane.definition, job).finally(() => {
      lane.running--
      const left = busy.get(job.organization_id)! - 1
      if (left === 0) busy.delete(job.organization_id)
      else busy.set(job.organization_id, left)
      this.#work.delete(work)
      this.#look(lane)
    })
    this.#work.add(work)
  }

  async #run({ kind, leaseMs, run }: JobKind, job: ClaimedJob): Promise<void> {
    const { queue, tenancy, log } = this.#options
    try {
      const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(leaseMs)])
      const outcome = await run(job, tenancy.of(job.organization_id), signal)
      if (outcome === 'done') await queue.finish(job)
      else if (outcome !== 'settled') await queue.postpone(job, outcome.again)
    } catch (error) {
      // Of one that was stopped, nothing is wrong.
      if (!this.#stop.signal.aborted) log.error({ err: error, kind, job: job._id, attempts: job.attempts }, 'a job failed; it is tried again')
      const wait = this.#stop.signal.aborted ? 0 : Math.min(RETRY_MS * 2 ** Math.min(job.attempts - 1, 20), RETRY_LIMIT_MS)
      // Where that fails as well, the job is due when its lease ends.
      await queue.postpone(job, new Date(this.#clock() + wait)).catch(() => undefined)
    }
  }
}
