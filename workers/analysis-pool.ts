/** The analysis as the server uses it. Every method resolves with an outcome; none rejects. */
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ContentComparison, DiagnosticRecord, Generated, LogtestInput, MergeAnswer, MergeRequest, ValidationSchema } from '#engine'
import { ContentReload, type ReloadAnswer } from './content/content-reload.js'
import { readDiskContent, REFERENCE_RULESET_DIR } from './content/content.js'
import { type PortableRuleset, portableSource } from './content/portable-ruleset.js'
import { type CustomContentState, type MissingRuleset, NO_FILES, RulesetSelector, type SelectedRuleset } from './content/ruleset-selector.js'
import { ALONE, HOME_WAIT_MS, HOMES_LIMIT, type Home, MOVED, type Moved, type PeerPools, type PortableLogtest, type PortableOptions } from './peer-pools.js'
import type {
  AnalysisMetrics,
  AnalysisOutcome,
  AnalysisPoolOptions,
  AnyRuleset,
  BehaviourRequest,
  CasesRequest,
  CatalogPageOf,
  LinesRequest,
  MeasureAnswer,
  MeasureRequest,
  MutateRequest,
  PreparedBatch,
  ReadOptions,
  RequestOptions,
  RulesRequest,
  UnreadRequest,
  UpgradeCheckRequest,
} from './pool-requests.js'
import type { NotOk, Submitted, SubmitOptions } from './pool/pending-task.js'
import { ThreadPool } from './pool/pool.js'
import type { ReadOf, Reading } from './reading/read.js'
import type { AnalysisRequest, RulesetFiles, RulesetSelection } from './requests/analysis-request.js'
import { type CaseOutcome, type CasesChunk, runCaseChunks } from './runs/case-run.js'
import { type LineChunk, runLines } from './runs/line-batch.js'
import type { Stop } from './runs/run-in-chunks.js'
import { SESSION_BYTES, type SessionLock, type SessionRecord, Sessions, SESSIONS_BYTES } from './sessions/sessions.js'
import type { ContentCheck, LogtestDigest, RulesetMeasurement, ValidationDigest, WrittenAnswer } from './shared/answers.js'
import { sharedNow } from './shared/clock.js'
import { entryCache } from './shared/entry-cache.js'
import { type Failed, failed, type Stopped, type TaskOutcome, type TimedOut, timedOut, type WorkAt } from './shared/failure.js'
import { type BodyValue, type DiskContent, PROTOCOL_VERSION, type RulesetReference, type TaskHead } from './shared/protocol.js'
import type { RuleAudit, RuleWitnesses } from './thread/tasks/audit.js'
import type { BehaviourDiff } from './thread/tasks/behaviour.js'
import type { CasesPart } from './thread/tasks/cases.js'
import type { CatalogRequest } from './thread/tasks/catalog.js'
import type { CheckReply } from './thread/tasks/check.js'
import type { Task, TaskOf } from './thread/tasks/index.js'
import type { MutateTask, MutationPart } from './thread/tasks/mutate.js'
import type { LinesPart } from './thread/tasks/lines.js'
import type { UpgradeCheck } from './thread/tasks/upgrade.js'
import type { RulesInWazuh5 } from './thread/tasks/wazuh5.js'

/**
 * Tasks of one organization that may wait, for each thread. Most take 0.1 ms and run in batches; if each took 10 ms, the last would wait 2.5 seconds. All
 * organizations together may have four times as many.
 */
const QUEUE_PER_THREAD = 256
const QUEUES = 4
const DEFAULT_CACHE_MB = 256
const DEFAULT_TIMEOUT_MS = 10_000
/** Time that running tasks get when the pool is closed, in milliseconds. */
const DRAIN_MS = 10_000
/**
 * Time beyond its deadline in which a chain of cases may end by itself between two cases. If its thread were ended, the results so far would be lost and all
 * cases would run again.
 */
const CHAIN_GRACE_MS = 1000
/** Share of the cache's memory that source texts of known rulesets may take on the main thread. Compiled rulesets take 24 times as much. */
const LEDGER_SHARE = 1 / 16
/** Time limit of the run that finds out where an event exceeds its deadline. It also ends its thread, so it is short. */
const LOCATE_MS = 1000
/** Characters of an event up to which its task counts as small and may run in a batch with others. */
const SMALL_EVENT_CHARACTERS = 8 * 1024
/**
 * Chunks of an upload in progress for each thread: one runs and the others wait, because answers are sent in order and a thread would otherwise wait for its
 * reader.
 */
const CHUNKS_PER_THREAD = 3
/** Tasks of a run of cases in progress for each thread: one runs, and the next is there when it ends. */
const CASE_TASKS_PER_THREAD = 2
/** Time limit of a reading, independent of that of analyses: the limits of JSON and packs make it a second at most. */
const READ_MS = 10_000
/** Share of a task's time in which cases and events are made: the last rule that is tried may need the rest. */
const GENERATE_SHARE = 0.5
/** Time in which mutants are tried before the thread is free for others, and share of a task's time after which one rule or decoder is passed over. */
const MUTATE_SLICE_MS = 200
const MUTATE_SHARE = 0.5
/** Share of a task's time in which events for differences are searched for: both rulesets may have to be compiled before, and a last search ends after it. */
const BEHAVIOUR_SHARE = 0.5
/** Callers for which the pool remembers the thread of the last body: that thread has probably compiled their ruleset. */
const CALLERS_LIMIT = 4096

/** Starts the threads of the pool; `ready` resolves when they have started. */
export function createAnalysisPool(options: AnalysisPoolOptions = {}): AnalysisPool {
  return new AnalysisPool(options)
}

export class AnalysisPool {
  readonly #threads: ThreadPool
  /** For other processes, which take and hand over sessions. */
  readonly sessions: Sessions
  readonly #selector: RulesetSelector
  readonly #reload: ContentReload
  readonly #clock: () => number
  readonly #callerThreads = entryCache<number>(CALLERS_LIMIT)
  /** Null: none has begun. */
  #firstCheck: Promise<unknown> | null = null
  #peerPools: PeerPools = ALONE

  constructor(options: AnalysisPoolOptions) {
    const { clock = Date.now, onFault = () => {}, customContentDir: customDir = null, processes = 1, sessionFile = null } = options
    this.#clock = clock
    this.sessions = new Sessions(sharedNow, {
      maxBytes: Math.max(SESSION_BYTES, SESSIONS_BYTES / processes),
      marksFile: sessionFile,
    })
    const defaultDir = options.defaultRulesetDir === undefined ? REFERENCE_RULESET_DIR : options.defaultRulesetDir
    // Only a thread can find out whether custom content loads. Until then it is not used.
    const disk = readDiskContent(defaultDir, null)
    const threads = options.workers ?? availableParallelism()
    const cacheBytes = (options.rulesetCacheMb ?? DEFAULT_CACHE_MB) * 1024 * 1024
    this.#selector = new RulesetSelector(disk, cacheBytes * LEDGER_SHARE)
    this.#threads = new ThreadPool({
      threads,
      queueLimit: options.queueLimit ?? threads * QUEUE_PER_THREAD * QUEUES,
      organizationLimit: options.organizationQueueLimit ?? options.queueLimit ?? threads * QUEUE_PER_THREAD,
      taskTimeoutMs: options.taskTimeoutMs ?? DEFAULT_TIMEOUT_MS,
      cacheBytesPerThread: Math.floor(cacheBytes / threads),
      disk,
      onFault,
      ...(options.threadUrl === undefined ? {} : { threadUrl: options.threadUrl }),
    })
    this.#reload = new ContentReload({
      defaultDir,
      customDir,
      selector: this.#selector,
      clock,
      threadIds: () => this.#threads.workers.map(({ threadId }) => threadId),
      check: (content, threadId, isCandidate) => this.#check(content, threadId, isCandidate),
      onUse: (content) => this.#threads.useDisk(content),
      onFault,
    })
  }

  /** Hash of the content on disk: while it is the same, equal files compile to equal rulesets. */
  get contentId(): string {
    return this.#selector.disk.id
  }

  /** Returns how the custom content in use relates to its folder. */
  get customContent(): CustomContentState {
    return this.#selector.customContent
  }

  /** For tests that examine threads. */
  get threadPool(): ThreadPool {
    return this.#threads
  }

  /** From now on sessions and rulesets are those of all processes. */
  join(peerPools: PeerPools): void {
    this.#peerPools = peerPools
    this.sessions.passMarks((name, mark) => peerPools.markSession(name, mark))
  }

  /** Returns a ruleset that the organization has compiled in this process, for another one; null: none has that hash. */
  portableRuleset(compiledHash: string, organization: string): PortableRuleset | null {
    return this.#selector.portableOf(compiledHash, organization)
  }

  /** Returns content of the disk, for another process that has not read it yet; null: this one has not, either. */
  diskContent(id: string): DiskContent | null {
    return this.#selector.diskOf(id)
  }

  /** Returns the ruleset that another process has sent. Null: no process has the content of the disk on which it was compiled any more. */
  async adopt(ruleset: PortableRuleset, organization: string): Promise<SelectedRuleset | null> {
    const disk = this.#selector.diskOf(ruleset.diskId) ?? (await this.#peerPools.findDisk(ruleset.diskId))
    return disk === null ? null : this.#selector.adopt(ruleset, disk, organization)
  }

  /** Resolves when every thread has compiled the default ruleset. False: the pool was closed, or threads do not start. */
  async ready(): Promise<boolean> {
    if (!(await this.#threads.started())) return false
    const folders = this.#folders()
    const checked = await Promise.all(this.#threads.workers.map(({ threadId }) => this.#check(folders, threadId, false)))
    return checked.every(({ outcome }) => outcome === 'ok')
  }

  /** Returns whether Wazuh would start with the content in use. */
  checkContent(): Promise<TaskOutcome<ContentCheck>> {
    return this.#check(this.#folders(), null, false)
  }

  async validate(request: AnalysisRequest<AnyRuleset> | UnreadRequest, options: RequestOptions = {}): Promise<AnalysisOutcome<WrittenAnswer<ValidationDigest>>> {
    const read = 'body' in request ? await this.#readInThread<WrittenAnswer<ValidationDigest>>('validate', request, options) : request
    if ('outcome' in read) return read
    const { ruleset, includeBaseline = false } = read
    return this.#answer<ValidationDigest>(ruleset, options, (head) => ({ kind: 'validate', ...head, body: null, includeBaseline }))
  }

  async logtest(request: AnalysisRequest<AnyRuleset> | UnreadRequest, options: RequestOptions = {}): Promise<AnalysisOutcome<WrittenAnswer<LogtestDigest>>> {
    const read = 'body' in request ? await this.#readInThread<WrittenAnswer<LogtestDigest>>('logtest', request, options) : request
    if ('outcome' in read) return read
    for (let tried = 0; tried < HOMES_LIMIT; tried++) {
      if (tried > 1) await sleep(HOME_WAIT_MS)
      const { sessionId } = read
      const home = sessionId == null ? null : this.#homeOf(sessionId, options)
      const isHere = home === null || sessionId == null
      const outcome = isHere ? await this.logtestHere(read, options) : await home.logtest(this.#portableLogtest(read, sessionId, options), portableOptions(options), options.signal)
      if (outcome.outcome !== 'moved') return outcome
    }
    return { outcome: 'busy' }
  }

  /** Runs a logtest whose session, if it has one, is in this process. */
  async logtestHere(read: AnalysisRequest<AnyRuleset>, options: RequestOptions): Promise<AnalysisOutcome<WrittenAnswer<LogtestDigest>> | Moved> {
    const { trace = true, includeBaseline = false, sessionId, at } = read
    const input = inputIn(read)
    const known = this.#select(read.ruleset, options)
    const selected = isMissing(known) ? await this.#ask(known, options) : known
    if (isMissing(selected)) return selected
    const lock = sessionId == null ? null : await this.#lockSession(selected, options, sessionId)
    if (lock === 'moved') return MOVED
    if (typeof lock === 'string') return { outcome: lock }
    const record = lock?.record ?? null
    let submitted: Submitted
    try {
      const seconds = at ?? this.#seconds()
      const session = record?.reference() ?? null
      submitted = await this.#submit(
        { kind: 'logtest', ...this.#head(selected, options), body: null, input, seconds, trace, includeBaseline, session },
        selected,
        { signal: options.signal, lateSignal: options.lateSignal, isSmall: record === null && input.event.length <= SMALL_EVENT_CHARACTERS },
        record,
      )
      if (submitted.outcome === 'ok') record?.answered([input], seconds, submitted.snapshot, submitted.stats.threadId)
    } finally {
      lock?.release()
    }
    if (submitted.outcome !== 'timeout') return this.#answered<LogtestDigest>(submitted, options)
    const located = await this.#locate(selected, input, at ?? this.#seconds(), options)
    return this.#describe(located === null ? submitted : { ...submitted, at: { ...located, index: null } }, options)
  }

  /** Compiles the ruleset of a batch. */
  async prepare(request: AnalysisRequest<AnyRuleset> | UnreadRequest, options: RequestOptions = {}): Promise<AnalysisOutcome<PreparedBatch>> {
    const read = 'body' in request ? await this.#readInThread<never>('prepare', request, options) : request
    if ('outcome' in read) return read
    const known = this.#select(read.ruleset, options)
    const selected = isMissing(known) ? await this.#ask(known, options) : known
    if (isMissing(selected)) return selected
    const submitted = await this.#submit({ kind: 'prepare', ...this.#head(selected, options), body: null }, selected, { signal: options.signal })
    if (submitted.outcome !== 'ok') return this.#describe(submitted, options)
    const { trace = false, sessionId = null, select = null, onlyAlerts = false } = read
    return { outcome: 'ok', value: { unreadable: submitted.value as readonly DiagnosticRecord[], ruleset: selected, trace, sessionId, select, onlyAlerts } }
  }

  /**
   * Answers a batch whose lines arrive while they are uploaded. Yields chunks of answers in the order of the lines, as soon as they are ready; an outcome other
   * than `ok` is the last. Reads no more lines when the caller takes no more chunks.
   */
  async *lines(request: LinesRequest, options: RequestOptions = {}): AsyncGenerator<TaskOutcome<LineChunk>, void, undefined> {
    const { trace = false, includeBaseline = false, requestId = '', sessionId, texts, at, select = null, onlyAlerts = false, logs = null, isBackground = false } = request
    const known = this.#select(request.ruleset, options)
    const selected = isMissing(known) ? await this.#ask(known, options) : known
    if (isMissing(selected)) return yield selected
    if (sessionId == null) return yield* this.#runLines(request, selected, null, options)
    for (let tried = 0; tried < HOMES_LIMIT; tried++) {
      if (tried > 1) await sleep(HOME_WAIT_MS)
      const home = this.#homeOf(sessionId, options)
      if (home === null) {
        const lock = await this.#lockSession(selected, options, sessionId)
        if (lock === 'moved') continue
        return yield* this.#runLines(request, selected, lock, options)
      }
      const state = await home.confirm()
      if (state === 'busy') return yield { outcome: 'busy' }
      if (state === 'moved') continue
      const forwarded = {
        ruleset: portable(selected),
        trace,
        includeBaseline,
        sessionId,
        texts,
        requestId,
        select,
        onlyAlerts,
        logs,
        isBackground,
        ...(at === undefined ? {} : { at }),
      }
      return yield* home.lines(forwarded, request.source, portableOptions(options), options.signal)
    }
    yield { outcome: 'busy' }
  }

  /** Answers a batch whose session is in this process. */
  async *linesHere(
    request: LinesRequest & { readonly ruleset: SelectedRuleset; readonly sessionId: string },
    options: RequestOptions,
  ): AsyncGenerator<TaskOutcome<LineChunk>, void, undefined> {
    const lock = await this.#lockSession(request.ruleset, options, request.sessionId)
    // It has moved since it was confirmed that it is here.
    yield* this.#runLines(request, request.ruleset, lock === 'moved' ? 'busy' : lock, options)
  }

  /** @param lock of its session, or why there is none; null: it has no session */
  async *#runLines(
    request: LinesRequest,
    selected: SelectedRuleset,
    lock: SessionLock | 'busy' | 'aborted' | null,
    options: RequestOptions,
  ): AsyncGenerator<TaskOutcome<LineChunk>, void, undefined> {
    if (typeof lock === 'string') return yield { outcome: lock }
    const { trace = false, includeBaseline = false, requestId = '', sessionId, texts, select = null, onlyAlerts = false, logs = null, isBackground = false } = request
    const record = lock?.record ?? null
    const seconds = (): number => request.at ?? this.#seconds()
    try {
      yield* runLines(request.source, {
        window: record === null ? this.#threads.threads * CHUNKS_PER_THREAD : 1,
        signal: options.signal,
        submit: async (some, from, isContentOk, signal) => {
          const task: TaskOf<'lines'> = {
            kind: 'lines',
            ...this.#head(selected, options),
            lines: some,
            from,
            seconds: seconds(),
            trace,
            select,
            onlyAlerts,
            logs: logs !== null && 'seconds' in logs.clock ? { ...logs, clock: { seconds: logs.clock.seconds.slice(from - 1) } } : logs,
            includeBaseline,
            isContentOk,
            session: record?.reference(isBackground) ?? null,
            sessionId: sessionId ?? '',
            requestId,
            texts,
          }
          const submitted = await this.#submit(task, selected, { signal, begun: true, isBackground }, record)
          if (submitted.outcome !== 'ok') return submitted
          const part = submitted.value as LinesPart
          record?.answered(part.inputs, part.seconds ?? task.seconds, submitted.snapshot, submitted.stats.threadId)
          return { outcome: 'ok', part, answer: submitted.answer as WrittenAnswer }
        },
        describe: (by) => this.#describe(by, options),
        describeStop: async (stop, line) => {
          const input = stop.outcome === 'timeout' ? inputOf(line) : null
          const located = input === null ? null : await this.#locate(selected, input, seconds(), options)
          return this.#describeStop(located === null || stop.outcome !== 'timeout' ? stop : { ...stop, at: located }, options)
        },
      })
    } finally {
      lock?.release()
    }
  }

  /**
   * Runs cases; those with the same `session_id` share a session. Yields chunks of answers in the order of the cases, as soon as they are ready; an outcome
   * other than `ok` is the last. Runs no more cases when the caller takes no more chunks.
   */
  async *cases(
    { ruleset, cases, trace = false, withDiagnostics = true, withNear = false, at }: CasesRequest,
    options: RequestOptions = {},
  ): AsyncGenerator<TaskOutcome<CasesChunk>, void, undefined> {
    const selected = this.#select(ruleset, options)
    if (isMissing(selected)) return yield selected
    const seconds = at ?? this.#seconds()
    let begun = false
    const chunks = runCaseChunks(cases, {
      window: this.#threads.threads * CASE_TASKS_PER_THREAD,
      signal: options.signal,
      submit: async (some, isFirst, hasChain, signal) => {
        const chainMs = this.#threads.taskTimeoutMs
        const task: Task = { kind: 'cases', ...this.#head(selected, options), cases: some, chainMs, seconds, trace, withDiagnostics: withDiagnostics && isFirst, withNear }
        const submitting = this.#submit(task, selected, { signal, begun, ...(hasChain && { graceMs: CHAIN_GRACE_MS }) })
        begun = true
        const submitted = await submitting
        if (submitted.outcome !== 'ok') return submitted
        const part = submitted.value as CasesPart
        const stoppedAt = { index: part.count, ruleId: null, decoder: null }
        return { outcome: 'ok', part: { ...part, stop: part.overran ? { outcome: 'timeout', timeoutMs: chainMs, at: stoppedAt } : null } }
      },
      describe: (stop) => this.#describeStop(stop, options),
    })
    for await (const chunk of chunks) yield 'outcome' in chunk ? this.#describe(chunk, options) : { outcome: 'ok', value: chunk }
  }

  /**
   * Measures a ruleset for the quality gate: runs the cases, and returns their results, the diagnostics, the rules and decoders of the request, and the rules that
   * no case covers.
   */
  async measure({ ruleset, cases, diagnosticsLimit, at }: MeasureRequest, options: RequestOptions = {}): Promise<TaskOutcome<MeasureAnswer>> {
    const selected = this.#select(ruleset, options)
    if (isMissing(selected)) return selected
    const results: CaseOutcome[] = []
    for await (const chunk of this.cases({ ruleset: selected, cases, withDiagnostics: false, ...(at === undefined ? {} : { at }) }, options)) {
      if (chunk.outcome !== 'ok') return chunk
      for (const result of chunk.value.results) results.push(result)
    }
    const reports = results.flatMap((result) => (result.outcome === 'ok' ? [{ covered: result.report.covered }] : []))
    const task: Task = { kind: 'measure', ...this.#head(selected, options), diagnosticsLimit, reports }
    const submitted = await this.#submit(task, selected, { signal: options.signal, begun: true })
    return submitted.outcome === 'ok' ? { outcome: 'ok', value: { ...(submitted.value as RulesetMeasurement), results } } : this.#describe(submitted, options)
  }

  /** Returns a page of the rules or decoders. */
  catalog<Of extends CatalogRequest['of']>(
    ruleset: RulesetSelection,
    request: Extract<CatalogRequest, { readonly of: Of }>,
    options: RequestOptions = {},
  ): Promise<TaskOutcome<CatalogPageOf<Of>>> {
    return this.#value<CatalogPageOf<Of>>(ruleset, options, (head) => ({ kind: 'catalog', ...head, request }))
  }

  /** Returns the meaning of the request's own rules and decoders, with the diagnostics in them: a `ContentSemantics`, for `compare`. */
  async semantics(ruleset: RulesetSelection, options: RequestOptions = {}): Promise<TaskOutcome<Uint8Array>> {
    const answer = await this.#answer<null>(ruleset, options, (head) => ({ kind: 'semantics', ...head }))
    return answer.outcome === 'ok' ? { outcome: 'ok', value: answer.value.bytes } : answer
  }

  /** Returns the differences between two contents. @param limit maximum number of entries of each list */
  compare(before: Uint8Array, after: Uint8Array, limit: number, options: RequestOptions = {}): Promise<TaskOutcome<ContentComparison>> {
    return this.#value<ContentComparison>({}, options, (head) => ({ kind: 'compare', ...head, before, after, limit }))
  }

  /** Compares what two contents do with events; what there was no time for is unknown. */
  behaviour({ before, after, cases, limit }: BehaviourRequest, options: RequestOptions = {}): Promise<TaskOutcome<BehaviourDiff>> {
    const reference = this.#beside(before, after, options)
    const budgetMs = this.#threads.taskTimeoutMs * BEHAVIOUR_SHARE
    return this.#value<BehaviourDiff>(before, options, (head) => ({ kind: 'behaviour', ...head, after: reference, cases, budgetMs, limit }))
  }

  /** Says what breaks in own files when the ruleset below them changes; what there was no time for is unknown. */
  upgrade({ from, to, own, cases, limit }: UpgradeCheckRequest, options: RequestOptions = {}): Promise<TaskOutcome<UpgradeCheck>> {
    const part = { to: this.#beside(from, to, options), own, cases, limit, seconds: this.#seconds(), budgetMs: this.#threads.taskTimeoutMs * BEHAVIOUR_SHARE }
    return this.#value<UpgradeCheck>(from, options, (head) => ({ kind: 'upgrade', ...head, ...part }))
  }

  /** Grades cases by mutants, for a slice of time; the caller asks for the next part. An item that takes longer than most of a task's time is passed over. */
  async mutate({ ruleset, casesKey, cases, from, limit }: MutateRequest, options: RequestOptions = {}): Promise<TaskOutcome<MutationPart>> {
    const part = { casesKey, from, limit, seconds: this.#seconds(), sliceMs: MUTATE_SLICE_MS, itemMs: this.#threads.taskTimeoutMs * MUTATE_SHARE }
    const ask = (some: MutateTask['cases']) => this.#value<MutationPart | null>(ruleset, options, (head) => ({ kind: 'mutate', ...head, ...part, cases: some }))
    const outcome = await ask(null)
    return outcome.outcome === 'ok' && outcome.value === null ? ((await ask(await cases())) as TaskOutcome<MutationPart>) : (outcome as TaskOutcome<MutationPart>)
  }

  /** Judges whether rules fire; those for which the time did not suffice are unknown. */
  audit({ ruleset, ruleIds, limit }: RulesRequest, options: RequestOptions = {}): Promise<TaskOutcome<RuleAudit>> {
    return this.#value<RuleAudit>(ruleset, options, (head) => ({ kind: 'audit', ...head, ruleIds, budgetMs: this.#threads.taskTimeoutMs * GENERATE_SHARE, limit }))
  }

  /** Finds events that fire rules; rules for which the time did not suffice are unknown. @param near whether the nearest events that do not fire them are searched for, too */
  witnesses({ ruleset, ruleIds, limit }: RulesRequest, near: boolean, options: RequestOptions = {}): Promise<TaskOutcome<RuleWitnesses>> {
    return this.#value<RuleWitnesses>(ruleset, options, (head) => ({ kind: 'witnesses', ...head, ruleIds, near, budgetMs: this.#threads.taskTimeoutMs * GENERATE_SHARE, limit }))
  }

  /** Says what happens to rules in Wazuh 5; events are not searched for any more where the time did not suffice. */
  wazuh5({ ruleset, ruleIds, limit }: RulesRequest, options: RequestOptions = {}): Promise<TaskOutcome<RulesInWazuh5>> {
    return this.#value<RulesInWazuh5>(ruleset, options, (head) => ({ kind: 'wazuh5', ...head, ruleIds, budgetMs: this.#threads.taskTimeoutMs * GENERATE_SHARE, limit }))
  }

  /** Makes up to `limit` test cases for the request's own rules, or for its decoders if it has no rules. Rules for which the time did not suffice are counted. */
  generate(ruleset: RulesetSelection, limit: number, options: RequestOptions = {}): Promise<TaskOutcome<Generated>> {
    const budgetMs = this.#threads.taskTimeoutMs * GENERATE_SHARE
    return this.#value<Generated>(ruleset, options, (head) => ({ kind: 'generate', ...head, limit, budgetMs, seconds: this.#seconds() }))
  }

  /** Merges the files of a repository with an edited content of them. */
  mergeFiles(request: MergeRequest, options: RequestOptions = {}): Promise<TaskOutcome<MergeAnswer>> {
    return this.#value<MergeAnswer>({}, options, (head) => ({ kind: 'merge', ...head, request }))
  }

  schema(options: RequestOptions = {}): Promise<TaskOutcome<ValidationSchema>> {
    return this.#value<ValidationSchema>({}, options, (head) => ({ kind: 'schema', ...head }))
  }

  /**
   * Reads in a thread what came from outside, under the share of the organization, or of another holder where there is none. It waits however many tasks do:
   * what it reads was received, and is limited there.
   * @param options `isLast`: nobody reads the bytes any more. They are moved to the thread, and not copied; if it ends before it reads them, the outcome is `busy`
   */
  async read<R extends Reading>(reading: R, options: ReadOptions = {}): Promise<TaskOutcome<ReadOf<R>>> {
    const { organization = '', signal, isLast = false, isBackground = false } = options
    // The file of a task without a ruleset.
    const selected = this.#selector.selectUnder('', organization, true, true, NO_FILES)
    const bytes = 'bytes' in reading ? exact(reading.bytes) : null
    const task: Task = { kind: 'read', ...this.#head(selected, {}), reading: bytes === null ? reading : ({ ...reading, bytes } as Reading) }
    // Bytes that are no longer those of the caller are a copy already.
    const moves = bytes !== null && (isLast || ('bytes' in reading && bytes !== reading.bytes)) && bytes.buffer instanceof ArrayBuffer ? bytes.buffer : null
    const supplies = { source: NO_FILES, disk: selected.disk, session: null }
    const submitted = await this.#threads.submit(task, { signal, organization, timeoutMs: READ_MS, moves, begun: true, isBackground, supplies })
    if (submitted.outcome !== 'ok') return this.#describe(submitted, {})
    return { outcome: 'ok', value: withBytes(submitted.value as ReadOf<R>, submitted.answer) }
  }

  metrics(): AnalysisMetrics {
    return { ...this.#threads.metrics(), ...this.sessions.metrics() }
  }

  /**
   * Reads the two folders again. Running and waiting tasks keep the content that they started with; new tasks get the new content as soon as a thread has
   * compiled it. Content with which Wazuh would not start is not used, and the answer gives the reason. If a folder cannot be read, the outcome is a fault and
   * nothing changes.
   */
  reload(): Promise<TaskOutcome<ReloadAnswer>> {
    return this.#reload.run()
  }

  /** Lets running and waiting tasks finish, for at most ten seconds. Afterwards every method returns `aborted`. */
  close(): Promise<void> {
    return this.#threads.close(DRAIN_MS)
  }

  /** Lets a thread read a body and run its request. @returns the outcome, or the request if it needs data that only the main thread has */
  async #readInThread<T>(
    kind: 'validate' | 'logtest' | 'prepare',
    { body, includeBaseline = false, at }: UnreadRequest,
    options: RequestOptions,
  ): Promise<AnalysisOutcome<T> | AnalysisRequest<AnyRuleset>> {
    // Shared by all threads and copied once. It stays valid when a thread ends.
    const shared = new SharedArrayBuffer(body.byteLength)
    new Uint8Array(shared).set(body)
    const { organization = '', signal } = options
    const selected = this.#selector.selectUnder('', organization, true, true, NO_FILES)
    const head = { ...this.#head(selected, options), body: shared }
    const seconds = at ?? this.#seconds()
    const supplies = { source: NO_FILES, disk: selected.disk, session: null }
    const event = { input: null, seconds, trace: true, includeBaseline, session: null }
    const task: Task = kind === 'validate' ? { kind, ...head, includeBaseline } : kind === 'logtest' ? { kind, ...head, ...event } : { kind, ...head }
    const caller = `${organization} ${options.caller ?? ''}`
    const submitted = await this.#threads.submit(task, { signal, organization, preferredThread: this.#callerThreads.get(caller) ?? null, supplies })
    if (submitted.outcome === 'timeout' && kind === 'logtest') {
      const locating: Task = { kind: 'locate', ...this.#head(selected, options), body: shared, input: null, seconds }
      const located = await this.#threads.submit(locating, { signal, organization, timeoutMs: this.#locateMs, supplies })
      return this.#describe(located.outcome === 'timeout' ? { ...submitted, at: { ...located.at, index: null } } : submitted, options)
    }
    if (submitted.outcome !== 'ok') return this.#describe(submitted, options)
    const { threadId, compiledHash } = submitted.stats
    this.#callerThreads.set(caller, threadId)
    const value = submitted.value as BodyValue
    if (value.outcome === 'refused') return value
    const setting = { includeBaseline, ...(at === undefined ? {} : { at }) }
    if (value.outcome === 'read' && 'compiledHash' in value.ruleset) return { ...value.request, ...setting, ruleset: value.ruleset }
    const { key, includeDefaults, includeCustom, files } = value.ruleset as Exclude<typeof value.ruleset, { compiledHash: string }>
    const source = files === null ? { body: shared, of: kind === 'prepare' ? ('head' as const) : kind } : { files }
    const ruleset = this.#selector.selectUnder(key, organization, includeDefaults, includeCustom, source)
    this.#threads.noteRuleset(threadId, key)
    if (compiledHash !== null) this.#selector.note(compiledHash, ruleset)
    if (value.outcome === 'read') return { ...value.request, ...setting, ruleset }
    return { outcome: 'ok', value: { ...(submitted.answer as WrittenAnswer), digest: value.value } as T }
  }

  /** Submits a task without a session whose answer is bytes. */
  async #answer<Digest>(ruleset: AnyRuleset, options: RequestOptions, task: (head: TaskHead) => Task): Promise<TaskOutcome<WrittenAnswer<Digest>>> {
    const selected = this.#select(ruleset, options)
    if (isMissing(selected)) return selected
    return this.#answered<Digest>(await this.#submit(task(this.#head(selected, options)), selected, { signal: options.signal }), options)
  }

  /** Submits a task without a session whose answer is a value. */
  async #value<T>(ruleset: RulesetSelection, options: RequestOptions, task: (head: TaskHead) => Task): Promise<TaskOutcome<T>> {
    const selected = this.#select(ruleset, options)
    if (isMissing(selected)) return selected
    const submitted = await this.#submit(task(this.#head(selected, options)), selected, { signal: options.signal })
    return submitted.outcome === 'ok' ? { outcome: 'ok', value: submitted.value as T } : this.#describe(submitted, options)
  }

  /** Lets a thread compile the content of the folders. The first one also runs the checks of the default content, and the others wait for what it finds. @param preferredThread null: any */
  async #check(content: SelectedRuleset, preferredThread: number | null, isCandidate: boolean): Promise<TaskOutcome<ContentCheck>> {
    const isFirst = this.#firstCheck === null
    if (!isFirst) await this.#firstCheck
    const checked = this.#runCheck(content, preferredThread, isCandidate)
    if (isFirst) this.#firstCheck = checked
    return checked
  }

  async #runCheck(content: SelectedRuleset, preferredThread: number | null, isCandidate: boolean): Promise<TaskOutcome<ContentCheck>> {
    const task: Task = { kind: 'check', ...this.#head(content, {}), isCandidate, known: this.#threads.baseChecks }
    const submitted = await this.#submit(task, content, { begun: true, preferredThread })
    if (submitted.outcome !== 'ok') return this.#describe(submitted, {})
    const { found, ...check } = submitted.value as CheckReply
    if (found !== null) this.#threads.baseChecks = found
    return { outcome: 'ok', value: check }
  }

  async #submit(task: Task, selected: SelectedRuleset, options: Omit<SubmitOptions, 'supplies'>, record: SessionRecord | null = null): Promise<Submitted> {
    const submitted = await this.#threads.submit(task, {
      ...options,
      organization: options.isBackground === true ? `${selected.reference.organization} (background)` : selected.reference.organization,
      preferredThread: record?.threadId ?? options.preferredThread ?? null,
      supplies: { source: selected.source, disk: selected.disk, session: record },
    })
    if (submitted.outcome === 'ok' && submitted.stats.compiledHash !== null) this.#selector.note(submitted.stats.compiledHash, selected)
    return submitted
  }

  #answered<Digest>(submitted: Submitted, options: RequestOptions): TaskOutcome<WrittenAnswer<Digest>> {
    return submitted.outcome === 'ok' ? { outcome: 'ok', value: submitted.answer as WrittenAnswer<Digest> } : this.#describe(submitted, options)
  }

  /** Returns an outcome in the caller's language. */
  #describe(submitted: NotOk, options: RequestOptions): Stopped {
    return submitted.outcome === 'timeout' || submitted.outcome === 'failed' ? this.#describeStop(submitted, options) : submitted
  }

  #describeStop(stop: Stop, { locale = 'en-US' }: RequestOptions): TimedOut | Failed {
    return stop.outcome === 'timeout' ? timedOut(stop.timeoutMs, stop.at, locale) : failed(stop, this.#threads.heapLimitMb, locale)
  }

  /** Runs an event that exceeded its deadline again, to find out which rule or decoder was running. Null: not known. */
  async #locate(selected: SelectedRuleset, input: LogtestInput, seconds: number, options: RequestOptions): Promise<WorkAt | null> {
    const locating: Task = { kind: 'locate', ...this.#head(selected, options), body: null, input, seconds }
    const submitted = await this.#submit(locating, selected, { signal: options.signal, timeoutMs: this.#locateMs })
    return submitted.outcome === 'timeout' ? submitted.at : null
  }

  get #locateMs(): number {
    return Math.min(LOCATE_MS, this.#threads.taskTimeoutMs)
  }

  /** The reference to a second ruleset of a task, with all that the thread needs for it. @param first the ruleset of the task */
  #beside({ includeDefaults = true, includeCustom = true }: Partial<RulesetFiles>, other: RulesetSelection, options: RequestOptions): RulesetReference {
    const { reference, source, disk } = this.#select(other, options) as SelectedRuleset
    // The thread has the disk content if the first ruleset needs it.
    return { ...reference, source, disk: includeDefaults || includeCustom ? null : disk }
  }

  #folders(): SelectedRuleset {
    return this.#select({}, {}) as SelectedRuleset
  }

  #select(ruleset: AnyRuleset, { organization = '' }: RequestOptions): SelectedRuleset | MissingRuleset {
    return this.#selector.select(ruleset, organization)
  }

  /** Asks the other processes for a ruleset that this one does not know. */
  async #ask(missing: MissingRuleset, { organization = '' }: RequestOptions): Promise<SelectedRuleset | MissingRuleset> {
    const found = await this.#peerPools.findRuleset(missing.compiledHash, organization)
    const adopted = found === null ? null : await this.adopt(found, organization)
    if (adopted === null) return missing
    this.#selector.note(missing.compiledHash, adopted)
    return adopted
  }

  /** Returns a logtest as another process takes it. */
  #portableLogtest(read: AnalysisRequest<AnyRuleset>, sessionId: string, options: RequestOptions): PortableLogtest {
    const { trace = true, includeBaseline = false, at } = read
    const ruleset = 'compiledHash' in read.ruleset ? read.ruleset : portable(this.#select(read.ruleset, options) as SelectedRuleset)
    return { ruleset, input: inputIn(read), trace, includeBaseline, sessionId, ...(at === undefined ? {} : { at }) }
  }

  /** Returns the other process in which the session is; null: it is in this one. */
  #homeOf(id: string, { organization = '', caller = '' }: RequestOptions): Home | null {
    return this.#peerPools.homeOf({ organization, caller, id })
  }

  /** Each task has its own reference, because the data that it carries depends on its thread. */
  #head({ reference, prepareMs }: SelectedRuleset, { locale = 'en-US' }: RequestOptions): TaskHead {
    return { version: PROTOCOL_VERSION, locale, ruleset: { ...reference }, prepareMs }
  }

  /** Locks the session for the caller until it is released. A new one is first asked of the processes that may have had it. */
  async #lockSession({ reference }: SelectedRuleset, { organization = '', caller = '', signal }: RequestOptions, id: string): ReturnType<Sessions['lock']> {
    const name = { organization, caller, rulesetKey: reference.key, id }
    const lock = await this.sessions.lock(name, signal)
    if (typeof lock === 'string') return lock
    // A peer may have come, or this process may be about to end, since the home was found. Once it has the lock, others that ask for the session wait.
    if (this.#peerPools.homeOf(name) !== null) {
      this.sessions.decline(lock)
      return 'moved'
    }
    if (lock.record.isSettled) return lock
    const former = await this.#peerPools.takeSession(name)
    if (former === 'busy') {
      lock.release()
      return 'busy'
    }
    lock.record.settle(former)
    return lock
  }

  #seconds(): number {
    return Math.floor(this.#clock() / 1000)
  }
}

/** A message copies the whole memory behind a view. */
function exact(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}

/** Adds the file that was moved beside the value. */
function withBytes<T>(read: T, answer: WrittenAnswer | null): T {
  if (answer === null) return read
  const { bytes } = answer
  const { file } = read as { readonly file?: object }
  return file === undefined ? { ...read, bytes } : { ...read, file: { ...file, bytes } }
}

/** @throws TypeError if it has none */
function inputIn({ input }: AnalysisRequest<AnyRuleset>): LogtestInput {
  if (input == null) throw new TypeError('a logtest has an input')
  return input
}

/** Returns the input of a line that a thread has already read. */
function inputOf(line: Uint8Array): LogtestInput | null {
  try {
    const { event, log_format = 'auto', location } = JSON.parse(Buffer.from(line).toString()) as { event: string } & Partial<LogtestInput>
    return { event, log_format, ...(location === undefined || location === '' ? {} : { location }) }
  } catch {
    return null
  }
}

function portable({ reference: { key, includeDefaults, includeCustom, diskId, notice }, source }: SelectedRuleset): PortableRuleset {
  return { key, includeDefaults, includeCustom, diskId, source: portableSource(source), ...(notice === undefined ? {} : { notice }) }
}

function portableOptions({ organization = '', caller = '', locale = 'en-US' }: RequestOptions): PortableOptions {
  return { organization, caller, locale }
}

function isMissing(selected: SelectedRuleset | MissingRuleset): selected is MissingRuleset {
  return 'outcome' in selected
}
