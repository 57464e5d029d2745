/** The endpoints for operators, outside of the interface: `/livez`, `/readyz`, `/metrics`. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../errors.js'
import type { Health } from '../observability/health.js'
import type { Metrics } from '../observability/metrics.js'
import type { Middleware } from './request-state.js'
import { JSON_TYPE, send } from './response/send.js'

export interface ProbesOptions {
  readonly health: Pick<Health, 'check'> | null
  readonly metrics: Pick<Metrics, 'read'>
  /** Null: there is no `/metrics`. */
  readonly metricsToken: string | null
}

const PATHS: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics'])

export function probes({ health, metrics, metricsToken }: ProbesOptions): Middleware {
  const expected = metricsToken === null ? null : digest(metricsToken)
  return async (ctx, next) => {
    const { path, method, state } = ctx
    if (!PATHS.has(path) || (path === '/metrics' && expected === null)) return next()
    state.routePath = path
    if (method !== 'GET' && method !== 'HEAD') throw new ApiError('method_not_allowed', { params: { method }, headers: { Allow: 'GET, HEAD' } })
    if (path === '/livez') return send(ctx, 200, JSON_TYPE, '{"status":"ok"}')
    if (path === '/readyz') {
      const readiness = health === null ? { isReady: true, parts: {} } : await health.check()
      return send(ctx, readiness.isReady ? 200 : 503, JSON_TYPE, JSON.stringify({ status: readiness.isReady ? 'ok' : 'unavailable', ...readiness.parts }))
    }
    const sent = /^Bearer +(\S+) *$/i.exec(state.header('authorization') ?? '')?.[1]
    if (sent === undefined) throw new ApiError('credential_missing')
    // Digests have the same length, so the comparison does not depend on the token.
    if (!timingSafeEqual(digest(sent), expected as Buffer)) throw new ApiError('credential_invalid')
    const { type, text } = await metrics.read()
    send(ctx, 200, type, text)
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
