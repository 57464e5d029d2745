/**
 * The threads and the queue before them. Invariants:
 *  1. a task is sent only to a thread that is free for it, so that order, bounds and waiting times are ours (`fair-queue.ts`); Piscina makes threads, ends
 *     them and puts others in their place (`thread-link.ts`)
 *  2. a thread runs one task at a time; one that runs over, or goes on without its caller, is ended and replaced (there is no other way to stop
 *     synchronous code)
 *  3. the deadline counts running time only: not the queue, not the start of a replacement thread
 *  4. `submit` always resolves, with a value
 *  5. small tasks that wait share a turn of a thread, as a message costs more than they do: only such that leave nothing behind and whose ruleset the
 *     thread has compiled. One that turns out slow holds up nobody: the others are taken back and run elsewhere, and at worst run twice
 */
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { AnswerSheets } from './answer-sheets.js'
import { sharedNow } from './clock.js'
import type { Fault, FlatFailure, WorkAt } from './failure.js'
import { flattenError } from './failure.js'
import { FairQueue } from './fair-queue.js'
import { Histogram, type HistogramReading } from './histogram.js'
import { isAbandoned, type Job, type Submitted, type SubmitOptions } from './job.js'
import { addressed, endTurn, isThere, type Lane, type RunningTurn } from './lane.js'
import { Progress } from './progress.js'
import type { DiskContent, Reply, Task } from './protocol.js'
import type { ThreadData } from './thread.js'
import { isHeavyTask } from './task-weight.js'
import { START_LIMIT_MS, ThreadLink } from './thread-link.js'
import { tuneV8 } from './tune-v8.js'

/**
 * Heap of a thread beside its ruleset cache: the base takes about 50 MB, the live sessions 48 MB, and compiling 8 MB of dense rules about 200 MB
 * before it is in the cache.
 */
export const THREAD_HEAP_MB = 512
/** Young generation of a thread: events are short-lived garbage, and a small one promotes them to the old. */
const YOUNG_GENERATION_MB = 32
/** From when on it is looked whether a caller with a late signal is still there. Under load most small tasks are answered within some ten milliseconds. */
export const LATE_MS = 100
/** How often running turns are looked at: deadlines are seconds, and one timer for all costs less than one each. */
const LOOK_MS = 20
/** Tasks of one turn. More would save little: a sixteenth of what a message costs is left. */
const SHARED_TASKS_LIMIT = 16
/** Waiting tasks that are looked at for a turn. */
const SHARED_LOOK_LIMIT = 64
/** Times that a task may be passed over for one whose ruleset the free thread has: a turn is about a millisecond. */
const PASSED_OVER_LIMIT = 4
/** A task of a shared turn that takes longer than that has the thread to itself. Tasks of a turn take a tenth of a millisecond. */
const SLOW_TASK_MS = 25
/** Times a task is sent again with all that it stands on. Twice can be needed: first the disk content is missing, then it is another's turn. */
const RESEND_LIMIT = 3
/** Before another thread is tried in place of one that died without a task: whatever kills it most likely kills the next, and a start takes a core. */
const RESTART_PAUSE_MS = 1000
/** Rulesets of a thread that are remembered on this side: it says which it lets go of. A wrong guess costs one more message. */
const KNOWN_LIMIT = 65_536

export interface ThreadPoolOptions {
  readonly threads: number
  /** Tasks that may wait, beside those of what has begun. */
  readonly queueLimit: number
  /** Of one organization. */
  readonly organizationLimit: number
  readonly taskTimeoutMs: number
  readonly cacheBytesPerThread: number
  readonly disk: DiskContent
  readonly onFault: (fault: Fault) => void
  /** Another module than `thread.js`. */
  readonly threadUrl?: string
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
  /** Answers in memory of threads that have not been given back: they are on their way to callers. */
  readonly lentAnswers: number
  /** As each thread last said. */
  readonly cachedBytes: number
  readonly cachedRulesets: number
}

export class ThreadPool {
  readonly #options: ThreadPoolOptions
  readonly #piscina: Piscina
  readonly #threadData: { moduleUrl: string; disk: DiskContent; cacheBytes: number }
  readonly #lanes: Lane[] = []
  readonly #waiting: FairQueue<Job>
  /** Tasks that wait and may be turned away. */
  #counted = 0
  readonly #waitMs = new Histogram()
  readonly #runMs = new Histogram()
  readonly #outcomes: Record<Submitted['outcome'], number> = { ok: 0, busy: 0, aborted: 0, timeout: 0, failed: 0 }
  readonly #idle: (() => void)[] = []
  readonly #whenStarted: ((started: boolean) => void)[] = []
  #look: NodeJS.Timeout | null = null
  #cacheHits = 0
  #cacheMisses = 0
  #replaced = 0
  #sharedTurns = 0
  #closing = false
  #isStartDue = false
  #hasClosed = false
  /** Of the thread that failed last while it started. */
  #startError: unknown

  constructor(options: ThreadPoolOptions) {
    this.#options = options
    this.#waiting = new FairQueue(options.threads, sharedNow)
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
    })
    // One that fails while it starts in the place of another has no task yet to fail with it.
    this.#piscina.on('error', (error) => {
      this.#startError = error
    })
    this.#piscina.on('workerDestroy', () => setImmediate(() => this.#endLost()))
    for (let count = 0; count < options.threads; count++) this.#open()
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
      const { organization = '' } = options
      const job: Job = {
        task,
        organization,
        isHeavy: isHeavyTask(task, options.supplies.source, this.#isCompiled(task.ruleset.key)),
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
        if (this.#waiting.remove(job) && options.begun !== true) this.#counted--
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
      const lane = this.#waiting.mayStart(job) ? this.#choose(job) : null
      if ((lane === null || options.shares === true) && options.begun !== true && this.#isFullFor(organization)) return job.settle({ outcome: 'busy' })
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#look ??= setInterval(() => this.#lookAtTurns(), LOOK_MS)
      // What waits has its turn first: a thread may be free for a moment, until those have come that share its turn.
      if (lane !== null && options.shares !== true && this.#waiting.length === 0) this.#start(lane, job)
      else {
        this.#waiting.push(job)
        if (options.begun !== true) this.#counted++
        if (lane !== null) this.#startSoon()
      }
      return undefined
    })
  }

  metrics(): PoolMetrics {
    let cachedBytes = 0
    let cachedRulesets = 0
    for (const { stats } of this.#lanes) {
      cachedBytes += stats?.cachedBytes ?? 0
      cachedRulesets += stats?.cachedRulesets ?? 0
    }
    return {
      threads: this.threads,
      running: this.#lanes.filter(({ turn }) => turn !== null).length,
      queueLength: this.#waiting.length,
      queueLimit: this.#options.queueLimit,
      waitMs: this.#waitMs.read(),
      runMs: this.#runMs.read(),
      outcomes: { ...this.#outcomes },
      cacheHits: this.#cacheHits,
      cacheMisses: this.#cacheMisses,
      replacedThreads: this.#replaced,
      sharedTurns: this.#sharedTurns,
      lentAnswers: this.#lanes.reduce((sum, { answers }) => sum + answers.lent, 0),
      cachedBytes,
      cachedRulesets,
    }
  }

  /** Resolves when all threads are there. False: the pool was closed, or they don't start. */
  started(): Promise<boolean> {
    if (this.#closing) return Promise.resolve(false)
    return this.#areThere() ? Promise.resolve(true) : new Promise((resolve) => this.#whenStarted.push(resolve))
  }

  /** Takes no new tasks, lets those that run and wait finish for that long, then ends all threads. */
  async close(drainMs: number): Promise<void> {
    this.#closing = true
    this.#tellStarted(false)
    if (!this.#isIdle()) {
      let timer: NodeJS.Timeout | undefined
      const patience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, drainMs)
      })
      await Promise.race([new Promise<void>((resolve) => this.#idle.push(resolve)), patience])
      clearTimeout(timer)
    }
    this.#hasClosed = true
    for (const job of this.#takeAll()) job.settle({ outcome: 'aborted' })
    // A thread that was ended before may only exit after this, and Piscina would put another in its place.
    this.#piscina.options.minThreads = 0
    await this.#piscina.destroy()
  }

  /** A thread has compiled a ruleset that its task did not name. */
  noteRuleset(threadId: number, key: string): void {
    this.#lanes.find(({ link }) => link.threadId === threadId)?.keys.add(key)
  }

  /** The threads as they are, for tests that end them. */
  get workers(): Piscina['threads'] {
    return this.#piscina.threads
  }

  /** Has a thread made. */
  #open(): void {
    if (this.#hasClosed) return
    const lane: Lane = {
      link: new ThreadLink(this.#piscina, {
        onReady: () => {
          if (this.#areThere()) this.#tellStarted(true)
          this.#startWaiting()
        },
        onReply: (replies) => this.#finish(lane, (turn) => this.#read(lane, turn, replies)),
        onEnd: (error) => this.#replace(lane, error),
      }),
      diskIds: new Set(),
      keys: new Set(),
      progress: new Progress(),
      answers: new AnswerSheets(),
      isTold: false,
      stats: null,
      turn: null,
    }
    this.#lanes.push(lane)
  }

  /** A thread is gone, and another comes, also while the last tasks are run. */
  #replace(lane: Lane, error: unknown): void {
    this.#lanes.splice(this.#lanes.indexOf(lane), 1)
    if (!this.#hasClosed) {
      if (isThere(lane)) this.#replaced++
      if (lane.turn === null && lane.stats === null) setTimeout(() => this.#open(), RESTART_PAUSE_MS).unref()
      else this.#open()
      // Where no thread starts, nobody waits for one longer than it takes to know.
      if (!isThere(lane) && !this.#lanes.some(isThere)) {
        this.#tellStarted(false)
        for (const job of this.#takeAll()) job.settle(this.#failure(job, 'thread', flattenError(error), null))
      }
    }
    if (lane.turn !== null) this.#finish(lane, (turn) => this.#readEnd(lane, turn, error))
    else this.#tellIdle()
  }

  /** Ends links for which no thread is on its way: where one has failed while it started, Piscina makes no other before it has a task for it. */
  #endLost(): void {
    const lost = this.#lanes.length - this.#piscina.threads.length
    if (lost <= 0 || this.#hasClosed) return
    const coming = this.#lanes.filter((lane) => !isThere(lane))
    for (const { link } of coming.slice(-lost)) link.end(this.#startError)
    this.#startError = undefined
  }

  #start(lane: Lane, job: Job): void {
    lane.progress.clear()
    const jobs = this.#fill(lane, job)
    for (const one of jobs) this.#waiting.started(one)
    lane.turn = { jobs, handedOver: sharedNow(), ended: null }
    const tasks = jobs.map((one) => addressed(one, lane))
    const isPlain = tasks.every(({ ruleset }, index) => jobs[index].options.shares === true && ruleset.source === null && ruleset.disk === null)
    try {
      lane.link.send({
        tasks: isPlain ? JSON.stringify(tasks) : tasks,
        shared: lane.isTold ? null : { progress: lane.progress.buffer, answers: lane.answers.buffer },
      })
      lane.isTold = true
    } catch (error) {
      // It can't be cloned; the thread knows nothing of it.
      for (const one of jobs) {
        this.#waiting.ended(one, 0)
        one.settle(this.#failure(one, 'fault', flattenError(error), null))
      }
      this.#finish(lane, () => [])
    }
  }

  /** Whatever is to be run again has had its turn, and goes before all others. */
  #finish(lane: Lane, read: (turn: RunningTurn) => Job[]): void {
    const { turn } = lane
    if (turn === null) return
    lane.turn = null
    const again = read(turn).filter(({ isSettled }) => !isSettled)
    this.#putBack(again)
    const [next] = this.#waiting.inTurn(1)
    if (next?.options.shares === true) this.#startSoon()
    else this.#startWaiting()
    this.#tellIdle()
  }

  /** When everything that has come by now has been read: small tasks that come together go together, in one message. */
  #startSoon(): void {
    if (this.#isStartDue) return
    this.#isStartDue = true
    setImmediate(() => {
      this.#isStartDue = false
      this.#startWaiting()
    })
  }

  #startWaiting(): void {
    while (this.#waiting.length > 0 && this.#lanes.some((lane) => lane.turn === null && isThere(lane))) {
      const [job] = this.#waiting.inTurn(SHARED_LOOK_LIMIT)
      if (job === undefined) break
      this.#take(job)
      this.#start(this.#choose(job) as Lane, job)
    }
  }

  #take(job: Job): void {
    if (this.#waiting.remove(job) && job.options.begun !== true) this.#counted--
  }

  #takeAll(): Job[] {
    this.#counted = 0
    return this.#waiting.clear()
  }

  /** Whatever is to be run again has had its turn, and goes before all others of its organization. */
  #putBack(jobs: readonly Job[]): void {
    this.#waiting.putBack(jobs)
    for (const { options } of jobs) if (options.begun !== true) this.#counted++
  }

  /** A thread that is free, or on its way, takes a task soon. */
  #isFullFor(organization: string): boolean {
    const taking = this.#lanes.reduce((count, { turn }) => (turn === null ? count : count - 1), this.threads)
    const { queueLimit, organizationLimit } = this.#options
    return this.#counted >= queueLimit + taking || (organization !== '' && this.#waiting.lengthOf(organization) >= organizationLimit + taking)
  }

  #areThere(): boolean {
    return this.#lanes.length === this.threads && this.#lanes.every(isThere)
  }

  #isIdle(): boolean {
    return this.#waiting.length === 0 && this.#lanes.every(({ turn }) => turn === null)
  }

  #tellIdle(): void {
    if (!this.#isIdle()) return
    if (this.#look !== null) clearInterval(this.#look)
    this.#look = null
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  #tellStarted(started: boolean): void {
    for (const resolve of this.#whenStarted.splice(0)) resolve(started)
  }

  /** Ends turns that ran over, or go on for nobody, and takes tasks back that wait for a slow one. */
  #lookAtTurns(): void {
    const now = sharedNow()
    const watch = ({ isSettled, submittedAt, watchCaller }: Job): void => {
      if (!isSettled && now - submittedAt >= LATE_MS) watchCaller?.()
    }
    for (const job of [...this.#waiting]) watch(job)
    for (const { link, turn, progress } of this.#lanes) {
      if (turn === null) continue
      for (const job of turn.jobs) if (job !== null) watch(job)
      if (turn.ended !== null) continue
      const reading = progress.read()
      if (reading.beganAt === 0) {
        const job = turn.jobs[0]
        if (now - turn.handedOver >= START_LIMIT_MS) endTurn(link, turn, 'start')
        else if (job !== null && isAbandoned(job, now)) endTurn(link, turn, 'abort')
        continue
      }
      const job = turn.jobs[reading.task]
      const limit = (job?.options.timeoutMs ?? this.taskTimeoutMs) + (job?.options.graceMs ?? 0)
      if (job != null) this.#waiting.lasts(job, now - reading.unitAt)
      if (now - reading.unitAt >= limit) endTurn(link, turn, 'timeout')
      else if (job != null && isAbandoned(job, now)) endTurn(link, turn, 'abort')
      else if (turn.jobs.length > 1 && now - reading.unitAt > SLOW_TASK_MS) this.#takeBack(turn, reading.task)
    }
  }

  /** All tasks of a turn but the one at work. Those before it are done, but the thread can't say so. */
  #takeBack(turn: RunningTurn, atWork: number): void {
    const taken = turn.jobs.filter((job, index): job is Job => job !== null && index !== atWork)
    turn.jobs.forEach((_, index) => {
      if (index !== atWork) turn.jobs[index] = null
    })
    for (const job of taken) this.#waiting.ended(job, 0)
    this.#putBack(taken.filter(({ isSettled }) => !isSettled))
    this.#startWaiting()
  }

  /** Settles what was answered. @returns the tasks that are to be run again */
  #read(lane: Lane, turn: RunningTurn, replies: readonly Reply[]): Job[] {
    const { jobs } = turn
    const endedAt = sharedNow()
    const ms = Math.max(0, (endedAt - turn.handedOver) / replies.length)
    const again: Job[] = []
    jobs.forEach((job, index) => {
      const reply = replies.at(index)
      // Nobody is there for it any more.
      if (reply?.outcome === 'ok' && reply.place !== null && job?.isSettled !== false) lane.answers.giveBack(reply.place)
      if (job === null) return
      this.#waiting.ended(job, reply === undefined ? 0 : ms)
      if (reply === undefined) {
        again.push(job)
        return
      }
      if (reply.outcome !== 'missing') {
        this.#waitMs.add(Math.max(0, turn.handedOver - job.submittedAt))
        this.#runMs.add(ms)
      }
      const submitted = this.#readReply(lane, job, reply)
      if (submitted === null) again.push(job)
      else job.settle(submitted)
    })
    return again
  }

  /** A thread that ended. Its progress goes with it. @returns the tasks that are to be run again */
  #readEnd({ progress }: Lane, { jobs, handedOver, ended }: RunningTurn, error: unknown): Job[] {
    const { task, unit, ruleId, decoder, beganAt } = progress.read()
    const left = jobs.filter((job) => job !== null)
    for (const job of left) this.#waiting.ended(job, job === jobs[task] ? Math.max(0, sharedNow() - handedOver) : 0)
    const settle = (job: Job): void => job.settle(this.#settlementOf(job, ended, error, { index: unit < 0 ? null : unit, ruleId, decoder }))
    if (beganAt === 0 && ended === null && !this.#hasClosed) {
      // It was gone before it came to the first of them. Those that this has happened to too often are given up.
      for (const job of left) if (job.resends++ >= RESEND_LIMIT) settle(job)
      return left
    }
    // Those before the one at work were done, but can't be told any more.
    const atWork = jobs[task] ?? null
    if (atWork !== null) settle(atWork)
    return left
  }

  #settlementOf(job: Job, ended: RunningTurn['ended'], error: unknown, at: WorkAt): Submitted {
    if (ended === 'abort') return { outcome: 'aborted' }
    if (ended === 'timeout') {
      this.#options.onFault({ debugId: randomUUID(), task: job.task.kind, reason: 'timeout', error: null })
      return { outcome: 'timeout', timeoutMs: job.options.timeoutMs ?? this.taskTimeoutMs, at }
    }
    if (this.#hasClosed) return { outcome: 'aborted' }
    const reason = (error as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'thread'
    return this.#failure(job, reason, flattenError(error), at.index)
  }

  /** Null: the thread lacked something, and the task is to be sent again with everything. */
  #readReply(lane: Lane, job: Job, reply: Reply): Submitted | null {
    const { stats } = reply
    const { keys, diskIds, answers } = lane
    lane.stats = stats
    for (const key of stats.evicted) keys.delete(key)
    if (reply.outcome === 'missing') {
      if (reply.what === 'ruleset') keys.delete(job.task.ruleset.key)
      if (reply.what === 'disk') diskIds.clear()
      if (job.resends++ < RESEND_LIMIT) {
        job.sendAll = true
        return null
      }
      return this.#failure(job, 'fault', { name: 'MissingError', code: reply.what, frames: [] }, null)
    }
    if (reply.outcome === 'failed') return this.#failure(job, 'fault', reply.error, reply.unit)
    const { key, diskId } = job.task.ruleset
    diskIds.add(diskId)
    if (keys.size >= KNOWN_LIMIT) keys.clear()
    keys.add(key)
    if (stats.cacheHit) this.#cacheHits++
    else this.#cacheMisses++
    const { value, snapshot, place } = reply
    return { outcome: 'ok', value, snapshot, lent: place === null ? null : { bytes: answers.at(place), giveBack: () => answers.giveBack(place) }, stats }
  }

  #failure(job: Job, reason: FlatFailure['reason'], error: ReturnType<typeof flattenError>, index: number | null): FlatFailure {
    const debugId = randomUUID()
    this.#options.onFault({ debugId, task: job.task.kind, reason, error })
    return { outcome: 'failed', reason, debugId, index }
  }

  /** The free thread that holds the session, else one that holds the ruleset, else any; null: none is free. */
  #choose(job: Job): Lane | null {
    const { preferredThread } = job.options
    const { key } = job.task.ruleset
    let chosen: Lane | null = null
    for (const lane of this.#lanes) {
      if (lane.turn !== null || !isThere(lane)) continue
      if (lane.link.threadId === preferredThread) return lane
      if (chosen === null || (lane.keys.has(key) && !chosen.keys.has(key))) chosen = lane
    }
    return chosen
  }

  /** The tasks of a turn: the one that was chosen for the thread, or one that fits it better, and those that share it. */
  #fill(lane: Lane, job: Job): Job[] {
    const first = this.#preferKnown(lane, job)
    return [first, ...this.#sharing(lane, first)]
  }

  /**
   * Where another thread has compiled the ruleset of a task, and this one has that of another task that waits, they change places: else each thread
   * would in time compile what all the others have, and the cache of all would be no larger than that of one.
   */
  #preferKnown({ keys }: Lane, first: Job): Job {
    const { key } = first.task.ruleset
    if (first.sendAll || first.passedOver >= PASSED_OVER_LIMIT || this.#waiting.length === 0 || keys.has(key) || !this.#isCompiled(key)) return first
    const fits = ({ task, options, sendAll }: Job): boolean => !sendAll && options.preferredThread == null && keys.has(task.ruleset.key)
    for (const other of this.#waiting.inTurn(SHARED_LOOK_LIMIT)) {
      if (!fits(other)) continue
      first.passedOver++
      this.#take(other)
      this.#putBack([first])
      return other
    }
    return first
  }

  #isCompiled(key: string): boolean {
    return this.#lanes.some(({ keys }) => keys.has(key))
  }

  /** Tasks that wait and may share the turn, as many as are this thread's due. */
  #sharing({ keys }: Lane, first: Job): readonly Job[] {
    const fits = ({ options, task, sendAll }: Job): boolean => options.shares === true && !sendAll && keys.has(task.ruleset.key)
    if (this.#waiting.length === 0 || !fits(first)) return NONE
    const sharing: Job[] = []
    const due = Math.min(SHARED_TASKS_LIMIT - 1, Math.ceil(this.#waiting.length / this.threads))
    for (const job of this.#waiting.inTurn(SHARED_LOOK_LIMIT)) {
      if (sharing.length >= due) break
      if (fits(job)) sharing.push(job)
    }
    for (const job of sharing) this.#take(job)
    if (sharing.length > 0) this.#sharedTurns++
    return sharing
  }
}

const NONE: readonly Job[] = []
