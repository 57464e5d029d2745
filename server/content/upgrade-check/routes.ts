/** `/platform/projects/{project_id}/upgrade-check`. */
import { EXAMPLE_FILE, RULESET_BYTES } from '#requests'
import { defineRoute, projectPermission, type Route } from '../../core/http/route.js'
import { ProjectParams } from '../shared/fields.js'
import { UpgradeCheckRequest, UpgradeCheckResponse } from './schema.js'
import type { UpgradeCheckService } from './service.js'

/** Two rulesets. */
const BODY_BYTES = 2 * RULESET_BYTES

const { scope: _, ...EXAMPLE } = EXAMPLE_FILE

export function upgradeCheckRoutes(checks: UpgradeCheckService): readonly Route[] {
  return [
    defineRoute({
      id: 'projects.compare-upgrade',
      method: 'POST',
      path: '/platform/projects/{project_id}/upgrade-check',
      tag: 'Reports',
      summary: 'Find out what an upgrade of the ruleset breaks',
      description:
        'Says what breaks in a version, a workspace or the content of a project when the ruleset below it is replaced, for instance by that of another release of Wazuh. Each finding has its line, what happens in Wazuh and what to do; where a rule can be merged, its text; where the answer to an event changes, the event, which was run on both. The cases of the project are run, too. The search has a limited time, after which it answers what it has found. Read-only; consumes no units of the plan.',
      access: projectPermission('project:view'),
      params: ProjectParams,
      body: { as: 'json', schema: UpgradeCheckRequest, maxBytes: BODY_BYTES },
      bodyExamples: { upgrade: { to: { files: [EXAMPLE] } }, upgraded: { from: { files: [EXAMPLE] }, workspace_id: '0199c5a8-2f1b-7c3d-9e4f-5a6b7c8d9e0f' } },
      responses: { 200: { description: 'The findings.', schema: UpgradeCheckResponse } },
      errors: ['resource_missing', 'edit_conflict', 'overloaded'],
      load: 'run',
      handle: async (request) => ({ body: await checks.check(request.params.project_id, request.body, request) }),
    }),
  ]
}
