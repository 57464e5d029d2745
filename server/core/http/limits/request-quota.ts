/**
 * Counts requests against the plan of their organization, whose limit per minute all its callers share (CONTRACT.md#limits). Runs after the rate
 * limit, so that refused requests do not use up the plan. Requests of API keys are refused here where the plan does not include them.
 */
import { type Caller, isVisitor } from '../../auth/principal.js'
import type { Quotas } from '../../tenancy/quotas.js'
import type { Scope, Tenancy } from '../../tenancy/scope.js'
import { SMALL_BODY_BYTES } from './concurrency.js'
import type { Middleware } from '../request-state.js'
import type { Route } from '../route.js'

/** Null: the route does not concern the organization, or must always work, such as ending a session. */
export function requestQuota({ access, evenSuspended }: Route, quotas: Pick<Quotas, 'request'>, tenancy: Pick<Tenancy, 'of'>): Middleware | null {
  if (access.kind === 'public' || access.kind === 'optional_session' || access.kind === 'platform_admin' || evenSuspended === true) return null
  return ({ state }, next) => {
    const caller = state.caller as Caller
    const { organizationId } = caller
    if (organizationId === null || isVisitor(caller)) return next()
    const counted = quotas.request((state.scope as Scope | null) ?? tenancy.of(organizationId), caller.kind === 'api_key' ? 'api_access' : null)
    return counted === undefined ? next() : counted.then(next)
  }
}

/** Checks, before a long body is read, that the plan has a unit left of the metric that the route consumes. Null: the route consumes none. */
export function planUnits({ takes }: Route, { usage }: Pick<Quotas, 'usage'>): Middleware | null {
  if (takes === undefined) return null
  return ({ req, state }, next) => {
    if (Number(req.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= SMALL_BODY_BYTES) return next()
    const left = usage.requireLeft(state.scope as Scope, takes)
    return left === undefined ? next() : left.then(next)
  }
}
