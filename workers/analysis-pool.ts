/**
 * The analysis as the server and the command line see it: one typed method a task. Every method resolves with a `TaskOutcome`; none rejects.
 */
import { availableParallelism } from 'node:os'
import { LRUCache } from 'lru-cache'
import type { ContentComparison, CoverageReport, DiagnosticRecord, Explanation, FileScope, LogtestInput, SourceFile, ValidationSchema } from '#engine'
import { type CaseOutcome, type CasesPiece, runCaseParts } from './case-run.js'
import { now, sharedNow } from './clock.js'
import { DISK_GENERATIONS, readDiskContent, REFERENCE_RULESET_DIR, rulesetKey } from './content.js'
import { type Failed, failed, flattenError, type Stopped, type TaskOutcome, type TimedOut, timedOut, type WorkAt } from './failure.js'
import type { Stop } from './in-parts.js'
import type { LentBytes, Submitted, SubmitOptions } from './job.js'
import { ThreadPool } from './pool.js'
import type {
  AnswerForm,
  BodyReply,
  CaseFindings,
  CasesPart,
  CatalogAnswer,
  CatalogPageRequest,
  ContentCheck,
  DiskContent,
  FiledRuleset,
  FileSource,
  JsonAnswer,
  LinesPart,
  LogtestAnswer,
  LogtestDigest,
  OwnFindings,
  RulesetReference,
  Task,
  ThreadAnswer,
  ValidateTask,
  ValidationAnswer,
  ValidationDigest,
} from './protocol.js'
import { PROTOCOL_VERSION } from './protocol.js'
import { answerStopped, type LinePiece, type LineSource, runLines } from './line-batch.js'
import type { BodyKind, ReadRequest } from './requests/analysis-request.js'
import type {
  AnalysisPoolOptions,
  RulesetSelection,
  RequestOptions,
  ValidateRequest,
  LogtestRequest,
  BodyRequest,
  BodyOutcome,
  PreparedRuleset,
  PreparedSelection,
  PreparedHead,
  LinesRequest,
  RunCasesRequest,
  RunCasesAnswer,
  ExplainRequest,
  CatalogPageOf,
  CustomContentState,
  RefusedContent,
  ReloadAnswer,
  AnalysisMetrics,
  Prepared,
} from './pool-requests.js'
import { RulesetLedger } from './ruleset-ledger.js'
import { type SessionRecord, Sessions } from './sessions.js'

/**
 * Tasks of one organization that may wait per thread: most take a tenth of a millisecond, and share turns; were all of them at 10 ms, the last would wait
 * two and a half seconds. All organizations together may have four times as many.
 */
const QUEUE_PER_THREAD = 256
const QUEUES = 4
const DEFAULT_CACHE_MB = 256
const DEFAULT_TIMEOUT_MS = 10_000
/** Time that running tasks get when the pool is closed. */
const DRAIN_MS = 10_000
/**
 * Beyond its deadline, for a chain of cases to end itself between two of them: with its thread it would lose what it has answered, and all of that would be
 * run again, for as long.
 */
const CHAIN_GRACE_MS = 1000
/** Of the cache's memory, what source texts of known rulesets may take on this side: compiled, they take 24 times as much. */
const LEDGER_SHARE = 1 / 16
/** A run that only finds out where an event hangs. Its thread is lost as well, so it is kept short. */
const LOCATE_MS = 1000
/** Characters of an event that may share a turn of a thread with others. */
const SHARED_EVENT_CHARACTERS = 8 * 1024
/** Chunks of an upload under way for each thread: one that it works on, and more that wait, as answers go out in order and a thread would wait for its reader. */
const CHUNKS_PER_THREAD = 3
/** Callers of whom the thread of the last body is remembered: it has most likely compiled their ruleset. */
const CALLERS_LIMIT = 4096
/** Before content is tried again that a thread had no time or memory for: each try may cost a thread, and what others have in it. */
const RETRY_REJECTED_MS = 60_000
/** Keys of small file sets that are remembered by their text: hashing costs more than looking them up. */
const KEYS_BYTES = 16 * 1024 * 1024
/** Characters of files up to which their key is remembered. */
const KEY_FILES_CHARACTERS = 16 * 1024
/** Starts the pool's threads; `ready` tells when they stand. */
export function createAnalysisPool(options: AnalysisPoolOptions = {}): AnalysisPool {
  return new AnalysisPool(options)
}

/** What a server or a command line asks of the threads. */
export class AnalysisPool {
  readonly #options: AnalysisPoolOptions
  readonly #defaultDir: string | null
  readonly #customDir: string | null
  readonly #threads: ThreadPool
  readonly #sessions: Sessions
  readonly #ledger: RulesetLedger
  readonly #clock: () => number
  readonly #keys = new LRUCache<string, string>({ maxSize: KEYS_BYTES })
  readonly #callerThreads = new LRUCache<string, number>({ max: CALLERS_LIMIT })
  #disk: DiskContent
  #disks: readonly DiskContent[]
  #reloading: Promise<TaskOutcome<ReloadAnswer>> | null = null
  /** What the folders held when it could not be used. */
  #rejected: Rejected | null = null
  /** Since when the folders hold what can't be used, milliseconds since the epoch; null: they do not. */
  #staleSince: number | null = null

  constructor(options: AnalysisPoolOptions) {
    this.#options = options
    this.#clock = options.clock ?? Date.now
    this.#defaultDir = options.defaultRulesetDir === undefined ? REFERENCE_RULESET_DIR : options.defaultRulesetDir
    this.#customDir = options.customContentDir ?? null
    // Only a thread can say whether custom content loads, and until then it is not at work.
    this.#disk = readDiskContent(this.#defaultDir, null)
    this.#disks = [this.#disk]
    const threads = options.workers ?? availableParallelism()
    const cacheBytes = (options.rulesetCacheMb ?? DEFAULT_CACHE_MB) * 1024 * 1024
    this.#sessions = new Sessions(sharedNow)
    this.#ledger = new RulesetLedger(cacheBytes * LEDGER_SHARE)
    this.#threads = new ThreadPool({
      threads,
      queueLimit: options.queueLimit ?? threads * QUEUE_PER_THREAD * QUEUES,
      organizationLimit: options.organizationQueueLimit ?? options.queueLimit ?? threads * QUEUE_PER_THREAD,
      taskTimeoutMs: options.taskTimeoutMs ?? DEFAULT_TIMEOUT_MS,
      cacheBytesPerThread: Math.floor(cacheBytes / threads),
      disk: this.#disk,
      onFault: options.onFault ?? (() => {}),
      ...(options.threadUrl === undefined ? {} : { threadUrl: options.threadUrl }),
    })
  }

  /** Of what is on disk: as long as it is the same, rulesets of the same files are the same. */
  get contentId(): string {
    return this.#disk.id
  }

  /** How the custom content at work stands to its folder. */
  get customContent(): CustomContentState {
    if (this.#staleSince === null) return CURRENT
    return { state: this.#disk.custom.length === 0 ? 'left_out' : 'stale', since: new Date(this.#staleSince) }
  }

  /** For tests that look at threads. */
  get threadPool(): ThreadPool {
    return this.#threads
  }

  /** Resolves once every thread has compiled the default ruleset. False: the pool was closed, or threads don't start. */
  async ready(): Promise<boolean> {
    if (!(await this.#threads.started())) return false
    const prepared = this.#prepare({ includeDefaults: true, includeCustom: true, files: [] }, '') as Prepared
    const warmed = await Promise.all(this.#threads.workers.map(({ threadId }) => this.#warm(prepared, threadId, false)))
    return warmed.every(({ outcome }) => outcome === 'ok')
  }

  /** Whether Wazuh would start with the content at work. */
  async checkContent(): Promise<TaskOutcome<ContentCheck>> {
    const prepared = this.#prepare({ includeDefaults: true, includeCustom: true, files: [] }, '') as Prepared
    return this.#answered<ContentCheck>(await this.#warm(prepared, null, false), {})
  }

  validate(request: ValidateRequest, options: RequestOptions = {}): Promise<TaskOutcome<ValidationAnswer>> {
    return this.#validate<ValidationAnswer>(request, options, 'object')
  }

  /** The answer as bytes, made by the thread. */
  validateJson(request: ValidateRequest, options: RequestOptions = {}): Promise<TaskOutcome<JsonAnswer<ValidationDigest>>> {
    return this.#validate<JsonAnswer<ValidationDigest>>(request, options, 'json')
  }

  /** What is found in the own files: counted, and the worst of it. */
  findings(ruleset: RulesetSelection, limit: number, options: RequestOptions = {}): Promise<TaskOutcome<OwnFindings>> {
    return this.#once<OwnFindings>(ruleset, options, (prepared) => ({ kind: 'findings', ...this.#head(prepared, options), limit }))
  }

  logtest(request: LogtestRequest, options: RequestOptions = {}): Promise<TaskOutcome<LogtestAnswer>> {
    return this.#logtest<LogtestAnswer>(request, options, 'object')
  }

  /** The answer as bytes, made by the thread. */
  logtestJson(request: LogtestRequest, options: RequestOptions = {}): Promise<TaskOutcome<JsonAnswer<LogtestDigest>>> {
    return this.#logtestJson(request, options)
  }

  /** A validation of a body that threads read. */
  validateBody(request: BodyRequest, options: RequestOptions = {}): Promise<BodyOutcome<JsonAnswer<ValidationDigest>>> {
    return this.#runBody('validate', request, options, (answer) => answer as JsonAnswer<ValidationDigest>)
  }

  /** A logtest of a body that threads read. */
  logtestBody(request: BodyRequest, options: RequestOptions = {}): Promise<BodyOutcome<JsonAnswer<LogtestDigest>>> {
    return this.#runBody(
      'logtest',
      request,
      options,
      (answer) => answer as JsonAnswer<LogtestDigest>,
      ({ input, sessionId, trace }, ruleset) => {
        if (input === null) throw new TypeError('a logtest has an input')
        const { includeBaseline = false, at } = request
        return this.#logtestJson({ ruleset, input, trace, includeBaseline, ...(sessionId === null ? {} : { sessionId }), ...(at === undefined ? {} : { at }) }, options)
      },
    )
  }

  /** The first line of a batch, as it came: read by a thread, its ruleset compiled. */
  prepareBody(request: BodyRequest, options: RequestOptions = {}): Promise<BodyOutcome<PreparedHead>> {
    return this.#runBody<PreparedHead>(
      'head',
      request,
      options,
      () => {
        throw new TypeError('a head has no answer')
      },
      async ({ trace, sessionId }, ruleset) => {
        const prepared = await this.prepare(ruleset, options)
        return prepared.outcome === 'ok' ? { outcome: 'ok', value: { ...prepared.value, trace, sessionId } } : prepared
      },
    )
  }

  /** Compiles a ruleset, for many events that come later. */
  async prepare(ruleset: RulesetSelection | PreparedSelection, options: RequestOptions = {}): Promise<TaskOutcome<PreparedRuleset>> {
    const prepared = this.#prepare(ruleset, options.organization ?? '')
    if (isMissing(prepared)) return prepared
    const outcome = this.#answered<readonly DiagnosticRecord[]>(
      await this.#submit({ kind: 'prepare', ...this.#head(prepared, options) }, prepared, { signal: options.signal }),
      options,
    )
    return outcome.outcome === 'ok' ? { outcome: 'ok', value: { unreadable: outcome.value, selection: { prepared } } } : outcome
  }

  /**
   * A batch whose lines come as they are uploaded. Pieces come in the order of the lines, as they are ready; an outcome other than `ok` is the last.
   * Whoever stops taking pieces stops the reading of lines.
   */
  async *lines(request: LinesRequest, options: RequestOptions = {}): AsyncGenerator<TaskOutcome<LinePiece>, void, undefined> {
    const { trace = false, includeBaseline = false, requestId = '', sessionId } = request
    const prepared = this.#prepare(request.ruleset, options.organization ?? '')
    if (isMissing(prepared)) return yield prepared
    const turn = sessionId === undefined ? null : await this.#enter(prepared, options, sessionId)
    if (typeof turn === 'string') return yield { outcome: turn }
    const record = turn?.record ?? null
    const seconds = (): number => request.at ?? this.#seconds()
    try {
      yield* runLines(request.source, {
        window: record === null ? this.#threads.threads * CHUNKS_PER_THREAD : 1,
        signal: options.signal,
        submit: async (some, isContentOk, signal) => {
          const task: Task = {
            kind: 'lines',
            ...this.#head(prepared, options),
            lines: some,
            seconds: seconds(),
            trace,
            includeBaseline,
            isContentOk,
            session: record?.reference() ?? null,
            sessionId: sessionId ?? '',
            requestId,
            texts: request.texts,
            lends: options.lend !== undefined,
          }
          const submitted = await this.#submit(task, prepared, { signal, begun: true }, record)
          if (submitted.outcome !== 'ok') return submitted
          const part = submitted.value as LinesPart
          record?.answered(part.inputs, task.seconds, submitted.snapshot, submitted.stats.threadId)
          return { outcome: 'ok', part, ...borrowed(part.json, submitted.lent, options) }
        },
        tell: (by) => this.#told(by, options),
        describe: async (stop, line) => {
          const input = stop.outcome === 'timeout' ? inputOf(line) : null
          const located = input === null ? null : await this.#locate(prepared, input, seconds(), options)
          return this.#toldStop(located === null || stop.outcome !== 'timeout' ? stop : { ...stop, at: located }, options)
        },
      })
    } finally {
      turn?.leave()
    }
  }

  /** A batch whose ruleset could not be compiled in time or memory: every line is answered by that. */
  stoppedLines(source: LineSource, stop: TimedOut | Failed): AsyncGenerator<TaskOutcome<LinePiece>, void, undefined> {
    return answerStopped(source, stop)
  }

  /** Runs cases, those of one `session_id` in one session. The whole at once: for runs whose answers fit into memory. */
  async runCases(request: RunCasesRequest, options: RequestOptions = {}): Promise<TaskOutcome<RunCasesAnswer>> {
    const prepared = this.#prepare(request.ruleset, options.organization ?? '')
    if (isMissing(prepared)) return prepared
    const results: CaseOutcome[] = []
    let loads = true
    let findings: CaseFindings | null = null
    for await (const piece of this.#cases({ ...request, ruleset: { prepared } }, options)) {
      if (piece.outcome !== 'ok') return piece
      for (const result of piece.value.results) results.push(result)
      loads = piece.value.loads
      findings ??= piece.value.findings
    }
    const answer: RunCasesAnswer = { loads, results, findings, coverage: null }
    if (request.coverage !== true) return { outcome: 'ok', value: answer }
    const reports = results.flatMap((result) => (result.outcome === 'ok' ? [{ covered: result.report.covered }] : []))
    const measured = await this.#submit({ kind: 'coverage', ...this.#head(prepared, options), reports }, prepared, { signal: options.signal, begun: true })
    return measured.outcome === 'ok' ? { outcome: 'ok', value: { ...answer, coverage: measured.value as CoverageReport } } : this.#told(measured, options)
  }

  /**
   * Likewise, answer by answer in the order of the cases, as they are known; an outcome other than `ok` is the last. Whoever stops taking pieces stops
   * the run.
   */
  cases(request: Omit<RunCasesRequest, 'coverage'>, options: RequestOptions = {}): AsyncGenerator<TaskOutcome<CasesPiece>, void, undefined> {
    return this.#cases(request, options)
  }

  async *#cases(
    { ruleset, cases, trace = false, at }: Omit<RunCasesRequest, 'ruleset'> & { readonly ruleset: RulesetSelection | PreparedSelection },
    options: RequestOptions,
  ): AsyncGenerator<TaskOutcome<CasesPiece>, void, undefined> {
    const prepared = this.#prepare(ruleset, options.organization ?? '')
    if (isMissing(prepared)) return yield prepared
    const seconds = at ?? this.#seconds()
    let begun = false
    const pieces = runCaseParts(cases, {
      submit: async (some, withFindings, hasChain) => {
        const chainMs = this.#threads.taskTimeoutMs
        const task: Task = { kind: 'run-cases', ...this.#head(prepared, options), cases: some, chainMs, seconds, trace, withFindings }
        const submitting = this.#submit(task, prepared, { signal: options.signal, begun, ...(hasChain && { graceMs: CHAIN_GRACE_MS }) })
        begun = true
        const submitted = await submitting
        if (submitted.outcome !== 'ok') return submitted
        const part = submitted.value as CasesPart
        const at = { index: part.count, ruleId: null, decoder: null }
        return { outcome: 'ok', part: { ...part, stop: part.overran ? { outcome: 'timeout', timeoutMs: chainMs, at } : null } }
      },
      describe: (stop) => this.#toldStop(stop, options),
    })
    for await (const piece of pieces) yield 'outcome' in piece ? this.#told(piece, options) : { outcome: 'ok', value: piece }
  }

  /** @param scopes only what comes from there; null: everything, which is some megabytes */
  catalog(ruleset: RulesetSelection, options: RequestOptions = {}, scopes: readonly FileScope[] | null = null): Promise<TaskOutcome<CatalogAnswer>> {
    return this.#once<CatalogAnswer>(ruleset, options, (prepared) => ({ kind: 'catalog', ...this.#head(prepared, options), scopes }))
  }

  /** Of the rules or decoders those that are asked for, a page of them. */
  catalogPage<Of extends CatalogPageRequest['of']>(
    ruleset: RulesetSelection,
    request: Extract<CatalogPageRequest, { readonly of: Of }>,
    options: RequestOptions = {},
  ): Promise<TaskOutcome<CatalogPageOf<Of>>> {
    return this.#once<CatalogPageOf<Of>>(ruleset, options, (prepared) => ({ kind: 'catalog-page', ...this.#head(prepared, options), request }))
  }

  /** The own rules and decoders by their meaning, with what is found in them: for `compare`. */
  semantics(ruleset: RulesetSelection, options: RequestOptions = {}): Promise<TaskOutcome<Uint8Array>> {
    return this.#once<Uint8Array>(ruleset, options, (prepared) => ({ kind: 'semantics', ...this.#head(prepared, options) }))
  }

  /** What becomes of the first content in the second. @param limit entries of each list */
  compare(before: Uint8Array, after: Uint8Array, limit: number, options: RequestOptions = {}): Promise<TaskOutcome<ContentComparison>> {
    return this.#once<ContentComparison>({ files: [] }, options, (prepared) => ({ kind: 'compare', ...this.#head(prepared, options), before, after, limit }))
  }

  schema(options: RequestOptions = {}): Promise<TaskOutcome<ValidationSchema>> {
    return this.#once<ValidationSchema>({ files: [] }, options, (prepared) => ({ kind: 'schema', ...this.#head(prepared, options) }))
  }

  /** Why a rule did not answer for an event. Leaves the session as it is. */
  async explain(request: ExplainRequest, options: RequestOptions = {}): Promise<TaskOutcome<Explanation>> {
    const { ruleId, input, sessionId } = request
    const prepared = this.#prepare(request.ruleset, options.organization ?? '')
    if (isMissing(prepared)) return prepared
    const turn = sessionId === undefined ? null : await this.#enter(prepared, options, sessionId)
    if (typeof turn === 'string') return { outcome: turn }
    const record = turn?.record ?? null
    try {
      const session = record?.reference() ?? null
      const task: Task = { kind: 'explain', ...this.#head(prepared, options), ruleId, input, seconds: request.at ?? this.#seconds(), session }
      return this.#answered<Explanation>(await this.#submit(task, prepared, { signal: options.signal }, record), options)
    } finally {
      turn?.leave()
    }
  }

  metrics(): AnalysisMetrics {
    return { ...this.#threads.metrics(), ...this.#sessions.metrics() }
  }

  /**
   * Reads the two folders again. Tasks that are under way, or wait, keep the content they were given; new ones get the new content as soon as a
   * thread has compiled it. Content with which Wazuh would not start is not used, and the answer says why. Rejects nothing; a folder that can't be read
   * leaves everything as it is, and is a fault.
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

  /** A body on its way through a thread. @param goOn with what needs the main thread's knowledge */
  async #runBody<T>(
    of: BodyKind,
    { body, includeBaseline = false, at }: BodyRequest,
    options: RequestOptions,
    answered: (answer: JsonAnswer<ValidationDigest> | JsonAnswer<LogtestDigest>) => T,
    goOn?: (request: Omit<ReadRequest, 'ruleset'>, ruleset: RulesetSelection | PreparedSelection) => Promise<TaskOutcome<T>>,
  ): Promise<BodyOutcome<T>> {
    // All threads see it, so it outlives each of them, and is copied once.
    const shared = new SharedArrayBuffer(body.byteLength)
    new Uint8Array(shared).set(body)
    const organization = options.organization ?? ''
    const disk = this.#disk
    const reference = this.#reference('', organization, disk.id, true, true)
    const prepared: Prepared = { reference, source: NO_FILES, disk, prepareMs: 0 }
    const seconds = at ?? this.#seconds()
    const bodyTask = (locates: boolean): Task => ({ kind: 'body', ...this.#head(prepared, options), of, body: shared, includeBaseline, seconds, locates })
    const caller = `${organization} ${options.caller ?? ''}`
    const supplies = { source: NO_FILES, disk, session: null }
    const submitted = await this.#threads.submit(bodyTask(false), {
      signal: options.signal,
      organization,
      preferredThread: this.#callerThreads.get(caller) ?? null,
      supplies,
    })
    if (submitted.outcome === 'timeout' && of === 'logtest') {
      const located = await this.#threads.submit(bodyTask(true), { signal: options.signal, organization, timeoutMs: this.#locateMs, supplies })
      return this.#told(located.outcome === 'timeout' ? { ...submitted, at: { ...located.at, index: null } } : submitted, options)
    }
    if (submitted.outcome !== 'ok') return this.#told(submitted, options)
    this.#callerThreads.set(caller, submitted.stats.threadId)
    const reply = submitted.value as BodyReply
    if (reply.outcome === 'refused') return reply
    if (reply.outcome === 'read' && 'compiledHash' in reply.ruleset)
      return goOn === undefined ? { outcome: 'ruleset_missing', compiledHash: reply.ruleset.compiledHash } : await goOn(reply.request, reply.ruleset)
    const { key, includeDefaults, includeCustom, files } = reply.ruleset as FiledRuleset
    const filed: Prepared = {
      reference: this.#reference(key, organization, disk.id, includeDefaults, includeCustom),
      source: files === null ? { body: shared, of } : { files },
      disk,
      prepareMs: 0,
    }
    this.#threads.noteRuleset(submitted.stats.threadId, key)
    if (submitted.stats.compiledHash !== null) this.#note(submitted.stats.compiledHash, filed)
    if (reply.outcome === 'answered') return { outcome: 'ok', value: answered(reply.answer) }
    return goOn === undefined ? { outcome: 'aborted' } : await goOn(reply.request, { prepared: filed })
  }

  #validate<T>(request: ValidateRequest, options: RequestOptions, form: ValidateTask['form']): Promise<TaskOutcome<T>> {
    const includeBaseline = request.includeBaseline ?? false
    return this.#once<T>(request.ruleset, options, (prepared) => ({ kind: 'validate', ...this.#head(prepared, options), includeBaseline, form }))
  }

  #logtestJson(
    request: Omit<LogtestRequest, 'ruleset'> & { readonly ruleset: RulesetSelection | PreparedSelection },
    options: RequestOptions,
  ): Promise<TaskOutcome<JsonAnswer<LogtestDigest>>> {
    return this.#logtest<JsonAnswer<LogtestDigest>>(request, options, options.lend === undefined ? 'json' : 'lent')
  }

  async #logtest<T>(
    request: Omit<LogtestRequest, 'ruleset'> & { readonly ruleset: RulesetSelection | PreparedSelection },
    options: RequestOptions,
    form: AnswerForm,
  ): Promise<TaskOutcome<T>> {
    const { input, trace = true, includeBaseline = false, sessionId } = request
    const prepared = this.#prepare(request.ruleset, options.organization ?? '')
    if (isMissing(prepared)) return prepared
    const turn = sessionId === undefined ? null : await this.#enter(prepared, options, sessionId)
    if (typeof turn === 'string') return { outcome: turn }
    const record = turn?.record ?? null
    let submitted: Submitted
    try {
      const seconds = request.at ?? this.#seconds()
      const session = record?.reference() ?? null
      submitted = await this.#submit(
        { kind: 'logtest', ...this.#head(prepared, options), input, seconds, trace, includeBaseline, session, form },
        prepared,
        { signal: options.signal, lateSignal: options.lateSignal, shares: record === null && form !== 'object' && input.event.length <= SHARED_EVENT_CHARACTERS },
        record,
      )
      if (submitted.outcome === 'ok') record?.answered([input], seconds, submitted.snapshot, submitted.stats.threadId)
    } finally {
      turn?.leave()
    }
    if (submitted.outcome !== 'timeout') return this.#answered<T>(submitted, options)
    const at = await this.#locate(prepared, input, request.at ?? this.#seconds(), options)
    return at === null ? this.#told(submitted, options) : timedOut(this.#threads.taskTimeoutMs, { ...at, index: null }, options.locale ?? 'en-US')
  }

  /** A task without a session. */
  async #once<T>(ruleset: RulesetSelection, options: RequestOptions, task: (prepared: Prepared) => Task): Promise<TaskOutcome<T>> {
    const prepared = this.#prepare(ruleset, options.organization ?? '')
    if (isMissing(prepared)) return prepared
    return this.#answered<T>(await this.#submit(task(prepared), prepared, { signal: options.signal }), options)
  }

  #submit(task: Task, prepared: Prepared, options: Omit<SubmitOptions, 'supplies'>, record: SessionRecord | null = null): Promise<Submitted> {
    const submitting = this.#threads.submit(task, {
      ...options,
      organization: prepared.reference.organization,
      preferredThread: record?.threadId ?? options.preferredThread ?? null,
      supplies: { source: prepared.source, disk: prepared.disk, session: record },
    })
    return submitting.then((submitted) => {
      if (submitted.outcome === 'ok' && submitted.stats.compiledHash !== null) this.#note(submitted.stats.compiledHash, prepared)
      return submitted
    })
  }

  #note(compiledHash: string, { reference: { key, organization, includeDefaults, includeCustom, diskId }, source }: Prepared): void {
    this.#ledger.note(compiledHash, organization, { key, includeDefaults, includeCustom, diskId, source })
  }

  #answered<T>(submitted: Submitted, options: RequestOptions): TaskOutcome<T> {
    if (submitted.outcome !== 'ok') return this.#told(submitted, options)
    const { value, lent } = submitted
    return { outcome: 'ok', value: (lent === null ? value : { ...(value as ThreadAnswer<unknown>), json: borrowed(null, lent, options).json }) as T }
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
    const locating: Task = { kind: 'locate', ...this.#head(prepared, options), input, seconds }
    const submitted = await this.#submit(locating, prepared, { signal: options.signal, timeoutMs: this.#locateMs })
    return submitted.outcome === 'timeout' ? submitted.at : null
  }

  get #locateMs(): number {
    return Math.min(LOCATE_MS, this.#threads.taskTimeoutMs)
  }

  #prepare(selection: RulesetSelection | PreparedSelection, organization: string): Prepared | Extract<Stopped, { outcome: 'ruleset_missing' }> {
    if ('prepared' in selection) return selection.prepared
    const started = now()
    if ('compiledHash' in selection) {
      const { compiledHash } = selection
      const entry = this.#ledger.find(compiledHash, organization)
      const disk = entry === null ? undefined : this.#disks.find(({ id }) => id === entry.diskId)
      if (entry === null || disk === undefined) return { outcome: 'ruleset_missing', compiledHash }
      const { key, includeDefaults, includeCustom, source } = entry
      return { reference: { key, organization, diskId: disk.id, includeDefaults, includeCustom, source: null, disk: null }, source, disk, prepareMs: now() - started }
    }
    const { includeDefaults = true, includeCustom = true, files = [] } = selection
    const disk = this.#disk
    const key = this.#keyOf(organization, disk, includeDefaults, includeCustom, files)
    return { reference: this.#reference(key, organization, disk.id, includeDefaults, includeCustom), source: { files }, disk, prepareMs: now() - started }
  }

  #keyOf(organization: string, disk: DiskContent, includeDefaults: boolean, includeCustom: boolean, files: readonly SourceFile[]): string {
    let text = `${organization} ${includeDefaults ? disk.defaultsId : '-'} ${includeCustom ? disk.customId : '-'}`
    for (const { kind, scope, filename, content } of files) {
      if (text.length + filename.length + content.length > KEY_FILES_CHARACTERS) return rulesetKey(organization, disk, includeDefaults, includeCustom, files)
      // Lengths keep two sets apart whose texts are cut at other places.
      text += `\n${kind} ${scope} ${filename.length} ${content.length} ${filename}${content}`
    }
    let key = this.#keys.get(text)
    if (key === undefined) {
      key = rulesetKey(organization, disk, includeDefaults, includeCustom, files)
      this.#keys.set(text, key, { size: 2 * text.length + key.length })
    }
    return key
  }

  /** Each task has a reference of its own: what it carries depends on its thread. */
  #head({ reference, prepareMs }: Prepared, { locale = 'en-US' }: RequestOptions) {
    return { version: PROTOCOL_VERSION, locale, ruleset: { ...reference }, prepareMs } as const
  }

  /** A turn in a session, which is the caller's alone until it leaves. */
  #enter({ reference }: Prepared, { organization = '', caller = '', signal }: RequestOptions, id: string): ReturnType<Sessions['enter']> {
    return this.#sessions.enter({ organization, caller, rulesetKey: reference.key, id }, signal)
  }

  #seconds(): number {
    return Math.floor(this.#clock() / 1000)
  }

  async #reload(): Promise<TaskOutcome<ReloadAnswer>> {
    const answer = (changed: boolean, refused: RefusedContent | null = null): TaskOutcome<ReloadAnswer> => ({
      outcome: 'ok',
      value: { changed, contentId: this.#disk.id, refused },
    })
    let disk: DiskContent
    try {
      disk = readDiskContent(this.#defaultDir, this.#customDir)
    } catch (error) {
      this.#staleSince ??= this.#clock()
      return this.#unreadable(error)
    }
    if (disk.id === this.#disk.id) {
      this.#rejected = null
      this.#staleSince = null
      return answer(false)
    }
    const { id: contentId } = disk
    if (this.#rejected?.contentId === contentId && now() < this.#rejected.retryAt) return this.#rejected.outcome
    const reject = (outcome: TaskOutcome<ReloadAnswer>, retryAt: number): TaskOutcome<ReloadAnswer> => {
      this.#rejected = { contentId, outcome, retryAt }
      this.#staleSince ??= this.#clock()
      return outcome
    }
    const reference: RulesetReference = { key: contentId, organization: '', diskId: contentId, includeDefaults: true, includeCustom: true, source: null, disk: null }
    const prepared: Prepared = { reference, source: NO_FILES, disk, prepareMs: 0 }
    const [first, ...others] = this.#threads.workers.map(({ threadId }) => threadId)
    const outcome = this.#answered<ContentCheck>(await this.#warm(prepared, first ?? null, true), {})
    if (outcome.outcome === 'aborted') return outcome
    if (outcome.outcome !== 'ok') return reject(outcome, now() + RETRY_REJECTED_MS)
    const { loads, errors, errorCount } = outcome.value
    if (!loads) return reject(answer(false, { contentId, errors, errorCount }), Number.POSITIVE_INFINITY)
    this.#rejected = null
    this.#staleSince = null
    this.#disk = disk
    this.#disks = [disk, ...this.#disks].slice(0, DISK_GENERATIONS)
    this.#threads.useDisk(disk)
    await Promise.all(others.map((threadId) => this.#warm(prepared, threadId, false)))
    return answer(true)
  }

  /** Has a thread compile what a reference stands on. */
  #warm(prepared: Prepared, preferredThread: number | null, isCandidate: boolean): Promise<Submitted> {
    return this.#submit({ kind: 'warm', ...this.#head(prepared, {}), isCandidate }, prepared, { begun: true, preferredThread })
  }

  #unreadable(error: unknown): Failed {
    const debugId = crypto.randomUUID()
    this.#options.onFault?.({ debugId, task: 'warm', reason: 'fault', error: { name: 'UnreadableFolder', code: flattenError(error).code, frames: [] } })
    return failed({ outcome: 'failed', reason: 'fault', debugId, index: null }, 0, 'en-US')
  }

  /** Of files on the content at work, with what an answer on custom content has to say of it. */
  #reference(key: string, organization: string, diskId: string, includeDefaults: boolean, includeCustom: boolean): RulesetReference {
    const reference = { key, organization, diskId, includeDefaults, includeCustom, source: null, disk: null }
    if (this.#staleSince === null || !includeCustom) return reference
    const { state, since } = this.customContent
    return state === 'current' || since === null ? reference : { ...reference, notice: { state, since: since.toISOString() } }
  }
}

/** Content of the folders that could not be used. */
interface Rejected {
  readonly contentId: string
  readonly outcome: TaskOutcome<ReloadAnswer>
  /** By the monotonic clock. What does not load never will; what a busy thread had no time for may. */
  readonly retryAt: number
}

const CURRENT: CustomContentState = { state: 'current', since: null }
const NO_FILES: FileSource = { files: [] }

/** An answer, and what is to be called when nobody looks at it any more, where its memory is lent. @param json null: it is lent */
function borrowed<Json extends string | Uint8Array>(
  json: Json | null,
  lent: LentBytes | null,
  { lend }: RequestOptions,
): { readonly json: Json | Uint8Array; readonly sent: (() => void) | null } {
  if (json !== null) return { json, sent: null }
  if (lent === null || lend === undefined) throw new TypeError('an answer is here, or is lent to who asked for that')
  return { json: lent.bytes, sent: lend(() => lent.giveBack()) }
}

/** The input of a line that ran; a thread has read it before. */
function inputOf(line: Uint8Array): LogtestInput | null {
  try {
    const { event, log_format = 'auto', location } = JSON.parse(Buffer.from(line).toString()) as { event: string } & Partial<LogtestInput>
    return { event, log_format, ...(location === undefined || location === '' ? {} : { location }) }
  } catch {
    return null
  }
}

function isMissing(prepared: Prepared | Extract<Stopped, { outcome: 'ruleset_missing' }>): prepared is Extract<Stopped, { outcome: 'ruleset_missing' }> {
  return 'outcome' in prepared
}
