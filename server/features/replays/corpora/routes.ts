/** `/platform/projects/{project_id}/corpora`. */
import Type from 'typebox'
import { projectPermission, type Route, routesOf } from '../../../core/http/route.js'
import { presentPage } from '../../../core/tenancy/page.js'
import { PART_BYTES } from './limits.js'
import { presentCorpus } from './present.js'
import { CorporaParams, CorpusCreateRequest, CorpusDeletion, CorpusListQuery, CorpusParams, CorpusPart, CorpusPartQuery, CorpusRecord } from './schema.js'
import type { CorporaService } from './service.js'

const defineRoute = routesOf('Corpora')
const COLLECTION = '/platform/projects/{project_id}/corpora'
const ITEM = `${COLLECTION}/{corpus_id}`
const CORPUS = { 200: { description: 'The corpus.', schema: CorpusRecord } } as const

export function corpusRoutes(corpora: CorporaService): readonly Route[] {
  return [
    defineRoute({
      id: 'corpora.list',
      method: 'GET',
      path: COLLECTION,
      summary: 'List corpora',
      description: 'Lists the newest first. No route answers the bytes of a corpus.',
      access: projectPermission('project:view'),
      params: CorporaParams,
      query: CorpusListQuery,
      responses: { 200: { description: 'The corpora.', schema: Type.Array(CorpusRecord) } },
      handle: async ({ scope, params, query }) => presentPage(await corpora.list(scope, params.project_id, query), presentCorpus),
    }),
    defineRoute({
      id: 'corpora.create',
      method: 'POST',
      path: COLLECTION,
      summary: 'Create a corpus',
      description: [
        'Begins the upload of a sample of events: lines of logs, of `archives.log`, `archives.json` or `alerts.json`, or of JSON. The bytes follow in parts.',
        'They are encrypted at rest with a key of the corpus, and deleted when the retention ends. The plan limits number, bytes and retention (`plan_quota_exceeded`).',
        'With `object` the service imports an object of S3-compatible storage; the record has its progress, and why it failed. The operator permits the stores.',
      ].join(' '),
      access: projectPermission('case:edit'),
      params: CorporaParams,
      body: { as: 'json', schema: CorpusCreateRequest },
      bodyExamples: {
        month: { name: 'Perimeter, October', size_bytes: 1_048_576, retention_days: 30 },
        object: {
          name: 'Archive, October',
          size_bytes: 268_435_456,
          object: {
            url: 'https://s3.eu-central-1.amazonaws.com/siem-archive/2026/10/archive.json.gz',
            region: 'eu-central-1',
            credentials: { access_key_id: 'AKIAEXAMPLE', secret_access_key: 'example-secret' },
          },
        },
      },
      responses: CORPUS,
      errors: ['object_store_refused', 'plan_quota_exceeded', 'edit_conflict'],
      handle: async (request) => ({ body: presentCorpus(await corpora.create(request.scope, request.params.project_id, request.body, request)) }),
    }),
    defineRoute({
      id: 'corpora.get',
      method: 'GET',
      path: ITEM,
      summary: 'Get a corpus',
      description: 'An upload that was interrupted continues at `received_bytes`.',
      access: projectPermission('project:view'),
      params: CorpusParams,
      responses: CORPUS,
      handle: async ({ scope, params }) => ({ body: presentCorpus(await corpora.get(scope, params.project_id, params.corpus_id)) }),
    }),
    defineRoute({
      id: 'corpora.update',
      method: 'PATCH',
      path: ITEM,
      summary: 'Upload a part of a corpus',
      description: [
        `Appends up to ${PART_BYTES} bytes at \`offset\`, which has to be \`received_bytes\` of the corpus; any other one is answered 409 with the right one in \`details.offset\`.`,
        'So a part whose answer was lost is sent again without harm, and an upload goes on after any interruption. The last part completes the corpus: it gets its digest and the number of its lines.',
      ].join(' '),
      access: projectPermission('case:edit'),
      params: CorpusParams,
      query: CorpusPartQuery,
      body: { as: 'bytes', schema: CorpusPart, mediaType: 'application/offset+octet-stream', maxBytes: PART_BYTES },
      bodyExamples: { lines: 'Jan  5 10:11:12 web1 sshd[12]: Failed password for root from 192.0.2.7 port 22 ssh2\n' },
      responses: CORPUS,
      errors: ['upload_offset_wrong', 'upload_beyond_size', 'corpus_gone'],
      timeoutMs: 120_000,
      handle: async (request) => {
        const { project_id, corpus_id } = request.params
        return { body: presentCorpus(await corpora.upload(request.scope, project_id, corpus_id, request.query.offset, request.body, request)) }
      },
    }),
    defineRoute({
      id: 'corpora.delete',
      method: 'DELETE',
      path: ITEM,
      summary: 'Delete a corpus',
      description:
        'Destroys the key of the corpus, deletes all of its bytes, and answers what was deleted when nothing is left. The audit log has the same entry, with the digest. Replays of the corpus go with it, because their results have samples of events.',
      access: projectPermission('case:edit'),
      params: CorpusParams,
      responses: { 200: { description: 'What was deleted.', schema: CorpusDeletion } },
      timeoutMs: 120_000,
      handle: async (request) => {
        const { project_id, corpus_id } = request.params
        return { body: await corpora.remove(request.scope, project_id, corpus_id, request) }
      },
    }),
  ]
}
