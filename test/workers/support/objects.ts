/** Answers of a pool as objects. The service sends their bytes unchanged; tests examine them. */
import type { AnalysisOutcome, AnalysisPool, CaseDiagnostics, CaseOutcome, LogtestAnswer, TaskOutcome, ValidationAnswer, WrittenAnswer } from '#workers'

/** Parses an answer, and releases its memory. */
export function parse<T>({ bytes, release }: Pick<WrittenAnswer, 'bytes' | 'release'>): T {
  const text = Buffer.from(bytes).toString()
  release()
  return JSON.parse(text) as T
}

async function parsed<T>(answering: Promise<AnalysisOutcome<WrittenAnswer>>): Promise<TaskOutcome<T>> {
  const outcome = await answering
  if (outcome.outcome === 'refused') throw new TypeError('a request without a body is not refused')
  return outcome.outcome === 'ok' ? { outcome: 'ok', value: parse<T>(outcome.value) } : outcome
}

export function logtestAnswer(pool: AnalysisPool, ...args: Parameters<AnalysisPool['logtest']>): Promise<TaskOutcome<LogtestAnswer>> {
  return parsed(pool.logtest(...args))
}

export function validationAnswer(pool: AnalysisPool, ...args: Parameters<AnalysisPool['validate']>): Promise<TaskOutcome<ValidationAnswer>> {
  return parsed(pool.validate(...args))
}

/** Runs cases and returns one answer. An outcome other than `ok` is the outcome of the run. */
export async function runCases(
  pool: AnalysisPool,
  ...args: Parameters<AnalysisPool['cases']>
): Promise<TaskOutcome<{ readonly loads: boolean; readonly results: readonly CaseOutcome[]; readonly contentReport: CaseDiagnostics | null }>> {
  const results: CaseOutcome[] = []
  let loads = true
  let contentReport: CaseDiagnostics | null = null
  for await (const chunk of pool.cases(...args)) {
    if (chunk.outcome !== 'ok') return chunk
    results.push(...chunk.value.results)
    loads = chunk.value.loads
    contentReport ??= chunk.value.contentReport
  }
  return { outcome: 'ok', value: { loads, results, contentReport } }
}
