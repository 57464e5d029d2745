/** The caller of an import, from a request. */
import { subjectOf } from '../../../core/auth/principal.js'
import type { Actor } from '../../../core/auth/request-context.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { auditContext } from '../../../core/audit/service.js'
import type { ImportCaller } from './import.js'

/** Time limit of requests that read a repository. Two thousand files of an API take most of it. */
export const READ_TIMEOUT_MS = 120_000

export function callerOf(request: Actor & { readonly scope: Scope; readonly signal: AbortSignal }): ImportCaller {
  const { scope, locale, signal, principal } = request
  return { scope, context: auditContext(request), cause: { trigger: 'request', startedBy: subjectOf(principal) }, locale, signal }
}
