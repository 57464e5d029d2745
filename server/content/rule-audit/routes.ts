/** `/platform/projects/{project_id}/rule-audit` and `…/witnesses`. */
import { defineRoute, projectPermission, type Route } from '../../core/http/route.js'
import { RuleAuditParams, RuleAuditRequest, RuleAuditResponse, WitnessesRequest, WitnessesResponse } from './schema.js'
import type { RuleAuditService } from './service.js'

export function ruleAuditRoutes(audits: RuleAuditService): readonly Route[] {
  return [
    defineRoute({
      id: 'projects.audit-rules',
      method: 'POST',
      path: '/platform/projects/{project_id}/rule-audit',
      tag: 'Reports',
      summary: 'Find out which rules can fire',
      description:
        'Gives each own rule of a version, a workspace or the content of a project a verdict: an event fires it, it fires only under a condition, other rules always take its events, no event can fire it, or Wazuh leaves it out. Events were run, and what cannot fire is proven. The search has a limited time, after which the remaining rules are unknown. Read-only; consumes no units of the plan.',
      access: projectPermission('project:view'),
      params: RuleAuditParams,
      body: { as: 'json', schema: RuleAuditRequest },
      bodyExamples: { project: {}, workspace: { workspace_id: '0199c5a8-2f1b-7c3d-9e4f-5a6b7c8d9e0f' }, rules: { rule_ids: ['100100', '5710'] } },
      responses: { 200: { description: 'The verdicts.', schema: RuleAuditResponse } },
      errors: ['resource_missing', 'edit_conflict', 'overloaded'],
      load: 'run',
      handle: async (request) => ({ body: await audits.audit(request.params.project_id, request.body, request) }),
    }),
    defineRoute({
      id: 'projects.generate-witnesses',
      method: 'POST',
      path: '/platform/projects/{project_id}/witnesses',
      tag: 'Reports',
      summary: 'Make events that fire rules',
      description:
        'Makes for each own rule of a version, a workspace or the content of a project the smallest readable event whose final rule it is, or a sequence with times; with `near` also the nearest events that do not fire it. Each event was run. Rules that cannot fire have the reason. The search has a limited time, after which the remaining rules are unknown. Read-only; consumes no units of the plan.',
      access: projectPermission('project:view'),
      params: RuleAuditParams,
      body: { as: 'json', schema: WitnessesRequest },
      bodyExamples: { project: {}, boundary: { rule_ids: ['100100'], near: true } },
      responses: { 200: { description: 'The events.', schema: WitnessesResponse } },
      errors: ['resource_missing', 'edit_conflict', 'overloaded'],
      load: 'run',
      handle: async (request) => ({ body: await audits.witnesses(request.params.project_id, request.body, request) }),
    }),
  ]
}
