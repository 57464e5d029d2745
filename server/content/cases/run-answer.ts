/**
 * The answer of a run in each of its formats. JSON and JUnit begin with the totals, so their entries are buffered as text and each result is released at
 * once: a run holds one copy of its answer. NDJSON is streamed.
 */
import { Readable } from 'node:stream'
import { ApiError } from '../../core/errors.js'
import { errorBody, toApiError } from '../../core/http/response/error-response.js'
import { ChunkedBody } from '../../core/http/text/chunked-body.js'
import type { Locale } from '../../core/i18n/locale.js'
import { isGone } from '../../core/pool-outcome.js'
import type { CaseResult, CaseRun, RunTotals } from './run.js'

/** Maximum bytes of a buffered answer. 10,000 cases take about 30 MB; with the longest events, several times their 32 MB. */
const ANSWER_BYTES = 256 * 1024 * 1024
/** Maximum time of a run. 10,000 cases on the reference ruleset take seconds; rulesets a hundred times slower still finish. */
export const RUN_MS = 300_000
/** Bytes that may wait for the caller before the run pauses. */
const WAITING_BYTES = 256 * 1024

/** Format of a buffered answer. */
export interface AnswerForm {
  entry(result: CaseResult): string
  /** Text between two entries. */
  readonly separator: string
  /** Text before the entries. */
  head(totals: RunTotals): string
  /** Text after the entries. */
  tail(totals: RunTotals): string
}

export const JSON_FORM: AnswerForm = {
  entry: (result) => JSON.stringify(result),
  separator: ',',
  head: (totals) => `${JSON.stringify(totals).slice(0, -1)},"results":[`,
  tail: () => ']}',
}

/** Runs all cases and returns the answer. @throws ApiError answer_too_large, and the errors of `CaseRun.results` */
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

/**
 * Streams one line for each result as soon as it is known, and a last line with the totals. Resolves with the first result.
 * @param caller its signal is aborted when the connection closes @throws the error that ends the run before the first result
 */
export async function streamLines(run: CaseRun, caller: { readonly signal: AbortSignal; readonly locale: Locale; readonly requestId: string }): Promise<Readable> {
  const results = run.results()
  const first = await results.next()
  return Readable.from(begun(linesOf(run, results, first, caller), results), { objectMode: false, highWaterMark: WAITING_BYTES })
}

/** Ends `results` also if the stream is never read: `lines`, which would end them, has not started then. */
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

/** Whether the error is that of `AbortSignal.timeout`. */
function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}

function line(...values: readonly object[]): Uint8Array {
  return Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
}
