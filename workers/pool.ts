/**
 * The threads and the queue before them. Invariants:
 *  1. a task is handed to Piscina only when a thread is free for it, so that order, bounds and waiting times are ours: Piscina neither bounds nor
 *     orders tasks that can be aborted
 *  2. a thread runs one task at a time; one that runs over, or goes on without its caller, is ended and replaced (there is no other way to stop
 *     synchronous code)
 *  3. the deadline counts running time only: not the queue, not the start of a replacement thread
 *  4. `submit` always resolves, with a value
 */
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Piscina, queueOptionsSymbol } from 'piscina'
import { sharedNow } from './clock.js'
import type { Fault, FlatFailure, WorkAt } from './failure.js'
import { flattenError } from './failure.js'
import { Histogram, type HistogramReading } from './histogram.js'
import { Progress } from './progress.js'
import type { DiskContent, Reply, ReplyStats, SessionState, Task } from './protocol.js'
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
/** Times a task is sent again with all that it stands on. Twice can be needed: first the disk content is missing, then it is another's turn. */
const RESEND_LIMIT = 3
/** Rulesets of a thread that are remembered on this side; a wrong guess costs one more message. */
const KNOWN_LIMIT = 4096

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
  readonly timeoutMs?: number
  /** Taken if it is free. */
  readonly preferredThread?: number | null
  /** A part of something that has begun: it may wait even where the queue is full, as turning it away would waste what is done. */
  readonly begun?: boolean
  /** What the task stands on, to be sent to a thread that lacks it. */
  readonly supplies: Supplies
}

export interface Supplies {
  readonly files: Task['ruleset']['files']
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
  sendAll: boolean
  settle: (submitted: Submitted) => void
}

/** What a thread is known to have. */
interface KnownThread {
  diskIds: Set<string>
  keys: Set<string>
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
  /** As each thread last said. */
  readonly cachedBytes: number
  readonly cachedRulesets: number
}

export class ThreadPool {
  readonly #options: ThreadPoolOptions
  readonly #piscina: Piscina
  readonly #threadData: { moduleUrl: string; disk: DiskContent; cacheBytes: number }
  readonly #waiting: Job[] = []
  readonly #slots: Progress[] = []
  readonly #known = new Map<number, KnownThread>()
  readonly #cached = new Map<number, ReplyStats>()
  readonly #waitMs = new Histogram()
  readonly #runMs = new Histogram()
  readonly #outcomes: Record<Submitted['outcome'], number> = { ok: 0, busy: 0, aborted: 0, timeout: 0, failed: 0 }
  readonly #idle: (() => void)[] = []
  #running = 0
  #cacheHits = 0
  #cacheMisses = 0
  #replaced = 0
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
      loadBalancer: (task, workers) => {
        const job = (task as unknown as { [queueOptionsSymbol]: Job })[queueOptionsSymbol]
        const idle = workers.filter((worker) => worker.currentUsage === 0 && !worker.terminating && !worker.destroyed)
        const chosen = this.#choose(job, idle)
        if (chosen !== null) this.#address(job, chosen.id)
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
      let settled = false
      const job: Job = {
        task,
        options,
        submittedAt: sharedNow(),
        resends: 0,
        sendAll: false,
        settle: (submitted) => {
          if (settled) return
          settled = true
          this.#outcomes[submitted.outcome]++
          resolve(submitted)
        },
      }
      if (options.signal?.aborted || this.#closing) return job.settle({ outcome: 'aborted' })
      if (this.#running < this.threads) return this.#start(job)
      if (this.#waiting.length >= this.#options.queueLimit && options.begun !== true) return job.settle({ outcome: 'busy' })
      this.#waiting.push(job)
      options.signal?.addEventListener(
        'abort',
        () => {
          const at = this.#waiting.indexOf(job)
          if (at < 0) return
          this.#waiting.splice(at, 1)
          job.settle({ outcome: 'aborted' })
        },
        { once: true },
      )
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
      running: this.#running,
      queueLength: this.#waiting.length,
      queueLimit: this.#options.queueLimit,
      waitMs: this.#waitMs.read(),
      runMs: this.#runMs.read(),
      outcomes: { ...this.#outcomes },
      cacheHits: this.#cacheHits,
      cacheMisses: this.#cacheMisses,
      replacedThreads: this.#replaced,
      cachedBytes,
      cachedRulesets,
    }
  }

  /** Takes no new tasks, lets those that run and wait finish for that long, then ends all threads. */
  async close(drainMs: number): Promise<void> {
    this.#closing = true
    if (this.#running > 0 || this.#waiting.length > 0) {
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

  /** The threads as they are, for tests that end them. */
  get workers(): Piscina['threads'] {
    return this.#piscina.threads
  }

  #start(job: Job): void {
    this.#running++
    void this.#run(job).then((submitted) => {
      this.#running--
      if (submitted === null) {
        // Sent again before all others: it had its turn.
        this.#waiting.unshift(job)
      } else job.settle(submitted)
      this.#next()
    })
  }

  #next(): void {
    while (this.#running < this.threads) {
      const job = this.#waiting.shift()
      if (job === undefined) break
      if (job.options.signal?.aborted) job.settle({ outcome: 'aborted' })
      else this.#start(job)
    }
    if (this.#running === 0 && this.#waiting.length === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  /** One try. Null: the thread lacked something, and the task is to be sent again with everything. */
  async #run(job: Job): Promise<Submitted | null> {
    const { task, options } = job
    const timeoutMs = options.timeoutMs ?? this.taskTimeoutMs
    const progress = this.#slots.pop() ?? new Progress()
    progress.clear()
    task.progress = progress.buffer
    const controller = new AbortController()
    const handedOver = sharedNow()
    let ended: 'timeout' | 'start' | 'abort' | null = null
    const end = (why: NonNullable<typeof ended>): void => {
      if (ended !== null) return
      ended = why
      controller.abort()
    }
    let grace: NodeJS.Timeout | undefined
    const onAbort = (): void => {
      job.settle({ outcome: 'aborted' })
      grace = setTimeout(() => end('abort'), ABORT_GRACE_MS)
    }
    options.signal?.addEventListener('abort', onAbort, { once: true })
    const check = (): void => {
      const { beganAt, unitAt } = progress.read()
      const left = beganAt === 0 ? START_LIMIT_MS - (sharedNow() - handedOver) : timeoutMs - (sharedNow() - unitAt)
      if (left <= 0) end(beganAt === 0 ? 'start' : 'timeout')
      else timer = setTimeout(check, beganAt === 0 ? Math.min(left, timeoutMs) : left)
    }
    let timer = setTimeout(check, timeoutMs)
    try {
      const reply = (await this.#piscina.run({ ...task, [queueOptionsSymbol]: job }, { signal: controller.signal })) as Reply
      if (reply.outcome !== 'missing') this.#measure(job, progress.read().beganAt)
      const submitted = this.#read(job, reply, progress)
      this.#slots.push(progress)
      return submitted
    } catch (error) {
      // The thread is gone, or about to be; its memory must not be shared with another task.
      const { unit, ruleId, decoder, beganAt } = progress.read()
      const at: WorkAt = { index: unit < 0 ? null : unit, ruleId, decoder }
      if (beganAt !== 0) this.#replaced++
      if (ended === 'abort') return { outcome: 'aborted' }
      if (ended === 'timeout') {
        this.#options.onFault({ debugId: randomUUID(), task: task.kind, reason: 'timeout', error: null })
        return { outcome: 'timeout', timeoutMs, at }
      }
      if (this.#closing) return { outcome: 'aborted' }
      const reason = (error as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'thread'
      return this.#failure(job, reason, flattenError(error), at.index)
    } finally {
      clearTimeout(timer)
      clearTimeout(grace)
      options.signal?.removeEventListener('abort', onAbort)
    }
  }

  #read(job: Job, reply: Reply, progress: Progress): Submitted | null {
    const { stats } = reply
    const known = this.#knownThread(stats.threadId)
    this.#cached.set(stats.threadId, stats)
    if (reply.outcome === 'missing') {
      if (reply.what === 'ruleset') known.keys.clear()
      if (reply.what === 'disk') known.diskIds.clear()
      if (job.resends++ < RESEND_LIMIT) {
        job.sendAll = true
        return null
      }
      return this.#failure(job, 'fault', { name: 'MissingError', code: reply.what, frames: [] }, null)
    }
    if (reply.outcome === 'failed') {
      const { unit } = progress.read()
      return this.#failure(job, 'fault', reply.error, unit < 0 ? null : unit)
    }
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

  #measure(job: Job, beganAt: number): void {
    this.#waitMs.add(Math.max(0, beganAt - job.submittedAt))
    this.#runMs.add(Math.max(0, sharedNow() - beganAt))
  }

  /** The thread that holds the session, else one that holds the ruleset, else any. */
  #choose<W extends { readonly id: number }>(job: Job, idle: readonly W[]): W | null {
    if (idle.length < 2) return idle[0] ?? null
    const { preferredThread } = job.options
    const { key } = job.task.ruleset
    return idle.find(({ id }) => id === preferredThread) ?? idle.find(({ id }) => this.#known.get(id)?.keys.has(key)) ?? idle[0]
  }

  /** Puts into the message what this thread is not known to have. Piscina sends it right afterwards. */
  #address(job: Job, id: number): void {
    const { task, options, sendAll } = job
    const { files, disk, session } = options.supplies
    const known = this.#known.get(id)
    task.ruleset.files = !sendAll && files !== null && files.length > 0 && known?.keys.has(task.ruleset.key) ? null : files
    task.ruleset.disk = sendAll || (known !== undefined && !known.diskIds.has(disk.id)) ? disk : null
    if ('session' in task && task.session !== null && session !== null) task.session.state = !sendAll && session.threadId === id ? null : session.state()
  }

  #knownThread(id: number): KnownThread {
    let known = this.#known.get(id)
    if (known === undefined) {
      // Ids are never used twice, so those of ended threads only pile up.
      const alive = new Set(this.#piscina.threads.map(({ threadId }) => threadId))
      for (const old of this.#known.keys()) if (!alive.has(old)) this.#known.delete(old)
      for (const old of this.#cached.keys()) if (!alive.has(old)) this.#cached.delete(old)
      known = { diskIds: new Set(), keys: new Set() }
      this.#known.set(id, known)
    }
    return known
  }
}
