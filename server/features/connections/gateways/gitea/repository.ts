/** Names of repositories in paths of Gitea's API. */
import { ProviderError } from '../../../../core/egress/provider-error.js'
import { GITEA } from './api.js'

/** Segments of the path of a repository, `owner/name`. @throws ProviderError not_found if it cannot be one */
export function repositorySegments(fullName: string): string[] {
  const parts = fullName.split('/')
  if (parts.length !== 2) throw new ProviderError('not_found', { provider: GITEA, details: { what: 'repository' } })
  return ['repos', ...parts]
}
