/** `/platform/projects/{project_id}/rules` and `/decoders`. */
import Type from 'typebox'
import { defineRoute, projectPermission, type Route } from '../../http/route.js'
import { ProjectParams } from '../../projects/fields.js'
import { DecoderCatalogItem, DecoderCatalogQuery, RuleCatalogItem, RuleCatalogQuery } from './schema.js'
import type { CatalogService } from './service.js'

const TAG = 'Catalogs'
const PROJECT = '/platform/projects/{project_id}'
const ACCESS = projectPermission('project:view')
const ERRORS = ['resource_missing', 'ruleset_unreadable', 'ruleset_stopped', 'edit_conflict', 'overloaded', 'shutting_down'] as const

const READING = [
  'Its own by default, with counts over the whole ruleset that it stands on; `scope=all` lists everything that is loaded. In load order unless sorted otherwise; filters that are sent must all hold.',
  'Content that the ruleset reader can not read is refused with 400 and `details.diagnostics`; of a ruleset that would not load, what could be placed is listed: a validation says what is wrong with the rest.',
  'Takes no unit of the plan.',
].join(' ')

export function catalogRoutes(catalogs: CatalogService): readonly Route[] {
  return [
    defineRoute({
      id: 'catalog.list-rules',
      method: 'GET',
      path: `${PROJECT}/rules`,
      tag: TAG,
      summary: 'List the rules of a project',
      description: `An overwritten rule stands in its original place, as it is now. ${READING}`,
      access: ACCESS,
      params: ProjectParams,
      query: RuleCatalogQuery,
      responses: { 200: { description: 'The rules.', schema: Type.Array(RuleCatalogItem) } },
      errors: ERRORS,
      handle: async (request) => {
        const { items, total } = await catalogs.rules(request.params.project_id, request.query, request)
        return { body: items, total }
      },
    }),
    defineRoute({
      id: 'catalog.list-decoders',
      method: 'GET',
      path: `${PROJECT}/decoders`,
      tag: TAG,
      summary: 'List the decoders of a project',
      description: `Each under its name as it is written. ${READING}`,
      access: ACCESS,
      params: ProjectParams,
      query: DecoderCatalogQuery,
      responses: { 200: { description: 'The decoders.', schema: Type.Array(DecoderCatalogItem) } },
      errors: ERRORS,
      handle: async (request) => {
        const { items, total } = await catalogs.decoders(request.params.project_id, request.query, request)
        return { body: items, total }
      },
    }),
  ]
}
