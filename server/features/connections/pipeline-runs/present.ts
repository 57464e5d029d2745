/** Runs of pipelines as the API shows them. */
import type { Static } from 'typebox'
import type { PipelineRunRecord } from './schema.js'
import type { PipelineRunDocument } from './store.js'

const iso = (date: Date | null): string | null => date?.toISOString() ?? null

export function presentPipelineRun(run: PipelineRunDocument): Static<typeof PipelineRunRecord> {
  return {
    id: run._id,
    organization_id: run.organization_id,
    integration_id: run.integration_id,
    external_run_id: run.external_run_id,
    status: run.status,
    reason: run.reason,
    url: run.url,
    logs_url: run.logs_url,
    started_at: iso(run.started_at),
    finished_at: iso(run.finished_at),
    project: run.project,
    workflow: run.workflow,
    branch: run.branch,
    orphaned: run.orphaned,
    checked_at: run.checked_at.toISOString(),
    check_error: run.check_error,
    started_by: run.started_by,
    created_at: run.created_at.toISOString(),
  }
}
