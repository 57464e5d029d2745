/** Answers about the structure of repositories, validations, and bundles of content. */
import Type, { type Static } from 'typebox'
import { fields } from '../../../core/auth/records.js'
import { nullable } from '../../../core/nullable.js'
import { DECODERS_EXAMPLE, projectFields, RULES_EXAMPLE } from '../../../content/shared/fields.js'
import { SourceFile } from '../../../content/workspaces/service.js'
import { CHANGE_WARNINGS } from './discover.js'
import { SkippedFileRecord } from './import-schema.js'
import { SHOWN_SKIPPED, SKIP_REASONS } from './read-repository.js'
import { GitProjectSyncRunRecord } from './run-schema.js'
import { CountsRecord, repositoryFields } from './schema.js'

const SHA = '2fd4e1c67a2d28fced849ee1bb76e7391b93eb12'
/** Folders that a discovery names. A repository of content has some dozens. */
export const SHOWN_FOLDERS = 1000

export const IntegrationParams = Type.Object({ organization_id: fields.id('The organization.'), integration_id: fields.id('The integration.') })

export const GitBranchRequest = Type.Object(
  { repository: repositoryFields.repository, branch: repositoryFields.branch },
  { $id: 'GitBranchRequest', description: 'A branch of a repository.' },
)
export type GitBranchRequest = Static<typeof GitBranchRequest>

const head = Type.String({ examples: [SHA], description: 'Head of the branch.' })
const path = (example: string, description: string) => nullable(Type.String({ examples: [example] }), description)
const suggested = {
  rules_path: path('rules', 'Folder that has most rules; empty: the root. Null: there are none.'),
  decoders_path: path('decoders', 'Folder that has most decoders; empty: the root. Null: there are none.'),
  lists_path: path('lists', 'Folder of the lists. Null: there is none named `lists`.'),
}
const skipped = Type.Array(SkippedFileRecord, { maxItems: SHOWN_SKIPPED, description: `Files that were not read; the first ${SHOWN_SKIPPED}.` })

const DetectedFolderRecord = Type.Object(
  { path: Type.String({ examples: ['rules'], description: 'The folder; empty: the root.' }), ...CountsRecord.properties },
  { $id: 'GitDetectedFolder', description: 'A folder of a repository and the content in it, without its subfolders.' },
)

export const GitStructureAnswer = Type.Object(
  {
    commit_sha: head,
    ...suggested,
    counts: CountsRecord,
    folders: Type.Array(DetectedFolderRecord, { maxItems: SHOWN_FOLDERS, description: `Folders that have content; the first ${SHOWN_FOLDERS}.` }),
    warnings: skipped,
  },
  { $id: 'GitStructureAnswer', description: 'The content of a repository, with the paths that a binding can use.' },
)

const DiscoveredFileRecord = Type.Object(
  {
    path: Type.String({ examples: ['rules/vpn.xml'], description: 'Path of the file.' }),
    kind: SourceFile.properties.kind,
    sha: Type.String({ examples: [SHA], description: "Git's id of its content." }),
    rule_count: Type.Integer({ minimum: 0, examples: [12], description: 'Number of rules.' }),
    decoder_count: Type.Integer({ minimum: 0, examples: [0], description: 'Number of decoder names.' }),
  },
  { $id: 'GitDiscoveredFile', description: 'A file of a bound repository.' },
)

const DiscoverWarningRecord = Type.Object(
  {
    code: Type.Enum([...CHANGE_WARNINGS, ...SKIP_REASONS], {
      description: '`file_new`, `file_removed` and `file_renamed` are changes since the last import; the others say why a file is not read.',
    }),
    path: Type.String({ examples: ['rules/vpn-access.xml'], description: 'Path of the file.' }),
    from: path('rules/vpn.xml', 'Former path of a renamed file; null for others.'),
  },
  { $id: 'GitDiscoverWarning', description: 'A file that a person should look at.' },
)

export const GitDiscoverAnswer = Type.Object(
  {
    commit_sha: head,
    counts: CountsRecord,
    files: Type.Array(DiscoveredFileRecord, { description: 'The files of the binding, sorted by path.' }),
    warnings: Type.Array(DiscoverWarningRecord, { maxItems: SHOWN_SKIPPED, description: `What to look at; the first ${SHOWN_SKIPPED}.` }),
    run: GitProjectSyncRunRecord,
  },
  { $id: 'GitDiscoverAnswer', description: 'The content of a bound repository.' },
)

export const GitBundleAnswer = Type.Object(
  {
    commit_sha: head,
    ...suggested,
    decoders_xml: projectFields.xml('All decoders.', { examples: [DECODERS_EXAMPLE] }),
    rules_xml: projectFields.xml('All rules.', { examples: [RULES_EXAMPLE] }),
    lists: projectFields.lists('The CDB lists, in order of their names.'),
    source_files: Type.Array(SourceFile, { description: 'The files of the repository.' }),
    warnings: skipped,
  },
  { $id: 'GitBundleAnswer', description: 'The content of a branch.' },
)

const ValidationEntryRecord = Type.Object(
  {
    code: Type.String({ examples: ['path_missing'], description: 'Code of the finding, or reason of a failure of the provider.' }),
    message: Type.String({ examples: ['The branch has nothing at this path.'], description: 'What it means.' }),
    path: path('rules', 'File or folder of the repository; null: none.'),
  },
  { $id: 'GitBindingFinding', description: 'A finding about a binding.' },
)

export const GitBindingValidationResult = Type.Object(
  {
    valid: Type.Boolean({ description: 'Whether there are no errors.' }),
    warnings: Type.Array(ValidationEntryRecord, { maxItems: SHOWN_SKIPPED, description: `What may be unintended; the first ${SHOWN_SKIPPED}.` }),
    errors: Type.Array(ValidationEntryRecord, { description: 'Why the binding would not work.' }),
  },
  { $id: 'GitBindingValidationResult', description: 'The result of checking a binding against its repository.' },
)
