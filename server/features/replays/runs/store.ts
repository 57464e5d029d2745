/** Stored replays. */
import type { ReplayClock } from '#workers'
import { type TenantDocument, tenantCollection } from '../../../core/storage/contract.js'
import { REPLAY_DAYS } from './limits.js'

/** Whether events are received at the times that they have, or each a second after the one before. */
export const REPLAY_CLOCKS = ['arrival', 'event'] as const satisfies readonly ReplayClock[]
export const REPLAY_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const
export type ReplayStatus = (typeof REPLAY_STATUSES)[number]
/** Replays that have not ended. */
export const OPEN_STATUSES = ['queued', 'running'] as const satisfies readonly ReplayStatus[]

/** A content of the project: a version, a workspace, or that of the project itself. */
export interface ReplayContent {
  readonly version_id: string | null
  readonly workspace_id: string | null
}

/** Names of members with the event, its location and its time. */
export interface ReplayFields {
  readonly event: string
  readonly location: string | null
  readonly time: string | null
}

/** Why a replay failed: its corpus or a content is gone, it took longer than a run may, or the analysis failed. */
export const REPLAY_FAILURES = ['corpus_gone', 'content_gone', 'time_limit', 'analysis_failed'] as const
export type ReplayFailure = (typeof REPLAY_FAILURES)[number]

export interface ReplayDocument extends TenantDocument {
  readonly project_id: string
  readonly corpus_id: string
  readonly corpus_name: string
  readonly content: ReplayContent
  /** Null: it is compared with none. */
  readonly compare: ReplayContent | null
  /** Absent: `arrival`. */
  readonly clock?: ReplayClock
  /** Members of the lines, which are JSON. Absent or null: lines are logs, or records of Wazuh. */
  readonly fields?: ReplayFields | null
  readonly status: ReplayStatus
  readonly failure: ReplayFailure | null
  readonly total_bytes: number
  readonly done_bytes: number
  readonly events: number
  /** Sealed JSON: it has samples of events. Null: it has not succeeded. */
  readonly result: string | null
  readonly created_by: string
  readonly created_by_name: string
  readonly created_at: Date
  readonly started_at: Date | null
  readonly finished_at: Date | null
}

export const REPLAYS = tenantCollection<ReplayDocument>('replays', [
  { keys: { project_id: 1, created_at: -1, _id: -1 } },
  { keys: { project_id: 1, status: 1, created_at: -1, _id: -1 } },
  { keys: { corpus_id: 1 } },
  { keys: { status: 1 } },
  { keys: { created_at: 1 }, expireAfterSeconds: REPLAY_DAYS * 24 * 60 * 60 },
])

/** The place to which the result of a replay is bound. */
export function sealedForReplay({ _id }: Pick<ReplayDocument, '_id'>): string {
  return `replay:${_id}`
}
