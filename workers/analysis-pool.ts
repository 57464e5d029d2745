/**
 * The analysis as the server and the command line see it: one typed method a task. Every method resolves with a `TaskOutcome`; none rejects.
 */
import { availableParallelism } from 'node:os'
import type { CaseReport, CoverageReport, Explanation, Locale, LogtestInput, SourceFile, SuiteCase, ValidationSchema } from '#engine'
import { now, sharedNow } from './clock.js'
import { hashContent, readDiskContent, REFERENCE_RULESET_DIR } from './content.js'
import { type Failed, failed, type Fault, type Stopped, type TaskOutcome, type TimedOut, timedOut, type WorkAt } from './failure.js'
import { inParts, type PartOutcome, type Stop } from './in-parts.js'
import { type PoolMetrics, type Submitted, type SubmitOptions, ThreadPool } from './pool.js'
import type {
  AnswerForm,
  BatchLine,
  BatchPart,
  CasesPart,
  CatalogAnswer,
  DiskContent,
  JsonAnswer,
  LogtestAnswer,
  LogtestDigest,
  RulesetReference,
  SessionReference,
  Task,
  ValidationAnswer,
  ValidationDigest,
} from './protocol.js'
import { PROTOCOL_VERSION } from './protocol.js'
import { RulesetLedger } from './ruleset-ledger.js'
import { type SessionMetrics, type SessionRecord, Sessions } from './sessions.js'

/** Tasks that may wait per thread: at 10 ms a task, the last of them waits about a third of a second. */
const QUEUE_PER_THREAD = 32
const DEFAULT_CACHE_MB = 256
const DEFAULT_TIMEOUT_MS = 10_000
/** Time that running tasks get when the pool is closed. */
const DRAIN_MS = 10_000
/** Of the cache's memory, what source texts of known rulesets may take on this side: compiled, they take 24 times as much. */
const LEDGER_SHARE = 1 / 16
/** A run that only finds out where an event hangs. Its thread is lost as well, so it is kept short. */
const LOCATE_MS = 1000
/** Events of one batch task. The thread's turn usually ends a task first; this bounds what is sent in vain. */
const BATCH_EVENTS = 512
/** Characters of the events of one batch task. */
const BATCH_CHARACTERS = 1024 * 1024
const CASES_PER_TASK = 64
/** Disk contents that rulesets known by hash may still stand on: the current one, and the one before it. */
const DISK_LIMIT = 2

export interface AnalysisPoolOptions {
  /** Default: the ruleset in the package. Null: none. */
  readonly defaultRulesetDir?: string | null
  /** Default: none. A folder that isn't there holds nothing. */
  readonly customContentDir?: string | null
  /** Threads. Default: cores. */
  readonly workers?: number
  /** Memory for compiled rulesets, over all threads, without those of the two folders. */
  readonly rulesetCacheMb?: number
  readonly taskTimeoutMs?: number
  /** Tasks that may wait. */
  readonly queueLimit?: number
  /** Told of faults and timeouts, for the log. */
  readonly onFault?: (fault: Fault) => void
  /** Milliseconds since the epoch; default `Date.now`. */
  readonly clock?: () => number
  /** Another module for the threads, for tests. */
  readonly threadUrl?: string
}

/** Which ruleset: files on top of what is on disk, or one that the caller compiled before. */
export type RulesetSelection = { readonly includeDefaults?: boolean; readonly includeCustom?: boolean; readonly files?: readonly SourceFile[] } | { readonly compiledHash: string }

export interface RequestOptions {
  /** Ends waiting at once, and a running task soon. */
  readonly signal?: AbortSignal
  /** Language of findings. Default en-US. */
  readonly locale?: Locale
  /** For which organization: rulesets known by hash are kept apart by it, and sessions. */
  readonly organization?: string
  /** Who of it asks: sessions are kept apart by it. */
  readonly caller?: string
}

export interface ValidateRequest {
  readonly ruleset: RulesetSelection
  readonly includeBaseline?: boolean
}

export interface LogtestRequest {
  readonly ruleset: RulesetSelection
  readonly input: LogtestInput
  /** Default true. */
  readonly trace?: boolean
  readonly sessionId?: string
  readonly includeBaseline?: boolean
  /** Seconds since the epoch at which the event is received. Default now. */
  readonly at?: number
}

export interface BatchRequest {
  readonly ruleset: RulesetSelection
  readonly inputs: readonly LogtestInput[]
  /** Default false. */
  readonly trace?: boolean
  readonly sessionId?: string
  readonly includeBaseline?: boolean
  readonly at?: number
}

/** A piece of a batch's answer, in the order of the inputs. */
export interface BatchPiece {
  /** Index of the input that the first line answers. */
  readonly first: number
  readonly count: number
  /** NDJSON: one `BatchLine` each. */
  readonly json: Uint8Array
  /** Where each line ends, its line feed included. */
  readonly ends: Uint32Array
  readonly matched: number
  readonly failed: number
  /** Null when no event ran. */
  readonly compiledHash: string | null
}

export interface BatchAnswer {
  readonly pieces: readonly BatchPiece[]
  readonly total: number
  /** Events with a final rule. */
  readonly matched: number
  /** Events answered `ok: false`. */
  readonly failed: number
  readonly durationMs: number
}

export interface RunCasesRequest {
  readonly ruleset: RulesetSelection
  /** Native cases and those of Wazuh's `.ini` files (`parseIniSuite`). */
  readonly cases: readonly SuiteCase[]
  /** Of the last event of each. Default false. */
  readonly trace?: boolean
  /** Default false. */
  readonly coverage?: boolean
  readonly at?: number
}

/** A case's report, or how its run was stopped. */
export type CaseOutcome = { readonly outcome: 'ok'; readonly report: CaseReport } | TimedOut | Failed

export interface RunCasesAnswer {
  /** False: Wazuh would not start with the ruleset, and every case fails. */
  readonly loads: boolean
  /** In the order of the cases. */
  readonly results: readonly CaseOutcome[]
  /** Of the client's own rules and decoders; null unless asked for. */
  readonly coverage: CoverageReport | null
}

export interface ExplainRequest {
  readonly ruleset: RulesetSelection
  readonly ruleId: string
  readonly input: LogtestInput
  readonly sessionId?: string
  readonly at?: number
}

export interface ReloadAnswer {
  /** False: the folders hold what they held before. */
  readonly changed: boolean
  readonly contentId: string
}

export interface AnalysisMetrics extends PoolMetrics, SessionMetrics {}

export function createAnalysisPool(options: AnalysisPoolOptions = {}): AnalysisPool {
  return new AnalysisPool(options)
}

/** A ruleset found for a request. */
interface Prepared {
  readonly reference: RulesetReference
  readonly files: readonly SourceFile[]
  readonly disk: DiskContent
  readonly organization: string
  readonly prepareMs: number
}

export class AnalysisPool {
  readonly #options: AnalysisPoolOptions
  readonly #defaultDir: string | null
  readonly #customDir: string | null
  readonly #threads: ThreadPool
  readonly #sessions: Sessions
  readonly #ledger: RulesetLedger
  readonly #clock: () => number
  #disk: DiskContent
  #disks: readonly DiskContent[]
  #reloading: Promise<TaskOutcome<ReloadAnswer>> | null = null

  constructor(options: AnalysisPoolOptions) {
    this.#options = options
    this.#clock = options.clock ?? Date.now
    this.#defaultDir = options.defaultRulesetDir === undefined ? REFERENCE_RULESET_DIR : options.defaultRulesetDir
    this.#customDir = options.customContentDir ?? null
    this.#disk = readDiskContent(this.#defaultDir, this.#customDir)
    this.#disks = [this.#disk]
    const threads = options.workers ?? availableParallelism()
    const cacheBytes = (options.rulesetCacheMb ?? DEFAULT_CACHE_MB) * 1024 * 1024
    this.#sessions = new Sessions(sharedNow)
    this.#ledger = new RulesetLedger(cacheBytes * LEDGER_SHARE)
    this.#threads = new ThreadPool({
      threads,
      queueLimit: options.queueLimit ?? threads * QUEUE_PER_THREAD,
      taskTimeoutMs: options.taskTimeoutMs ?? DEFAULT_TIMEOUT_MS,
      cacheBytesPerThread: Math.floor(cacheBytes / threads),
      disk: this.#disk,
      onFault: options.onFault ?? (() => {}),
      ...(options.threadUrl === undefined ? {} : { threadUrl: options.threadUrl }),
    })
  }

  /** For tests that look at threads. */
  get threadPool(): ThreadPool {
    return this.#threads
  }

  /** Resolves once every thread has compiled the default ruleset. False: the pool was closed, or threads don't start. */
  async ready(): Promise<boolean> {
    const prepared = this.#prepare({ includeDefaults: true, includeCustom: true, files: [] }, '') as Prepared
    const warmed = await Promise.all(Array.from({ length: this.#threads.threads }, () => this.#submit({ kind: 'warm', ...this.#head(prepared, {}) }, prepared, { begun: true })))
    return warmed.every(({ outcome }) => outcome === 'ok')
  }

  validate(request: ValidateRequest, options: RequestOptions = {}): Promise<TaskOutcome<ValidationAnswer>> {
    return this.#validate<ValidationAnswer>(request, options, 'object')
  }

  /** The answer as bytes, made by the thread. */
  validateJson(request: ValidateRequest, options: RequestOptions = {}): Promise<TaskOutcome<JsonAnswer<ValidationDigest>>> {
    return this.#validate<JsonAnswer<ValidationDigest>>(request, options, 'json')
  }

  logtest(request: LogtestRequest, options: RequestOptions = {}): Promise<TaskOutcome<LogtestAnswer>> {
    return this.#logtest<LogtestAnswer>(request, options, 'object')
  }

  /** The answer as bytes, made by the thread. */
  logtestJson(request: LogtestRequest, options: RequestOptions = {}): Promise<TaskOutcome<JsonAnswer<LogtestDigest>>> {
    return this.#logtest<JsonAnswer<LogtestDigest>>(request, options, 'json')
  }

  /** All pieces at once. */
  async batch(request: BatchRequest, options: RequestOptions = {}): Promise<TaskOutcome<BatchAnswer>> {
    const started = now()
    const pieces: BatchPiece[] = []
    let total = 0
    let matched = 0
    let failedEvents = 0
    for await (const piece of this.batchPieces(request, options)) {
      if (piece.outcome !== 'ok') return piece
      pieces.push(piece.value)
      total += piece.value.count
      matched += piece.value.matched
      failedEvents += piece.value.failed
    }
    return { outcome: 'ok', value: { pieces, total, matched, failed: failedEvents, durationMs: now() - started } }
  }

  /**
   * Pieces as they come, in the order of the inputs. An outcome other than `ok` is the last: as the first it means that nothing was done.
   * Without a session the pieces are worked on by all threads.
   */
  async *batchPieces(request: BatchRequest, options: RequestOptions = {}): AsyncGenerator<TaskOutcome<BatchPiece>, void, undefined> {
    const prepared = this.#prepare(request.ruleset, options.organization ?? '')
    if (isMissing(prepared)) return yield prepared
    const turn = request.sessionId === undefined ? null : await this.#sessions.enter(this.#sessionName(prepared, options, request.sessionId), options.signal)
    if (typeof turn === 'string') return yield { outcome: turn }
    try {
      yield* this.#batchPieces(request, options, prepared, turn?.record ?? null)
    } finally {
      turn?.leave()
    }
  }

  async runCases(request: RunCasesRequest, options: RequestOptions = {}): Promise<TaskOutcome<RunCasesAnswer>> {
    const prepared = this.#prepare(request.ruleset, options.organization ?? '')
    if (isMissing(prepared)) return prepared
    const seconds = request.at ?? this.#seconds()
    const { cases, trace = false } = request
    const counted = { stops: 0 }
    const results: CaseOutcome[] = []
    let loads = true
    let begun = false
    const submit = async (some: RunCasesRequest['cases']) => {
      const task: Task = { kind: 'run-cases', ...this.#head(prepared, options), cases: some, seconds, trace }
      const submitting = this.#submit(task, prepared, { signal: options.signal, begun })
      begun = true
      const submitted = await submitting
      return submitted.outcome === 'ok' ? { outcome: 'ok' as const, part: submitted.value as CasesPart } : submitted
    }
    for (let first = 0; first < cases.length && results.length === first; first += CASES_PER_TASK) {
      for await (const outcome of inParts(cases.slice(first, first + CASES_PER_TASK), first, counted, submit)) {
        if (outcome.outcome === 'ended') return this.#told(outcome.by, options)
        if (outcome.outcome === 'ok') {
          loads = outcome.part.loads
          for (const report of outcome.part.reports) results.push({ outcome: 'ok', report })
        } else {
          const stopped = this.#toldStop(outcome.stop, options)
          const count = outcome.abandoned ? cases.length - results.length : 1
          for (let i = 0; i < count; i++) results.push(stopped)
        }
      }
    }
    const answer: RunCasesAnswer = { loads, results, coverage: null }
    if (request.coverage !== true) return { outcome: 'ok', value: answer }
    const reports = results.flatMap((result) => (result.outcome === 'ok' ? [{ covered: result.report.covered }] : []))
    const measured = await this.#submit({ kind: 'coverage', ...this.#head(prepared, options), reports }, prepared, { signal: options.signal, begun })
    return measured.outcome === 'ok' ? { outcome: 'ok', value: { ...answer, coverage: measured.value as CoverageReport } } : this.#told(measured, options)
  }

  catalog(ruleset: RulesetSelection, options: RequestOptions = {}): Promise<TaskOutcome<CatalogAnswer>> {
    return this.#once<CatalogAnswer>(ruleset, options, (prepared) => ({ kind: 'catalog', ...this.#head(prepared, options) }))
  }

  schema(options: RequestOptions = {}): Promise<TaskOutcome<ValidationSchema>> {
    return this.#once<ValidationSchema>({ files: [] }, options, (prepared) => ({ kind: 'schema', ...this.#head(prepared, options) }))
  }

  /** Why a rule did not answer for an event. Leaves the session as it is. */
  async explain(request: ExplainRequest, options: RequestOptions = {}): Promise<TaskOutcome<Explanation>> {
    return this.#inSession<Explanation>(request, options, async (prepared, record) => {
      const { ruleId, input } = request
      const session = record?.reference() ?? null
      return this.#submit(
        { kind: 'explain', ...this.#head(prepared, options), ruleId, input, seconds: request.at ?? this.#seconds(), session },
        prepared,
        { signal: options.signal },
        record,
      )
    })
  }

  metrics(): AnalysisMetrics {
    return { ...this.#threads.metrics(), ...this.#sessions.metrics() }
  }

  /**
   * Reads the two folders again. Tasks that are under way, or wait, keep the content they were given; new ones get the new content as soon as a
   * thread has compiled it. Rejects nothing; a folder that can't be read leaves everything as it is, and is a fault.
   */
  reload(): Promise<TaskOutcome<ReloadAnswer>> {
    this.#reloading ??= this.#reload().finally(() => {
      this.#reloading = null
    })
    return this.#reloading
  }

  /** Lets what runs and waits finish, for at most ten seconds. Afterwards every method answers `aborted`. */
  close(): Promise<void> {
    return this.#threads.close(DRAIN_MS)
  }

  #validate<T>(request: ValidateRequest, options: RequestOptions, form: AnswerForm): Promise<TaskOutcome<T>> {
    const includeBaseline = request.includeBaseline ?? false
    return this.#once<T>(request.ruleset, options, (prepared) => ({ kind: 'validate', ...this.#head(prepared, options), includeBaseline, form }))
  }

  async #logtest<T>(request: LogtestRequest, options: RequestOptions, form: AnswerForm): Promise<TaskOutcome<T>> {
    const { input, trace = true, includeBaseline = false } = request
    let stoppedIn: Prepared | null = null
    const outcome = await this.#inSession<T>(request, options, async (prepared, record) => {
      const seconds = request.at ?? this.#seconds()
      const session = record?.reference() ?? null
      const submitted = await this.#submit(
        { kind: 'logtest', ...this.#head(prepared, options), input, seconds, trace, includeBaseline, session, form },
        prepared,
        { signal: options.signal },
        record,
      )
      if (submitted.outcome === 'ok') record?.answered([input], seconds, submitted.snapshot, submitted.stats.threadId)
      if (submitted.outcome === 'timeout') stoppedIn = prepared
      return submitted
    })
    if (outcome.outcome !== 'timeout' || stoppedIn === null) return outcome
    const at = await this.#locate(stoppedIn, input, request.at ?? this.#seconds(), options)
    return at === null ? outcome : timedOut(this.#threads.taskTimeoutMs, { ...at, index: null }, options.locale ?? 'en-US')
  }

  async *#batchPieces(request: BatchRequest, options: RequestOptions, prepared: Prepared, record: SessionRecord | null): AsyncGenerator<TaskOutcome<BatchPiece>, void, undefined> {
    const { inputs, trace = false, includeBaseline = false } = request
    const counted = { stops: 0 }
    // Parts that are worked on ahead end with the reader, who may leave in the middle.
    const left = new AbortController()
    const signal = options.signal === undefined ? left.signal : AbortSignal.any([options.signal, left.signal])
    let begun = false
    let findingsTold = false
    const collect = async (chunk: Chunk): Promise<PartOutcome<FirstPart>[]> => {
      const submit = async (some: readonly LogtestInput[], first: number): Promise<Exclude<Submitted, { outcome: 'ok' }> | { outcome: 'ok'; part: FirstPart }> => {
        const seconds = request.at ?? this.#seconds()
        const session: SessionReference | null = record?.reference() ?? null
        const withFindings = chunk.first === 0 && !findingsTold
        const task: Task = { kind: 'batch', ...this.#head(prepared, options), inputs: some, seconds, trace, includeBaseline, withFindings, session }
        const submitting = this.#submit(task, prepared, { signal, begun }, record)
        begun = true
        const submitted = await submitting
        if (submitted.outcome !== 'ok') return submitted
        const part = submitted.value as BatchPart
        if (withFindings) findingsTold = true
        record?.answered(some.slice(0, part.count), seconds, submitted.snapshot, submitted.stats.threadId)
        return { outcome: 'ok', part: { ...part, first } }
      }
      const parts = []
      for await (const part of inParts(chunk.items, chunk.first, counted, submit)) parts.push(part)
      return parts
    }
    const ahead: Promise<PartOutcome<FirstPart>[]>[] = []
    const chunks = chunksOf(inputs)
    const window = record === null ? this.#threads.threads : 1
    try {
      for (;;) {
        while (ahead.length < window) {
          const chunk = chunks.next()
          if (chunk.done === true) break
          ahead.push(collect(chunk.value))
        }
        const parts = await ahead.shift()
        if (parts === undefined) return
        for (const part of parts) {
          if (part.outcome === 'ended') return yield this.#told(part.by, options)
          if (part.outcome === 'ok') {
            yield { outcome: 'ok', value: part.part }
            continue
          }
          const { index, abandoned } = part
          const located = part.stop.outcome === 'timeout' ? await this.#locate(prepared, inputs[index], request.at ?? this.#seconds(), options) : null
          const stop = located === null || part.stop.outcome !== 'timeout' ? part.stop : { ...part.stop, at: { ...located, index } }
          yield { outcome: 'ok', value: stoppedPiece(index, abandoned ? inputs.length - index : 1, this.#toldStop(stop, options)) }
          if (abandoned) return
        }
      }
    } finally {
      left.abort()
    }
  }

  /** A task without a session. */
  async #once<T>(ruleset: RulesetSelection, options: RequestOptions, task: (prepared: Prepared) => Task): Promise<TaskOutcome<T>> {
    const prepared = this.#prepare(ruleset, options.organization ?? '')
    if (isMissing(prepared)) return prepared
    return this.#answered<T>(await this.#submit(task(prepared), prepared, { signal: options.signal }), options)
  }

  /** A task that may have a session, in its turn. */
  async #inSession<T>(
    request: { readonly ruleset: RulesetSelection; readonly sessionId?: string },
    options: RequestOptions,
    run: (prepared: Prepared, record: SessionRecord | null) => Promise<Submitted>,
  ): Promise<TaskOutcome<T>> {
    const prepared = this.#prepare(request.ruleset, options.organization ?? '')
    if (isMissing(prepared)) return prepared
    if (request.sessionId === undefined) return this.#answered<T>(await run(prepared, null), options)
    const turn = await this.#sessions.enter(this.#sessionName(prepared, options, request.sessionId), options.signal)
    if (typeof turn === 'string') return { outcome: turn }
    try {
      return this.#answered<T>(await run(prepared, turn.record), options)
    } finally {
      turn.leave()
    }
  }

  async #submit(task: Task, { files, disk, organization, reference }: Prepared, options: Omit<SubmitOptions, 'supplies'>, record: SessionRecord | null = null): Promise<Submitted> {
    const submitted = await this.#threads.submit(task, {
      ...options,
      preferredThread: record?.threadId ?? options.preferredThread ?? null,
      supplies: { files, disk, session: record },
    })
    if (submitted.outcome === 'ok' && submitted.stats.compiledHash !== null) {
      const { key, includeDefaults, includeCustom, diskId } = reference
      this.#ledger.note(submitted.stats.compiledHash, organization, { key, includeDefaults, includeCustom, diskId, files })
    }
    return submitted
  }

  #answered<T>(submitted: Submitted, options: RequestOptions): TaskOutcome<T> {
    return submitted.outcome === 'ok' ? { outcome: 'ok', value: submitted.value as T } : this.#told(submitted, options)
  }

  #told(submitted: Exclude<Submitted, { outcome: 'ok' }>, options: RequestOptions): Stopped {
    return submitted.outcome === 'timeout' || submitted.outcome === 'failed' ? this.#toldStop(submitted, options) : submitted
  }

  #toldStop(stop: Stop, options: RequestOptions): TimedOut | Failed {
    const locale = options.locale ?? 'en-US'
    return stop.outcome === 'timeout' ? timedOut(stop.timeoutMs, stop.at, locale) : failed(stop, this.#threads.heapLimitMb, locale)
  }

  /** Runs an event that ran over once more, to see where it hangs. Null: not known. */
  async #locate(prepared: Prepared, input: LogtestInput, seconds: number, options: RequestOptions): Promise<WorkAt | null> {
    const timeoutMs = Math.min(LOCATE_MS, this.#threads.taskTimeoutMs)
    const submitted = await this.#submit({ kind: 'locate', ...this.#head(prepared, options), input, seconds }, prepared, { signal: options.signal, timeoutMs })
    return submitted.outcome === 'timeout' ? submitted.at : null
  }

  #prepare(selection: RulesetSelection, organization: string): Prepared | Extract<Stopped, { outcome: 'ruleset_missing' }> {
    const started = now()
    if ('compiledHash' in selection) {
      const { compiledHash } = selection
      const entry = this.#ledger.find(compiledHash, organization)
      const disk = entry === null ? undefined : this.#disks.find(({ id }) => id === entry.diskId)
      if (entry === null || disk === undefined) return { outcome: 'ruleset_missing', compiledHash }
      const { key, includeDefaults, includeCustom, files } = entry
      return { reference: { key, diskId: disk.id, includeDefaults, includeCustom, files: null, disk: null }, files, disk, organization, prepareMs: now() - started }
    }
    const { includeDefaults = true, includeCustom = true, files = [] } = selection
    const disk = this.#disk
    // What isn't taken isn't in the key: a change of the custom folder leaves those alone who work without it.
    const key = `${includeDefaults ? disk.defaultsId : '-'} ${includeCustom ? disk.customId : '-'} ${hashContent([files])}`
    return { reference: { key, diskId: disk.id, includeDefaults, includeCustom, files: null, disk: null }, files, disk, organization, prepareMs: now() - started }
  }

  /** Each task has a reference of its own: what it carries depends on its thread. */
  #head({ reference, prepareMs }: Prepared, { locale = 'en-US' }: RequestOptions) {
    return { version: PROTOCOL_VERSION, progress: null, locale, ruleset: { ...reference }, prepareMs } as const
  }

  #sessionName({ reference }: Prepared, { organization = '', caller = '' }: RequestOptions, id: string) {
    return { organization, caller, rulesetKey: reference.key, id }
  }

  #seconds(): number {
    return Math.floor(this.#clock() / 1000)
  }

  async #reload(): Promise<TaskOutcome<ReloadAnswer>> {
    let disk: DiskContent
    try {
      disk = readDiskContent(this.#defaultDir, this.#customDir)
    } catch {
      return this.#unreadable()
    }
    if (disk.id === this.#disk.id) return { outcome: 'ok', value: { changed: false, contentId: disk.id } }
    const reference: RulesetReference = { key: disk.id, diskId: disk.id, includeDefaults: true, includeCustom: true, files: [], disk: null }
    const prepared: Prepared = { reference, files: [], disk, organization: '', prepareMs: 0 }
    const warm = (preferredThread: number): Promise<Submitted> => this.#submit({ kind: 'warm', ...this.#head(prepared, {}) }, prepared, { begun: true, preferredThread })
    const [first, ...others] = this.#threads.workers.map(({ threadId }) => threadId)
    const submitted = await warm(first)
    if (submitted.outcome !== 'ok') return this.#told(submitted, {})
    this.#disk = disk
    this.#disks = [disk, ...this.#disks].slice(0, DISK_LIMIT)
    this.#threads.useDisk(disk)
    await Promise.all(others.map(warm))
    return { outcome: 'ok', value: { changed: true, contentId: disk.id } }
  }

  #unreadable(): Failed {
    const debugId = crypto.randomUUID()
    this.#options.onFault?.({ debugId, task: 'warm', reason: 'fault', error: { name: 'UnreadableFolder', code: null, frames: [] } })
    return failed({ outcome: 'failed', reason: 'fault', debugId, index: null }, 0, 'en-US')
  }
}

/** A part that knows its place in the whole. */
type FirstPart = BatchPart & { readonly first: number }

interface Chunk {
  readonly first: number
  readonly items: readonly LogtestInput[]
}

/** Inputs in tasks of a bounded number and length; at least one each. */
function* chunksOf(inputs: readonly LogtestInput[]): Generator<Chunk, void, undefined> {
  let first = 0
  while (first < inputs.length) {
    let end = first
    let characters = 0
    while (end < inputs.length && end - first < BATCH_EVENTS && (end === first || characters + inputs[end].event.length <= BATCH_CHARACTERS))
      characters += inputs[end++].event.length
    yield { first, items: inputs.slice(first, end) }
    first = end
  }
}

/** What an event that was stopped gives beside its finding. */
const STOPPED = {
  ok: false,
  predecoded: null,
  decoder: null,
  rule: null,
  matched_rules: [],
  extracted_fields: {},
  trace: [],
  insights: [],
  alert: false,
  previous_output: [],
} as const

/** The answer lines of events that were stopped, or left out after too many stops. */
function stoppedPiece(first: number, count: number, { diagnostic }: TimedOut | Failed): BatchPiece {
  const line = Buffer.from(`${JSON.stringify({ ...STOPPED, diagnostics: [diagnostic] } satisfies BatchLine)}\n`)
  const ends = Uint32Array.from({ length: count }, (_, index) => line.length * (index + 1))
  return { first, count, json: Buffer.concat(new Array<Buffer>(count).fill(line)), ends, matched: 0, failed: count, compiledHash: null }
}

function isMissing(prepared: Prepared | Extract<Stopped, { outcome: 'ruleset_missing' }>): prepared is Extract<Stopped, { outcome: 'ruleset_missing' }> {
  return 'outcome' in prepared
}
