/** Features of plans (CONTRACT.md#plans): the one place that refuses what a plan does not include. */
import { ApiError, type ErrorReason } from '../errors.js'
import type { Plan, PlanFeatures } from './plans.js'

/** A feature that a plan includes or not. */
export type PlanFeature = Exclude<keyof PlanFeatures, 'audit_log_retention_days'>

const REFUSALS = {
  api_access: 'api_access_not_in_plan',
  ai_assistant: 'assistant_not_in_plan',
  sso: 'sso_not_in_plan',
} as const satisfies Record<PlanFeature, ErrorReason>

/** @throws ApiError api_access_not_in_plan, assistant_not_in_plan, sso_not_in_plan */
export function requireIncluded({ code, features }: Pick<Plan, 'code' | 'features'>, feature: PlanFeature): void {
  if (!features[feature]) throw new ApiError(REFUSALS[feature], { details: { feature, plan: code } })
}
