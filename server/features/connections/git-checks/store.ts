/** Checks of pull and merge requests. Each request has one current check; the history is in the runs of the binding. */
import type { Static } from 'typebox'
import { type TenantDocument, tenantCollection } from '../../../core/storage/contract.js'
import type { ContentImpactRecord } from '../../../content/impact/service.js'

/** The current check of a review. Its id consists of binding and number (`checkId`). */
export interface GitCheckDocument extends TenantDocument {
  readonly binding_id: string
  readonly run_id: string
  readonly head_sha: string
  /** Hash of the content of the head, where an approval of it decides; a decision about it begins the check again. Missing: none does, or the check is older. */
  readonly content_hash?: string | null
  /** Whether the pending status was set. */
  readonly is_announced: boolean
  readonly updated_at: Date
}

/** What a check found. Its id is that of the run. */
export interface GitCheckReportDocument extends TenantDocument {
  readonly impact: Omit<Static<typeof ContentImpactRecord>, 'behaviour'>
  /** The behaviour of the impact as JSON: decoded fields have any names, and a document not. Reports that are older lack it. */
  readonly behaviour_json?: string
  readonly created_at: Date
}

/** As long as runs are kept. */
const HISTORY_SECONDS = 180 * 24 * 60 * 60

export const GIT_CHECKS = tenantCollection<GitCheckDocument>('git_checks', [{ keys: { updated_at: 1 }, expireAfterSeconds: HISTORY_SECONDS }, { keys: { content_hash: 1 } }])
export const GIT_CHECK_REPORTS = tenantCollection<GitCheckReportDocument>('git_check_reports', [{ keys: { created_at: 1 }, expireAfterSeconds: HISTORY_SECONDS }])

export function checkId(bindingId: string, number: number): string {
  return `${bindingId}:${number}`
}
