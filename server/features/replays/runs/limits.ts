/** Limits of replays by plan, for an organization. */
import type { PlanCode } from '../../../core/tenancy/plans.js'

export interface ReplayLimits {
  /** Replays that wait or run. */
  readonly open: number
  /** Replays that are kept, open ones included. */
  readonly kept: number
}

export const REPLAY_LIMITS: Readonly<Record<PlanCode, ReplayLimits>> = {
  self_hosted: { open: 8, kept: 1000 },
  free: { open: 1, kept: 20 },
  team: { open: 2, kept: 200 },
  enterprise: { open: 8, kept: 1000 },
}

/** Days that a replay is kept. */
export const REPLAY_DAYS = 30
/** A run fails after that long, and its job ends in any case some time later. */
export const RUN_MS = 45 * 60 * 1000
export const JOB_MS = 60 * 60 * 1000
/** The lease of the job, which is renewed. Another instance takes a run over that long after a crash. */
export const LEASE_MS = 60 * 1000
/** Samples of a rule, their characters, and those of all samples of a result together. */
export const SAMPLES_LIMIT = 3
export const SAMPLE_CHARACTERS = 1024
export const SAMPLES_CHARACTERS = 1024 * 1024
/** Rules that a result lists. */
export const RULES_LISTED = 5000
