/** Logs one line per request and counts it in the metrics. The logged path is the route's pattern, because real paths contain invitation tokens. */
import { subjectOf } from '../auth/principal.js'
import type { AccessLog } from '../observability/log.js'
import type { HttpMetrics } from '../observability/metrics.js'
import type { RequestState, Middleware } from './request-state.js'

/** The status that nginx logs when the client closed the connection before the response. */
const CALLER_GONE = 499

export function accessLog(log: AccessLog, metrics: HttpMetrics): Middleware {
  return async (ctx, next) => {
    const { state, res, req } = ctx
    // Read before the response ends: the address of a closed connection is unknown.
    const address = log.isEnabled() ? state.address : ''
    try {
      await next()
    } finally {
      const ms = performance.now() - state.startedAt
      const status = res.headersSent ? res.statusCode : CALLER_GONE
      metrics.answered(state.route?.id ?? 'none', req.method ?? '', status, ms)
      if (log.isEnabled()) {
        log.write({
          request_id: state.requestId,
          address,
          method: req.method ?? '',
          route: state.routePath,
          status,
          ms: Math.round(ms * 100) / 100,
          subject: nameOf(state),
          organization: state.caller?.organizationId ?? null,
          refusal: state.refusal,
        })
      }
    }
  }
}

function nameOf({ caller }: RequestState): string | null {
  return caller === null ? null : subjectOf(caller)
}
