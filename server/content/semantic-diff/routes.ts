/** `/platform/projects/{project_id}/semantic-diff`. */
import { defineRoute, projectPermission, type Route } from '../../core/http/route.js'
import { SemanticDiffParams, SemanticDiffRequest, SemanticDiffResponse } from './schema.js'
import type { SemanticDiffService } from './service.js'

export function semanticDiffRoutes(diffs: SemanticDiffService): readonly Route[] {
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
  ]
}
