/**
 * Runs the jobs of this instance: looks for due ones about once a second, at once when this instance stores one. Invariants:
 *  1. never more of them are at work than each kind allows, in all and for one organization, so that nobody's slow work keeps others waiting
 *  2. a handler that doesn't end when it is told to keeps its place for some seconds, not for ever; what it does later goes nowhere
 *  3. a job that is never settled, whatever its handler does, comes again ever later and is given up in the end
 *  4. no job comes again at once: one that asks for it waits a little, whatever the clock says
 */
import type { Log } from '../observability/log.js'
import type { Write } from '../storage/contract.js'
import type { Scope, Tenancy } from '../tenancy/scope.js'
import type { ClaimedJob, JobQueue } from './queue.js'

/** How late a job of another instance, or of one that died, may begin. */
const POLL_MS = 1000
/** A job that is being stored is looked for after that: its commit is most likely done. */
const SOON_MS = 20
/** Between attempts of a job whose handler failed: doubled each time, up to the second figure. */
const RETRY_MS = 1000
const RETRY_LIMIT_MS = 10 * 60 * 1000
/** Failures in a row after which a job is given up: three days and a half, a weekend on which nobody looks. */
export const FAILURES_LIMIT = 500
/** For a handler that is told to end: a commit that is under way. */
const GRACE_MS = 10_000
/** Before a job comes again that asks for it: as long as a new one is waited for. */
const AGAIN_MS = 20
/** Looks between which what a wrong clock put far off is brought back: a minute. */
const LOOKS_PER_CLEARING = 60

/** What becomes of a job after its work. */
export type JobOutcome =
  /** It is over, and goes. */
  | 'done'
  /** The handler has settled it in a commit of its own (`finishing`, `postponing`). */
  | 'settled'
  | { readonly again: Date }

/** How one run of a job ended: its work is done, or goes on later; it failed, and is tried again; it failed too often. */
export type JobEnding = 'done' | 'again' | 'failed' | 'given_up'

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
  /** The writes that settle what the job was about, for the commit with which it is given up; they must be fine with there being nothing left of it. */
  abandoning?(job: ClaimedJob, scope: Scope): readonly Write[]
}

export interface JobRunnerOptions {
  readonly queue: JobQueue
  readonly tenancy: Pick<Tenancy, 'of'>
  readonly log: Pick<Log, 'error'>
  /** Told of every run that ended, unless the instance stops. */
  readonly onEnded?: (kind: string, ending: JobEnding) => void
  readonly clock?: () => number
  /** Default `GRACE_MS`. */
  readonly graceMs?: number
  /** Default `POLL_MS`. */
  readonly pollMs?: number
}

/** A kind at work. */
interface KindState {
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
  readonly #states = new Map<string, KindState>()
  readonly #stop = new AbortController()
  readonly #work = new Set<Promise<void>>()
  readonly #soon = new Map<string, NodeJS.Timeout>()
  readonly #graceMs: number
  #poll: NodeJS.Timeout | null = null
  #looks = 0

  constructor(options: JobRunnerOptions, kinds: readonly JobKind[]) {
    this.#options = options
    this.#clock = options.clock ?? Date.now
    this.#graceMs = options.graceMs ?? GRACE_MS
    for (const definition of kinds) this.#states.set(definition.kind, { definition, busy: new Map(), running: 0, looking: false, again: false })
    options.queue.onEnqueuing((kind) => this.#lookSoon(kind))
  }

  start(): void {
    this.#poll ??= setInterval(() => {
      const isClearing = this.#looks++ % LOOKS_PER_CLEARING === 0
      for (const state of this.#states.values()) {
        if (isClearing) this.#rescheduleMisdated(state.definition)
        this.#look(state)
      }
    }, this.#options.pollMs ?? POLL_MS).unref()
  }

  /** Takes no more jobs, and tells those at work to end. Resolves when they have, or their time is over; what they left undone is due again. */
  async stop(): Promise<void> {
    if (this.#poll !== null) clearInterval(this.#poll)
    for (const timer of this.#soon.values()) clearTimeout(timer)
    this.#soon.clear()
    this.#stop.abort('stopping')
    // A look that was under way may have begun some more.
    while (this.#work.size > 0) await Promise.all(this.#work)
  }

  #lookSoon(kind: string): void {
    const state = this.#states.get(kind)
    if (state === undefined || this.#soon.has(kind) || this.#stop.signal.aborted || this.#poll === null) return
    const timer = setTimeout(() => {
      this.#soon.delete(kind)
      this.#look(state)
    }, SOON_MS).unref()
    this.#soon.set(kind, timer)
  }

  #look(state: KindState): void {
    if (this.#stop.signal.aborted) return
    if (state.looking) {
      state.again = true
      return
    }
    state.looking = true
    state.again = false
    const looking = this.#claimDue(state)
      .catch((error: unknown) => {
        this.#options.log.error({ err: error, kind: state.definition.kind }, 'due jobs could not be read; they are looked for again')
        return false
      })
      .then((more) => {
        state.looking = false
        this.#work.delete(looking)
        if (more || state.again) this.#look(state)
      })
    this.#work.add(looking)
  }

  #rescheduleMisdated({ kind, leaseMs }: JobKind): void {
    const work = this.#options.queue
      .rescheduleMisdated(kind, leaseMs)
      .then((count) => {
        if (count > 0) this.#options.log.error({ kind, count }, 'jobs were put off for longer than a day by a clock that was wrong; they are due now')
      })
      .catch((error: unknown) => this.#options.log.error({ err: error, kind }, 'jobs that were put off too far could not be looked for; they are looked for again'))
      .finally(() => this.#work.delete(work))
    this.#work.add(work)
  }

  /** Claims what there is room for. Gives whether there may be more for the room that is left. */
  async #claimDue(state: KindState): Promise<boolean> {
    const { definition, busy } = state
    const room = definition.concurrency - state.running
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
      this.#begin(state, claimed)
    }
    return begun > 0 && due.length === room
  }

  #begin(state: KindState, job: ClaimedJob): void {
    const { busy } = state
    state.running++
    busy.set(job.organization_id, (busy.get(job.organization_id) ?? 0) + 1)
    const work = this.#run(state.definition, job).finally(() => {
      state.running--
      const left = busy.get(job.organization_id)! - 1
      if (left === 0) busy.delete(job.organization_id)
      else busy.set(job.organization_id, left)
      this.#work.delete(work)
      this.#look(state)
    })
    this.#work.add(work)
  }

  async #run(definition: JobKind, job: ClaimedJob): Promise<void> {
    const { queue, tenancy, log, onEnded = () => {} } = this.#options
    const { kind } = definition
    try {
      const scope = tenancy.of(job.organization_id)
      if (job.failures > FAILURES_LIMIT) {
        await scope.commit([queue.finishing(job), ...(definition.abandoning?.(job, scope) ?? [])])
        log.error({ kind, job: job._id, subject: job.subject, attempts: job.attempts }, 'a job failed too often, and is given up')
        onEnded(kind, 'given_up')
        return
      }
      const outcome = await this.#outcomeOf(definition, job, scope)
      if (outcome === 'done') await queue.finish(job)
      else if (outcome !== 'settled') await queue.postpone(job, new Date(Math.max(outcome.again.getTime(), this.#clock() + AGAIN_MS)))
      onEnded(kind, typeof outcome === 'object' ? 'again' : 'done')
    } catch (error) {
      // Of one that was stopped, nothing is wrong. Where the writes here fail as well, the job is due when its lease ends.
      if (this.#stop.signal.aborted) return queue.release(job).catch(() => undefined)
      log.error({ err: error, kind, job: job._id, attempts: job.attempts }, 'a job failed; it is tried again')
      onEnded(kind, 'failed')
      const wait = Math.min(RETRY_MS * 2 ** Math.min(job.failures - 1, 20), RETRY_LIMIT_MS)
      await queue.retry(job, new Date(this.#clock() + wait)).catch(() => undefined)
    }
  }

  /** What the handler says, unless it says nothing for too long after it was told to end. @throws what the handler throws */
  async #outcomeOf({ leaseMs, run }: JobKind, job: ClaimedJob, scope: Scope): Promise<JobOutcome> {
    const lease = new AbortController()
    const signal = AbortSignal.any([this.#stop.signal, lease.signal])
    const timers = [setTimeout(() => lease.abort('the lease ends'), leaseMs)]
    let wait = (): void => undefined
    const overdue = new Promise<never>((_, reject) => {
      wait = () => void timers.push(setTimeout(() => reject(new Error('the handler did not end when it was told to')), this.#graceMs))
    })
    if (signal.aborted) wait()
    else signal.addEventListener('abort', wait)
    try {
      return await Promise.race([run(job, scope, signal), overdue])
    } finally {
      for (const timer of timers) clearTimeout(timer)
      // The signal to stop outlives all jobs, and would keep what listens to it.
      signal.removeEventListener('abort', wait)
    }
  }
}
