/** `/platform/projects/{project_id}/wazuh5`. */
import { defineRoute, projectPermission, type Route } from '../../core/http/route.js'
import { ProjectParams } from '../shared/fields.js'
import { Wazuh5Request, Wazuh5Response } from './schema.js'
import type { Wazuh5Service } from './service.js'

export function wazuh5Routes(conversion: Wazuh5Service): readonly Route[] {
  return [
    defineRoute({
      id: 'projects.generate-sigma',
      method: 'POST',
      path: '/platform/projects/{project_id}/wazuh5',
      tag: 'Reports',
      summary: 'Convert rules for Wazuh 5',
      description:
        'Wazuh 5 detects by Sigma rules. Gives each own rule of a version, a workspace or the content of a project a verdict, and its Sigma text: with the conditions of its parents, and without the events of the rules that take them. Events that were run prove the text: each says whether the Sigma rule has to match it. The search for them has a limited time; afterwards texts have no events, and rules that were not reached are counted. Read-only; consumes no units of the plan.',
      access: projectPermission('project:view'),
      params: ProjectParams,
      body: { as: 'json', schema: Wazuh5Request },
      bodyExamples: { project: {}, workspace: { workspace_id: '0199c5a8-2f1b-7c3d-9e4f-5a6b7c8d9e0f' }, rules: { rule_ids: ['100100', '5710'] } },
      responses: { 200: { description: 'The verdicts and texts.', schema: Wazuh5Response } },
      errors: ['resource_missing', 'edit_conflict', 'overloaded'],
      load: 'run',
      handle: async (request) => ({ body: await conversion.convert(request.params.project_id, request.body, request) }),
    }),
  ]
}
