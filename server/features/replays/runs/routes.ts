/** `/platform/projects/{project_id}/replays`. */
import Type from 'typebox'
import { noContent, projectPermission, type Route, routesOf } from '../../../core/http/route.js'
import { REPORT_POLICY } from '../../../core/report-page/page.js'
import { presentPage } from '../../../core/tenancy/page.js'
import { replayDocument } from './page.js'
import { presentReplay } from './present.js'
import { ReplayCreateRequest, ReplayListQuery, ReplayParams, ReplayRecord, ReplayReport, ReplaysParams } from './schema.js'
import type { ReplaysService } from './service.js'

const defineRoute = routesOf('Replays')
const COLLECTION = '/platform/projects/{project_id}/replays'
const ITEM = `${COLLECTION}/{replay_id}`
const REPLAY = { 200: { description: 'The replay.', schema: ReplayRecord } } as const
const HTML = 'text/html'

export function replayRoutes(replays: ReplaysService): readonly Route[] {
  return [
    defineRoute({
      id: 'replays.list',
      method: 'GET',
      path: COLLECTION,
      summary: 'List replays',
      description: 'Lists the newest first.',
      access: projectPermission('project:view'),
      params: ReplaysParams,
      query: ReplayListQuery,
      responses: { 200: { description: 'The replays.', schema: Type.Array(ReplayRecord) } },
      handle: async ({ scope, params, query }) => presentPage(await replays.list(scope, params.project_id, query), presentReplay),
    }),
    defineRoute({
      id: 'replays.create',
      method: 'POST',
      path: COLLECTION,
      summary: 'Create a replay',
      description: [
        'Runs the events of a corpus, in their order and in one session, on a version, a workspace or the content of the project; with `compare` on another content as well, and says which alerts are new and which are lost.',
        'Events are received at the times that they have, or the first one at a fixed time and each further one a second later (`clock`), so a replay can be repeated. It runs in the background with the smallest share of the threads, and consumes no units of the plan,',
        'which limits the number of replays instead. Its status and progress are in its record, and who created it is notified at the end.',
      ].join(' '),
      access: projectPermission('case:run'),
      params: ReplaysParams,
      body: { as: 'json', schema: ReplayCreateRequest },
      bodyExamples: {
        project: { corpus_id: '0199c5a8-2f1b-7c3d-9e4f-5a6b7c8d9e0f' },
        workspace: { corpus_id: 'c', content: { workspace_id: 'w' }, compare: {}, clock: 'event' },
        fields: { corpus_id: 'c', fields: { event: 'message', time: '@timestamp' } },
      },
      responses: REPLAY,
      errors: ['corpus_unready', 'plan_quota_exceeded', 'edit_conflict'],
      handle: async (request) => ({ body: presentReplay(await replays.create(request.scope, request.params.project_id, request.body, request)) }),
    }),
    defineRoute({
      id: 'replays.get',
      method: 'GET',
      path: ITEM,
      summary: 'Get a replay',
      description: 'Its status and progress, which is stored every second.',
      access: projectPermission('project:view'),
      params: ReplayParams,
      responses: REPLAY,
      handle: async ({ scope, params }) => ({ body: presentReplay(await replays.get(scope, params.project_id, params.replay_id)) }),
    }),
    defineRoute({
      id: 'replays.get-report',
      method: 'GET',
      path: `${ITEM}/report`,
      summary: 'Get the result of a replay',
      description: 'Counts by rule, new and lost alerts, each with samples of logs. `Accept: text/html` selects a printable page in the language of the request.',
      access: projectPermission('project:view'),
      params: ReplayParams,
      responses: {
        200: {
          description: 'The result.',
          schema: ReplayReport,
          alternatives: [
            {
              mediaType: `${HTML}; charset=utf-8`,
              schema: Type.String({ description: 'A page without scripts and external resources.' }),
              examples: { page: '<!doctype html>\n<html lang="en-US">…</html>\n' },
            },
          ],
        },
      },
      errors: ['replay_unfinished'],
      handle: async (request) => {
        const { replay, result } = await replays.result(request.scope, request.params.project_id, request.params.replay_id)
        const report = { replay: presentReplay(replay), result }
        if (request.mediaType !== HTML) return { body: report }
        return { body: Buffer.from(replayDocument(report, request.locale)), headers: { 'Content-Security-Policy': REPORT_POLICY, 'Content-Language': request.locale } }
      },
    }),
    defineRoute({
      id: 'replays.cancel',
      method: 'POST',
      path: `${ITEM}/cancel`,
      summary: 'Cancel a replay',
      description: 'Ends a replay that waits or runs, without a result. One that has ended is answered 409.',
      access: projectPermission('case:run'),
      params: ReplayParams,
      responses: REPLAY,
      errors: ['replay_ended'],
      handle: async (request) => ({ body: presentReplay(await replays.cancel(request.scope, request.params.project_id, request.params.replay_id, request)) }),
    }),
    defineRoute({
      id: 'replays.delete',
      method: 'DELETE',
      path: ITEM,
      summary: 'Delete a replay',
      description: 'Deletes the replay with its result. One that runs ends.',
      access: projectPermission('case:run'),
      params: ReplayParams,
      responses: { 204: { description: 'The replay is deleted.', schema: null } },
      handle: (request) => noContent(replays.remove(request.scope, request.params.project_id, request.params.replay_id, request)),
    }),
  ]
}
