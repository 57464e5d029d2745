/** Runs a batch as one call: a few hundred lines at a time, like an upload. */
import { lineTexts } from '../../../server/analysis/refusal.js'
import type { AnalysisPool, BatchLine, LineChunk, LogtestInput, RequestOptions, TaskOutcome } from '#workers'

/** Lines per chunk. */
const CHUNK_LINES = 200

type LinesRequest = Parameters<AnalysisPool['lines']>[0]

export interface BatchAnswer {
  readonly pieces: readonly LineChunk[]
  readonly lines: readonly BatchLine[]
  readonly total: number
  readonly matched: number
  readonly failed: number
}

/** Returns the inputs as NDJSON. */
export function linesOf(inputs: readonly LogtestInput[]): Uint8Array {
  return Buffer.from(inputs.map((input) => `${JSON.stringify(input)}\n`).join(''))
}

/** An outcome other than `ok` is the outcome of the batch. */
export async function runBatch(
  pool: AnalysisPool,
  { inputs, ...request }: Omit<LinesRequest, 'source' | 'texts'> & { readonly inputs: readonly LogtestInput[] },
  options: RequestOptions = {},
): Promise<TaskOutcome<BatchAnswer>> {
  let next = 0
  const source = {
    next: async () => {
      const some = inputs.slice(next, (next += CHUNK_LINES))
      return some.length === 0 ? null : { lines: linesOf(some) }
    },
  }
  const pieces: LineChunk[] = []
  const lines: BatchLine[] = []
  for await (const piece of pool.lines({ ...request, source, texts: lineTexts('en-US') }, options)) {
    if (piece.outcome !== 'ok') return piece
    pieces.push(piece.value)
    lines.push(...parseLines(piece.value.bytes))
    piece.value.release()
  }
  const sum = (count: (piece: LineChunk) => number): number => pieces.reduce((total, piece) => total + count(piece), 0)
  return {
    outcome: 'ok',
    value: {
      pieces,
      lines,
      total: sum(({ count }) => count),
      matched: sum(({ matched }) => matched),
      failed: sum(({ failed }) => failed),
    },
  }
}

/** Parses the answers of a chunk. */
export function parseLines(json: Uint8Array): BatchLine[] {
  return Buffer.from(json)
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as BatchLine)
}
