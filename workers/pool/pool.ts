/**
 * The threads and their queue. Invariants:
 *  1. a task is sent only to a free thread, so the queue (`fair-queue.ts`) decides order, limits and waiting times
 *  2. a thread runs one batch at a time. A batch that exceeds a deadline, or whose caller has cancelled, is ended with its thread, and the thread is replaced:
 *     synchronous code cannot be stopped otherwise
 *  3. a deadline counts running time only: neither waiting nor the start of a replacement thread
 *  4. `submit` always resolves, with a value
 *  5. small waiting tasks run in one batch, because a message takes longer than they do. Only tasks that change no state of the thread, and whose ruleset the
 *     thread has, join a batch. If one of them is slow, the others are taken back and run elsewhere: in the worst case a task runs twice
 */
import { sharedNow } from '../shared/clock.js'
import { type Fault, flattenError, type WorkAt } from '../shared/failure.js'
import type { BaseChecks, DiskContent, Reply } from '../shared/protocol.js'
import type { Task } from '../thread/tasks/index.js'
import type { ThreadData } from '../thread/thread.js'
import { BATCH_LOOK_LIMIT, chooseThread, fillBatch, isCompiled } from './batching.js'
import { FairQueue } from './fair-queue.js'
import { Histogram, type HistogramReading } from './histogram.js'
import { onAbort } from './on-abort.js'
import { isCancelled, type PendingTask, type Submitted, type SubmitOptions } from './pending-task.js'
import { PiscinaHost, type RunBatch } from './piscina-host.js'
import { PooledThread, type RunningBatch, START_LIMIT_MS } from './pooled-thread.js'
import { failureOf, outcomeOfEnd, readReply, RESEND_LIMIT } from './replies.js'
import { isHeavyTask, isSlice } from './task-weight.js'
import { tuneV8 } from './tune-v8.js'

/**
 * Heap of a thread without its ruleset cache: the base takes about 50 MB, the live sessions 48 MB, and compiling 8 MB of dense rules about 200 MB before the
 * result is cached.
 */
export const THREAD_HEAP_MB = 512
/** When a late signal is first created. Under load most small tasks are answered within about ten milliseconds. */
export const LATE_MS = 100
/** How often running batches are checked: deadlines are seconds, and one timer for all costs less than one for each. */
const CHECK_MS = 20
/** A task that runs longer must be alone in its batch. Small tasks take 0.1 ms. */
const SLOW_TASK_MS = 25
/**
 * Size of a thread's young generation. Events are short-lived garbage, which a small young generation promotes to the old one. V8 divides it by three and
 * takes the next power of two: 24 is two halves of 8 MB. More takes 15 MB more memory and is not faster.
 */
const YOUNG_GENERATION_MB = 24

export interface ThreadPoolOptions {
  readonly threads: number
  /** Maximum number of waiting tasks, not counting those that continue work. */
  readonly queueLimit: number
  /** The same for one organization. */
  readonly organizationLimit: number
  readonly taskTimeoutMs: number
  readonly cacheBytesPerThread: number
  readonly disk: DiskContent
  readonly onFault: (fault: Fault) => void
  /** Another module instead of `thread.js`. */
  readonly threadUrl?: string
}

export interface PoolMetrics {
  readonly threads: number
  readonly running: number
  readonly queueLength: number
  readonly queueLimit: number
  readonly waitMs: HistogramReading
  readonly runMs: HistogramReading
  /** Number of tasks by outcome. */
  readonly outcomes: Readonly<Record<Submitted['outcome'], number>>
  readonly cacheHits: number
  readonly cacheMisses: number
  /** Threads that ended and were replaced. */
  readonly replacedThreads: number
  /** Number of batches with more than one task. */
  readonly sharedBatches: number
  /** Number of answers in shared memory that are not released yet, because they are being sent. */
  readonly unreleasedAnswers: number
  /** As each thread last reported. */
  readonly cachedBytes: number
  readonly cachedRulesets: number
}

export class ThreadPool {
  readonly #options: ThreadPoolOptions
  readonly #threads: PooledThread[] = []
  readonly #waiting: FairQueue<PendingTask>
  readonly #host: PiscinaHost
  /** What threads that start later are started with. */
  readonly #threadData: ThreadData
  /** Waiting tasks that count towards the limits. */
  #counted = 0
  readonly #waitMs = new Histogram()
  readonly #runMs = new Histogram()
  readonly #outcomes: Record<Submitted['outcome'], number> = { ok: 0, busy: 0, aborted: 0, timeout: 0, failed: 0 }
  readonly #idle: (() => void)[] = []
  readonly #whenStarted: ((started: boolean) => void)[] = []
  #check: NodeJS.Timeout | null = null
  #cacheHits = 0
  #cacheMisses = 0
  #replaced = 0
  #sharedBatches = 0
  #closing = false
  #isStartDue = false
  #hasClosed = false

  constructor(options: ThreadPoolOptions) {
    this.#options = options
    this.#waiting = new FairQueue(options.threads, sharedNow)
    // The flags apply to the process: threads that start later have them.
    tuneV8()
    const { threads, disk, cacheBytesPerThread: cacheBytes, threadUrl: url = new URL('../thread/entry.js', import.meta.url).href } = options
    this.#threadData = { url, notBefore: 0, disk, baseChecks: null, cacheBytes }
    this.#host = new PiscinaHost({
      threads,
      resourceLimits: { maxOldGenerationSizeMb: this.heapLimitMb, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      threadData: this.#threadData,
      onThread: (worker, run) => this.#open(worker, run),
    })
  }

  get threads(): number {
    return this.#options.threads
  }

  /** Heap size in megabytes at which a thread is ended. */
  get heapLimitMb(): number {
    return THREAD_HEAP_MB + Math.ceil(this.#options.cacheBytesPerThread / 1024 / 1024)
  }

  get taskTimeoutMs(): number {
    return this.#options.taskTimeoutMs
  }

  /** Sets the content with which later threads start. */
  useDisk(disk: DiskContent): void {
    this.#threadData.disk = disk
  }

  /** For threads that start later, and for checks. Null: no thread has checked the default content yet. */
  get baseChecks(): BaseChecks | null {
    return this.#threadData.baseChecks
  }

  set baseChecks(checks: BaseChecks | null) {
    this.#threadData.baseChecks = checks
  }

  submit(task: Task, options: SubmitOptions): Promise<Submitted> {
    return new Promise((resolve) => {
      const { signal, organization = '' } = options
      let stopWatching = (): void => {}
      const pending: PendingTask = {
        task,
        organization,
        isHeavy: isHeavyTask(task, options.supplies.source, isCompiled(this.#threads, task.ruleset.key)),
        isSlice: isSlice(task),
        isBackground: options.isBackground === true,
        options,
        submittedAt: sharedNow(),
        resends: 0,
        passedOver: 0,
        sendAll: false,
        isSettled: false,
        cancelledAt: 0,
        watchCaller: null,
        settle: (submitted) => {
          if (pending.isSettled) return
          pending.isSettled = true
          this.#outcomes[submitted.outcome]++
          stopWatching()
          resolve(submitted)
        },
      }
      // The caller is answered at once. A running task gets `CANCEL_GRACE_MS`.
      const onCancel = (): void => {
        pending.cancelledAt = sharedNow()
        if (this.#waiting.remove(pending) && options.begun !== true) this.#counted--
        pending.settle({ outcome: 'aborted' })
        this.#resolveIdle()
      }
      const { lateSignal } = options
      if (lateSignal !== undefined)
        pending.watchCaller = () => {
          pending.watchCaller = null
          const late = lateSignal()
          if (late.aborted) onCancel()
          else stopWatching = onAbort(late, onCancel)
        }
      if (signal?.aborted || this.#closing) return pending.settle({ outcome: 'aborted' })
      const mayStart = this.#waiting.mayStart(pending)
      const thread = mayStart ? chooseThread(this.#threads, pending) : null
      if ((thread === null || options.isSmall === true) && options.begun !== true && this.#isFullFor(organization)) return pending.settle({ outcome: 'busy' })
      if (signal !== undefined) stopWatching = onAbort(signal, onCancel)
      this.#check ??= setInterval(() => this.#checkBatches(), CHECK_MS)
      // Waiting tasks have priority: a thread may be free only until the tasks that join its batch have arrived.
      if (thread !== null && options.isSmall !== true && this.#waiting.length === 0) this.#start(thread, pending)
      else {
        this.#waiting.push(pending)
        if (options.begun !== true) this.#counted++
        if (thread !== null) this.#startSoon()
        else if (mayStart && !pending.isBackground) this.#askForThread(organization)
      }
      return undefined
    })
  }

  metrics(): PoolMetrics {
    let cachedBytes = 0
    let cachedRulesets = 0
    for (const { stats } of this.#threads) {
      cachedBytes += stats?.cachedBytes ?? 0
      cachedRulesets += stats?.cachedRulesets ?? 0
    }
    return {
      threads: this.threads,
      running: this.#threads.filter(({ batch }) => batch !== null).length,
      queueLength: this.#waiting.length,
      queueLimit: this.#options.queueLimit,
      waitMs: this.#waitMs.read(),
      runMs: this.#runMs.read(),
      outcomes: { ...this.#outcomes },
      cacheHits: this.#cacheHits,
      cacheMisses: this.#cacheMisses,
      replacedThreads: this.#replaced,
      sharedBatches: this.#sharedBatches,
      unreleasedAnswers: this.#threads.reduce((sum, { isStarted, buffers }) => sum + (isStarted ? buffers.unreleased : 0), 0),
      cachedBytes,
      cachedRulesets,
    }
  }

  /** Resolves when all threads have started. False: the pool was closed, or they do not start. */
  started(): Promise<boolean> {
    if (this.#closing) return Promise.resolve(false)
    return this.#areStarted() ? Promise.resolve(true) : new Promise((resolve) => this.#whenStarted.push(resolve))
  }

  /** Accepts no new tasks, lets running and waiting tasks finish for at most that long, then ends all threads. */
  async close(drainMs: number): Promise<void> {
    this.#closing = true
    this.#reportStart(false)
    if (!this.#isIdle()) {
      let timer: NodeJS.Timeout | undefined
      const patience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, drainMs)
      })
      await Promise.race([new Promise<void>((resolve) => this.#idle.push(resolve)), patience])
      clearTimeout(timer)
    }
    this.#hasClosed = true
    for (const pending of this.#takeAll()) pending.settle({ outcome: 'aborted' })
    await this.#host.close()
  }

  /** Records that a thread has compiled a ruleset that its task did not name, because it was in a body. */
  noteRuleset(threadId: number, key: string): void {
    this.#threads.find((thread) => thread.threadId === threadId)?.keys.add(key)
  }

  /** The worker threads, for tests that end them. */
  get workers(): readonly PooledThread['worker'][] {
    return this.#threads.map(({ worker }) => worker)
  }

  /** Adds a thread that is starting. */
  #open(worker: PooledThread['worker'], run: RunBatch): void {
    const thread: PooledThread = new PooledThread(worker, run, {
      onReady: () => {
        if (this.#areStarted()) this.#reportStart(true)
        this.#startWaiting()
      },
      onReply: (replies) => this.#finish(thread, (batch) => this.#read(thread, batch, replies)),
      onRefusal: (error) => this.#finish(thread, (batch) => this.#readRefusal(batch, error)),
      onExit: (error) => this.#close(thread, error),
    })
    this.#threads.push(thread)
  }

  /** Reads the batch of a thread that has ended. The thread is replaced, also while the pool drains. */
  #close(thread: PooledThread, error: unknown): void {
    this.#threads.splice(this.#threads.indexOf(thread), 1)
    if (!this.#hasClosed) {
      if (thread.isStarted) this.#replaced++
      // If no thread starts, tasks must not wait any longer than that takes to detect.
      else if (!this.#threads.some(({ isStarted }) => isStarted)) {
        this.#reportStart(false)
        for (const pending of this.#takeAll()) pending.settle(failureOf(pending, 'thread', flattenError(error), null, this.#options.onFault))
      }
    }
    if (thread.batch !== null) this.#finish(thread, (batch) => this.#readEnd(thread, batch, error))
    else this.#resolveIdle()
  }

  #start(thread: PooledThread, task: PendingTask): void {
    this.#waiting.chosen(task)
    const tasks = fillBatch(thread, task, this.#threads, { queue: this.#waiting, take: (one) => this.#take(one), putBack: (some) => this.#putBack(some) })
    if (tasks.length > 1) this.#sharedBatches++
    for (const one of tasks) this.#waiting.started(one)
    thread.send(tasks, sharedNow())
  }

  /** Reads a batch that has ended. Tasks that have to run again are queued before all others of their organization. */
  #finish(thread: PooledThread, read: (batch: RunningBatch) => PendingTask[]): void {
    const { batch } = thread
    if (batch === null) return
    thread.batch = null
    this.#putBack(read(batch).filter(({ isSettled }) => !isSettled))
    const [next] = this.#waiting.inOrder(1)
    if (next?.options.isSmall === true) this.#startSoon()
    else this.#startWaiting()
    this.#resolveIdle()
  }

  /** Asks one more thread that runs a slice of another organization to end it. */
  #askForThread(organization: string): void {
    const isOther = (one: PendingTask | null): boolean => one?.isSlice === true && one.organization !== organization
    this.#threads.find(({ batch, progress }) => batch?.tasks.some(isOther) === true && !progress.isAsked)?.progress.ask()
  }

  /** Starts waiting tasks when all input that has arrived is read: small tasks that arrive together then run in one batch. */
  #startSoon(): void {
    if (this.#isStartDue) return
    this.#isStartDue = true
    setImmediate(() => {
      this.#isStartDue = false
      this.#startWaiting()
    })
  }

  #startWaiting(): void {
    while (this.#waiting.length > 0 && this.#threads.some(({ batch, isStarted }) => batch === null && isStarted)) {
      const chosen = this.#chooseNext()
      if (chosen === null) break
      this.#take(chosen.pending)
      this.#start(chosen.thread, chosen.pending)
    }
  }

  /** The first waiting task that a free thread can take. */
  #chooseNext(): { readonly pending: PendingTask; readonly thread: PooledThread } | null {
    for (const pending of this.#waiting.inOrder(BATCH_LOOK_LIMIT)) {
      const thread = chooseThread(this.#threads, pending)
      if (thread !== null) return { pending, thread }
    }
    return null
  }

  #take(pending: PendingTask): void {
    if (this.#waiting.remove(pending) && pending.options.begun !== true) this.#counted--
  }

  #takeAll(): PendingTask[] {
    this.#counted = 0
    return this.#waiting.clear()
  }

  #putBack(tasks: readonly PendingTask[]): void {
    this.#waiting.putBack(tasks)
    for (const { options } of tasks) if (options.begun !== true) this.#counted++
  }

  /** A thread that is free or starting counts as room for one task. */
  #isFullFor(organization: string): boolean {
    const free = this.#threads.reduce((count, { batch }) => (batch === null ? count : count - 1), this.threads)
    const { queueLimit, organizationLimit } = this.#options
    return this.#counted >= queueLimit + free || (organization !== '' && this.#waiting.lengthOf(organization) >= organizationLimit + free)
  }

  #areStarted(): boolean {
    return this.#threads.length === this.threads && this.#threads.every(({ isStarted }) => isStarted)
  }

  #isIdle(): boolean {
    return this.#waiting.length === 0 && this.#threads.every(({ batch }) => batch === null)
  }

  #resolveIdle(): void {
    if (!this.#isIdle()) return
    if (this.#check !== null) clearInterval(this.#check)
    this.#check = null
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  #reportStart(started: boolean): void {
    for (const resolve of this.#whenStarted.splice(0)) resolve(started)
  }

  /** Ends batches that exceed a deadline or whose caller has cancelled, and takes tasks back that wait for a slow one. */
  #checkBatches(): void {
    const now = sharedNow()
    const watch = ({ isSettled, submittedAt, watchCaller }: PendingTask): void => {
      if (!isSettled && now - submittedAt >= LATE_MS) watchCaller?.()
    }
    for (const pending of [...this.#waiting]) watch(pending)
    for (const thread of this.#threads) {
      const { batch, progress } = thread
      if (batch === null) continue
      for (const pending of batch.tasks) if (pending !== null) watch(pending)
      if (batch.ended !== null) continue
      const reading = progress.read()
      if (reading.beganAt === 0) {
        const first = batch.tasks[0]
        if (now - batch.sentAt >= START_LIMIT_MS) thread.endBatch(batch, 'start')
        else if (first !== null && isCancelled(first, now)) thread.endBatch(batch, 'cancelled')
        continue
      }
      const pending = batch.tasks[reading.task]
      const limit = (pending?.options.timeoutMs ?? this.taskTimeoutMs) + (pending?.options.graceMs ?? 0)
      if (pending != null) this.#waiting.lasts(pending, now - reading.unitAt)
      if (now - reading.unitAt >= limit) thread.endBatch(batch, 'timeout')
      else if (pending != null && isCancelled(pending, now)) thread.endBatch(batch, 'cancelled')
      else if (batch.tasks.length > 1 && now - reading.unitAt > SLOW_TASK_MS) this.#takeBack(batch, reading.task)
    }
  }

  /** Takes back all tasks of a batch except the running one. Those before it are done, but the thread cannot reply yet. */
  #takeBack({ tasks }: RunningBatch, running: number): void {
    const taken = tasks.filter((pending, index): pending is PendingTask => pending !== null && index !== running)
    tasks.forEach((_, index) => {
      if (index !== running) tasks[index] = null
    })
    for (const pending of taken) this.#waiting.ended(pending, 0)
    this.#putBack(taken.filter(({ isSettled }) => !isSettled))
    this.#startWaiting()
  }

  /** Settles the tasks that were answered. @returns tasks that have to run again */
  #read(thread: PooledThread, { tasks, sentAt }: RunningBatch, replies: readonly Reply[]): PendingTask[] {
    const ms = Math.max(0, (sharedNow() - sentAt) / replies.length)
    const again: PendingTask[] = []
    tasks.forEach((pending, index) => {
      const reply = replies.at(index)
      // Its caller has cancelled, or it was taken back.
      if (reply?.outcome === 'ok' && reply.place !== null && pending?.isSettled !== false) thread.buffers.release(reply.place)
      if (pending === null) return
      this.#waiting.ended(pending, reply === undefined ? 0 : ms)
      if (reply === undefined) {
        again.push(pending)
        return
      }
      if (reply.outcome !== 'missing') {
        this.#waitMs.add(Math.max(0, sentAt - pending.submittedAt))
        this.#runMs.add(ms)
      }
      const submitted = readReply(thread, pending, reply, this.#options.onFault)
      if (submitted?.outcome === 'ok' && pending.task.kind !== 'read') {
        if (submitted.stats.cacheHit) this.#cacheHits++
        else this.#cacheMisses++
      }
      if (submitted === null) again.push(pending)
      else pending.settle(submitted)
    })
    return again
  }

  /** Settles the tasks of a batch that was not run: its message could not be cloned. @returns none */
  #readRefusal({ tasks }: RunningBatch, error: unknown): PendingTask[] {
    for (const pending of tasks) {
      if (pending === null) continue
      this.#waiting.ended(pending, 0)
      pending.settle(failureOf(pending, 'fault', flattenError(error), null, this.#options.onFault))
    }
    return []
  }

  /** Handles a thread that ended during a batch. @returns tasks that have to run again */
  #readEnd({ progress }: PooledThread, batch: RunningBatch, error: unknown): PendingTask[] {
    const { task, unit, ruleId, decoder, beganAt } = progress.read()
    const left = batch.tasks.filter((pending) => pending !== null)
    const running = batch.tasks[task] ?? null
    for (const pending of left) this.#waiting.ended(pending, pending === running ? Math.max(0, sharedNow() - batch.sentAt) : 0)
    const at: WorkAt = { index: unit < 0 ? null : unit, ruleId, decoder }
    const setting = { isClosed: this.#hasClosed, taskTimeoutMs: this.taskTimeoutMs, onFault: this.#options.onFault }
    const settle = (pending: PendingTask): void => pending.settle(outcomeOfEnd(pending, batch, error, at, setting))
    if (beganAt === 0 && batch.ended === null && !this.#hasClosed) {
      // The thread ended before it began the first of them. A task to which this happens too often fails. Memory that was moved to it is lost, but not to the caller.
      for (const pending of left) {
        if (pending.options.moves != null) pending.settle({ outcome: 'busy' })
        else if (pending.resends++ >= RESEND_LIMIT) settle(pending)
      }
      return left
    }
    // The tasks before the running one were done, but their replies are lost.
    if (running !== null) settle(running)
    return left
  }
}
