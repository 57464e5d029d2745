/** `/platform/dashboard`. */
import { defineRoute, permission, type Route } from '../../core/http/route.js'
import { DashboardResponse } from './schema.js'
import type { DashboardService } from './service.js'

export function dashboardRoutes(dashboards: DashboardService): readonly Route[] {
  return [
    defineRoute({
      id: 'dashboard.get',
      method: 'GET',
      path: '/platform/dashboard',
      tag: 'Reports',
      summary: 'Get the dashboard of the organization',
      description:
        'Answers numbers of the active organization, the projects updated last with the newest version of each, the usage of the plan and, for callers with `audit:view`, the newest entries of the audit trail. It reads stored data only: nothing is compiled or run.',
      access: permission('project:view'),
      responses: { 200: { description: 'The dashboard.', schema: DashboardResponse } },
      handle: async ({ scope, principal }) => ({ body: await dashboards.dashboard(scope, principal) }),
    }),
  ]
}
