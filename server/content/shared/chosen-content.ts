/** The content that a request chooses: a version, a workspace, or the content of the project; and which of its rules. */
import Type, { type Static } from 'typebox'
import { fields } from '../../core/auth/records.js'
import { issue } from '../../core/http/validation/issue.js'
import { invalidRequest } from '../../core/http/validation/refuse.js'
import type { Locale } from '../../core/i18n/locale.js'
import { nullable } from '../../core/nullable.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { type FileSet, rulesetOf } from './content.js'
import { loadOfProject, loadProject, loadSnapshot } from './load.js'
import type { ProjectDocument } from './project.js'
import { type VersionDocument, VERSIONS } from './version.js'
import { type WorkspaceDocument, WORKSPACES } from './workspace.js'

export const contentChoice = {
  version_id: Type.Optional(nullable(fields.id('A version.'), 'A version of the project.')),
  workspace_id: Type.Optional(nullable(fields.id('A workspace.'), 'A workspace of the project.')),
}
/** Most rules that a request names. */
const RULES_NAMED = 100

export const rulesChoice = {
  ...contentChoice,
  rule_ids: Type.Optional(
    nullable(
      Type.Array(Type.String({ pattern: '^[0-9]{1,6}$', examples: ['100100'], description: 'Id of a rule.' }), {
        minItems: 1,
        maxItems: RULES_NAMED,
        description: 'Ids of rules.',
      }),
      'Rules of the content or of what it is based on; null or absent: the own rules of the content. Ids without a rule are left out.',
    ),
  ),
}

const ContentChoice = Type.Object(contentChoice)
export type ContentChoice = Static<typeof ContentChoice>

/** @param path of the choice in the body, for the error @throws ApiError resource_missing, invalid_request (both a version and a workspace), edit_conflict */
export async function loadChosen(scope: Scope, projectId: string, choice: ContentChoice, path: string, locale: Locale): Promise<FileSet> {
  const { version_id = null, workspace_id = null } = choice
  if (version_id !== null && workspace_id !== null) throw invalidRequest([issue(`${path}/version_id`, 'either', { not_beside: 'workspace_id' }, { other: 'workspace_id' })], locale)
  const { owner, content } = await loadSnapshot<ProjectDocument | VersionDocument | WorkspaceDocument>(scope, () => {
    if (version_id !== null) return loadOfProject(scope, VERSIONS, projectId, version_id)
    return workspace_id !== null ? loadOfProject(scope, WORKSPACES, projectId, workspace_id) : loadProject(scope, projectId)
  })
  return rulesetOf({ ...content, include_disk_defaults: owner.include_disk_defaults, include_disk_custom: owner.include_disk_custom })
}
