/** `/platform/dashboard`. */
import { defineRoute, permission, type Route } from '../../http/route.js'
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
        'Numbers of the active organization, the projects that changed last with the newest version of each, and, for callers with `audit:view`, what happened last; and how much of the plan is used. It tells what is stored; nothing is run for it.',
      access: permission('project:view'),
      responses: { 200: { description: 'The dashboard.', schema: DashboardResponse } },
      handle: async ({ scope, principal }) => ({ body: await dashboards.dashboard(scope, principal) }),
    }),
  ]
}
