/** Analyses for API callers: reads requests, consumes units of the plan, runs requests in the pool, emits events. Answers are sent as the threads wrote them. */
import type { Readable } from 'node:stream'
import type { AnalysisPool, LogtestDigest, ValidationDigest } from '#workers'
import type { Outbox } from '../core/events/outbox.js'
import type { Locale } from '../core/i18n/locale.js'
import type { Limits } from '../core/limits/limits.js'
import type { Usage } from '../core/tenancy/usage.js'
import { startBatch } from './batch.js'
import { okOf, stopOf } from '../core/pool-outcome.js'
import { type AnalysisCaller, answered, optionsOf, optionsWithLateSignal, refusedTo, requestOf } from './outcomes.js'
import { stoppedLogtest, stoppedValidation } from './present.js'

/** Schemas that other resources include in their answers. */
export { DIAGNOSTIC, LOGTEST_RESPONSE, VALIDATION_SUMMARY } from './schema.js'

export interface AnalysisParts {
  readonly pool: AnalysisPool
  readonly usage: Pick<Usage, 'consume' | 'refund'>
  readonly outbox: Pick<Outbox, 'emit'>
  readonly limits: Pick<Limits, 'meter'>
}

export class AnalysisService {
  readonly #parts: AnalysisParts

  /** The option schema by language. It is constant, so it is created once. */
  readonly #schemas = new Map<Locale, Uint8Array>()

  constructor(parts: AnalysisParts) {
    this.#parts = parts
  }

  /** Validates a request body and returns the JSON answer. @throws ApiError */
  async validate(body: Uint8Array, includeBaseline: boolean, caller: AnalysisCaller): Promise<Uint8Array> {
    const { pool, outbox } = this.#parts
    const started = performance.now()
    const outcome = await pool.validate({ ...requestOf('validate', body, refusedTo(caller)), includeBaseline }, optionsOf(caller))
    const stopped = stopOf(outcome)
    if (stopped !== null) {
      const { answer, payload } = stoppedValidation(stopped.diagnostic, performance.now() - started)
      await outbox.emit(caller.scope, { name: 'validation.completed', payload })
      return answer
    }
    const { bytes, digest } = answered<ValidationDigest>(outcome, caller)
    const { ok, diagnosticCount, totalRules, totalDecoders } = digest
    await outbox.emit(caller.scope, { name: 'validation.completed', payload: { ok, diagnostic_count: diagnosticCount, total_rules: totalRules, total_decoders: totalDecoders } })
    return bytes
  }

  /** Runs a logtest of a request body and returns the JSON answer. @param emits whether to emit `logtest.completed` @throws ApiError */
  async logtest(body: Uint8Array, emits: boolean, caller: AnalysisCaller): Promise<Uint8Array> {
    const { pool, usage, outbox } = this.#parts
    const started = performance.now()
    const request = requestOf('logtest', body, refusedTo(caller))
    // Without a limit the call returns undefined. Awaiting it would cost more than a small logtest.
    const unit = usage.consume(caller.scope, 'analysis_runs', 1)
    if (unit !== undefined) await unit
    try {
      const isPlain = !('body' in request) && request.sessionId == null
      const outcome = await pool.logtest(request, isPlain ? optionsWithLateSignal(caller) : optionsOf(caller))
      const stopped = outcome.outcome === 'ok' ? null : stopOf(outcome)
      const { bytes, digest } = stopped === null ? answered<LogtestDigest>(outcome, caller) : stoppedLogtest(stopped.diagnostic, performance.now() - started)
      if (emits) {
        const payload = { ok: digest.ok, matched_rule_id: digest.matchedRuleId, matched_rules: [...digest.matchedRules] }
        const emitting = outbox.emit(caller.scope, { name: 'logtest.completed', payload })
        if (emitting !== undefined) await emitting
      }
      return bytes
    } catch (error) {
      // A refused request consumes no unit.
      await usage.refund(caller.scope, 'analysis_runs', 1)
      throw error
    }
  }

  /** Reads lines and answers lines. @throws ApiError for errors before the first event */
  batch(body: Readable, caller: AnalysisCaller): Promise<Readable> {
    return startBatch(this.#parts, body, caller)
  }

  /** Returns the JSON of a ValidationSchemaResponse. @throws ApiError */
  async schema(caller: Pick<AnalysisCaller, 'locale' | 'signal'>): Promise<Uint8Array> {
    const { locale, signal } = caller
    let schema = this.#schemas.get(locale)
    if (schema === undefined) {
      schema = Buffer.from(JSON.stringify(okOf(await this.#parts.pool.schema({ locale, signal }), signal)))
      this.#schemas.set(locale, schema)
    }
    return schema
  }
}
