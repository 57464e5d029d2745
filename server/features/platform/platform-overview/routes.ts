/** `/platform/admin/overview`. */
import { defineRoute, PLATFORM_ADMIN, type Route } from '../../../core/http/route.js'
import { PlatformOverview } from './schema.js'
import type { PlatformOverviewService } from './service.js'

export function platformOverviewRoutes(overviews: PlatformOverviewService): readonly Route[] {
  return [
    defineRoute({
      id: 'platform-overview.get',
      method: 'GET',
      path: '/platform/admin/overview',
      tag: 'Platform administration',
      summary: 'Get the overview of the service',
      description:
        'Organizations, users and members, the counts of the last 30 days, jobs by kind, the store, and each running instance with its thread pool and its cache of rulesets. Contains no content and no name of an organization. The same reading is answered for 5 seconds.',
      access: PLATFORM_ADMIN,
      responses: { 200: { description: 'The overview.', schema: PlatformOverview } },
      handle: async () => ({ body: await overviews.overview() }),
    }),
  ]
}
