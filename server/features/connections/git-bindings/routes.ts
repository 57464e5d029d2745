/** `/platform/organizations/{organization_id}/git-bindings`: the bindings and the history of their runs. */
import Type from 'typebox'
import { versionTag } from '../../../core/etag.js'
import { noContent, permission, projectPermission, type Route, routesOf, SESSION } from '../../../core/http/route.js'
import { presentPage } from '../../../core/tenancy/page.js'
import type { PublicAddress } from '../../../core/public-address.js'
import { presentBinding, presentRun } from './present.js'
import { GitProjectSyncRunRecord, RunListQuery } from './run-schema.js'
import { listRuns } from './runs.js'
import {
  BindingListQuery,
  BindingParams,
  GitBindingCreateRequest,
  GitBindingSecretRecord,
  GitBindingUpdateRequest,
  GitProjectBindingRecord,
  OrganizationParams,
  ProjectParams,
} from './schema.js'
import { BINDINGS_LIMIT, type GitBindingsService, type RevealedBinding } from './service.js'
import type { GitBindingDocument } from './store.js'

/** Tag of all routes of bindings. */
export const TAG = 'Git bindings'
const defineRoute = routesOf(TAG)
export const COLLECTION = '/platform/organizations/{organization_id}/git-bindings'
export const ITEM = `${COLLECTION}/{binding_id}`
const MANAGE = permission('integration:manage')
const BINDING = { 200: { description: 'The binding.', schema: GitProjectBindingRecord } } as const
const BINDINGS = { 200: { description: 'The bindings.', schema: Type.Array(GitProjectBindingRecord) } } as const
const REVEALED = { 200: { description: 'The binding, with the secret of its webhook.', schema: GitBindingSecretRecord } } as const

/** Example of a request; its ids name no objects. */
export const BINDING_EXAMPLE = {
  project_id: 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f',
  integration_id: 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f',
  repository: 'example/detections',
  branch: 'main',
  rules_path: 'rules',
  decoders_path: 'decoders',
  lists_path: 'lists',
  publish_strategy: 'review',
  scheduled_sync_interval_minutes: 60,
  sync_on_webhook: true,
  check_pull_requests: true,
  comment_on_review: false,
} as const

export function gitBindingRoutes(bindings: GitBindingsService, address: Pick<PublicAddress, 'api'>): readonly Route[] {
  const present = (binding: GitBindingDocument) => presentBinding(binding, address)
  // Imports and publications update the record; an update by a caller does not depend on them.
  const answer = (binding: GitBindingDocument) => ({ body: present(binding), etag: versionTag(binding.revision, binding.updated_at.getTime()) })
  const reveal = ({ binding, secret }: RevealedBinding) => ({ body: { ...present(binding), webhook_secret: secret } })
  return [
    defineRoute({
      id: 'git-bindings.list',
      method: 'GET',
      path: COLLECTION,
      summary: 'List Git bindings',
      description: 'Lists the bindings of the organization, without secrets.',
      access: SESSION,
      params: OrganizationParams,
      query: BindingListQuery,
      responses: BINDINGS,
      handle: async ({ scope, query }) => presentPage(await bindings.list(scope, query), present),
    }),
    defineRoute({
      id: 'git-bindings.list-of-project',
      method: 'GET',
      path: '/platform/projects/{project_id}/git-bindings',
      summary: 'List Git bindings of a project',
      description: 'Lists the bindings of the project, without secrets.',
      access: projectPermission('project:view'),
      params: ProjectParams,
      query: BindingListQuery,
      responses: BINDINGS,
      errors: ['resource_missing'],
      handle: async ({ scope, params, query }) => presentPage(await bindings.listOfProject(scope, params.project_id, query), present),
    }),
    defineRoute({
      id: 'git-bindings.create',
      method: 'POST',
      path: COLLECTION,
      summary: 'Create a Git binding',
      description: `Binds a project to a branch. Nothing is read from the provider yet: \`validate\` checks the fields against the repository, \`import\` reads it. Several projects may bind one branch. Only this answer contains the secret of the inbound webhook; set it and \`webhook_url\` at the provider. An organization has at most ${BINDINGS_LIMIT} bindings (409).`,
      access: MANAGE,
      params: OrganizationParams,
      body: { as: 'json', schema: GitBindingCreateRequest },
      bodyExamples: { review: BINDING_EXAMPLE },
      responses: REVEALED,
      errors: ['resource_missing', 'integration_kind_wrong', 'binding_limit'],
      handle: async (request) => reveal(await bindings.create(request.scope, request.body, request)),
    }),
    defineRoute({
      id: 'git-bindings.get',
      method: 'GET',
      path: ITEM,
      summary: 'Get a Git binding',
      description: "The answer's `ETag` can be sent as `If-Match` with an update.",
      access: SESSION,
      params: BindingParams,
      responses: BINDING,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ scope, params }) => answer(await bindings.get(scope, params.binding_id)),
    }),
    defineRoute({
      id: 'git-bindings.update',
      method: 'PATCH',
      path: ITEM,
      summary: 'Update a Git binding',
      description:
        'Updates the fields that are sent. A new repository, branch or path begins anew: the next import or publication has no common base with the project. The project of a binding cannot be changed.',
      access: MANAGE,
      params: BindingParams,
      body: { as: 'json', schema: GitBindingUpdateRequest },
      bodyExamples: { schedule: { scheduled_sync_interval_minutes: 15 }, moved: { branch: 'release', rules_path: 'ruleset/rules', decoders_path: 'ruleset/decoders' } },
      responses: BINDING,
      errors: ['resource_missing', 'integration_kind_wrong', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => answer(await bindings.update(request.scope, request.params.binding_id, request.body, request.ifMatch, request)),
    }),
    defineRoute({
      id: 'git-bindings.delete',
      method: 'DELETE',
      path: ITEM,
      summary: 'Delete a Git binding',
      description: 'Ends its schedule and its webhook. Workspaces that were imported from it stay, and nothing is changed in the repository.',
      access: MANAGE,
      params: BindingParams,
      responses: { 204: { description: 'The binding is deleted.', schema: null } },
      errors: ['resource_missing', 'edit_conflict'],
      handle: (request) => noContent(bindings.delete(request.scope, request.params.binding_id, request)),
    }),
    defineRoute({
      id: 'git-bindings.rotate-secret',
      method: 'POST',
      path: `${ITEM}/rotate-secret`,
      summary: 'Rotate the secret of a Git binding',
      description:
        'Only this answer contains the new secret. The previous one is invalid at once; set the new one at the provider. If two rotations run concurrently, one is answered 409.',
      access: MANAGE,
      params: BindingParams,
      responses: REVEALED,
      errors: ['resource_missing', 'edit_conflict'],
      handle: async (request) => reveal(await bindings.rotateSecret(request.scope, request.params.binding_id, request)),
    }),
    defineRoute({
      id: 'git-bindings.list-runs',
      method: 'GET',
      path: `${ITEM}/runs`,
      summary: 'List runs of a Git binding',
      description:
        'The history of the last 180 days: discoveries, imports, publications, rollbacks and checks. An import by schedule or webhook that finds nothing new is not stored.',
      access: SESSION,
      params: BindingParams,
      query: RunListQuery,
      responses: { 200: { description: 'The runs.', schema: Type.Array(GitProjectSyncRunRecord) } },
      errors: ['resource_missing'],
      handle: async ({ scope, params, query }) => {
        await bindings.get(scope, params.binding_id)
        const { items, total } = await listRuns(scope, params.binding_id, query)
        return { body: items.map(presentRun), total }
      },
    }),
  ]
}
