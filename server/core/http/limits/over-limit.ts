/** Refuses changes of what is over the limits of the organization's plan, before the body is read (CONTRACT.md#over-the-limits-of-a-plan). */
import { type Caller, isVisitor } from '../../auth/principal.js'
import type { OverLimit } from '../../tenancy/over-limit.js'
import type { Permission } from '../../tenancy/permissions.js'
import type { Scope } from '../../tenancy/scope.js'
import type { Middleware } from '../request-state.js'
import type { Route } from '../route.js'

/** The part of `OverLimit` that a request needs. */
export type RequestOverLimit = Pick<OverLimit, 'requireMember' | 'requireWritable' | 'requireWritableBinding'>

/** Permissions that a read-only member keeps. */
const FOR_READERS: ReadonlySet<Permission> = new Set(['project:view', 'audit:view', 'feedback:view', 'feedback:create'])
/** Permissions that a read-only project still allows: runs change no content, and count against the plan separately. */
const FOR_READ_ONLY_PROJECTS: ReadonlySet<Permission> = new Set([...FOR_READERS, 'analysis:run', 'case:run'])

/** Whether a route changes a project of its path, or what belongs to it. */
function changesProject({ access, path, method, evenReadOnly = false }: Route): boolean {
  return access.kind === 'permission' && method !== 'GET' && path.includes('{project_id}') && !evenReadOnly && !FOR_READ_ONLY_PROJECTS.has(access.permission)
}

/** The same for the Git binding of its path. */
function usesBinding({ access, path, method }: Route): boolean {
  return access.kind === 'permission' && method !== 'GET' && method !== 'DELETE' && path.includes('{binding_id}')
}

/** Whether a route is refused for an archived project. */
export function needsChangeableProject(route: Route): boolean {
  return changesProject(route) || usesBinding(route)
}

/** Null: the route changes nothing that can be over a limit. */
export function readOnlyOverLimit(route: Route, over: RequestOverLimit): Middleware | null {
  const { access, path, method } = route
  if (access.kind !== 'permission' || method === 'GET' || FOR_READERS.has(access.permission)) return null
  const inProject = changesProject(route)
  // Deleting webhooks is the way back below the limit.
  const ofWebhook = path.includes('{webhook_id}') && method !== 'DELETE'
  const ofBinding = usesBinding(route)
  const requireObjects = async (scope: Scope, { project_id = '', webhook_id = '', binding_id = '' }: Readonly<Record<string, string>>): Promise<void> => {
    if (inProject) await over.requireWritable(scope, 'projects', project_id)
    if (ofWebhook) await over.requireWritable(scope, 'webhooks', webhook_id)
    if (ofBinding) await over.requireWritableBinding(scope, binding_id)
  }
  return ({ state }, next) => {
    const scope = state.scope as Scope
    const caller = state.caller as Caller
    const member = caller.kind === 'user' && !isVisitor(caller) ? over.requireMember(scope, caller.userId) : undefined
    if (!inProject && !ofWebhook && !ofBinding) return member === undefined ? next() : member.then(next)
    return Promise.resolve(member)
      .then(() => requireObjects(scope, state.params as Readonly<Record<string, string>>))
      .then(next)
  }
}
