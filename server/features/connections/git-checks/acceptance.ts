/**
 * How a review of the service accepts what a pull or merge request loses. An approval is bound to a content; the files of a head are the content that a
 * workspace made from this commit has (`rollBack`): the same texts in the order in which they are loaded. So an approval holds for exactly these files.
 */
import type { AnalysisPool } from '#workers'
import { contentHash, type ContentList, type FileSet } from '../../../content/shared/content.js'
import type { MeasureCaller } from '../../../content/shared/measure.js'
import { ApiError, type ErrorReason } from '../../../core/errors.js'
import { codeSpan, type FilesComparison } from '../../../content/impact/service.js'
import type { LostAlerts, QualityGateResult } from '../../../content/quality-gate/service.js'
import { composeContent, type RepositoryContent, type RepositoryPaths } from '../git-bindings/service.js'

/** Files that no workspace can have as one content. No review can approve them. */
const NO_CONTENT: ReadonlySet<string> = new Set<ErrorReason>(['variable_clash', 'document_too_large', 'ruleset_stopped'])

/** Whether the gate of the project needs an approval for what a change loses. */
export function needsApproval({ project: { quality_gate } }: Pick<FilesComparison, 'project'>, { rules, isProven }: LostAlerts): boolean {
  const { max_lost_alerts: limit = null } = quality_gate
  return limit !== null && (!isProven || rules.length > limit)
}

/**
 * Returns the hash by which reviews know the files of a head.
 * @param lists of the project that the repository cannot have @param compiled the files as they are compiled, whose base is part of the hash
 * @returns null: no review can approve them @throws ApiError overloaded
 */
export async function approvableHash(
  pool: Pick<AnalysisPool, 'mergeFiles'>,
  { files }: Pick<RepositoryContent, 'files'>,
  paths: RepositoryPaths,
  lists: readonly ContentList[],
  { includeDefaults, includeCustom }: FileSet,
  caller: MeasureCaller,
): Promise<string | null> {
  try {
    const content = await composeContent(pool, files, paths, lists, caller)
    return contentHash({ ...content, include_disk_defaults: includeDefaults, include_disk_custom: includeCustom })
  } catch (error) {
    if (error instanceof ApiError && NO_CONTENT.has(error.reason)) return null
    throw error
  }
}

/** Says how a review accepts what the gate does not, in Markdown, in English as all of the comment. @param binding its address in the API @returns null: no review can */
export function acceptanceMarkdown({ failed_rules }: QualityGateResult, hash: string | null, binding: string, headSha: string): string | null {
  if (hash === null || !failed_rules.some(({ rule }) => rule === 'max_lost_alerts')) return null
  const body = codeSpan(JSON.stringify({ commit_sha: headSha, workspace_name: headSha.slice(0, SHOWN_SHA) }))
  return `**To accept it**: approve exactly this content in a review of the service. \`POST ${binding}/rollback\` with ${body} makes its workspace. The check runs again when a review of it is decided.`
}

/** Digits of a commit that tell commits apart. */
const SHOWN_SHA = 12
