/**
 * The answer of a run in each of its forms. JSON and JUnit are gathered as text, result by result, as their head tells the totals: the results themselves
 * are let go of at once, so that a run holds one copy of its answer. NDJSON holds nothing.
 */
import { Readable } from 'node:stream'
import { ApiError } from '../../errors.js'
import { errorBody, toApiError } from '../../http/response/error-response.js'
import { ChunkedBody } from '../../http/text/chunked-body.js'
import type { Locale } from '../../i18n/locale.js'
import { isGone } from '../../pool-outcome.js'
import type { CaseResult, CaseRun, RunTotals } from './run.js'

/** Of one answer. 10,000 cases take about 30 MB; cases with the longest events, some times their 32 MB. */
const ANSWER_BYTES = 256 * 1024 * 1024
/** Of a run. 10,000 cases against the stock ruleset take seconds; this is for rulesets that take a hundred times as long. */
export const RUN_MS = 300_000
/** Answers that wait for the caller before the run pauses. */
const WAITING_BYTES = 256 * 1024

/** How an answer is written. */
export interface AnswerForm {
  entry(result: CaseResult): string
  /** Stands between two entries. */
  readonly separator: string
  /** Stands before the entries. */
  head(totals: RunTotals): string
  /** Stands behind them. */
  tail(totals: RunTotals): string
}

export const JSON_FORM: AnswerForm = {
  entry: (result) => JSON.stringify(result),
  separator: ',',
  head: (totals) => `${JSON.stringify(totals).slice(0, -1)},"results":[`,
  tail: () => ']}',
}

/** Runs to the end. @throws ApiError answer_too_large, and whatever ends the run */
export async function gather(run: CaseRun, form: AnswerForm): Promise<ChunkedBody> {
  const entries: Buffer[] = []
  let bytes = 0
  for await (const some of run.results()) {
    const entry = Buffer.from(`${entries.length === 0 ? '' : form.separator}${some.map((result) => form.entry(result)).join(form.separator)}`)
    entries.push(entry)
    bytes += entry.byteLength
    if (bytes > ANSWER_BYTES) throw new ApiError('answer_too_large', { params: { limit: ANSWER_BYTES } })
  }
  const { totals } = run
  return new ChunkedBody([Buffer.from(form.head(totals)), ...entries, Buffer.from(form.tail(totals))])
}

/** A line a result, as soon as it is known, and a last one. Resolves when the first is there. @param caller whose signal says that nobody reads any more @throws what ends the run before it */
export async function streamLines(run: CaseRun, caller: { readonly signal: AbortSignal; readonly locale: Locale; readonly requestId: string }): Promise<Readable> {
  const results = run.results()
  const first = await results.next()
  return Readable.from(begun(linesOf(run, results, first, caller), results), { objectMode: false, highWaterMark: WAITING_BYTES })
}

/** A stream that is never read ends what it would have read all the same: its generator has not begun, and would not notice. */
function begun(lines: AsyncGenerator<Uint8Array, void, undefined>, results: AsyncGenerator<unknown, void, undefined>): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => lines.next(),
      return: async () => {
        await results.return()
        return lines.return()
      },
    }),
  }
}

async function* linesOf(
  run: CaseRun,
  results: AsyncGenerator<readonly CaseResult[], void, undefined>,
  first: IteratorResult<readonly CaseResult[], void>,
  { signal, locale, requestId }: { readonly signal: AbortSignal; readonly locale: Locale; readonly requestId: string },
): AsyncGenerator<Uint8Array, void, undefined> {
  let done = true
  try {
    for (let next = first; next.done !== true; next = await results.next()) yield line(...next.value)
  } catch (error) {
    if (isGone(signal)) return
    done = false
    yield line(errorBody(isTimeout(error) ? new ApiError('handler_timeout', { params: { seconds: RUN_MS / 1000 } }) : toApiError(error), locale, requestId))
  }
  yield line({ done, ...run.totals })
}

/** What `AbortSignal.timeout` says. */
function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}

function line(...values: readonly object[]): Uint8Array {
  return Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
}
