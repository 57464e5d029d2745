/**
 * The corridor: what a logtest passes. Nothing here knows a project, an account or a feature. The walk, in its order (`test/server/analysis/corridor.test.ts`
 * holds that it has no more than 60 files on the main thread):
 *
 *     core/http/server.ts, connection/   a connection, and its share of the event loop
 *     core/http/application.ts           what all requests pass: state, count, log line, errors, head, length of the body
 *     core/http/router.ts                one path, by a router of its own
 *     core/http/identity/access.ts       whose key it is (core/auth/identity-cache.ts), and what it permits
 *     core/http/limits/                  rate limit (core/tenancy/counters.ts), plan (core/tenancy/quotas.ts), concurrency (core/limits/)
 *     core/http/request/body.ts          the bytes of the body
 *     core/http/handle.ts                calls the route (routes.ts)
 *     service.ts                         parses the body (workers/requests/), takes a unit of the plan
 *     workers/analysis-pool.ts           finds the ruleset by its hash (workers/content/)
 *     workers/pool/                      queue, batch, Piscina
 *       workers/thread/                  in a thread: compiles or finds the ruleset, runs the event, writes the answer into shared memory
 *     service.ts                         emits the event, if anybody has subscribed (core/events/outbox.ts)
 *     core/http/response/send.ts         sends the thread's bytes without a copy
 */
import type { OpenWing, Wing } from '../core/wing.js'
import { healthRoutes } from '../core/http/health-routes.js'
import { analysisRoutes } from './routes.js'
import { AnalysisService } from './service.js'

export const analysis: Wing = {
  collections: [],
  open: ({ pool, quotas, outbox, limits }): OpenWing => ({
    routes: [...healthRoutes, ...analysisRoutes(new AnalysisService({ pool, usage: quotas.usage, outbox, limits }))],
  }),
}
