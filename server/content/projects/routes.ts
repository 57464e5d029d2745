/** `/platform/projects`. */
import Type from 'typebox'
import { jsonList } from '../../core/http/text/json-list.js'
import { noContent, permission, projectPermission, type Route, routesOf } from '../../core/http/route.js'
import { projectEtag } from '../shared/project.js'
import type { IsReadOnly, OverLimit } from '../../core/tenancy/over-limit.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { presentProject } from './present.js'
import { ProjectCreateRequest, ProjectListQuery, ProjectParams, ProjectRecord, ProjectUpdateRequest } from './schema.js'
import type { ProjectsService, ProjectView } from './service.js'

const defineRoute = routesOf('Projects')
const COLLECTION = '/platform/projects'
const ITEM = `${COLLECTION}/{project_id}`
const PROJECT = { 200: { description: 'The project.', schema: ProjectRecord } } as const

const present = ({ project, content }: ProjectView, isReadOnly: IsReadOnly) => presentProject(project, content, isReadOnly(project))

export function projectRoutes(projects: ProjectsService, overLimit: Pick<OverLimit, 'readOnly'>): readonly Route[] {
  const answer = async (scope: Scope, view: ProjectView) => ({ body: present(view, await overLimit.readOnly(scope, 'projects')), etag: projectEtag(view.project) })
  return [
    defineRoute({
      id: 'projects.list',
      method: 'GET',
      path: COLLECTION,
      summary: 'List projects',
      description: 'Lists the projects of the active organization, with their XML and lists. Archived ones are listed only with `archived=true`, and then alone.',
      access: permission('project:view'),
      query: ProjectListQuery,
      responses: { 200: { description: 'The projects.', schema: Type.Array(ProjectRecord) } },
      handle: async ({ scope, query }) => {
        const { items, total } = await projects.list(scope, query)
        const bytes = items.reduce((sum, { content_bytes }) => sum + content_bytes, 0)
        const isReadOnly = await overLimit.readOnly(scope, 'projects')
        const body = await jsonList(items, bytes, async (some) => (await projects.views(scope, some)).map((view) => present(view, isReadOnly)))
        return { body, total }
      },
    }),
    defineRoute({
      id: 'projects.create',
      method: 'POST',
      path: COLLECTION,
      summary: 'Create a project',
      description: 'The project is empty, has the content of the request, or that of a template. Content with errors is stored too; a validation or the overview reports them.',
      access: permission('project:create'),
      body: { as: 'json', schema: ProjectCreateRequest },
      bodyExamples: {
        empty: { name: 'VPN gateways' },
        withContent: {
          name: 'VPN gateways',
          description: 'Rules and decoders for the VPN gateways',
          decoders_xml: '<decoder name="vpn">\n  <program_name>^vpnd$</program_name>\n</decoder>\n',
          rules_xml: '<group name="vpn,">\n  <rule id="100100" level="3">\n    <decoded_as>vpn</decoded_as>\n    <description>VPN: event</description>\n  </rule>\n</group>\n',
          default_log_format: 'syslog',
          include_disk_defaults: true,
          include_disk_custom: false,
          active_baseline_id: null,
        },
        withList: {
          name: 'Watched addresses',
          rules_xml:
            '<group name="watched,">\n  <rule id="100101" level="10">\n    <if_sid>5710</if_sid>\n    <list field="srcip" lookup="address_match_key">etc/lists/watched-addresses</list>\n    <description>sshd: unknown user from a watched address.</description>\n  </rule>\n</group>\n',
          lists: [{ name: 'etc/lists/watched-addresses', content: '203.0.113.7:scanner\n198.51.100.:partner network\n' }],
        },
      },
      responses: PROJECT,
      errors: ['resource_missing', 'project_limit', 'plan_quota_exceeded', 'edit_conflict'],
      etag: true,
      handle: async (request) => answer(request.scope, await projects.create(request.scope, request.body, request)),
    }),
    defineRoute({
      id: 'projects.get',
      method: 'GET',
      path: ITEM,
      summary: 'Get a project',
      description: "The answer's `ETag` can be sent as `If-Match` with an update.",
      access: projectPermission('project:view'),
      params: ProjectParams,
      responses: PROJECT,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ scope, params }) => answer(scope, await projects.get(scope, params.project_id)),
    }),
    defineRoute({
      id: 'projects.archive',
      method: 'POST',
      path: `${ITEM}/archive`,
      summary: 'Archive a project',
      description:
        'An archived project can be read, exported and run, and not changed (409). It is listed only with `archived=true`, and does not count against the plan. Its Git bindings neither import, check nor publish. Archiving an archived project changes nothing.',
      access: projectPermission('project:edit'),
      params: ProjectParams,
      responses: PROJECT,
      errors: ['resource_missing', 'edit_conflict'],
      evenReadOnly: true,
      etag: true,
      handle: async (request) => answer(request.scope, await projects.archive(request.scope, request.params.project_id, request)),
    }),
    defineRoute({
      id: 'projects.unarchive',
      method: 'POST',
      path: `${ITEM}/unarchive`,
      summary: 'Take a project out of the archive',
      description:
        'The project can be changed again. It needs a place in the plan, like a new one (403). Its Git bindings go on: the next push or schedule imports what they have missed. A project that is not archived does not change.',
      access: projectPermission('project:edit'),
      params: ProjectParams,
      responses: PROJECT,
      errors: ['resource_missing', 'plan_quota_exceeded', 'edit_conflict'],
      evenReadOnly: true,
      etag: true,
      handle: async (request) => answer(request.scope, await projects.unarchive(request.scope, request.params.project_id, request)),
    }),
    defineRoute({
      id: 'projects.delete',
      method: 'DELETE',
      path: ITEM,
      summary: 'Delete an archived project',
      description:
        'Deletes the project with its content, cases, workspaces, reviews, roles and Git bindings. It cannot be undone. Its versions, with their content, and its audit entries can be read for as long as the plan keeps audit entries. A project that is not archived is answered 409, and so is one whose binding still checks or publishes.',
      access: projectPermission('project:delete'),
      params: ProjectParams,
      responses: { 204: { description: 'It is deleted.', schema: null } },
      errors: ['resource_missing', 'project_not_archived', 'project_busy', 'edit_conflict'],
      evenReadOnly: true,
      handle: (request) => noContent(projects.delete(request.scope, request.params.project_id, request)),
    }),
    defineRoute({
      id: 'projects.update',
      method: 'PATCH',
      path: ITEM,
      summary: 'Update a project',
      description: 'Updates the fields that are sent. Concurrent updates of different fields are all kept. The slug does not change.',
      access: projectPermission('project:edit'),
      params: ProjectParams,
      body: { as: 'json', schema: ProjectUpdateRequest },
      bodyExamples: {
        rename: { name: 'VPN and proxy' },
        content: { rules_xml: '<group name="vpn,">\n</group>\n' },
        lists: { lists: [{ name: 'etc/lists/vpn-users', content: 'ana:\n' }] },
      },
      responses: PROJECT,
      errors: ['resource_missing', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => answer(request.scope, await projects.update(request.scope, request.params.project_id, request.body, request.ifMatch, request)),
    }),
  ]
}
