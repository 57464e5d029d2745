/** Requests and answers about versions, and the record of one. */
import Type, { type Static } from 'typebox'
import { fields } from '../../core/auth/records.js'
import { listQuery } from '../../core/http/request/list-query.js'
import { nullable } from '../../core/nullable.js'
import { ProjectParams, projectFields } from '../shared/fields.js'
import { ProjectRecord } from '../projects/service.js'
import { VERSION_STATUSES, type VersionStatus } from '../shared/transitions.js'
import { BehaviourSummary } from '../semantic-diff/service.js'
import { QualityGateResult } from '../quality-gate/service.js'

export { ProjectParams, ProjectRecord }

export const ProjectVersionRecord = Type.Object(
  {
    id: projectFields.id('Identifier.'),
    project_id: projectFields.id('The project.'),
    source_workspace_id: projectFields.idOrNull('The workspace of the content; null: it is the content of the project.'),
    source_review_id: projectFields.idOrNull('The review of the version; null: none.'),
    git_binding_id: projectFields.idOrNull("The Git binding from which the version's workspace was imported; null: none."),
    git_commit_sha: nullable(Type.String({ examples: ['2fd4e1c67a2d28fced849ee1bb76e7391b93eb12'] }), 'The imported commit; null: none.'),
    name: Type.String({ examples: ['2026.11'], description: 'Name of the version.' }),
    notes: Type.String({ examples: ['New gateway model'], description: 'Release notes.' }),
    status: Type.Enum(VERSION_STATUSES as [VersionStatus, ...VersionStatus[]], { description: 'Status. At most one version of a project is published.' }),
    quality_score: Type.Integer({ minimum: 0, maximum: 100, examples: [92], description: 'Quality score, measured at its creation or the last attempt to publish it.' }),
    regression_passed: Type.Boolean({ description: 'Whether all cases passed at that time.' }),
    total_rules: Type.Integer({ minimum: 0, examples: [12], description: 'Number of own rules.' }),
    total_decoders: Type.Integer({ minimum: 0, examples: [3], description: 'Number of own decoders.' }),
    content_hash: Type.String({ examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'], description: 'SHA-256 of the content, which never changes.' }),
    created_at: fields.timestamp('When it was created.'),
    updated_at: fields.timestamp('When its status last changed.'),
    published_at: nullable(Type.String({ format: 'date-time' }), 'When it was first published; null: never.'),
  },
  { $id: 'ProjectVersionRecord', description: 'A version: immutable content.' },
)
export type ProjectVersionRecord = Static<typeof ProjectVersionRecord>

const NOTES_CHARACTERS = 10_000

export const VersionParams = Type.Object({ project_id: fields.id('The project.'), version_id: fields.id('The version.') })

export const VersionListQuery = listQuery({ filters: { status: Type.Optional(Type.Enum(VERSION_STATUSES, { description: 'Only versions with this status.' })) } })
export type VersionListQuery = Static<typeof VersionListQuery>

export const VersionCreateRequest = Type.Object(
  {
    name: fields.name('Name.'),
    notes: Type.Optional(fields.text(NOTES_CHARACTERS, 'Release notes.')),
    source_workspace_id: Type.Optional(nullable(fields.id('A workspace.'), 'The workspace whose content is copied.')),
    source_review_id: Type.Optional(nullable(fields.id('A review.'), "The review of the version. Without a workspace, the content of the review's workspace is copied.")),
  },
  { $id: 'VersionCreateRequest', description: 'A version to create. Without a workspace and a review, the content of the project is copied.' },
)
export type VersionCreateRequest = Static<typeof VersionCreateRequest>

export const VersionContent = Type.Object(
  {
    version_id: projectFields.id('The version.'),
    content_hash: ProjectVersionRecord.properties.content_hash,
    decoders_xml: ProjectRecord.properties.decoders_xml,
    rules_xml: ProjectRecord.properties.rules_xml,
    lists: ProjectRecord.properties.lists,
    include_disk_defaults: Type.Boolean({ description: 'Whether the reference ruleset of the service is loaded before the content.' }),
    include_disk_custom: Type.Boolean({ description: "Whether the instance's custom content is loaded before the content." }),
  },
  { $id: 'VersionContent', description: 'Content of a version.' },
)

export const PublishQuery = Type.Object({
  on_failure: Type.Enum(['result', 'error'], {
    default: 'result',
    description: 'How a failed quality gate is answered: `result`, 200 with `published` false; `error`, 409 with the same in `details`, for scripts that stop at an error.',
  }),
})

export const PublishResponse = Type.Object(
  {
    version: ProjectVersionRecord,
    published: Type.Boolean({ description: 'Whether the version was published. False: it failed the gate and is still a draft.' }),
    quality_gate_result: QualityGateResult,
    behaviour: Type.Optional(
      nullable(
        BehaviourSummary,
        'What the version changes for events, compared with the content that was active: counts, and the first items with an event and both results. Null: not compared.',
      ),
    ),
  },
  { $id: 'PublishResponse', description: 'Result of publishing a version.' },
)
