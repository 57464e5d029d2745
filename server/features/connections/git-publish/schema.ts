/** Requests and answers about publications to Git. */
import Type, { type Static } from 'typebox'
import { fields } from '../../../core/auth/records.js'
import { nullable } from '../../../core/nullable.js'
import { LINES } from '../../../core/patterns.js'
import { XML_BYTES } from '../../../content/shared/content.js'
import { projectFields } from '../../../content/shared/fields.js'
import { BindingParams, PUBLISH_STRATEGIES, repositoryFields } from '../git-bindings/service.js'
import { ContentImpactRecord } from '../../../content/impact/service.js'
import { QualityGateResult } from '../../../content/quality-gate/service.js'

export { BindingParams }

const SHA = '2fd4e1c67a2d28fced849ee1bb76e7391b93eb12'
/** Maximum characters of the message of a commit. */
const MESSAGE_CHARACTERS = 5000

const count = (description: string) => Type.Integer({ minimum: 0, examples: [2], description })
const sha = (description: string) => Type.String({ examples: [SHA], description })
const shaOrNull = (description: string) => nullable(Type.String({ examples: [SHA] }), description)
const path = (description: string) => Type.String({ examples: ['rules/local_rules.xml'], description })
const text = (description: string) => nullable(Type.String({ examples: ['<rule id="100100" level="5">…</rule>'] }), description)
const kind = Type.Enum(['rule', 'decoder', 'variable', 'list', 'file'], { description: 'Kind of the item. `file`: a file that cannot be split into items.' })
const name = Type.String({ examples: ['100100'], description: 'Id of the rule, name of the decoder, variable or list, path of the file.' })

const conflicts = {
  conflict_count: count('Number of items that the project and the branch changed differently since the last import or publication.'),
  conflicts: Type.Array(
    Type.Object(
      {
        kind,
        name,
        path: nullable(Type.String({ examples: ['rules/local_rules.xml'] }), 'File of the branch, else of the base; null: neither has the item.'),
        base: text('The item at the last import or publication; null: it did not exist.'),
        ours: text('The item in the project; null: it does not exist.'),
        theirs: text('The item on the branch; null: it does not exist.'),
      },
      { description: 'A conflict, with all three texts.' },
    ),
    { description: 'The first conflicts. Import the branch into a workspace to decide them.' },
  ),
}
const Conflicts = Type.Object(conflicts)
export type Conflicts = Static<typeof Conflicts>

const changes = {
  head_sha: sha('Head of the bound branch that was read.'),
  no_change: Type.Boolean({ description: 'Whether nothing differs.' }),
  file_count: count('Number of files that differ.'),
  files: Type.Array(
    Type.Object(
      {
        path: path('Path in the repository.'),
        change: Type.Enum(['added', 'removed', 'changed'], { description: 'What happens to the file.' }),
        diff: nullable(
          Type.String({ examples: ['--- a/rules/local_rules.xml\n+++ b/rules/local_rules.xml\n@@ -1,3 +1,3 @@\n'] }),
          'Difference in unified format; null: it is too large.',
        ),
      },
      { description: 'A changed file.' },
    ),
    { description: 'The first files that differ from the bound branch.' },
  ),
  change_count: count('Number of items that differ.'),
  changes: Type.Array(
    Type.Object(
      { kind, name, change: Type.Enum(['added', 'removed', 'changed'], { description: 'What happens to the item.' }), path: path('File of the item.') },
      { description: 'A changed item.' },
    ),
    { description: 'The first items that differ from the bound branch.' },
  ),
  impact: nullable(ContentImpactRecord, 'What changes for detection, compared with the bound branch; null: there are conflicts.'),
  quality_gate_result: nullable(QualityGateResult, "Evaluation of the files after the publication by the project's quality gate; null: there are conflicts."),
}
const PublicationChanges = Type.Object(changes)
export type PublicationChanges = Static<typeof PublicationChanges>

const ReviewRecord = Type.Object(
  {
    number: Type.Integer({ examples: [17], description: 'Number of the pull or merge request.' }),
    url: Type.String({ examples: ['https://git.example.com/example/detections/pulls/17'], description: 'Its page.' }),
    state: Type.Enum(['open', 'merged', 'closed'], { description: 'State.' }),
    title: Type.String({ examples: ['Update detection content of perimeter'], description: 'Title.' }),
    branch: Type.String({ examples: ['detection-content/perimeter-b0c4a1de'], description: 'Source branch.' }),
    target_branch: Type.String({ examples: ['main'], description: 'Target branch.' }),
    head_sha: sha('Head of the source branch.'),
    merge_sha: shaOrNull('The commit that merged it; null: not merged, or unknown.'),
    mergeable: nullable(Type.Boolean({ examples: [true] }), 'Whether the provider can merge it; null: not known yet.'),
  },
  { $id: 'GitReview', description: 'A pull or merge request.' },
)
export type ReviewRecord = Static<typeof ReviewRecord>

const review = nullable(ReviewRecord, 'The pull or merge request; null: none.')
const runId = projectFields.id('The run in the history of the binding.')
const strategy = Type.Enum([...PUBLISH_STRATEGIES], { description: 'Strategy of the binding.' })

export const PreflightResponse = Type.Object(
  {
    run_id: runId,
    publish_strategy: strategy,
    can_publish: Type.Boolean({ description: 'Whether a publication would be accepted: no conflict, and the quality gate passes.' }),
    ...conflicts,
    ...changes,
  },
  { $id: 'GitPreflightResponse', description: 'What a publication would change.' },
)

export const PublishResponse = Type.Object(
  {
    run_id: runId,
    publish_strategy: strategy,
    commit_sha: shaOrNull('The commit that was created; null: nothing differs.'),
    commit_url: nullable(Type.String({ examples: [`https://git.example.com/example/detections/commit/${SHA}`] }), 'Its page; null: none, or unknown.'),
    review,
    ...changes,
  },
  { $id: 'GitPublishResponse', description: 'What was published.' },
)

export const ReviewStatusResponse = Type.Object({ review }, { $id: 'GitReviewStatusResponse', description: 'The review of the last publication.' })

export const IntegrationParams = Type.Object({ organization_id: fields.id('The organization.'), integration_id: fields.id('The integration.') })

const xml = (description: string) => Type.String({ maxLength: XML_BYTES, description })

export const SyncExportRequest = Type.Object(
  {
    repository: repositoryFields.repository,
    branch: repositoryFields.branch,
    decoders_xml: xml('Decoders. Those that the branch does not have are added; those that it has otherwise are replaced; others stay. At most 2 MB of UTF-8.'),
    rules_xml: xml('Rules, in the same way.'),
    commit_message: Type.String({ minLength: 1, maxLength: MESSAGE_CHARACTERS, pattern: LINES, examples: ['Update brute force rules'], description: 'Message of the commit.' }),
  },
  { $id: 'GitSyncExportRequest', description: 'Rules and decoders to commit to a branch.' },
)
export type SyncExportRequest = Static<typeof SyncExportRequest>

export const SyncExportResponse = Type.Object(
  {
    no_change: Type.Boolean({ description: 'Whether the branch has this content already; then there is no commit.' }),
    commit_sha: shaOrNull('The commit that was created; null: nothing differs.'),
    commit_url: nullable(Type.String({ examples: [`https://git.example.com/example/detections/commit/${SHA}`] }), 'Its page; null: none, or unknown.'),
    head_sha: sha('Head of the branch before.'),
    files: Type.Array(Type.String({ examples: ['rules/local_rules.xml'] }), { description: 'Paths of the changed files.' }),
  },
  { $id: 'GitSyncExportResponse', description: 'The commit of an export.' },
)
