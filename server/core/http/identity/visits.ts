/** Records that a platform admin is in an organization without being a member, before the request reads anything of it. */
import type { UserPrincipal } from '../../auth/principal.js'
import type { Route } from '../route.js'

/** Records a visit; a failure refuses the request. Undefined: it is recorded already. */
export type RecordVisit = (
  visitor: UserPrincipal & { readonly organizationId: string },
  request: { readonly requestId: string; readonly address: string },
) => Promise<void> | undefined

/** Null: the route shows nothing of an organization to visitors. What routes of platform administration show is not the content of the organization. */
export function visits({ access }: Route, record: RecordVisit | undefined): RecordVisit | null {
  return record !== undefined && (access.kind === 'session' || access.kind === 'permission') ? record : null
}
