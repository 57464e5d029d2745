/** Names in paths of GitHub's API. A part `..` would select another path, and with it another operation. */
import { ProviderError } from '../../../../core/egress/provider-error.js'

/** Characters that GitHub allows in names of owners and repositories. */
const NAME = /^(?!\.{1,2}$)[\w.-]{1,100}$/

/** @throws ProviderError not_found, if it cannot be a repository */
export function repositoryOf(fullName: string, provider: string): { readonly owner: string; readonly repo: string } {
  const [owner, repo, ...rest] = fullName.split('/')
  if (!NAME.test(owner) || !NAME.test(repo ?? '') || rest.length > 0) throw new ProviderError('not_found', { provider, details: { what: 'repository' } })
  return { owner, repo }
}

/** A part of a path that is neither empty nor `.` nor `..`. @throws ProviderError not_found */
export function pathPart(text: string, what: string, provider: string): string {
  if (/^\.{0,2}$/.test(text)) throw new ProviderError('not_found', { provider, details: { what } })
  return text
}

/** @throws ProviderError not_found, if it cannot be the id of an object */
export function objectId(text: string, what: string, provider: string): string {
  if (!/^[0-9a-f]{40}$/.test(text)) throw new ProviderError('not_found', { provider, details: { what } })
  return text
}
