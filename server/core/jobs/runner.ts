/**
 * Runs jobs on this instance. It polls for due jobs about once a second, and at once when this instance stores one. Invariants:
 *  1. the number of running jobs of a kind is limited, in total and per organization, so that slow work of one organization does not block others
 *  2. organizations take turns: one that was served waits until each other one with due jobs was, however many jobs it has stored before
 *  3. a handler that does not end after the abort signal keeps its slot for some seconds only; its later result is ignored
 *  4. a job that is never settled is retried with growing pauses and given up in the end. It is kept then, for an operator to retry or drop
 *  5. a job is never repeated without a pause, even if the clock jumps
 */
import { ApiError } from '../errors.js'
import type { Log } from '../observability/log.js'
import type { Write } from '../storage/contract.js'
import { ignoreStale } from '../storage/errors.js'
import type { Scope, Tenancy } from '../tenancy/scope.js'
import { type JobFailureDocument, jobErrorOf } from './failures.js'
import type { ClaimedJob, JobDocument, JobQueue } from './queue.js'

/** Interval of polling: how late a job of another instance may begin. */
const POLL_MS = 1000
/** Delay before looking for a job that is being stored; its commit has most likely ended then. */
const SOON_MS = 20
/** Pause after a failure; doubled each time, up to `RETRY_LIMIT_MS`. */
const RETRY_MS = 1000
const RETRY_LIMIT_MS = 10 * 60 * 1000
/** Consecutive failures before a job is given up: three and a half days, longer than a weekend. */
export const FAILURES_LIMIT = 500
/** Time for a handler to end after the abort signal; enough for a running commit. */
const GRACE_MS = 10_000
/** Minimum pause before a job that requests to be repeated; as long as for a new one. */
const AGAIN_MS = 20
/** Maximum organizations of a turn, which a query lists. */
const TURN_LIMIT = 1000
/** Renewals within one lease, of which all but one may be late or fail. */
const RENEWALS = 3
/** Polls between two checks for misdated jobs: about a minute. */
const POLLS_PER_CHECK = 60

/** Result of a handler. */
export type JobOutcome =
  /** The job is done and is deleted. */
  | 'done'
  /** The handler has settled the job in its own commit (`finishing`, `postponing`). */
  | 'settled'
  | { readonly again: Date }

/** How a run of a job ended: done, to be continued later, failed and retried, or failed too often. */
export type JobEnding = 'done' | 'again' | 'failed' | 'given_up'

/** A kind of job. */
export interface JobKind {
  readonly kind: string
  /** Maximum number of running jobs on this instance. */
  readonly concurrency: number
  /** Maximum number of running jobs of one organization. */
  readonly perOrganization: number
  /** Duration of the lease. The handler must end within it, unless `longestMs` is given; afterwards another instance may claim the job. */
  readonly leaseMs: number
  /** How long the handler may run: its lease is renewed meanwhile, so another instance has the job one lease after a crash. Default: as long as a lease. */
  readonly longestMs?: number
  /** Runs a job. An error is logged, as a warning if it is a refusal (`ApiError`) and not a fault of the service, and the job is retried. @param signal aborted when the instance stops or the lease ends */
  run(job: ClaimedJob, scope: Scope, signal: AbortSignal): Promise<JobOutcome>
  /**
   * The writes for the commit with which a job is given up, where the job's object records its failure itself and can be tried again by its organization. Such
   * a job is not kept. They must not fail if the object no longer exists.
   */
  recordingFailure?(job: Pick<JobDocument, 'subject'>, scope: Scope): readonly Write[]
  /** The writes for the commit with which a failed job is dropped: they delete what only the job reads. They must not fail if it no longer exists. */
  abandoning?(job: Pick<JobDocument, 'subject'>, scope: Scope): readonly Write[]
}

/** The writes for the commit that ends a job without its work. */
export function abandonJob(kind: JobKind | undefined, job: Pick<JobDocument, 'subject'>, scope: Scope): readonly Write[] {
  return [...(kind?.recordingFailure?.(job, scope) ?? []), ...(kind?.abandoning?.(job, scope) ?? [])]
}

export interface JobRunnerOptions {
  readonly queue: JobQueue
  readonly tenancy: Pick<Tenancy, 'of'>
  readonly log: Pick<Log, 'error' | 'warn'>
  /** Called after every run, unless the instance stops. */
  readonly onEnded?: (kind: string, ending: JobEnding) => void
  readonly clock?: () => number
  /** Default `GRACE_MS`. */
  readonly graceMs?: number
  /** Default `POLL_MS`. */
  readonly pollMs?: number
}

/** State of a kind on this instance. */
interface KindState {
  readonly definition: JobKind
  /** Number of running jobs, by organization. */
  readonly busy: Map<string, number>
  /** Organizations that were served in the current turn. */
  readonly served: Set<string>
  running: number
  /** Whether a poll is running; another one follows if `again` is set. */
  polling: boolean
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
  #polls = 0
  #isLooking = false

  constructor(options: JobRunnerOptions, kinds: readonly JobKind[]) {
    this.#options = options
    this.#clock = options.clock ?? Date.now
    this.#graceMs = options.graceMs ?? GRACE_MS
    for (const definition of kinds) this.#states.set(definition.kind, { definition, busy: new Map(), served: new Set(), running: 0, polling: false, again: false })
    options.queue.onEnqueuing((kind) => this.#pollSoon(kind))
  }

  start(): void {
    this.#poll ??= setInterval(() => {
      if (this.#polls++ % POLLS_PER_CHECK === 0) {
        for (const { definition } of this.#states.values()) this.#rescheduleMisdated(definition)
        this.#sweepFailures()
      }
      this.#pollAll()
    }, this.#options.pollMs ?? POLL_MS).unref()
  }

  /** Claims no more jobs and aborts the running ones. Resolves when they have ended or their grace period is over; unfinished jobs become due again. */
  async stop(): Promise<void> {
    if (this.#poll !== null) clearInterval(this.#poll)
    for (const timer of this.#soon.values()) clearTimeout(timer)
    this.#soon.clear()
    this.#stop.abort('stopping')
    // A running poll may have begun more jobs.
    while (this.#work.size > 0) await Promise.all(this.#work)
  }

  /** Asks for all kinds at once: mostly there is nothing to do, and each process asks. */
  #pollAll(): void {
    const free = [...this.#states.values()].filter(({ definition, running }) => running < definition.concurrency)
    if (free.length === 0 || this.#isLooking || this.#stop.signal.aborted) return
    this.#isLooking = true
    const look = this.#options.queue
      .dueKinds(free.map(({ definition }) => definition.kind))
      .then((kinds) => {
        for (const state of free) if (kinds.has(state.definition.kind)) this.#pollKind(state)
      })
      .catch((error: unknown) => this.#options.log.error({ err: error }, 'due jobs could not be read; will retry'))
      .finally(() => {
        this.#isLooking = false
        this.#work.delete(look)
      })
    this.#work.add(look)
  }

  #pollSoon(kind: string): void {
    const state = this.#states.get(kind)
    if (state === undefined || this.#soon.has(kind) || this.#stop.signal.aborted || this.#poll === null) return
    const timer = setTimeout(() => {
      this.#soon.delete(kind)
      this.#pollKind(state)
    }, SOON_MS).unref()
    this.#soon.set(kind, timer)
  }

  #pollKind(state: KindState): void {
    if (this.#stop.signal.aborted) return
    if (state.polling) {
      state.again = true
      return
    }
    state.polling = true
    state.again = false
    const polling = this.#claimDue(state)
      .catch((error: unknown) => {
        this.#options.log.error({ err: error, kind: state.definition.kind }, 'due jobs could not be read; will retry')
        return false
      })
      .then((more) => {
        state.polling = false
        this.#work.delete(polling)
        if (more || state.again) this.#pollKind(state)
      })
    this.#work.add(polling)
  }

  #rescheduleMisdated({ kind, leaseMs }: JobKind): void {
    const work = this.#options.queue
      .rescheduleMisdated(kind, leaseMs)
      .then((count) => {
        if (count > 0) this.#options.log.error({ kind, count }, 'jobs were due later than a day ahead, because a clock was wrong; they are due after one lease now')
      })
      .catch((error: unknown) => this.#options.log.error({ err: error, kind }, 'jobs that a wrong clock put too far ahead could not be rescheduled; will retry'))
      .finally(() => this.#work.delete(work))
    this.#work.add(work)
  }

  /** Drops failed jobs that are too old to be kept. Several instances may do it at the same time. */
  #sweepFailures(): void {
    const { queue, log } = this.#options
    const work = this.#dropExpired()
      .then(() => queue.failures.forgetDone((ids) => queue.living(ids)))
      .catch((error: unknown) => log.error({ err: error }, 'old failed jobs could not be dropped; will retry'))
      .finally(() => this.#work.delete(work))
    this.#work.add(work)
  }

  async #dropExpired(): Promise<void> {
    const { queue, tenancy } = this.#options
    for (const failure of await queue.failures.expired()) {
      if (this.#stop.signal.aborted) return
      const scope = tenancy.of(failure.organization_id)
      // Another instance, or an operator, may be first.
      await scope.commit([...queue.dropping(failure), ...abandonJob(this.#kindOf(failure), failure, scope)]).catch(ignoreStale)
    }
  }

  #kindOf({ kind }: JobFailureDocument): JobKind | undefined {
    return this.#states.get(kind)?.definition
  }

  /** Claims jobs for the free slots. @returns whether more may be due */
  async #claimDue(state: KindState): Promise<boolean> {
    const { definition, busy, served } = state
    const room = definition.concurrency - state.running
    if (room <= 0) return false
    const full = [...busy].filter(([, count]) => count >= definition.perOrganization).map(([organization]) => organization)
    const due = await this.#dueInTurn(state, full, room)
    let begun = 0
    for (const job of due) {
      if (this.#stop.signal.aborted) return false
      if ((busy.get(job.organization_id) ?? 0) >= definition.perOrganization) continue
      const claimed = await this.#options.queue.claim(job, definition.leaseMs)
      if (claimed === null) continue
      begun++
      if (served.size >= TURN_LIMIT) served.clear()
      served.add(job.organization_id)
      this.#begin(state, claimed)
    }
    return begun > 0
  }

  /** Returns due jobs of the organizations that were not served in this turn; if there are none, the next turn begins. @param full organizations to skip */
  async #dueInTurn({ definition: { kind }, served }: KindState, full: readonly string[], limit: number): Promise<readonly JobDocument[]> {
    const { queue } = this.#options
    if (served.size > 0) {
      const due = await queue.due(kind, [...new Set([...full, ...served])], limit)
      if (due.length > 0) return due
      served.clear()
    }
    return queue.due(kind, full, limit)
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
      this.#pollKind(state)
    })
    this.#work.add(work)
  }

  async #run(definition: JobKind, job: ClaimedJob): Promise<void> {
    const { queue, tenancy, log, onEnded = () => {} } = this.#options
    const { kind } = definition
    try {
      const scope = tenancy.of(job.organization_id)
      if (job.failures > FAILURES_LIMIT) {
        const isKept = await this.#giveUp(definition, job, scope)
        log.error({ kind, job: job._id, subject: job.subject, attempts: job.attempts, kept: isKept }, 'a job failed too often and is given up')
        onEnded(kind, 'given_up')
        return
      }
      const outcome = await this.#outcomeOf(definition, job, scope)
      if (outcome === 'done') await queue.finish(job)
      else if (outcome !== 'settled') await queue.postpone(job, new Date(Math.max(outcome.again.getTime(), this.#clock() + AGAIN_MS)))
      onEnded(kind, typeof outcome === 'object' ? 'again' : 'done')
      // Otherwise the sweep deletes the record.
      if (job.failures > 1) await queue.failures.forget(job._id).catch(() => undefined)
    } catch (error) {
      // An aborted job has not failed. If the writes below fail too, the job is due when its lease ends.
      if (this.#stop.signal.aborted) return queue.release(job).catch(() => undefined)
      const { _id, attempts } = job
      // The texts of a provider are no concern of the operator.
      if (error instanceof ApiError) log.warn({ kind, job: _id, attempts, code: error.code }, 'a job was refused; will retry')
      else log.error({ err: error, kind, job: _id, attempts }, 'a job failed; will retry')
      onEnded(kind, 'failed')
      const wait = Math.min(RETRY_MS * 2 ** Math.min(job.failures - 1, 20), RETRY_LIMIT_MS)
      await queue.retry(job, new Date(this.#clock() + wait), jobErrorOf(error)).catch(() => undefined)
    }
  }

  /** Ends a job that has failed too often. @returns whether it is kept */
  async #giveUp(definition: JobKind, job: ClaimedJob, scope: Scope): Promise<boolean> {
    const { queue } = this.#options
    const { failures } = queue
    const isKept = definition.recordingFailure === undefined && (await failures.isRoomFor(job.organization_id))
    if (!isKept) {
      await scope.commit([queue.finishing(job), ...abandonJob(definition, job, scope)])
      await failures.forget(job._id)
      return false
    }
    const error = (await failures.byId(job._id))?.error ?? null
    await scope.commit([queue.finishing(job), ...failures.noting(job, { error, nextAttemptAt: null })])
    return true
  }

  /** Renews the lease of a running job until it is lost, or could not be renewed for its length: another instance may have the job then. */
  #renewing(job: ClaimedJob, leaseMs: number, lease: AbortController): NodeJS.Timeout {
    let renewed = performance.now()
    return setInterval(() => {
      const began = performance.now()
      const lose = (): void => lease.abort('the lease was lost')
      void this.#options.queue.renew(job, leaseMs).then(
        (isHeld) => {
          if (isHeld) renewed = began
          else lose()
        },
        // The store cannot be reached now; the next renewal may be in time.
        () => {
          if (began - renewed >= leaseMs) lose()
        },
      )
    }, leaseMs / RENEWALS).unref()
  }

  /** The result of the handler, or an error if the handler does not end within the grace period after the abort. @throws what the handler throws */
  async #outcomeOf({ leaseMs, longestMs, run }: JobKind, job: ClaimedJob, scope: Scope): Promise<JobOutcome> {
    const lease = new AbortController()
    const signal = AbortSignal.any([this.#stop.signal, lease.signal])
    const timers = [setTimeout(() => lease.abort('the lease ends'), longestMs ?? leaseMs)]
    const renewals = longestMs === undefined ? null : this.#renewing(job, leaseMs, lease)
    let wait = (): void => undefined
    const overdue = new Promise<never>((_, reject) => {
      wait = () => void timers.push(setTimeout(() => reject(new Error('the handler did not end after the abort signal')), this.#graceMs))
    })
    if (signal.aborted) wait()
    else signal.addEventListener('abort', wait)
    try {
      return await Promise.race([run(job, scope, signal), overdue])
    } finally {
      for (const timer of timers) clearTimeout(timer)
      if (renewals !== null) clearInterval(renewals)
      // The stop signal outlives all jobs and would keep its listeners.
      signal.removeEventListener('abort', wait)
    }
  }
}
