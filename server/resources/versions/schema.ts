/** Requests and answers about versions, and the record of one. */
import Type, { type Static } from 'typebox'
import { fields } from '../../auth/records.js'
import { listQuery } from '../../http/request/list-query.js'
import { nullable } from '../../nullable.js'
import { ProjectParams, projectFields } from '../../projects/fields.js'
import { ProjectRecord } from '../projects/service.js'
import { VERSION_STATUSES, type VersionStatus } from '../../projects/transitions.js'
import { QualityGateResult } from '../quality-gate/service.js'

export { ProjectParams, ProjectRecord }

export const ProjectVersionRecord = Type.Object(
  {
    id: projectFields.id('Identifier.'),
    project_id: projectFields.id('The project.'),
    source_workspace_id: projectFields.idOrNull('The workspace whose content it holds; null: it holds that of the project.'),
    source_review_id: projectFields.idOrNull('The review that it was made for.'),
    name: Type.String({ examples: ['2026.11'], description: 'Name.' }),
    notes: Type.String({ examples: ['New gateway model'], description: 'What is new in it.' }),
    status: Type.Enum(VERSION_STATUSES as [VersionStatus, ...VersionStatus[]], { description: 'Of all versions of a project at most one is published.' }),
    quality_score: Type.Integer({ minimum: 0, maximum: 100, examples: [92], description: 'As measured when it was made, or when someone last tried to publish it.' }),
    regression_passed: Type.Boolean({ description: 'Whether all cases passed then.' }),
    total_rules: Type.Integer({ minimum: 0, examples: [12], description: 'Rules of its own content.' }),
    total_decoders: Type.Integer({ minimum: 0, examples: [3], description: 'Decoders of its own content.' }),
    content_hash: Type.String({ examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'], description: 'SHA-256 of its content. It never changes.' }),
    created_at: fields.timestamp('When it was created.'),
    updated_at: fields.timestamp('When its status last changed.'),
    published_at: nullable(Type.String({ format: 'date-time' }), 'When it was published; null: never.'),
  },
  { $id: 'ProjectVersionRecord', description: 'A version: content that does not change any more.' },
)
export type ProjectVersionRecord = Static<typeof ProjectVersionRecord>

const NOTES_CHARACTERS = 10_000

export const VersionParams = Type.Object({ project_id: fields.id('The project.'), version_id: fields.id('The version.') })

export const VersionListQuery = listQuery({ filters: { status: Type.Optional(Type.Enum(VERSION_STATUSES, { description: 'Only versions of this status.' })) } })
export type VersionListQuery = Static<typeof VersionListQuery>

export const VersionCreateRequest = Type.Object(
  {
    name: fields.name('Name.'),
    notes: Type.Optional(fields.text(NOTES_CHARACTERS, 'What is new in it.')),
    source_workspace_id: Type.Optional(nullable(fields.id('A workspace.'), 'The workspace whose content it takes.')),
    source_review_id: Type.Optional(nullable(fields.id('A review.'), "The review that it is made for; without a workspace it takes the content of the review's.")),
  },
  { $id: 'VersionCreateRequest', description: "A version that is to be made. Without a workspace and a review it takes the project's own content." },
)
export type VersionCreateRequest = Static<typeof VersionCreateRequest>

export const VersionContent = Type.Object(
  {
    version_id: projectFields.id('The version.'),
    content_hash: ProjectVersionRecord.properties.content_hash,
    decoders_xml: ProjectRecord.properties.decoders_xml,
    rules_xml: ProjectRecord.properties.rules_xml,
    lists: ProjectRecord.properties.lists,
    include_disk_defaults: Type.Boolean({ description: 'Whether it stands on the reference ruleset of the service.' }),
    include_disk_custom: Type.Boolean({ description: "Whether it stands on the instance's custom content." }),
  },
  { $id: 'VersionContent', description: 'What a version holds.' },
)

export const PublishResponse = Type.Object(
  {
    version: ProjectVersionRecord,
    published: Type.Boolean({ description: 'False: the gate said no, and the version is a draft still.' }),
    quality_gate_result: QualityGateResult,
  },
  { $id: 'PublishResponse', description: 'What became of a publish.' },
)
