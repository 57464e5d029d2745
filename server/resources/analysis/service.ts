/**
 * Analysis for callers of the interface: reads requests, takes units of the plan, runs them in the pool, and says what became of them. Answers pass
 * through as they were made.
 */
import type { Readable } from 'node:stream'
import type { AnalysisPool, BodyOutcome, LogtestDigest, TaskOutcome, ValidationDigest } from '#workers'
import type { Outbox } from '../../events/outbox.js'
import type { Locale } from '../../i18n/locale.js'
import type { Limits } from '../../limits/limits.js'
import type { Scope } from '../../tenancy/scope.js'
import type { Usage } from '../../tenancy/usage.js'
import { startBatch } from './batch.js'
import { okOf, stopOf } from '../../pool-outcome.js'
import { type AnalysisCaller, answered, hastyOptionsOf, optionsOf, SMALL_BODY_BYTES } from './outcomes.js'
import { stoppedLogtest, stoppedValidation } from './present.js'
import { readBody } from '#requests'
import { refusalError } from './refusal.js'

/** Forms of answers that other resources' answers hold. */
export { DIAGNOSTIC, LOGTEST_RESPONSE, VALIDATION_SUMMARY } from './schema.js'

export interface AnalysisParts {
  readonly pool: AnalysisPool
  readonly usage: Pick<Usage, 'consume' | 'giveBack'>
  readonly outbox: Pick<Outbox, 'emit'>
  readonly limits: Pick<Limits, 'meter'>
}

export class AnalysisService {
  readonly #parts: AnalysisParts

  /** By language; what may be written is the same for everyone until the next build. */
  readonly #schemas = new Map<Locale, Uint8Array>()

  constructor(parts: AnalysisParts) {
    this.#parts = parts
  }

  /** @throws ApiError */
  async validate(body: Uint8Array, includeBaseline: boolean, caller: AnalysisCaller): Promise<string | Uint8Array> {
    const { pool, outbox } = this.#parts
    const started = performance.now()
    const options = optionsOf(caller)
    const outcome = await smallOr(body, 'validate', caller, {
      small: ({ ruleset }) => pool.validateJson({ ruleset, includeBaseline }, options),
      large: () => pool.validateBody({ body, includeBaseline }, options),
    })
    const stopped = stopOf(outcome)
    if (stopped !== null) {
      const { answer, payload } = stoppedValidation(stopped.diagnostic, performance.now() - started)
      await outbox.emit(caller.scope, { name: 'validation.completed', payload })
      return answer
    }
    const { json, digest } = answered<ValidationDigest>(outcome, caller)
    const { ok, diagnosticCount, totalRules, totalDecoders } = digest
    await outbox.emit(caller.scope, { name: 'validation.completed', payload: { ok, diagnostic_count: diagnosticCount, total_rules: totalRules, total_decoders: totalDecoders } })
    return json
  }

  /** @param emits `logtest.completed` @throws ApiError */
  async logtest(body: Uint8Array, emits: boolean, caller: AnalysisCaller): Promise<string | Uint8Array> {
    const { pool, usage, outbox } = this.#parts
    const started = performance.now()
    let taken = false
    // Most plans limit nothing: then there is nothing to wait for. What is waited for costs more here than what is done.
    const taking = <T>(run: () => Promise<T>): Promise<T> => {
      const unit = usage.consume(caller.scope, 'analysis_runs', 1)
      taken = unit === undefined
      if (unit === undefined) return run()
      return unit.then(() => {
        taken = true
        return run()
      })
    }
    try {
      const outcome = await smallOr(body, 'logtest', caller, {
        small: ({ ruleset, input, sessionId, trace }) => {
          const run = { ruleset, input: input as NonNullable<typeof input>, trace }
          return taking(() => (sessionId === null ? pool.logtestJson(run, hastyOptionsOf(caller)) : pool.logtestJson({ ...run, sessionId }, optionsOf(caller))))
        },
        large: () => taking(() => pool.logtestBody({ body }, optionsOf(caller))),
      })
      const stopped = stopOf(outcome)
      const { json, digest } = stopped === null ? answered<LogtestDigest>(outcome, caller) : stoppedLogtest(stopped.diagnostic, performance.now() - started)
      if (emits) {
        const payload = { ok: digest.ok, matched_rule_id: digest.matchedRuleId, matched_rules: [...digest.matchedRules] }
        const emitting = outbox.emit(caller.scope, { name: 'logtest.completed', payload })
        if (emitting !== undefined) await emitting
      }
      return json
    } catch (error) {
      // What is refused costs nothing.
      if (taken) await this.#giveBack(caller.scope, 1)
      throw error
    }
  }

  /** Lines in, lines out. @throws ApiError for what is wrong before the first event */
  batch(body: Readable, caller: AnalysisCaller): Promise<Readable> {
    return startBatch(this.#parts, body, caller)
  }

  /** A ValidationSchemaResponse. @throws ApiError */
  async schema(caller: Pick<AnalysisCaller, 'locale' | 'signal'>): Promise<Uint8Array> {
    const { locale, signal } = caller
    let schema = this.#schemas.get(locale)
    if (schema === undefined) {
      schema = Buffer.from(JSON.stringify(okOf(await this.#parts.pool.schema({ locale, signal }), signal)))
      this.#schemas.set(locale, schema)
    }
    return schema
  }

  /** Units that were taken for what was not done. That they could not be given back is not the caller's trouble. */
  async #giveBack(scope: Scope, units: number): Promise<void> {
    await this.#parts.usage.giveBack(scope, 'analysis_runs', units).catch(() => {})
  }
}

type Reading = ReturnType<typeof readBody>
type ReadRequest = Extract<Reading, { request: unknown }>['request']

/** Reads a small body here, and leaves a large one to a worker. @throws ApiError */
function smallOr<T>(
  body: Uint8Array,
  of: 'validate' | 'logtest',
  { locale }: AnalysisCaller,
  ways: { small(request: ReadRequest): Promise<TaskOutcome<T>>; large(): Promise<BodyOutcome<T>> },
): Promise<TaskOutcome<T>> {
  if (body.byteLength <= SMALL_BODY_BYTES) {
    const reading = readBody(of, body)
    if ('refusal' in reading) throw refusalError(reading.refusal, locale)
    return ways.small(reading.request)
  }
  return ways.large().then((outcome) => {
    if (outcome.outcome === 'refused') throw refusalError(outcome.refusal, locale)
    return outcome
  })
}
