/** The corridor: what a logtest passes (README.md#analysis). Nothing here knows a project, an account or a feature. */
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
