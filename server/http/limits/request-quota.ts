/**
 * Counts requests for the plan of their organization, whose limit a minute all its callers share (CONTRACT.md#limits). It stands behind the rate
 * limit: what that refuses uses up nothing of what others may send.
 */
import type { Principal } from '../../auth/principal.js'
import type { Quotas } from '../../tenancy/quotas.js'
import type { Scope, Tenancy } from '../../tenancy/scope.js'
import { SMALL_BODY_BYTES } from './concurrency.js'
import type { Middleware } from '../exchange.js'
import type { Route } from '../route.js'

/** Null: the route is none of the organization's business, or must be there at any time, as the end of a session. */
export function requestQuota({ access, evenSuspended }: Route, quotas: Pick<Quotas, 'request'>, tenancy: Pick<Tenancy, 'of'>): Middleware | null {
  if (access.kind === 'public' || access.kind === 'platform_admin' || evenSuspended === true) return null
  return ({ state }, next) => {
    const caller = state.caller as Principal
    const { organizationId } = caller
    if (organizationId === null || isVisitor(caller)) return next()
    const counted = quotas.request((state.scope as Scope | null) ?? tenancy.of(organizationId))
    return counted === undefined ? next() : counted.then(next)
  }
}

/** Before a body of some length is read: whether the plan still has a unit of what the route takes. Null: it takes none. */
export function planUnits({ takes }: Route, { usage }: Pick<Quotas, 'usage'>): Middleware | null {
  if (takes === undefined) return null
  return ({ req, state }, next) => {
    if (Number(req.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= SMALL_BODY_BYTES) return next()
    const left = usage.requireLeft(state.scope as Scope, takes)
    return left === undefined ? next() : left.then(next)
  }
}

/** A platform admin who looks after an organization uses up nothing of it. */
function isVisitor(caller: Principal): boolean {
  return caller.kind === 'user' && caller.isPlatformAdmin && caller.role === null
}
