/** Limits of corpora by plan, for an organization. They are beside the table of plans, whose limits are part of the interface of billing. */
import type { PlanCode } from '../../../core/tenancy/plans.js'

const MB = 1024 * 1024

export interface CorpusLimits {
  readonly corpora: number
  /** Declared bytes of one, and of all together. */
  readonly corpusBytes: number
  readonly totalBytes: number
  readonly retentionDays: number
}

export const CORPUS_LIMITS: Readonly<Record<PlanCode, CorpusLimits>> = {
  self_hosted: { corpora: 200, corpusBytes: 512 * MB, totalBytes: 16 * 1024 * MB, retentionDays: 365 },
  free: { corpora: 2, corpusBytes: 16 * MB, totalBytes: 32 * MB, retentionDays: 30 },
  team: { corpora: 20, corpusBytes: 256 * MB, totalBytes: 1024 * MB, retentionDays: 90 },
  enterprise: { corpora: 200, corpusBytes: 512 * MB, totalBytes: 16 * 1024 * MB, retentionDays: 365 },
}

/** The largest of any plan, which the schemas name. */
export const CORPUS_BYTES = 512 * MB
export const RETENTION_DAYS = 365
export const DEFAULT_RETENTION_DAYS = 30

/** Bytes of an upload in one request: half of what a body may have, so that a slow connection loses little. */
export const PART_BYTES = 4 * MB
/** How long an upload that was begun waits for its next part. */
export const UPLOAD_MS = 24 * 60 * 60 * 1000
