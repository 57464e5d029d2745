/** The files of a repository as one content, as a workspace has it. */
import type { AnalysisPool, MergeAnswer, MergeRequest } from '#workers'
import { ApiError } from '../../../core/errors.js'
import { okOf, stopOf } from '../../../core/pool-outcome.js'
import { exceedsBytes, LISTS_BYTES, LISTS_LIMIT, listsBytes, type PublishedContent, type SourceFileEntry, sortedLists, XML_BYTES } from '../../../content/shared/content.js'
import { repositoryFiles } from '../../../content/shared/git-base.js'
import type { ImportCaller } from './import.js'
import { mergePlaces } from './merge-places.js'
import { shownPath } from './read-repository.js'
import { shownNames } from './runs.js'
import type { RepositoryPaths } from './store.js'

type Pool = Pick<AnalysisPool, 'mergeFiles'>
type Caller = Pick<ImportCaller, 'scope' | 'locale' | 'signal'>

/** Merges in a thread. @throws ApiError ruleset_stopped, overloaded */
export async function mergeInPool(pool: Pool, request: MergeRequest, { scope, locale, signal }: Caller): Promise<MergeAnswer> {
  const outcome = await pool.mergeFiles(request, { organization: scope.organizationId, locale, signal })
  const stop = stopOf(outcome)
  if (stop !== null) throw new ApiError('ruleset_stopped', { details: { diagnostics: [stop.diagnostic] } })
  return okOf(outcome, signal)
}

/**
 * Returns the content of files that are merged with nothing. @param lists that the content keeps, because the binding reads none
 * @throws ApiError variable_clash, document_too_large, ruleset_stopped, overloaded
 */
export async function composeContent(
  pool: Pool,
  files: readonly SourceFileEntry[],
  paths: RepositoryPaths,
  lists: PublishedContent['lists'],
  caller: Caller,
): Promise<PublishedContent> {
  // Without a base and with an empty side, nothing is written into new files, whose names therefore do not matter.
  const places = mergePlaces(paths, '', files)
  const ours = { decoders_xml: '', rules_xml: '', lists }
  const merged = await mergeInPool(pool, { base: [], ours, theirs: repositoryFiles(files), ...places, resolutions: [] }, caller)
  requireOneValue(merged)
  requireLimits(merged.content)
  return { ...merged.content, lists: sortedLists(merged.content.lists) }
}

/** In one text a variable has one value: a second file would get that of the first. @throws ApiError variable_clash */
export function requireOneValue({ variableClashes }: Pick<MergeAnswer, 'variableClashes'>): void {
  const [first] = variableClashes
  if (first === undefined) return
  const { items } = shownNames(variableClashes)
  throw new ApiError('variable_clash', { params: { name: shownPath(first.name) }, details: { variables: items } })
}

/** The head and the edits may each be within the limits, and exceed them together. @throws ApiError document_too_large */
export function requireLimits({ decoders_xml, rules_xml, lists }: PublishedContent): void {
  const isTooLarge = exceedsBytes(decoders_xml, XML_BYTES) || exceedsBytes(rules_xml, XML_BYTES) || lists.length > LISTS_LIMIT || listsBytes(lists) > LISTS_BYTES
  if (isTooLarge) throw new ApiError('document_too_large')
}
