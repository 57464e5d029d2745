/** `/platform/projects/{project_id}/versions`. */
import Type from 'typebox'
import { ApiError } from '../../core/errors.js'
import { etagOf } from '../../core/etag.js'
import { projectPermission, type Route, routesOf } from '../../core/http/route.js'
import { presentPage } from '../../core/tenancy/page.js'
import { MEASURE_TIMEOUT_MS } from '../shared/measure.js'
import { projectEtag } from '../shared/project.js'
import { presentLists } from '../shared/fields.js'
import type { OverLimit } from '../../core/tenancy/over-limit.js'
import { presentProject } from '../projects/service.js'
import { presentVersion } from './present.js'
import type { VersionDocument } from '../shared/version.js'
import {
  ProjectParams,
  ProjectRecord,
  ProjectVersionRecord,
  PublishQuery,
  PublishResponse,
  VersionContent,
  VersionCreateRequest,
  VersionListQuery,
  VersionParams,
} from './schema.js'
import type { VersionsService } from './service.js'

const defineRoute = routesOf('Versions')
const COLLECTION = '/platform/projects/{project_id}/versions'
const ITEM = `${COLLECTION}/{version_id}`
const VERSION = { 200: { description: 'The version.', schema: ProjectVersionRecord } } as const

const answer = (version: VersionDocument) => ({ body: presentVersion(version), etag: etagOf(version) })

export function versionRoutes(versions: VersionsService, overLimit: Pick<OverLimit, 'readOnly'>): readonly Route[] {
  return [
    defineRoute({
      id: 'versions.list',
      method: 'GET',
      path: COLLECTION,
      summary: 'List versions',
      description: 'Lists the newest first, without XML.',
      access: projectPermission('project:view'),
      params: ProjectParams,
      query: VersionListQuery,
      responses: { 200: { description: 'The versions.', schema: Type.Array(ProjectVersionRecord) } },
      errors: ['resource_missing'],
      handle: async ({ scope, params, query }) => presentPage(await versions.list(scope, params.project_id, query), presentVersion),
    }),
    defineRoute({
      id: 'versions.create',
      method: 'POST',
      path: COLLECTION,
      summary: 'Create a version',
      description:
        "Creates a draft with a copy of the content of a workspace, of a review's workspace, or of the project. The copy never changes. It is measured: quality score, and whether all cases pass. Emits `version.created`.",
      access: projectPermission('version:create'),
      params: ProjectParams,
      body: { as: 'json', schema: VersionCreateRequest },
      bodyExamples: {
        ofProject: { name: '2026.11' },
        ofReview: { name: '2026.11', notes: 'New gateway model', source_workspace_id: null, source_review_id: 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f' },
      },
      responses: VERSION,
      errors: ['resource_missing', 'version_limit', 'edit_conflict', 'overloaded'],
      load: 'run',
      timeoutMs: MEASURE_TIMEOUT_MS,
      etag: true,
      handle: async (request) => answer(await versions.create(request.scope, request.params.project_id, request.body, request)),
    }),
    defineRoute({
      id: 'versions.get',
      method: 'GET',
      path: ITEM,
      summary: 'Get a version',
      description: 'The answer contains no XML.',
      access: projectPermission('project:view'),
      params: VersionParams,
      responses: VERSION,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ scope, params }) => answer(await versions.get(scope, params.project_id, params.version_id)),
    }),
    defineRoute({
      id: 'versions.get-content',
      method: 'GET',
      path: `${ITEM}/content`,
      summary: 'Get the content of a version',
      description: 'Answers the XML and lists of the version. The `ETag` is the hash of the content.',
      access: projectPermission('project:view'),
      params: VersionParams,
      responses: { 200: { description: 'The content.', schema: VersionContent } },
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ scope, params }) => {
        const { version, content } = await versions.content(scope, params.project_id, params.version_id)
        const { content_hash, include_disk_defaults, include_disk_custom } = version
        const { decoders_xml, rules_xml, lists } = content
        const body = { version_id: version._id, content_hash, decoders_xml, rules_xml, lists: presentLists(lists), include_disk_defaults, include_disk_custom }
        return { body, etag: content_hash }
      },
    }),
    defineRoute({
      id: 'versions.publish',
      method: 'POST',
      path: `${ITEM}/publish`,
      summary: 'Publish a version',
      description:
        "Runs the quality gate with the current policy and cases. If it passes, the version becomes the project's content and baseline, and the previously published version is archived (emits `version.published`). If it fails, only the measurements of the version are updated (emits `publish.failed`); the answer is 200 with `published` false, and each failed rule names its diagnostics or failing cases. A published or archived version is answered 409.",
      access: projectPermission('version:publish'),
      params: VersionParams,
      query: PublishQuery,
      responses: { 200: { description: 'The result of publishing.', schema: PublishResponse } },
      errors: ['resource_missing', 'publish_refused', 'version_published', 'version_not_draft', 'edit_conflict', 'overloaded'],
      idempotencyKey: true,
      load: 'run',
      timeoutMs: MEASURE_TIMEOUT_MS,
      handle: async (request) => {
        const { version, published, result, behaviour } = await versions.publish(request.scope, request.params.project_id, request.params.version_id, request)
        const body = { version: presentVersion(version), published, quality_gate_result: result, behaviour }
        if (published || request.query.on_failure === 'result') return { body }
        return { refusal: new ApiError('publish_refused', { params: { rules: result.failed_rules.map(({ rule }) => rule).join(', ') }, details: body }) }
      },
    }),
    defineRoute({
      id: 'versions.restore',
      method: 'POST',
      path: `${ITEM}/restore`,
      summary: 'Restore a version',
      description:
        "A previously published version becomes the project's content and baseline again, without running the quality gate. The currently published version is archived. A version that was never published is answered 409.",
      access: projectPermission('version:publish'),
      params: VersionParams,
      responses: { 200: { description: 'The project, with the content of the version.', schema: ProjectRecord } },
      errors: ['resource_missing', 'version_not_restorable', 'edit_conflict'],
      etag: true,
      handle: async (request) => {
        const { project, content } = await versions.restore(request.scope, request.params.project_id, request.params.version_id, request)
        const isReadOnly = await overLimit.readOnly(request.scope, 'projects')
        return { body: presentProject(project, content, isReadOnly(project)), etag: projectEtag(project) }
      },
    }),
    defineRoute({
      id: 'versions.archive',
      method: 'POST',
      path: `${ITEM}/archive`,
      summary: 'Archive a draft version',
      description: 'An archived draft cannot be published. Publishing or restoring another version archives a published one.',
      access: projectPermission('version:create'),
      params: VersionParams,
      responses: VERSION,
      errors: ['resource_missing', 'version_not_draft', 'edit_conflict'],
      etag: true,
      handle: async (request) => answer(await versions.archive(request.scope, request.params.project_id, request.params.version_id, request)),
    }),
  ]
}
