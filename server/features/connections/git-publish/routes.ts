/** `/platform/organizations/{organization_id}/git-bindings/{binding_id}/publish` and what belongs to it. */
import { defineRoute, permission, type Route, SESSION } from '../../../core/http/route.js'
import { COMMIT_MS, PUBLISH_TIMEOUT_MS } from './lease.js'
import { presentChanges, presentConflicts, presentReview } from './present.js'
import type { GitExportService } from './export.js'
import { BindingParams, IntegrationParams, PreflightResponse, PublishResponse, ReviewStatusResponse, SyncExportRequest, SyncExportResponse } from './schema.js'
import type { GitPublishService } from './service.js'

const TAG = 'Git bindings'
const ITEM = '/platform/organizations/{organization_id}/git-bindings/{binding_id}'
/** Failures of a provider. */
const PROVIDER = [
  'target_refused',
  'provider_credentials_refused',
  'provider_scope_missing',
  'provider_not_found',
  'provider_rate_limited',
  'provider_unavailable',
  'provider_redirect_refused',
  'provider_too_large',
  'provider_unsupported',
  'provider_refused',
  'credentials_unreadable',
] as const
const WRITING = [...PROVIDER, 'provider_branch_protected', 'provider_head_moved'] as const
const PLANNING = ['resource_missing', 'binding_orphaned', 'git_path_occupied', 'edit_conflict', 'overloaded'] as const

export function gitPublishRoutes(publishing: GitPublishService, exports: GitExportService): readonly Route[] {
  return [
    defineRoute({
      id: 'git-bindings.preflight',
      method: 'POST',
      path: `${ITEM}/preflight`,
      tag: TAG,
      summary: 'Simulate a publication to Git',
      description:
        "Merges the project's content into the files of the bound branch by rule, decoder and list, and answers what a publication would change: files, items, detection (compared with the branch: the project's cases run on both), and whether the quality gate passes. Writes nothing at the provider. With conflicts the answer is 200 and names them.",
      access: permission('integration:manage'),
      params: BindingParams,
      responses: { 200: { description: 'What would change.', schema: PreflightResponse } },
      errors: [...PLANNING, ...PROVIDER],
      load: 'repository',
      timeoutMs: PUBLISH_TIMEOUT_MS,
      handle: async (request) => {
        const { runId, plan } = await publishing.preflight(request.scope, request.params.binding_id, request)
        const can_publish = plan.merged.conflicts.length === 0 && plan.gate?.passed === true
        const changes = await presentChanges(plan, plan.merged.changedPaths)
        return { body: { run_id: runId, publish_strategy: plan.binding.publish_strategy, can_publish, ...presentConflicts(plan.merged.conflicts), ...changes } }
      },
    }),
    defineRoute({
      id: 'git-bindings.publish',
      method: 'POST',
      path: `${ITEM}/publish`,
      tag: TAG,
      summary: 'Publish to Git',
      description:
        "Writes the project's content into the files of the bound branch that have it; what did not change stays byte for byte, new items go to `<rules_path>/<slug>_rules.xml`, `<decoders_path>/<slug>_decoders.xml` and `lists_path`, or to the file that a path names. An item that Wazuh would then load before its parent goes behind the parent, and one that became the parent of others goes before these. Changes that others made on the branch stay. `direct` commits to the branch, never over a commit that was not read. `review` opens one pull or merge request and updates it while it is open; commits of others on its branch prevent that (409 `review_branch_moved`). Conflicts (409 `git_conflicts`) are decided by an import into a workspace. A failed quality gate (409 `git_gate_failed`) and a running publication (409 `git_publish_running`) prevent it too. Without a difference there is no commit.",
      access: permission('version:publish'),
      params: BindingParams,
      responses: { 200: { description: 'The result.', schema: PublishResponse } },
      errors: [...PLANNING, 'git_conflicts', 'git_gate_failed', 'git_publish_running', 'review_branch_moved', ...WRITING],
      load: 'repository',
      // A publication that is repeated changes nothing, so it needs no Idempotency-Key.
      timeoutMs: PUBLISH_TIMEOUT_MS + COMMIT_MS,
      handle: async (request) => {
        const { runId, plan, paths, commit, review } = await publishing.publish(request.scope, request.params.binding_id, request)
        const head = { run_id: runId, publish_strategy: plan.binding.publish_strategy, commit_sha: commit?.sha ?? null, commit_url: commit?.url ?? null }
        return { body: { ...head, review: review === null ? null : presentReview(review), ...(await presentChanges(plan, commit === null ? [] : paths)) } }
      },
    }),
    defineRoute({
      id: 'git-bindings.get-review',
      method: 'GET',
      path: `${ITEM}/review-status`,
      tag: TAG,
      summary: 'Get the review of a Git binding',
      description:
        'Asks the provider for the pull or merge request of the last publication. A merged or closed one is answered once, unless the webhook has reported its end before; afterwards, and before the first publication, the answer is null.',
      access: SESSION,
      load: 'provider',
      params: BindingParams,
      responses: { 200: { description: 'The review.', schema: ReviewStatusResponse } },
      errors: ['resource_missing', 'binding_orphaned', 'edit_conflict', ...PROVIDER],
      handle: async ({ scope, params, signal }) => {
        const review = await publishing.reviewStatus(scope, params.binding_id, signal)
        return { body: { review: review === null ? null : presentReview(review) } }
      },
    }),
    defineRoute({
      id: 'integrations.export',
      method: 'POST',
      path: '/platform/organizations/{organization_id}/integrations/{integration_id}/sync-export',
      tag: 'Integrations',
      summary: 'Commit rules and decoders to a branch',
      description:
        'Updates rules and decoders in the files of the branch that have them, without a binding. Those that no file has go to a file beside the others. What the branch has and the request does not stays. The branch must exist. If it moves meanwhile, it is read again; no commit is overwritten. Without a difference there is no commit. XML that cannot be read is refused (422), and so is an item in a file of the branch that cannot be read (409 `git_conflicts`).',
      access: permission('integration:manage'),
      params: IntegrationParams,
      body: { as: 'json', schema: SyncExportRequest },
      bodyExamples: {
        rule: {
          repository: 'example/detections',
          branch: 'main',
          decoders_xml: '',
          rules_xml: '<group name="local,">\n  <rule id="100100" level="5">\n    <if_sid>5710</if_sid>\n    <description>Unknown user</description>\n  </rule>\n</group>\n',
          commit_message: 'Update the rule of unknown users',
        },
      },
      responses: { 200: { description: 'The commit.', schema: SyncExportResponse } },
      errors: ['resource_missing', 'integration_kind_wrong', 'git_conflicts', 'overloaded', ...WRITING],
      load: 'repository',
      timeoutMs: PUBLISH_TIMEOUT_MS,
      handle: async (request) => ({ body: await exports.export(request.scope, request.params.integration_id, request.body, request) }),
    }),
  ]
}
