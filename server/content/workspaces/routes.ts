/** `/platform/projects/{project_id}/workspaces`. */
import Type from 'typebox'
import { etagOf } from '../../core/etag.js'
import { jsonList } from '../../core/http/text/json-list.js'
import { noContent, projectPermission, type Route, routesOf } from '../../core/http/route.js'
import { presentWorkspace } from './present.js'
import { ProjectParams, WorkspaceCreateRequest, WorkspaceListQuery, WorkspaceParams, WorkspaceRecord, WorkspaceUpdateRequest } from './schema.js'
import type { WorkspacesService, WorkspaceView } from './service.js'

const defineRoute = routesOf('Workspaces')
const COLLECTION = '/platform/projects/{project_id}/workspaces'
const ITEM = `${COLLECTION}/{workspace_id}`
const WORKSPACE = { 200: { description: 'The workspace.', schema: WorkspaceRecord } } as const

const present = ({ workspace, content }: WorkspaceView) => presentWorkspace(workspace, content)
const answer = (view: WorkspaceView) => ({ body: present(view), etag: etagOf(view.workspace) })

export function workspaceRoutes(workspaces: WorkspacesService): readonly Route[] {
  return [
    defineRoute({
      id: 'workspaces.list',
      method: 'GET',
      path: COLLECTION,
      summary: 'List workspaces',
      description: 'Lists workspaces with their content; by default only open ones.',
      access: projectPermission('project:view'),
      params: ProjectParams,
      query: WorkspaceListQuery,
      responses: { 200: { description: 'The workspaces.', schema: Type.Array(WorkspaceRecord) } },
      errors: ['resource_missing'],
      handle: async ({ scope, params, query }) => {
        const { items, total } = await workspaces.list(scope, params.project_id, query)
        const bytes = items.reduce((sum, { content_bytes }) => sum + content_bytes, 0)
        const body = await jsonList(items, bytes, async (some) => (await workspaces.views(scope, some)).map(present))
        return { body, total }
      },
    }),
    defineRoute({
      id: 'workspaces.create',
      method: 'POST',
      path: COLLECTION,
      summary: 'Create a workspace',
      description: 'The content is a copy of that of the project, except for the fields that are sent. A project has at most 500 open workspaces (409).',
      access: projectPermission('workspace:create'),
      params: ProjectParams,
      body: { as: 'json', schema: WorkspaceCreateRequest },
      bodyExamples: {
        copy: { name: 'New gateway model' },
        own: {
          name: 'New gateway model',
          description: 'Reads the log of version 9',
          rules_xml: '<group name="vpn,">\n  <rule id="100100" level="3">\n    <decoded_as>vpn</decoded_as>\n    <description>VPN: event</description>\n  </rule>\n</group>\n',
          event_text: 'Nov 21 08:15:30 gw1 vpnd[311]: login failed for ana from 203.0.113.7',
          log_format: 'syslog',
          session_id: null,
          include_disk_defaults: true,
          include_disk_custom: false,
        },
      },
      responses: WORKSPACE,
      errors: ['resource_missing', 'workspace_limit', 'edit_conflict', 'document_too_large'],
      etag: true,
      handle: async (request) => answer(await workspaces.create(request.scope, request.params.project_id, request.body, request)),
    }),
    defineRoute({
      id: 'workspaces.get',
      method: 'GET',
      path: ITEM,
      summary: 'Get a workspace',
      description: "The answer's `ETag` can be sent as `If-Match` with an update.",
      access: projectPermission('project:view'),
      params: WorkspaceParams,
      responses: WORKSPACE,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ scope, params }) => answer(await workspaces.get(scope, params.project_id, params.workspace_id)),
    }),
    defineRoute({
      id: 'workspaces.update',
      method: 'PATCH',
      path: ITEM,
      summary: 'Update a workspace',
      description:
        'Updates the fields that are sent. Concurrent updates of different fields are all kept. `status` closes or reopens the workspace; a closed one accepts no other update (409). Its reviews are kept.',
      access: projectPermission('workspace:create'),
      params: WorkspaceParams,
      body: { as: 'json', schema: WorkspaceUpdateRequest },
      bodyExamples: {
        content: { rules_xml: '<group name="vpn,">\n</group>\n' },
        files: {
          rules_xml: '<group name="vpn,">\n</group>\n',
          source_files: [{ path: 'rules/vpn.xml', kind: 'rules', xml: '<group name="vpn,">\n</group>\n', sha: '2fd4e1c67a2d28fced849ee1bb76e7391b93eb12' }],
        },
        close: { status: 'closed' },
      },
      responses: WORKSPACE,
      errors: ['resource_missing', 'workspace_closed', 'workspace_limit', 'edit_conflict', 'document_too_large'],
      ifMatch: true,
      etag: true,
      handle: async (request) => answer(await workspaces.update(request.scope, request.params.project_id, request.params.workspace_id, request.body, request.ifMatch, request)),
    }),
    defineRoute({
      id: 'workspaces.delete',
      method: 'DELETE',
      path: ITEM,
      summary: 'Delete a workspace',
      description:
        'Deletes the workspace with its content, open or closed. It cannot be undone. Its versions stay, and so do its reviews, which are final from then on. A workspace with an open review is answered 409.',
      access: projectPermission('workspace:create'),
      params: WorkspaceParams,
      responses: { 204: { description: 'It is deleted.', schema: null } },
      errors: ['resource_missing', 'workspace_in_review', 'edit_conflict'],
      handle: (request) => noContent(workspaces.delete(request.scope, request.params.project_id, request.params.workspace_id, request)),
    }),
  ]
}
