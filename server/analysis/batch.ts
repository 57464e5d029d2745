/**
 * Runs many events of one request: lines arrive and results leave as streams. Decisions where the contract is silent:
 *  1. the headers are sent when the ruleset is compiled and a unit of the plan is available: earlier errors have their status, later ones are a line of the
 *     error shape before the last line, whose `done` is then false
 *  2. blank lines are skipped; a line may end in CR LF, the last one without either
 *  3. units are consumed as lines arrive, and released for lines that were no event, as soon as they are answered, and for those that were not run because the
 *     batch ended; lines beyond the plan's limit get the error `plan_quota_exceeded` in their place
 *  4. an event that is stopped (deadline, memory) has `ok: false`; after three of them all later ones do, without a run
 *  5. with `select` or `only` the last line has the facts about the ruleset that otherwise the line of the first event has; lines of events that do not run are complete
 *  6. an error in the caller's content makes `ok` of every event false, though it is run: `failed` then counts all of them
 */
import type { Readable } from 'node:stream'
import type { Refusal } from '#requests'
import { type AnalysisPool, answerStopped, countLines, lineAt, type LineItem, type LineChunk, type LineSource, type PreparedBatch, roundMs, type TaskOutcome } from '#workers'
import { ApiError } from '../core/errors.js'
import { errorBody, toApiError } from '../core/http/response/error-response.js'
import { type Chunk, ChunkStream } from '../core/http/response/chunk-stream.js'
import type { Limits } from '../core/limits/limits.js'
import type { Usage } from '../core/tenancy/usage.js'
import { headRefusal, lineTexts } from './refusal.js'
import { isGone, isStopping, okOf, refusalOf, stopOf } from '../core/pool-outcome.js'
import { type AnalysisCaller, optionsOf, requestOf } from './outcomes.js'
import { encodingBySignature } from '../core/http/content-encoding.js'
import { Upload } from './upload.js'

/** Lines beyond the plan's limit that are answered at once. A chunk may have tens of thousands, and its answers would take megabytes. */
const REFUSED_LINES = 1024
/** Units that a batch holds for its next lines; further ones are released. */
const SPARE_UNITS = 1024

export interface BatchParts {
  readonly pool: AnalysisPool
  readonly usage: Pick<Usage, 'consume' | 'refund'>
  readonly limits: Pick<Limits, 'meter'>
}

/** Reads the first line and compiles the ruleset; events run while the response is read. @throws ApiError */
export async function startBatch({ pool, usage, limits }: BatchParts, body: Readable, caller: AnalysisCaller): Promise<Readable> {
  const startedAt = performance.now()
  const upload = new Upload(body, caller.held, limits.meter('batch_bytes', { organization: caller.scope.organizationId }))
  const { signal } = caller
  // Otherwise a slow client would wait until its connection is closed without a reason.
  signal.addEventListener('abort', () => {
    if (isStopping(signal)) upload.close(new ApiError('shutting_down'))
  })
  try {
    const first = await upload.first()
    if (first === null) throw upload.failure ?? headRefusal({ reason: 'body_unparseable' }, upload.firstNumber, caller.locale)
    const outcome = await prepareHead(pool, first, upload.firstNumber, caller)
    const stop = stopOf(outcome)
    const head = stop === null ? okOf(outcome, signal) : null
    if (head !== null && head.unreadable.length > 0) throw new ApiError('ruleset_unreadable', { details: { diagnostics: head.unreadable } })
    const units = new Units(usage, caller)
    await units.begin()
    const source = new BatchSource(upload, units, caller)
    const chunks =
      head === null
        ? answerStopped(source, stop as NonNullable<typeof stop>)
        : pool.lines(
            {
              ruleset: head.ruleset,
              source,
              trace: head.trace,
              select: head.select,
              onlyAlerts: head.onlyAlerts,
              requestId: caller.requestId,
              texts: lineTexts(caller.locale),
              ...(head.sessionId === null ? {} : { sessionId: head.sessionId }),
            },
            optionsOf(caller),
          )
    const end = (): Promise<void> => {
      upload.close()
      return units.end()
    }
    const isWhole = head === null || (head.select === null && !head.onlyAlerts)
    return new ChunkStream(answer(chunks, { source, units, caller, startedAt, isWhole, end }), () => void end())
  } catch (error) {
    upload.close()
    throw error
  }
}

/** Reads the first line, and compiles its ruleset. @throws ApiError for a line that is refused */
async function prepareHead(pool: AnalysisPool, line: Uint8Array, number: number, caller: AnalysisCaller): Promise<TaskOutcome<PreparedBatch>> {
  const refuse = (refusal: Refusal): ApiError => {
    const encoding = refusal.reason === 'body_unparseable' ? encodingBySignature(line) : null
    return encoding === null
      ? headRefusal(refusal, number, caller.locale)
      : new ApiError('body_encoding_unnamed', { params: { line: number, encoding }, details: { line: number, encoding } })
  }
  const outcome = await pool.prepare(requestOf('head', line, refuse), optionsOf(caller))
  if (outcome.outcome === 'refused') throw refuse(outcome.refusal)
  return outcome
}

interface AnswerParts {
  readonly source: BatchSource
  readonly units: Units
  readonly caller: AnalysisCaller
  readonly startedAt: number
  /** Whether every line has its whole answer. */
  readonly isWhole: boolean
  end(): Promise<void>
}

/** The lines of the response. */
async function* answer(
  chunks: AsyncGenerator<TaskOutcome<LineChunk>, void, undefined>,
  { source, units, caller, startedAt, isWhole, end }: AnswerParts,
): AsyncGenerator<Chunk, void, undefined> {
  let total = 0
  let matched = 0
  let failed = 0
  let alerts = 0
  let content = ''
  let failure: unknown = null
  try {
    for await (const chunk of chunks) {
      if (chunk.outcome !== 'ok') {
        if (isGone(caller.signal)) return
        failure = refusalOf(chunk, caller.signal)
        break
      }
      const { bytes, release, count, events, wrong } = chunk.value
      const sent = caller.onEnd(release)
      total += count
      matched += chunk.value.matched
      failed += chunk.value.failed
      alerts += chunk.value.alerts
      content ||= chunk.value.content ?? ''
      units.used += events
      if (wrong > 0) await units.giveBack(wrong)
      if (bytes.length === 0) sent()
      else yield { bytes, sent }
    }
    failure ??= source.failure
    if (isGone(caller.signal)) return
    if (failure !== null) yield line(errorBody(toApiError(failure), caller.locale, caller.requestId))
    const last = { done: failure === null, total, matched, failed, ...(isWhole ? {} : { alerts }), duration_ms: roundMs(performance.now() - startedAt) }
    yield { bytes: Buffer.from(`${JSON.stringify(last).slice(0, -1)}${content}}\n`), sent: null }
  } finally {
    await end()
  }
}

function line(value: unknown): Chunk {
  return { bytes: Buffer.from(`${JSON.stringify(value)}\n`), sent: null }
}

/** Units of the plan, one per event. The first is consumed before the response begins, so that an exhausted plan is refused with its status. */
class Units {
  readonly #usage: Pick<Usage, 'consume' | 'refund'>
  readonly #caller: AnalysisCaller
  #taken = 0
  /** Units that no line holds. */
  #spare = 0
  /** Whether the plan had no unit left lately. */
  #isExhausted = false
  /** Events with a result; units of all other lines are released. */
  used = 0

  constructor(usage: Pick<Usage, 'consume' | 'refund'>, caller: AnalysisCaller) {
    this.#usage = usage
    this.#caller = caller
  }

  async begin(): Promise<void> {
    await this.#consume(1)
    this.#spare = 1
  }

  /** Consumes up to `count` units. @returns how many were granted, and the error if fewer */
  async take(count: number): Promise<{ granted: number; refusal: ApiError | null }> {
    const spare = Math.min(this.#spare, count)
    this.#spare -= spare
    const wanted = count - spare
    let granted = 0
    let refusal: ApiError | null = null
    /** Requested at once and halved until granted, because the number of units left is unknown. */
    let step = this.#isExhausted ? Math.min(1, wanted) : wanted
    while (step > 0) {
      try {
        await this.#consume(step)
        granted += step
        step = refusal === null ? wanted - granted : Math.min(step, wanted - granted)
      } catch (error) {
        if (!(error instanceof ApiError) || error.reason !== 'plan_quota_exceeded') throw error
        refusal = error
        step = step >> 1
      }
    }
    if (wanted > 0) this.#isExhausted = granted === 0
    return { granted: granted + spare, refusal }
  }

  /** Takes back units of lines that were no event: later lines use them, and the plan gets what exceeds that. */
  async giveBack(units: number): Promise<void> {
    this.#spare += units
    const surplus = this.#spare - SPARE_UNITS
    if (surplus <= 0) return
    this.#spare -= surplus
    try {
      await this.#usage.refund(this.#caller.scope, 'analysis_runs', surplus)
      this.#taken -= surplus
    } catch {
      // The store failed: they are released at the end, with all others.
      this.#spare += surplus
    }
  }

  async end(): Promise<void> {
    await this.#usage.refund(this.#caller.scope, 'analysis_runs', this.#taken - this.used)
  }

  async #consume(units: number): Promise<void> {
    await this.#usage.consume(this.#caller.scope, 'analysis_runs', units)
    this.#taken += units
  }
}

/** Passes lines to the pool as far as the plan has units, and answers the rest with the error. */
class BatchSource implements LineSource {
  readonly #upload: Upload
  readonly #units: Units
  readonly #caller: AnalysisCaller
  /** The answer to lines beyond the plan's limit, and how many are not answered yet. */
  #refused: { readonly answer: Buffer; left: number } | null = null
  #failure: unknown = null
  /** Number of the next line. */
  #number: number

  constructor(upload: Upload, units: Units, caller: AnalysisCaller) {
    this.#number = upload.firstNumber + 1
    this.#upload = upload
    this.#units = units
    this.#caller = caller
  }

  /** Why the lines ended early; null: they did not. */
  get failure(): unknown {
    return this.#failure ?? this.#upload.failure
  }

  async next(): Promise<LineItem | null> {
    if (this.#refused !== null) return this.#nextRefused(this.#refused)
    const lines = await this.#upload.next()
    if (lines === null) return null
    const from = this.#number
    const { filled: count, all } = countLines(lines)
    this.#number += all
    if (count === 0) return { lines, from }
    try {
      const { granted, refusal } = await this.#units.take(count)
      if (refusal === null || granted === count) return { lines, from }
      const { locale, requestId } = this.#caller
      this.#refused = { answer: Buffer.from(`${JSON.stringify(errorBody(refusal, locale, requestId))}\n`), left: count - granted }
      return granted === 0 ? this.#nextRefused(this.#refused) : { lines: lines.subarray(0, lineAt(lines, granted - 1).next), from }
    } catch (error) {
      // The store failed. What is running is answered before the error.
      this.#failure = error
      return null
    }
  }

  reuse(lines: Uint8Array): void {
    this.#upload.reuse(lines)
  }

  #nextRefused(refused: { readonly answer: Buffer; left: number }): LineItem {
    const count = Math.min(refused.left, REFUSED_LINES)
    refused.left -= count
    if (refused.left === 0) this.#refused = null
    return { answers: Buffer.alloc(count * refused.answer.length, refused.answer), count }
  }
}
