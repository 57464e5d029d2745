/**
 * The threads and the queue before them. Invariants:
 *  1. a task is handed to Piscina only when a thread is free for it, so that order, bounds and waiting times are ours: Piscina neither bounds nor
 *     orders tasks that can be aborted
 *  2. a thread runs one task at a time; one that runs over, or goes on without its caller, is ended and replaced (there is no other way to stop
 *     synchronous code)
 *  3. the deadline counts running time only: not the queue, not the start of a replacement thread
 *  4. `submit` always resolves, with a value
 *  5. small tasks that wait share a turn of a thread, as a message costs more than they do: only such that leave nothing behind and whose ruleset the
 *     thread has compiled. One that turns out slow holds up nobody: the others are taken back and run elsewhere, and at worst run twice
 */
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Piscina, queueOptionsSymbol } from 'piscina'
import { sharedNow } from './clock.js'
import type { Fault, FlatFailure, WorkAt } from './failure.js'
import { flattenError } from './failure.js'
import { Histogram, type HistogramReading } from './histogram.js'
import { Progress } from './progress.js'
import type { DiskContent, FileSource, Reply, ReplyStats, SessionState, Task, Turn, TurnReply } from './protocol.js'
import { needsReader } from './request-reader.js'
import type { ThreadData } from './thread.js'
import { tuneV8 } from './tune-v8.js'

/**
 * Heap of a thread beside its ruleset cache: the base takes about 50 MB, the live sessions 48 MB, and compiling 8 MB of dense rules about 200 MB
 * before it is in the cache.
 */
export const THREAD_HEAP_MB = 512
/** Young generation of a thread: events are short-lived garbage, and a small one promotes them to the old. */
const YOUNG_GENERATION_MB = 32
/** A thread that has not begun its task by then does not start at all (a start takes under a second). */
const START_LIMIT_MS = 30_000
/**
 * How long a running task whose caller is gone may go on before its thread is ended. The caller has its answer at once; but most tasks end within
 * a few milliseconds, and a new thread takes the better part of a second to compile the base: ending it at once would let hasty clients keep
 * all threads starting.
 */
const ABORT_GRACE_MS = 250
/** How often running turns are looked at: deadlines are seconds, and one timer for all costs less than one each. */
const LOOK_MS = 20
/** Tasks of one turn. More would save little: of what a message costs, a sixteenth is left. */
const SHARED_TASKS_LIMIT = 16
/** Waiting tasks that are looked at for a turn. */
const SHARED_LOOK_LIMIT = 64
/** Times that a task may be passed over for one whose ruleset the free thread has: a turn is about a millisecond. */
const PASSED_OVER_LIMIT = 4
/** A task of a shared turn that takes longer than that has the thread to itself. Tasks of a turn take a tenth of a millisecond. */
const SLOW_TASK_MS = 25
/** Times a task is sent again with all that it stands on. Twice can be needed: first the disk content is missing, then it is another's turn. */
const RESEND_LIMIT = 3
/** Rulesets of a thread that are remembered on this side: it says which it lets go of. A wrong guess costs one more message. */
const KNOWN_LIMIT = 65_536

export interface ThreadPoolOptions {
  readonly threads: number
  /** Tasks that may wait. */
  readonly queueLimit: number
  readonly taskTimeoutMs: number
  readonly cacheBytesPerThread: number
  readonly disk: DiskContent
  readonly onFault: (fault: Fault) => void
  /** Another module than `thread.js`. */
  readonly threadUrl?: string
}

export interface SubmitOptions {
  readonly signal?: AbortSignal | undefined
  /** A signal that costs more to make than most tasks take: asked for when the task is not answered at once. */
  readonly lateSignal?: (() => AbortSignal) | undefined
  readonly timeoutMs?: number
  /** Taken if it is free. */
  readonly preferredThread?: number | null
  /** A part of something that has begun: it may wait even where the queue is full, as turning it away would waste what is done. */
  readonly begun?: boolean
  /** May share a turn: it is short, and nothing is left of it in the thread. */
  readonly shares?: boolean
  /** What the task stands on, to be sent to a thread that lacks it. */
  readonly supplies: Supplies
}

export interface Supplies {
  readonly source: FileSource
  readonly disk: DiskContent
  readonly session: { readonly threadId: number | null; state(): SessionState } | null
}

/** What became of a task, before it is told to the caller. */
export type Submitted =
  | { readonly outcome: 'ok'; readonly value: unknown; readonly snapshot: Uint8Array | null; readonly stats: ReplyStats }
  | { readonly outcome: 'busy' }
  | { readonly outcome: 'aborted' }
  | { readonly outcome: 'timeout'; readonly timeoutMs: number; readonly at: WorkAt }
  | FlatFailure

interface Job {
  readonly task: Task
  readonly options: SubmitOptions
  readonly submittedAt: number
  resends: number
  passedOver: number
  sendAll: boolean
  isSettled: boolean
  /** When its caller was gone; 0: it is there. */
  abortedAt: number
  /** Looks for its caller by its late signal; null: it does already. */
  watchCaller: (() => void) | null
  readonly settle: (submitted: Submitted) => void
}

/** A turn that a thread has, or is about to have. */
interface RunningTurn {
  readonly message: { tasks: Turn['tasks']; progress: SharedArrayBuffer | null; readerUrl: string | null }
  /** In the order of the tasks; null: it was taken back. */
  readonly jobs: (Job | null)[]
  readonly controller: AbortController
  readonly handedOver: number
  threadId: number | null
  progress: Progress | null
  ended: 'timeout' | 'start' | 'abort' | null
}

/** What a thread is known to have. */
interface KnownThread {
  diskIds: Set<string>
  keys: Set<string>
  /** Where it says what it is at. */
  progress: Progress | null
}

export interface PoolMetrics {
  readonly threads: number
  readonly running: number
  readonly queueLength: number
  readonly queueLimit: number
  readonly waitMs: HistogramReading
  readonly runMs: HistogramReading
  /** Tasks by what became of them. */
  readonly outcomes: Readonly<Record<Submitted['outcome'], number>>
  readonly cacheHits: number
  readonly cacheMisses: number
  /** Threads that were ended, or ended themselves, and were replaced. */
  readonly replacedThreads: number
  /** Turns of more than one task. */
  readonly sharedTurns: number
  /** As each thread last said. */
  readonly cachedBytes: number
  readonly cachedRulesets: number
}

export class ThreadPool {
  readonly #options: ThreadPoolOptions
  readonly #piscina: Piscina
  readonly #threadData: { moduleUrl: string; disk: DiskContent; cacheBytes: number }
  readonly #waiting: Job[] = []
  readonly #turns = new Set<RunningTurn>()
  /** Of turns that were not ended, for later ones: making one costs as much as a small task. */
  readonly #controllers: AbortController[] = []
  readonly #known = new Map<number, KnownThread>()
  readonly #cached = new Map<number, ReplyStats>()
  readonly #waitMs = new Histogram()
  readonly #runMs = new Histogram()
  readonly #outcomes: Record<Submitted['outcome'], number> = { ok: 0, busy: 0, aborted: 0, timeout: 0, failed: 0 }
  readonly #idle: (() => void)[] = []
  /** The module that exports a `RequestReader`. */
  readerUrl: string | null = null
  #look: NodeJS.Timeout | null = null
  #cacheHits = 0
  #cacheMisses = 0
  #replaced = 0
  #sharedTurns = 0
  #closing = false

  constructor(options: ThreadPoolOptions) {
    this.#options = options
    // The flags are the process's: threads that are made from now on start with them.
    tuneV8()
    this.#threadData = {
      moduleUrl: options.threadUrl ?? new URL('./thread.js', import.meta.url).href,
      disk: options.disk,
      cacheBytes: options.cacheBytesPerThread,
    } satisfies ThreadData
    this.#piscina = new Piscina({
      filename: fileURLToPath(new URL('./thread-entry.cjs', import.meta.url)),
      name: 'run',
      minThreads: options.threads,
      maxThreads: options.threads,
      maxQueue: options.threads,
      concurrentTasksPerWorker: 1,
      // Read whenever a thread is made, so that later ones start with the newest content.
      workerData: this.#threadData,
      resourceLimits: { maxOldGenerationSizeMb: this.heapLimitMb, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      recordTiming: false,
      workerHistogram: false,
      loadBalancer: (task, workers) => {
        const turn = (task as unknown as { [queueOptionsSymbol]: RunningTurn })[queueOptionsSymbol]
        const idle = workers.filter((worker) => worker.currentUsage === 0 && !worker.terminating && !worker.destroyed)
        const chosen = this.#choose(turn.jobs[0] as Job, idle)
        if (chosen !== null) this.#address(turn, chosen.id)
        return chosen
      },
    })
    // A thread that ends between tasks is replaced by Piscina; nothing is lost.
    this.#piscina.on('error', () => {
      this.#replaced++
    })
  }

  get threads(): number {
    return this.#options.threads
  }

  /** Megabytes of heap at which a thread is ended. */
  get heapLimitMb(): number {
    return THREAD_HEAP_MB + Math.ceil(this.#options.cacheBytesPerThread / 1024 / 1024)
  }

  get taskTimeoutMs(): number {
    return this.#options.taskTimeoutMs
  }

  /** The content with which threads are started from now on. */
  useDisk(disk: DiskContent): void {
    this.#threadData.disk = disk
  }

  submit(task: Task, options: SubmitOptions): Promise<Submitted> {
    return new Promise((resolve) => {
      let { signal } = options
      const job: Job = {
        task,
        options,
        submittedAt: sharedNow(),
        resends: 0,
        passedOver: 0,
        sendAll: false,
        isSettled: false,
        abortedAt: 0,
        watchCaller: null,
        settle: (submitted) => {
          if (job.isSettled) return
          job.isSettled = true
          this.#outcomes[submitted.outcome]++
          signal?.removeEventListener('abort', onAbort)
          resolve(submitted)
        },
      }
      // The caller is answered at once. What runs gets a little time, as `#lookAtTurns` says.
      const onAbort = (): void => {
        job.abortedAt = sharedNow()
        const at = this.#waiting.indexOf(job)
        if (at >= 0) this.#waiting.splice(at, 1)
        job.settle({ outcome: 'aborted' })
        this.#tellIdle()
      }
      const { lateSignal } = options
      if (lateSignal !== undefined)
        job.watchCaller = () => {
          job.watchCaller = null
          signal = lateSignal()
          if (signal.aborted) onAbort()
          else signal.addEventListener('abort', onAbort, { once: true })
        }
      if (signal?.aborted || this.#closing) return job.settle({ outcome: 'aborted' })
      if (this.#turns.size >= this.threads && this.#waiting.length >= this.#options.queueLimit && options.begun !== true) return job.settle({ outcome: 'busy' })
      signal?.addEventListener('abort', onAbort, { once: true })
      if (this.#turns.size < this.threads) this.#start(job)
      else this.#waiting.push(job)
      return undefined
    })
  }

  metrics(): PoolMetrics {
    const alive = new Set(this.#piscina.threads.map(({ threadId }) => threadId))
    let cachedBytes = 0
    let cachedRulesets = 0
    for (const [id, stats] of this.#cached) {
      if (!alive.has(id)) continue
      cachedBytes += stats.cachedBytes
      cachedRulesets += stats.cachedRulesets
    }
    return {
      threads: this.threads,
      running: this.#turns.size,
      queueLength: this.#waiting.length,
      queueLimit: this.#options.queueLimit,
      waitMs: this.#waitMs.read(),
      runMs: this.#runMs.read(),
      outcomes: { ...this.#outcomes },
      cacheHits: this.#cacheHits,
      cacheMisses: this.#cacheMisses,
      replacedThreads: this.#replaced,
      sharedTurns: this.#sharedTurns,
      cachedBytes,
      cachedRulesets,
    }
  }

  /** Takes no new tasks, lets those that run and wait finish for that long, then ends all threads. */
  async close(drainMs: number): Promise<void> {
    this.#closing = true
    if (this.#turns.size > 0 || this.#waiting.length > 0) {
      let timer: NodeJS.Timeout | undefined
      const patience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, drainMs)
      })
      await Promise.race([new Promise<void>((resolve) => this.#idle.push(resolve)), patience])
      clearTimeout(timer)
    }
    for (const job of this.#waiting.splice(0)) job.settle({ outcome: 'aborted' })
    await this.#piscina.destroy()
  }

  /** A thread has compiled a ruleset that its task did not name. */
  noteRuleset(threadId: number, key: string): void {
    this.#known.get(threadId)?.keys.add(key)
  }

  /** The threads as they are, for tests that end them. */
  get workers(): Piscina['threads'] {
    return this.#piscina.threads
  }

  #start(job: Job): void {
    const turn: RunningTurn = {
      message: { tasks: [], progress: null, readerUrl: null },
      jobs: [job],
      controller: this.#controllers.pop() ?? new AbortController(),
      handedOver: sharedNow(),
      threadId: null,
      progress: null,
      ended: null,
    }
    this.#turns.add(turn)
    if (this.#look === null) this.#look = setInterval(() => this.#lookAtTurns(), LOOK_MS)
    const message = Object.assign(turn.message, { [queueOptionsSymbol]: turn })
    const running = this.#piscina.run(message, { signal: turn.controller.signal }) as Promise<TurnReply>
    running.then(
      ({ replies }) => this.#finish(turn, () => this.#read(turn, replies)),
      (error) => this.#finish(turn, () => this.#readEnd(turn, error)),
    )
  }

  /** Whatever is to be run again has had its turn, and goes before all others. */
  #finish(turn: RunningTurn, read: () => Job[]): void {
    this.#turns.delete(turn)
    if (turn.ended === null) this.#controllers.push(turn.controller)
    const again = read().filter(({ isSettled }) => !isSettled)
    if (again.length > 0) this.#waiting.unshift(...again)
    this.#startWaiting()
    this.#tellIdle()
  }

  #startWaiting(): void {
    while (this.#turns.size < this.threads) {
      const job = this.#waiting.shift()
      if (job === undefined) break
      this.#start(job)
    }
  }

  #tellIdle(): void {
    if (this.#turns.size > 0 || this.#waiting.length > 0) return
    if (this.#look !== null) clearInterval(this.#look)
    this.#look = null
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  /** Ends turns that ran over, or go on for nobody, and takes tasks back that wait for a slow one. */
  #lookAtTurns(): void {
    const now = sharedNow()
    for (const job of [...this.#waiting]) job.watchCaller?.()
    for (const turn of this.#turns) {
      for (const job of turn.jobs) if (job?.isSettled === false) job.watchCaller?.()
      if (turn.ended !== null) continue
      const reading = turn.progress?.read()
      if (reading === undefined || reading.beganAt === 0) {
        const job = turn.jobs[0]
        if (now - turn.handedOver >= START_LIMIT_MS) this.#end(turn, 'start')
        else if (job !== null && isAbandoned(job, now)) this.#end(turn, 'abort')
        continue
      }
      const job = turn.jobs[reading.task]
      const left = (job?.options.timeoutMs ?? this.taskTimeoutMs) - (now - reading.unitAt)
      if (left <= 0) this.#end(turn, 'timeout')
      else if (job != null && isAbandoned(job, now)) this.#end(turn, 'abort')
      else if (turn.jobs.length > 1 && now - reading.unitAt > SLOW_TASK_MS) this.#takeBack(turn, reading.task)
    }
  }

  /** All tasks of a turn but the one at work. Those before it are done, but the thread can't say so. */
  #takeBack(turn: RunningTurn, atWork: number): void {
    const taken = turn.jobs.filter((job, index): job is Job => job !== null && index !== atWork && !job.isSettled)
    turn.jobs.forEach((_, index) => {
      if (index !== atWork) turn.jobs[index] = null
    })
    if (taken.length === 0) return
    this.#waiting.unshift(...taken)
    this.#startWaiting()
  }

  #end(turn: RunningTurn, why: NonNullable<RunningTurn['ended']>): void {
    turn.ended = why
    turn.controller.abort()
  }

  /** Settles what was answered. @returns the tasks that are to be run again */
  #read(turn: RunningTurn, replies: readonly Reply[]): Job[] {
    const { jobs } = turn
    const endedAt = sharedNow()
    const again: Job[] = []
    jobs.forEach((job, index) => {
      if (job === null) return
      const reply = replies.at(index)
      if (reply === undefined) {
        again.push(job)
        return
      }
      if (reply.outcome !== 'missing') {
        this.#waitMs.add(Math.max(0, turn.handedOver - job.submittedAt))
        this.#runMs.add(Math.max(0, (endedAt - turn.handedOver) / replies.length))
      }
      const submitted = this.#readReply(job, reply)
      if (submitted === null) again.push(job)
      else job.settle(submitted)
    })
    return again
  }

  /** A thread that ended. Its progress goes with it. @returns the tasks that are to be run again */
  #readEnd(turn: RunningTurn, error: unknown): Job[] {
    const { jobs, ended } = turn
    const { task, unit, ruleId, decoder, beganAt } = turn.progress?.read() ?? { task: 0, unit: -1, ruleId: null, decoder: null, beganAt: 0 }
    if (turn.threadId !== null) this.#known.delete(turn.threadId)
    if (beganAt !== 0) this.#replaced++
    // Those before it were done, but can't be told any more.
    const atWork = jobs[task] ?? null
    if (atWork !== null) atWork.settle(this.#settlementOf(atWork, ended, error, { index: unit < 0 ? null : unit, ruleId, decoder }))
    return jobs.filter((job): job is Job => job !== null && job !== atWork)
  }

  #settlementOf(job: Job, ended: RunningTurn['ended'], error: unknown, at: WorkAt): Submitted {
    if (ended === 'abort') return { outcome: 'aborted' }
    if (ended === 'timeout') {
      this.#options.onFault({ debugId: randomUUID(), task: job.task.kind, reason: 'timeout', error: null })
      return { outcome: 'timeout', timeoutMs: job.options.timeoutMs ?? this.taskTimeoutMs, at }
    }
    if (this.#closing) return { outcome: 'aborted' }
    const reason = (error as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'thread'
    return this.#failure(job, reason, flattenError(error), at.index)
  }

  /** Null: the thread lacked something, and the task is to be sent again with everything. */
  #readReply(job: Job, reply: Reply): Submitted | null {
    const { stats } = reply
    const known = this.#knownThread(stats.threadId)
    this.#cached.set(stats.threadId, stats)
    for (const key of stats.evicted) known.keys.delete(key)
    if (reply.outcome === 'missing') {
      if (reply.what === 'ruleset') known.keys.delete(job.task.ruleset.key)
      if (reply.what === 'disk') known.diskIds.clear()
      if (job.resends++ < RESEND_LIMIT) {
        job.sendAll = true
        return null
      }
      return this.#failure(job, 'fault', { name: 'MissingError', code: reply.what, frames: [] }, null)
    }
    if (reply.outcome === 'failed') return this.#failure(job, 'fault', reply.error, reply.unit)
    const { key, diskId } = job.task.ruleset
    known.diskIds.add(diskId)
    if (known.keys.size >= KNOWN_LIMIT) known.keys.clear()
    known.keys.add(key)
    if (stats.cacheHit) this.#cacheHits++
    else this.#cacheMisses++
    return { outcome: 'ok', value: reply.value, snapshot: reply.snapshot, stats }
  }

  #failure(job: Job, reason: FlatFailure['reason'], error: ReturnType<typeof flattenError>, index: number | null): FlatFailure {
    const debugId = randomUUID()
    this.#options.onFault({ debugId, task: job.task.kind, reason, error })
    return { outcome: 'failed', reason, debugId, index }
  }

  /** The thread that holds the session, else one that holds the ruleset, else any. */
  #choose<W extends { readonly id: number }>(job: Job, idle: readonly W[]): W | null {
    if (idle.length < 2) return idle[0] ?? null
    const { preferredThread } = job.options
    const { key } = job.task.ruleset
    return idle.find(({ id }) => id === preferredThread) ?? idle.find(({ id }) => this.#known.get(id)?.keys.has(key)) ?? idle[0]
  }

  /** Makes the message for that thread. Piscina sends it right afterwards. */
  #address(turn: RunningTurn, id: number): void {
    const known = this.#knownThread(id)
    turn.threadId = id
    turn.message.progress = null
    if (known.progress === null) {
      known.progress = new Progress()
      turn.message.progress = known.progress.buffer
    }
    known.progress.clear()
    turn.progress = known.progress
    this.#preferKnown(turn, known)
    this.#share(turn, known)
    const tasks = turn.jobs.map((job) => addressed(job as Job, id, known))
    turn.message.tasks = tasks.every(({ ruleset }, index) => turn.jobs[index]?.options.shares === true && ruleset.source === null && ruleset.disk === null)
      ? JSON.stringify(tasks)
      : tasks
    turn.message.readerUrl = tasks.some(needsReader) ? this.readerUrl : null
  }

  /**
   * Where another thread has compiled the ruleset of a task, and this one has that of another task that waits, they change places: else each thread
   * would in time compile what all the others have, and the cache of all would be no larger than that of one.
   */
  #preferKnown({ jobs }: RunningTurn, known: KnownThread): void {
    const first = jobs[0] as Job
    const { key } = first.task.ruleset
    if (first.sendAll || first.passedOver >= PASSED_OVER_LIMIT || this.#waiting.length === 0 || known.keys.has(key) || !this.#isCompiled(key)) return
    const fits = ({ task, options, sendAll }: Job): boolean => !sendAll && options.preferredThread == null && known.keys.has(task.ruleset.key)
    const at = this.#waiting.slice(0, SHARED_LOOK_LIMIT).findIndex(fits)
    if (at < 0) return
    first.passedOver++
    jobs[0] = this.#waiting.splice(at, 1)[0]
    this.#waiting.unshift(first)
  }

  #isCompiled(key: string): boolean {
    for (const { keys } of this.#known.values()) if (keys.has(key)) return true
    return false
  }

  /** Lets tasks that wait share the turn, as many as are this thread's due. */
  #share({ jobs }: RunningTurn, { keys }: KnownThread): void {
    const waiting = this.#waiting
    const fits = ({ options, task, sendAll }: Job): boolean => options.shares === true && !sendAll && keys.has(task.ruleset.key)
    if (waiting.length === 0 || jobs.length > 1 || !fits(jobs[0] as Job)) return
    let due = Math.min(SHARED_TASKS_LIMIT - 1, Math.ceil(waiting.length / this.threads))
    for (let at = 0, looked = 0; at < waiting.length && due > 0 && looked < SHARED_LOOK_LIMIT; looked++) {
      if (fits(waiting[at])) {
        jobs.push(...waiting.splice(at, 1))
        due--
      } else at++
    }
    if (jobs.length > 1) this.#sharedTurns++
  }

  #knownThread(id: number): KnownThread {
    let known = this.#known.get(id)
    if (known === undefined) {
      // Ids are never used twice, so those of ended threads only pile up.
      const alive = new Set(this.#piscina.threads.map(({ threadId }) => threadId))
      for (const old of this.#known.keys()) if (!alive.has(old)) this.#known.delete(old)
      for (const old of this.#cached.keys()) if (!alive.has(old)) this.#cached.delete(old)
      known = { diskIds: new Set(), keys: new Set(), progress: null }
      this.#known.set(id, known)
    }
    return known
  }
}

/** The task with what this thread is not known to have. */
function addressed({ task, options, sendAll }: Job, id: number, known: KnownThread): Task {
  const { source, disk, session } = options.supplies
  const isKnown = 'body' in source || source.files.length > 0 ? known.keys.has(task.ruleset.key) : false
  task.ruleset.source = !sendAll && isKnown ? null : source
  // A thread of which nothing is known has the content that it was started with.
  task.ruleset.disk = sendAll || (known.diskIds.size > 0 && !known.diskIds.has(disk.id)) ? disk : null
  if ('session' in task && task.session !== null && session !== null) task.session.state = !sendAll && session.threadId === id ? null : session.state()
  return task
}

function isAbandoned({ abortedAt }: Job, now: number): boolean {
  return abortedAt !== 0 && now - abortedAt >= ABORT_GRACE_MS
}
