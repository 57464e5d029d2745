/**
 * Reads the base of a merge again, if a caller wrote other texts into it: with an edited text as the base, the edit would be no difference, and the branch would
 * win without a conflict.
 */
import type { GitGateway } from '../gateways/git/gateway.js'
import { ProviderError } from '../../../core/egress/provider-error.js'
import type { SourceFileEntry } from '../../../content/shared/content.js'
import { isBlob } from './blob-id.js'
import { type ReadRequest, readRepository } from './read-repository.js'

/**
 * Returns the files with the texts of their blobs. Those of a commit that the provider does not have any more are left out: their items become conflicts.
 * @param request commit of the base @throws ApiError of the provider
 */
export async function readBase(
  gateway: GitGateway,
  request: Omit<ReadRequest, 'known'>,
  files: readonly SourceFileEntry[],
  signal: AbortSignal,
): Promise<readonly SourceFileEntry[]> {
  const intact = files.filter(isBlob)
  if (intact.length === files.length) return files
  const edited = new Set(files.filter((file) => !isBlob(file)).map(({ path }) => path))
  try {
    const { files: read } = await readRepository(gateway, { ...request, known: intact, selects: (path) => edited.has(path) }, signal)
    return [...intact, ...read].sort((a, b) => (a.path < b.path ? -1 : 1))
  } catch (error) {
    if (error instanceof ProviderError && (error.failure === 'not_found' || error.failure === 'unsupported')) return intact
    throw error
  }
}
