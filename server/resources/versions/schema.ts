/** Requests and answers about versions. The record is in `projects/records.ts`. */
import Type, { type Static } from 'typebox'
import { fields } from '../../auth/records.js'
import { listQuery } from '../../http/request/list-query.js'
import { nullable } from '../../nullable.js'
import { ProjectParams, ProjectRecord, ProjectVersionRecord, projectFields } from '../../projects/records.js'
import { VERSION_STATUSES } from '../../projects/transitions.js'
import { QualityGateResult } from '../quality-gate/service.js'

export { ProjectParams, ProjectRecord, ProjectVersionRecord }

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
