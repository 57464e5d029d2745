/** Requests about projects, and the record of one. */
import Type, { type Static } from 'typebox'
import { fields } from '../../core/auth/records.js'
import { listQuery } from '../../core/http/request/list-query.js'
import { nullable } from '../../core/nullable.js'
import { DECODERS_EXAMPLE, LISTS_DESCRIPTION, ProjectParams, projectFields, RULES_EXAMPLE } from '../shared/fields.js'

export { ProjectParams }

export const ProjectRecord = Type.Object(
  {
    id: projectFields.id('Identifier.'),
    slug: Type.String({ examples: ['vpn-gateways'], description: 'Short name of letters, digits and hyphens. It is unique in the organization and never changes.' }),
    name: Type.String({ examples: ['VPN gateways'], description: 'Name of the project.' }),
    description: Type.String({ examples: ['Rules and decoders for the VPN gateways'], description: 'Description of the project.' }),
    decoders_xml: Type.String({ examples: [DECODERS_EXAMPLE], description: 'Decoders, as XML.' }),
    rules_xml: Type.String({ examples: [RULES_EXAMPLE], description: 'Rules, as XML.' }),
    lists: projectFields.lists('CDB lists, in order of their names.'),
    default_log_format: projectFields.logFormat('Default log format of cases and workspaces.'),
    include_disk_defaults: Type.Boolean({ description: 'Whether the reference ruleset of the service is loaded before the content.' }),
    include_disk_custom: Type.Boolean({ description: "Whether the instance's custom content is loaded before the content." }),
    active_baseline_id: projectFields.idOrNull('The version that was published or restored last; null: none.'),
    active_baseline_name: Type.String({ examples: ['2026.11'], description: 'Name of that version; empty: none.' }),
    case_count: Type.Integer({ minimum: 0, examples: [24], description: 'Number of cases.' }),
    workspace_count: Type.Integer({ minimum: 0, examples: [2], description: 'Number of open workspaces.' }),
    is_read_only: Type.Boolean({
      description:
        'True: it can be read, exported and run, and not changed. Either it is archived (409), or the organization has more projects than its plan allows, and this is not one of the oldest (403).',
    }),
    archived_at: nullable(Type.String({ format: 'date-time' }), 'When it was archived; null: it is not archived.'),
    created_at: fields.timestamp('When it was created.'),
    updated_at: fields.timestamp('When its fields or its content were last updated.'),
  },
  { $id: 'ProjectRecord', description: 'A project.' },
)
export type ProjectRecord = Static<typeof ProjectRecord>

export const ProjectListQuery = listQuery({
  sort: ['created_at', 'updated_at', 'name'],
  filters: {
    archived: Type.Boolean({ default: false, description: 'True: only archived projects. Default: only those that are not archived.' }),
    search: Type.Optional(Type.String({ minLength: 1, maxLength: 120, examples: ['vpn'], description: 'Only projects whose name contains this text. Case does not matter.' })),
  },
})
export type ProjectListQuery = Static<typeof ProjectListQuery>

const changeable = {
  description: Type.Optional(projectFields.description('Description of the project.')),
  decoders_xml: Type.Optional(
    projectFields.xml('Decoders, as XML. Content with errors is stored too, even if it is not well-formed; a validation reports them. At most 2 MB of UTF-8.'),
  ),
  rules_xml: Type.Optional(projectFields.xml('Rules, as XML. Content with errors is stored too, like decoders. At most 2 MB of UTF-8.')),
  lists: Type.Optional(projectFields.lists(LISTS_DESCRIPTION)),
  default_log_format: Type.Optional(projectFields.logFormat('Default log format of cases and workspaces. Default: `auto`.')),
  include_disk_defaults: Type.Optional(Type.Boolean({ description: 'Whether the reference ruleset of the service is loaded before the content. Default: true.' })),
  include_disk_custom: Type.Optional(Type.Boolean({ description: "Whether the instance's custom content is loaded before the content. Default: true." })),
  active_baseline_id: Type.Optional(
    nullable(fields.id('A version.'), 'A version of this project; null: none. Every other version is answered 404, so that only null is valid for a new project.'),
  ),
}

export const ProjectCreateRequest = Type.Object(
  {
    name: fields.name('Name.'),
    template_id: Type.Optional(
      fields.id(
        'A template of the catalog whose rules and decoders become the content. Cannot be combined with `decoders_xml` or `rules_xml`.',
        'ssh-root-login-outside-admin-network',
      ),
    ),
    ...changeable,
  },
  { $id: 'ProjectCreateRequest', description: 'A project to create. Only the name is required.' },
)
export type ProjectCreateRequest = Static<typeof ProjectCreateRequest>

export const ProjectUpdateRequest = Type.Object({ name: Type.Optional(fields.name('Name.')), ...changeable }, { $id: 'ProjectUpdateRequest', description: 'The fields to update.' })
export type ProjectUpdateRequest = Static<typeof ProjectUpdateRequest>
