/** Git bindings and their runs as the API and the audit trail show them. */
import { toUSVString } from 'node:util'
import type { Static } from 'typebox'
import type { GitCommit } from '../gateways/git/gateway.js'
import type { PublicAddress } from '../../../core/public-address.js'
import type { AuditResource } from '../../../core/audit/service.js'
import type { GitCommitRecord } from './import-schema.js'
import type { GitProjectSyncRunRecord } from './run-schema.js'
import type { GitProjectBindingRecord } from './schema.js'
import type { GitBindingDocument, GitRunDocument } from './store.js'

const iso = (date: Date | null): string | null => date?.toISOString() ?? null

/** @param address whose interface the provider calls */
export function presentBinding(binding: GitBindingDocument, address: Pick<PublicAddress, 'api'>): Static<typeof GitProjectBindingRecord> {
  const { review } = binding
  return {
    id: binding._id,
    organization_id: binding.organization_id,
    project_id: binding.project_id,
    integration_id: binding.integration_id,
    repository: binding.repository,
    branch: binding.branch,
    rules_path: binding.rules_path,
    decoders_path: binding.decoders_path,
    lists_path: binding.lists_path,
    publish_strategy: binding.publish_strategy,
    scheduled_sync_interval_minutes: binding.scheduled_sync_interval_minutes,
    sync_on_webhook: binding.sync_on_webhook,
    check_pull_requests: binding.check_pull_requests,
    comment_on_review: binding.comment_on_review,
    webhook_url: `${address.api}/webhooks/git/${binding._id}`,
    synced_commit_sha: binding.synced_commit_sha,
    synced_at: iso(binding.synced_at),
    review: review === null ? null : { number: review.number, url: review.url, branch: review.branch, head_sha: review.head_sha },
    discovered: binding.discovered === null ? null : { ...binding.discovered },
    created_at: binding.created_at.toISOString(),
    updated_at: binding.updated_at.toISOString(),
  }
}

export function presentRun(run: GitRunDocument): Static<typeof GitProjectSyncRunRecord> {
  return {
    id: run._id,
    binding_id: run.binding_id,
    project_id: run.project_id,
    run_type: run.run_type,
    status: run.status,
    trigger: run.trigger,
    commit_sha: run.commit_sha,
    review_number: run.review_number,
    workspace_id: run.workspace_id,
    error: run.error === null ? null : { ...run.error },
    diff_summary: { ...run.diff_summary },
    started_by: run.started_by,
    created_at: run.created_at.toISOString(),
    finished_at: iso(run.finished_at),
  }
}

/** Characters of a commit's message that are shown. */
const MESSAGE_CHARACTERS = 5000

export function presentCommit({ sha, message, authorName, authoredAt, url }: GitCommit): Static<typeof GitCommitRecord> {
  return { sha, message: toUSVString(message.slice(0, MESSAGE_CHARACTERS)), author_name: authorName, authored_at: authoredAt.toISOString(), url }
}

/** The object of an audit entry. */
export function bindingResource({ _id, repository, branch }: Pick<GitBindingDocument, '_id' | 'repository' | 'branch'>): AuditResource {
  return { type: 'git_binding', id: _id, name: `${repository}@${branch}` }
}
