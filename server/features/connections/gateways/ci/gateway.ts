/** What the service needs of a CI system; one file beside this one implements it for each provider, `index.ts` is the table. Every method throws `ApiError`s only. */
import type { ProviderConnection } from '../connection.js'

/** How a CI system is reached, and where runs start unless the request names another place. `get` and `cancel` are about runs of this project. */
export interface CiConnection extends ProviderConnection {
  readonly project: string | null
  readonly workflow: string | null
}

export const PIPELINE_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'canceled'] as const
export type PipelineStatus = (typeof PIPELINE_STATUSES)[number]

export interface PipelineRun {
  /** The provider's id, as the other methods take it. An id of a waiting run may be replaced by another one when the run starts; the former remains valid while the run waits. */
  readonly externalRunId: string
  readonly status: PipelineStatus
  /** Page of the run; null: unknown. */
  readonly url: string | null
  /** Null: it has not started. */
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  /** Null: the provider has no logs yet. */
  readonly logsUrl: string | null
}

export interface PipelineRequest {
  /** `owner/name`, project path or job name; null: the one of the integration's settings. */
  readonly project: string | null
  /** File name or id of the workflow (GitHub); null for others. */
  readonly workflow: string | null
  /** Null: the default branch. */
  readonly branch: string | null
  readonly inputs: Readonly<Record<string, string>>
}

export interface CiGateway {
  /** Checks address and credential with one harmless call. @returns the account or server name to show */
  test(signal: AbortSignal): Promise<{ readonly account: string | null }>
  start(request: PipelineRequest, signal: AbortSignal): Promise<PipelineRun>
  get(externalRunId: string, signal: AbortSignal): Promise<PipelineRun>
  /** Requests the end of a run. Null: the provider cannot cancel. */
  readonly cancel: ((externalRunId: string, signal: AbortSignal) => Promise<void>) | null
}
