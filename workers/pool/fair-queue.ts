/**
 * Tasks that wait for a thread, ordered by organization. Invariants:
 *  1. the organization that has used the least running time is first
 *  2. slices of its batches and runs share its time with its other tasks in the same way, each in their order: a logtest does not wait for all slices before it
 *  3. an organization that returns starts at the level of the others: it has neither credit nor debt. So does a kind of its tasks, except for `LANE_DEBT_MS`
 *  4. heavy tasks leave one thread free, and those of one organization use at most half of the threads; an organization that has been alone for `ALONE_MS` may
 *     use all threads
 *  5. work in the background counts as that of an organization of its own, and its time `BACKGROUND_WEIGHT` times: beside others it gets that part of the threads,
 *     and alone all of them
 *
 * Most tasks cannot be interrupted, so ordering by running time is not enough: an organization with tasks of several seconds would occupy all threads by the time
 * another one submits a task. A task is heavy if its kind and size say so (`task-weight.ts`), or if its organization has recently used `SLOW_BUDGET_MS` for
 * tasks that were expected to be short. This state lasts twice as long each time, so that alternating short and slow tasks brings no advantage.
 */

/** A task that takes longer is slow. On a busy machine some short tasks take this long. */
export const SLOW_MS = 50
/** Time that slow tasks of one organization may take within a few seconds before its tasks count as heavy. */
export const SLOW_BUDGET_MS = 500
/** Time constant of the decay: after this time a third of the sum is left. */
const SLOW_DECAY_MS = 5_000
/** How long an organization's tasks count as heavy: the first time, and at most. */
const PENALTY_MS = 10_000
const PENALTY_LIMIT_MS = 10 * 60_000
/** An organization is alone if no other has submitted a task for this long. */
const ALONE_MS = 10 * 60_000
/** How much more one kind of an organization's tasks may have used than the other, when the first of them is submitted: about five slices. */
const LANE_DEBT_MS = 100
/** What a millisecond of work in the background counts as. Beside one other organization that always has tasks it gets a seventeenth of the time. */
const BACKGROUND_WEIGHT = 16
/** How far its time may be ahead of that of others when it submits a task: what it used while nobody else was there is no debt. */
const BACKGROUND_DEBT_MS = 1_000
/** Number of tasks over which the average is taken. */
const MEAN_OVER = 8
/** Maximum number of organizations without tasks that are remembered. */
const REMEMBERED = 4_096

export interface QueuedTask {
  /** Empty: the instance itself. */
  readonly organization: string
  /** The task may take long, judging by its kind and size. */
  readonly isHeavy: boolean
  /** The task is a part of a batch or a run, which submits the next part when this one ends. */
  readonly isSlice: boolean
  /** Nobody waits for the task. Its organization is another one than that of other tasks. Default false. */
  readonly isBackground?: boolean
}

/** Tasks of an organization that run in their order. */
interface Lane<Task> {
  readonly waiting: Task[]
  usedMs: number
}

interface Account<Task> {
  readonly organization: string
  readonly slices: Lane<Task>
  readonly others: Lane<Task>
  /** Running time in milliseconds, on the scale shared by all accounts. */
  usedMs: number
  /** Recent average time of its tasks. */
  meanMs: number
  running: number
  runningHeavy: number
  /** Recent time of tasks that were expected to be short and were slow. */
  slowMs: number
  slowAt: number
  penaltyMs: number
  penaltyUntil: number
}

export class FairQueue<Task extends QueuedTask> {
  readonly #threads: number
  readonly #now: () => number
  readonly #accounts = new Map<string, Account<Task>>()
  /** The running time of the organization whose task was chosen last: the lowest of those with tasks that might start. */
  #clock = 0
  #length = 0
  #runningHeavy = 0
  /** The organization of the last task, and when the organization last changed. */
  #last = ''
  #changedAt = Number.NEGATIVE_INFINITY

  /** @param now returns milliseconds; only differences matter */
  constructor(threads: number, now: () => number) {
    this.#threads = threads
    this.#now = now
  }

  /** Number of waiting tasks. */
  get length(): number {
    return this.#length
  }

  /** Number of remembered organizations. */
  get accounts(): number {
    return this.#accounts.size
  }

  lengthOf(organization: string): number {
    const account = this.#accounts.get(organization)
    return account === undefined ? 0 : waitingIn(account)
  }

  /** All waiting tasks, in no order. */
  *[Symbol.iterator](): Generator<Task> {
    for (const { slices, others } of this.#accounts.values()) {
      yield* others.waiting
      yield* slices.waiting
    }
  }

  push(task: Task): void {
    const account = this.#submitting(task)
    const lane = laneOf(account, task)
    if (lane.waiting.length === 0) {
      const { usedMs } = lane === account.slices ? account.others : account.slices
      lane.usedMs = Math.min(Math.max(lane.usedMs, usedMs), usedMs + LANE_DEBT_MS)
    }
    lane.waiting.push(task)
    this.#length++
  }

  /** Puts tasks back before all others of their lanes. */
  putBack(tasks: readonly Task[]): void {
    for (const task of [...tasks].reverse()) laneOf(this.#accountOf(task.organization), task).waiting.unshift(task)
    this.#length += tasks.length
  }

  /** Removes a waiting task. @returns whether it was waiting */
  remove(task: Task): boolean {
    const account = this.#accounts.get(task.organization)
    if (account === undefined) return false
    const { waiting } = laneOf(account, task)
    const at = waiting.indexOf(task)
    if (at < 0) return false
    waiting.splice(at, 1)
    this.#length--
    return true
  }

  /** Removes and returns all tasks. */
  clear(): Task[] {
    const all = [...this]
    for (const { slices, others } of this.#accounts.values()) slices.waiting.length = others.waiting.length = 0
    this.#length = 0
    return all
  }

  /** Whether a task may start when one thread is free. Call it for each task that is submitted, before it is pushed or started. */
  mayStart(task: Task): boolean {
    const account = this.#submitting(task)
    if (!this.#isHeavy(task, account) || this.#isAlone()) return true
    const all = Math.max(1, this.#threads - 1)
    const own = Math.max(1, Math.floor(this.#threads / 2))
    return this.#runningHeavy < all && account.runningHeavy < own
  }

  /** Yields tasks that may start, in their order: the first of each organization, then the second of each. Examines at most `limit` tasks. */
  *inOrder(limit: number): Generator<Task> {
    const accounts = [...this.#accounts.values()].filter((account) => waitingIn(account) > 0)
    if (accounts.length > 1) accounts.sort((a, b) => timeOf(a) - timeOf(b))
    let looked = 0
    for (let place = 0, found = true; found; place++) {
      found = false
      for (const account of accounts) {
        if (place >= waitingIn(account)) continue
        found = true
        if (looked++ >= limit) return
        // The lanes may have changed while the generator was suspended.
        const task = taskAt(account, place)
        if (this.mayStart(task)) yield task
      }
    }
  }

  /** Call it when a task was chosen because it was first; others may then be sent with it, or instead of it. */
  chosen({ organization, isBackground }: Task): void {
    // Others that return would begin at its level, which is not what they use.
    if (isBackground === true) return
    this.#clock = Math.max(this.#clock, this.#accountOf(organization).usedMs)
  }

  /** Call it when a task is sent to a thread. */
  started(task: Task): void {
    const account = this.#accountOf(task.organization)
    const isHeavy = this.#isHeavy(task, account)
    if (task.organization !== '' && task.isBackground !== true && task.organization !== this.#last) {
      if (this.#last !== '') this.#changedAt = this.#now()
      this.#last = task.organization
    }
    account.running++
    if (!isHeavy) return
    account.runningHeavy++
    this.#runningHeavy++
    this.#heavy.add(task)
  }

  /** Call it when a task has ended. @param ms running time */
  ended(task: Task, ms: number): void {
    const account = this.#accountOf(task.organization)
    account.usedMs += task.isBackground === true ? ms * BACKGROUND_WEIGHT : ms
    laneOf(account, task).usedMs += ms
    account.meanMs += (ms - account.meanMs) / MEAN_OVER
    account.running--
    if (this.#heavy.delete(task)) {
      account.runningHeavy--
      this.#runningHeavy--
    }
    if (!task.isHeavy) this.#noteSlow(account, ms)
    this.#forget(account)
  }

  /** Call it while a task that was expected to be short is still running. @param ms running time so far */
  lasts(task: Task, ms: number): void {
    if (task.isHeavy || this.#heavy.has(task) || ms < SLOW_BUDGET_MS) return
    const account = this.#accountOf(task.organization)
    this.#penalize(account)
    this.#heavy.add(task)
    account.runningHeavy++
    this.#runningHeavy++
  }

  /** Running heavy tasks. */
  readonly #heavy = new Set<Task>()

  #isHeavy(task: Task, { penaltyUntil }: Account<Task>): boolean {
    return task.isHeavy || penaltyUntil > this.#now()
  }

  /** Only one organization has had tasks for a while. */
  #isAlone(): boolean {
    return this.#now() - this.#changedAt >= ALONE_MS
  }

  #noteSlow(account: Account<Task>, ms: number): void {
    if (ms < SLOW_MS || account.organization === '') return
    const now = this.#now()
    account.slowMs = account.slowMs * Math.exp((account.slowAt - now) / SLOW_DECAY_MS) + ms
    account.slowAt = now
    if (account.slowMs >= SLOW_BUDGET_MS) this.#penalize(account)
  }

  #penalize(account: Account<Task>): void {
    const now = this.#now()
    if (account.organization === '' || account.penaltyUntil > now) return
    const isAgain = now - account.penaltyUntil < account.penaltyMs
    account.penaltyMs = isAgain ? Math.min(2 * account.penaltyMs, PENALTY_LIMIT_MS) : PENALTY_MS
    account.penaltyUntil = now + account.penaltyMs
    account.slowMs = 0
  }

  #accountOf(organization: string): Account<Task> {
    let account = this.#accounts.get(organization)
    if (account === undefined) {
      const lane = (): Lane<Task> => ({ waiting: [], usedMs: 0 })
      account = {
        organization,
        slices: lane(),
        others: lane(),
        usedMs: 0,
        meanMs: 1,
        running: 0,
        runningHeavy: 0,
        slowMs: 0,
        slowAt: 0,
        penaltyMs: 0,
        penaltyUntil: Number.NEGATIVE_INFINITY,
      }
      this.#accounts.set(organization, account)
    }
    return account
  }

  /** An organization that returns starts at the level of the others. A task that was taken from the queue to be started has not left it idle. */
  #submitting({ organization, isBackground }: Task): Account<Task> {
    const account = this.#accountOf(organization)
    if (isIdle(account)) account.usedMs = Math.max(isBackground === true ? Math.min(account.usedMs, this.#clock + BACKGROUND_DEBT_MS) : account.usedMs, this.#clock)
    return account
  }

  /** Removes the least recently used accounts if there are too many. */
  #forget(account: Account<Task>): void {
    if (!isIdle(account) || this.#accounts.size <= REMEMBERED) return
    for (const [organization, one] of this.#accounts) {
      if (this.#accounts.size <= REMEMBERED) return
      if (isIdle(one)) this.#accounts.delete(organization)
    }
  }
}

/** Returns the running time, including an estimate for the running tasks. */
function timeOf({ usedMs, meanMs, running }: Account<unknown>): number {
  return usedMs + running * meanMs
}

function laneOf<Task extends QueuedTask>({ slices, others }: Account<Task>, { isSlice }: Task): Lane<Task> {
  return isSlice ? slices : others
}

function isIdle(account: Account<unknown>): boolean {
  return waitingIn(account) === 0 && account.running === 0
}

function waitingIn({ slices, others }: Account<unknown>): number {
  return slices.waiting.length + others.waiting.length
}

/** Returns the task at this place: the lanes alternate, beginning with the one that has used less time, until one of them ends. */
function taskAt<Task>({ slices, others }: Account<Task>, place: number): Task {
  const [first, second] = slices.usedMs < others.usedMs ? [slices.waiting, others.waiting] : [others.waiting, slices.waiting]
  const pairs = Math.min(first.length, second.length)
  if (place < 2 * pairs) return (place % 2 === 0 ? first : second)[place >> 1]
  return (first.length > pairs ? first : second)[place - pairs]
}
