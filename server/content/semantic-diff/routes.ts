/** `/platform/projects/{project_id}/semantic-diff`, and `…/bisect`. */
import { defineRoute, projectPermission, type Route } from '../../core/http/route.js'
import { MEASURE_TIMEOUT_MS } from '../shared/measure.js'
import type { VersionBisection } from './bisect.js'
import { BisectRequest, BisectResponse, SemanticDiffParams, SemanticDiffRequest, SemanticDiffResponse } from './schema.js'
import type { SemanticDiffService } from './service.js'

export function semanticDiffRoutes(diffs: SemanticDiffService, bisection: VersionBisection): readonly Route[] {
  return [
    defineRoute({
      id: 'projects.compare-behaviour',
      method: 'POST',
      path: '/platform/projects/{project_id}/semantic-diff',
      tag: 'Reports',
      summary: 'Compare what two contents detect',
      description:
        'Compares versions, workspaces and the content of a project by what they do with events, not by their lines. For each rule and decoder that was changed, or is touched through a change, the answer has an event that shows a difference with both results, or says that none was found, and whether that is proven. Events are made for the purpose; those of the cases of the project are run too. The search has a limited time, after which it answers what it has found. Read-only; consumes no units of the plan.',
      access: projectPermission('project:view'),
      params: SemanticDiffParams,
      body: { as: 'json', schema: SemanticDiffRequest },
      bodyExamples: { workspace: { before: {}, after: { workspace_id: '0199c5a8-2f1b-7c3d-9e4f-5a6b7c8d9e0f' } } },
      responses: { 200: { description: 'The comparison.', schema: SemanticDiffResponse } },
      errors: ['resource_missing', 'edit_conflict', 'overloaded'],
      load: 'run',
      handle: async (request) => ({ body: await diffs.compare(request.params.project_id, request.body, request) }),
    }),
    defineRoute({
      id: 'projects.search-versions',
      method: 'POST',
      path: '/platform/projects/{project_id}/bisect',
      tag: 'Reports',
      summary: 'Find the version that changed what an event gives',
      description:
        'Looks for the version since which the last event has the rule, or no longer has it, among the last 500 versions that were published and the content of the project, and compares it with the one before. Looks at versions for at most 20 seconds. Read-only; consumes no units of the plan.',
      access: projectPermission('project:view'),
      params: SemanticDiffParams,
      body: { as: 'json', schema: BisectRequest },
      bodyExamples: { lost: { rule_id: '60122', events: [{ event: 'Nov 23 10:11:12 web1 vpn: login failed' }] } },
      responses: { 200: { description: 'The version, and what it changed.', schema: BisectResponse } },
      errors: ['resource_missing', 'edit_conflict', 'overloaded'],
      load: 'run',
      timeoutMs: MEASURE_TIMEOUT_MS,
      handle: async (request) => ({ body: await bisection.run(request.params.project_id, request.body, request) }),
    }),
  ]
}
