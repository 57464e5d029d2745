/** `/platform/projects/{project_id}/cases`. Runs of cases are in `run-routes.ts`. */
import Type from 'typebox'
import { etagOf } from '../../core/etag.js'
import { jsonList } from '../../core/http/text/json-list.js'
import { ChunkedBody } from '../../core/http/text/chunked-body.js'
import { noContent, projectPermission, type Route, routesOf } from '../../core/http/route.js'
import { EXAMPLE_EVENT } from './case-record.js'
import { presentCase } from './present.js'
import type { CaseDocument } from '../shared/test-case.js'
import { IniSuite, serializeInChunks, writtenCase } from './export.js'
import { IMPORT_TEXTS } from './import-texts.js'
import {
  CASE_EXAMPLES,
  CaseCreateRequest,
  CaseImportRequest,
  CaseImportResponse,
  CaseListQuery,
  CaseParams,
  CaseRecord,
  CaseSuite,
  CaseUpdateRequest,
  DryRunQuery,
  ExportQuery,
  ProjectParams,
} from './schema.js'
import type { CasesService } from './service.js'

const defineRoute = routesOf('Cases')
const COLLECTION = '/platform/projects/{project_id}/cases'
const ITEM = `${COLLECTION}/{case_id}`
const CASE = { 200: { description: 'The case.', schema: CaseRecord } } as const
/** A commit of 10,000 cases takes seconds on a database over the network. */
const IMPORT_TIMEOUT_MS = 120_000
const SUITE_EXAMPLE = '[VPN: failed login]\nlog 1 pass = Nov 21 08:15:30 gw1 vpnd[311]: login failed for ana from 203.0.113.7\nrule = 100101\nalert = 5\ndecoder = vpn\n'
const INI_TYPE = 'text/plain; charset=utf-8'

const answer = (testCase: CaseDocument) => ({ body: presentCase(testCase), etag: etagOf(testCase) })

export function caseRoutes(cases: CasesService): readonly Route[] {
  return [
    defineRoute({
      id: 'cases.list',
      method: 'GET',
      path: COLLECTION,
      summary: 'List cases',
      description: 'Lists the cases of the project.',
      access: projectPermission('project:view'),
      params: ProjectParams,
      query: CaseListQuery,
      responses: { 200: { description: 'The cases.', schema: Type.Array(CaseRecord) } },
      errors: ['resource_missing'],
      handle: async ({ scope, params, query }) => {
        const { items, total } = await cases.list(scope, params.project_id, query)
        const bytes = items.reduce((sum, testCase) => sum + testCase.bytes, 0)
        return { body: await jsonList(items, bytes, async (some) => some.map(presentCase)), total }
      },
    }),
    defineRoute({
      id: 'cases.create',
      method: 'POST',
      path: COLLECTION,
      summary: 'Create a case',
      description: 'A case has one event or several, and the expected results. Contradictory expectations are refused.',
      access: projectPermission('case:edit'),
      params: ProjectParams,
      body: { as: 'json', schema: CaseCreateRequest, anyName: true },
      bodyExamples: CASE_EXAMPLES,
      responses: CASE,
      errors: ['resource_missing', 'case_limit', 'document_too_large', 'edit_conflict'],
      etag: true,
      handle: async (request) => answer(await cases.create(request.scope, request.params.project_id, request.body, request)),
    }),
    defineRoute({
      id: 'cases.import',
      method: 'POST',
      path: `${COLLECTION}/import`,
      summary: 'Import a suite',
      description: [
        "Creates a case for every test of a suite in the format of Wazuh's test suites (`.ini`): all of them, or none. The `log N` lines of a section with the same number are the events of one case.",
        'A `pass` becomes the expected decoder, rule and level. A `fail` with an empty rule and level becomes `expect_no_rule`.',
        'Parts that cannot become a case are listed in `skipped`, with line and reason.',
      ].join(' '),
      access: projectPermission('case:edit'),
      params: ProjectParams,
      query: DryRunQuery,
      body: { as: 'json', schema: CaseImportRequest },
      bodyExamples: { suite: { content: SUITE_EXAMPLE, filename: 'vpn.ini', prefix: 'VPN:' } },
      responses: { 200: { description: 'The result of the import.', schema: CaseImportResponse } },
      errors: ['resource_missing', 'case_limit', 'edit_conflict'],
      timeoutMs: IMPORT_TIMEOUT_MS,
      handle: async (request) => {
        const dry_run = request.query.dry_run ?? false
        const imported = await cases.import(request.scope, request.params.project_id, request.body, dry_run, request)
        const skipped = imported.skipped.map((part) => ({ ...part, message: IMPORT_TEXTS[request.locale][part.reason] }))
        return { body: { dry_run, created: imported.cases.length, skipped, cases: imported.cases.map(presentCase) } }
      },
    }),
    defineRoute({
      id: 'cases.export',
      method: 'GET',
      path: `${COLLECTION}/export`,
      summary: 'Export all cases',
      description:
        "Answers a file with the cases in order of creation: JSON for `detection-content test`, or a suite in the format of Wazuh's test suites as `text/plain`, if `format` or `Accept` requests it. That format has one decoder, rule and level for each event: a case with more, such as a session, times, locations, fields, or rules that must not match, becomes a comment that names what the format cannot have, in the language of the request.",
      access: projectPermission('project:view'),
      params: ProjectParams,
      query: ExportQuery,
      responses: {
        200: {
          description: 'The cases.',
          schema: CaseSuite,
          alternatives: [{ mediaType: INI_TYPE, schema: Type.String({ description: 'A suite.' }), examples: { suite: SUITE_EXAMPLE } }],
        },
      },
      errors: ['resource_missing'],
      load: 'export',
      handle: async ({ scope, params, query, mediaType, locale }) => {
        const all = await cases.all(scope, params.project_id)
        if (query.format === 'ini' || (query.format === undefined && mediaType !== 'application/json')) {
          const suite = new IniSuite(locale)
          const sections = await serializeInChunks(all, (testCase) => `${suite.section(testCase)}\n`)
          return { body: new ChunkedBody([...sections, Buffer.from(suite.remarks())]), mediaType: INI_TYPE }
        }
        const written = await serializeInChunks(all, (testCase, index) => `${index === 0 ? '' : ','}${JSON.stringify(writtenCase(testCase))}`)
        return { body: new ChunkedBody([Buffer.from('{"cases":['), ...written, Buffer.from(']}')]), mediaType: 'application/json' }
      },
    }),
    defineRoute({
      id: 'cases.get',
      method: 'GET',
      path: ITEM,
      summary: 'Get a case',
      description: "The answer's `ETag` can be sent as `If-Match` with an update.",
      access: projectPermission('project:view'),
      params: CaseParams,
      responses: CASE,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ scope, params }) => answer(await cases.get(scope, params.project_id, params.case_id)),
    }),
    defineRoute({
      id: 'cases.update',
      method: 'PATCH',
      path: ITEM,
      summary: 'Update a case',
      description: 'Updates the fields that are sent. Concurrent updates of different fields are all kept.',
      access: projectPermission('case:edit'),
      params: CaseParams,
      body: { as: 'json', schema: CaseUpdateRequest, anyName: true },
      bodyExamples: { rule: { expected_rule: '100101' }, events: { event_text: '', events: [{ event_text: EXAMPLE_EVENT }, { event_text: EXAMPLE_EVENT, at: 30 }] } },
      responses: CASE,
      errors: ['resource_missing', 'case_limit', 'document_too_large', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => answer(await cases.update(request.scope, request.params.project_id, request.params.case_id, request.body, request.ifMatch, request)),
    }),
    defineRoute({
      id: 'cases.delete',
      method: 'DELETE',
      path: ITEM,
      summary: 'Delete a case',
      description: 'A deleted case cannot be restored.',
      access: projectPermission('case:edit'),
      params: CaseParams,
      responses: { 204: { description: 'The case is deleted.', schema: null } },
      errors: ['resource_missing', 'edit_conflict'],
      handle: (request) => noContent(cases.delete(request.scope, request.params.project_id, request.params.case_id, request)),
    }),
  ]
}
