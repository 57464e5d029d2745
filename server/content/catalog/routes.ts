/** `/platform/projects/{project_id}/rules` and `/decoders`. */
import Type from 'typebox'
import { projectPermission, type Route, routesOf } from '../../core/http/route.js'
import { ProjectParams } from '../shared/fields.js'
import { DecoderCatalogItem, DecoderCatalogQuery, RuleCatalogItem, RuleCatalogQuery } from './schema.js'
import type { CatalogService } from './service.js'

const defineRoute = routesOf('Catalogs')
const PROJECT = '/platform/projects/{project_id}'
const ACCESS = projectPermission('project:view')
const ERRORS = ['resource_missing', 'ruleset_unreadable', 'ruleset_stopped', 'edit_conflict', 'overloaded', 'shutting_down'] as const

const READING = [
  'Lists the items of the project itself by default, with counts over the whole loaded ruleset; `scope=all` lists every loaded item. The default order is the load order. An item must match every filter.',
  'Content that the ruleset reader cannot read is refused with 400 and `details.diagnostics`. For a ruleset that does not load, the items that could be compiled are listed; a validation reports the errors of the others.',
  'Consumes no units of the plan.',
].join(' ')

export function catalogRoutes(catalogs: CatalogService): readonly Route[] {
  return [
    defineRoute({
      id: 'catalog.list-rules',
      method: 'GET',
      path: `${PROJECT}/rules`,
      summary: 'List the rules of a project',
      description: `An overwritten rule is listed at its original position, with its new definition. ${READING}`,
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
      summary: 'List the decoders of a project',
      description: `Each decoder has the name that its definition has. ${READING}`,
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
