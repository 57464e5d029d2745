/** Records that a platform admin is in an organization without being a member, before the request reads anything of it. */
import { type Caller, isVisitor, type UserPrincipal } from '../../auth/principal.js'
import type { Middleware } from '../request-state.js'
import type { Route } from '../route.js'

/** Records a visit; a failure refuses the request. Undefined: it is recorded already. */
export type RecordVisit = (
  visitor: UserPrincipal & { readonly organizationId: string },
  request: { readonly requestId: string; readonly address: string },
) => Promise<void> | undefined

/** Null: the route shows nothing of an organization to visitors. What routes of platform administration show is not the content of the organization. */
export function visits({ access }: Route, record: RecordVisit): Middleware | null {
  if (access.kind !== 'session' && access.kind !== 'permission') return null
  return ({ state }, next) => {
    const caller = state.caller as Caller
    const recorded = isVisitor(caller) ? record(caller, state) : undefined
    return recorded === undefined ? next() : recorded.then(next)
  }
}
