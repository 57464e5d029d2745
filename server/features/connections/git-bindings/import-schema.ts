/** Requests for imports and rollbacks, and their answers. */
import Type, { type Static } from 'typebox'
import { fields } from '../../../core/auth/records.js'
import { nullable } from '../../../core/nullable.js'
import { ONE_LINE, SOME_LINES } from '../../../core/patterns.js'
import { WorkspaceRecord } from '../../../content/workspaces/service.js'
import { PATH_CHARACTERS } from './paths.js'
import { SHOWN_SKIPPED, SKIP_REASONS } from './read-repository.js'
import { GitProjectSyncRunRecord } from './run-schema.js'

const SHA = '2fd4e1c67a2d28fced849ee1bb76e7391b93eb12'
/** More conflicts are decided by hand in the workspace. */
const RESOLUTIONS_LIMIT = 5000
const PATHS_LIMIT = 200
/** Maximum characters of a name: paths of files are the longest. */
const ITEM_CHARACTERS = PATH_CHARACTERS
const KINDS = ['rule', 'decoder', 'variable', 'list', 'file'] as const

/** A complete id of a commit: SHA-1 or SHA-256. */
export const commitSha = (description: string) => Type.String({ pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$', examples: [SHA], description })

const kind = Type.Enum([...KINDS], { description: 'Kind of the item.' })
const RULE = '<rule id="100100" level="3">\n  <decoded_as>vpn</decoded_as>\n  <description>VPN: event</description>\n</rule>'
const text = (description: string) => nullable(Type.String({ examples: [RULE] }), description)

export const GitProjectBindingImportRequest = Type.Object(
  {
    workspace_id: Type.Optional(fields.id('An open workspace of the project. Default: the newest open one that was imported through the binding, else a new one.')),
    workspace_name: Type.Optional(fields.name('Name of a new workspace. It cannot be combined with `workspace_id`.')),
    paths: Type.Optional(
      Type.Array(Type.String({ maxLength: PATH_CHARACTERS, pattern: SOME_LINES }), {
        minItems: 1,
        maxItems: PATHS_LIMIT,
        examples: [['rules/vpn.xml']],
        description: 'Files and folders to import, from the root of the repository. Files outside of them stay as they are. Default: all of the binding.',
      }),
    ),
    resolutions: Type.Optional(
      Type.Array(
        Type.Object({
          kind,
          name: Type.String({ minLength: 1, maxLength: ITEM_CHARACTERS, pattern: ONE_LINE, examples: ['100100'], description: 'Its name, as in the conflict.' }),
          take: Type.Enum(['ours', 'theirs'], { description: '`ours`: as in the workspace; `theirs`: as in the repository.' }),
        }),
        { maxItems: RESOLUTIONS_LIMIT, description: 'Decisions about conflicts that an earlier answer named.' },
      ),
    ),
    commit_sha: Type.Optional(commitSha('Head of the branch that an earlier answer named. If the branch has another one, the answer is 409 and nothing is imported.')),
  },
  { $id: 'GitProjectBindingImportRequest', description: 'What to import. All fields are optional.' },
)
export type GitProjectBindingImportRequest = Static<typeof GitProjectBindingImportRequest>

export const SkippedFileRecord = Type.Object(
  {
    code: Type.Enum([...SKIP_REASONS], { description: 'Why the file is not content.' }),
    path: Type.String({ examples: ['rules/link.xml'], description: 'Its path; long ones are cut, and control characters are replaced.' }),
  },
  { $id: 'GitSkippedFile', description: 'A file below the paths of the binding that is neither read nor written.' },
)

export const MergeConflictRecord = Type.Object(
  {
    kind,
    name: Type.String({ examples: ['100100'], description: 'Id of the rule; name of the decoder, variable or list; path of a file that cannot be merged by items.' }),
    path: nullable(Type.String({ examples: ['rules/vpn.xml'] }), 'The file of the repository that has it; null: none.'),
    base: text('Its text at the last import; null: it did not exist.'),
    ours: text('Its text in the workspace; null: it does not exist.'),
    theirs: text('Its text in the repository; null: it does not exist.'),
  },
  { $id: 'GitMergeConflict', description: 'An item that the workspace and the repository have changed differently since the last import.' },
)

export const GitImportAnswer = Type.Object(
  {
    status: Type.Enum(['succeeded', 'conflict'], { description: '`conflict`: nothing was changed.' }),
    no_change: Type.Boolean({ description: 'Whether the workspace had everything already.' }),
    commit_sha: Type.String({ examples: [SHA], description: 'Head of the branch.' }),
    workspace: nullable(WorkspaceRecord, 'The workspace after the import. Null: a new one would have been created, but there are conflicts.'),
    conflicts: Type.Array(MergeConflictRecord, { description: 'Items to decide; empty: none.' }),
    warnings: Type.Array(SkippedFileRecord, { maxItems: SHOWN_SKIPPED, description: `Files that were not read; the first ${SHOWN_SKIPPED}.` }),
    run: GitProjectSyncRunRecord,
  },
  { $id: 'GitImportAnswer', description: 'The result of an import.' },
)

export const GitRollbackRequest = Type.Object(
  { commit_sha: commitSha('The commit whose content is restored.'), workspace_name: fields.name('Name of the new workspace.') },
  { $id: 'GitRollbackRequest', description: 'What to restore.' },
)
export type GitRollbackRequest = Static<typeof GitRollbackRequest>

export const GitRollbackAnswer = Type.Object(
  {
    commit_sha: Type.String({ examples: [SHA], description: 'The restored commit.' }),
    head_sha: Type.String({ examples: [SHA], description: 'Head of the branch, on which the workspace is based: publishing it reverts the commits since the restored one.' }),
    workspace: WorkspaceRecord,
    warnings: Type.Array(SkippedFileRecord, { maxItems: SHOWN_SKIPPED, description: `Files that were not read; the first ${SHOWN_SKIPPED}.` }),
    run: GitProjectSyncRunRecord,
  },
  { $id: 'GitRollbackAnswer', description: 'The workspace with the restored content.' },
)

/** Commits that one request lists: as many as a page of GitHub has. */
export const COMMITS_LIMIT = 100

export const CommitListQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: COMMITS_LIMIT, default: 20, description: 'Number of commits.' }),
})

export const GitCommitRecord = Type.Object(
  {
    sha: Type.String({ examples: [SHA], description: 'Id of the commit.' }),
    message: Type.String({ examples: ['Raise the level of failed logins'], description: 'Message; a long one is cut.' }),
    author_name: Type.String({ examples: ['Ana'], description: 'Name of the author.' }),
    authored_at: fields.timestamp('When it was written.'),
    url: nullable(Type.String({ examples: ['https://git.example.com/example/detections/commit/2fd4e1c6'] }), 'Its page; null: the provider has none.'),
  },
  { $id: 'GitCommit', description: 'A commit of the bound branch.' },
)
