/** `/templates`. */
import { ApiError } from '../../core/errors.js'
import { errorBody } from '../../core/http/response/error-response.js'
import { type Route, routesOf, SESSION } from '../../core/http/route.js'
import type { Locale } from '../../core/i18n/locale.js'
import { presentTemplate } from './present.js'
import { TemplateCatalogResponse, TemplateListQuery, TemplateMissing, TemplateParams, TemplateRecord } from './schema.js'
import { countCategories, findTemplate, listTemplates } from './service.js'

const defineRoute = routesOf('Templates')
const DETAIL = 'template_not_found'

export function templateRoutes(): readonly Route[] {
  return [
    defineRoute({
      id: 'templates.list',
      method: 'GET',
      path: '/templates',
      summary: 'List templates',
      description:
        'Rules and decoders to begin with, the same for every organization. Every template compiles on top of the reference ruleset without a diagnostic, and was tried on events that it finds and on such that only look the same.',
      access: SESSION,
      query: TemplateListQuery,
      responses: { 200: { description: 'The catalog, or what the filters leave of it.', schema: TemplateCatalogResponse } },
      handle: async ({ query, locale }) => {
        const found = listTemplates(query, locale)
        return { body: { templates: found.map((template) => presentTemplate(template, locale)), categories: countCategories(found), total: found.length } }
      },
    }),
    defineRoute({
      id: 'templates.get',
      method: 'GET',
      path: '/templates/{template_id}',
      summary: 'Get a template',
      description: 'With its XML. The body of the 404 also has `detail`.',
      access: SESSION,
      params: TemplateParams,
      responses: {
        200: { description: 'The template.', schema: TemplateRecord },
        404: {
          description: 'There is no such template.',
          schema: TemplateMissing,
          examples: { resource_missing: missing('en-US', 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f') },
        },
      },
      handle: async ({ params, locale, requestId }) => {
        const template = findTemplate(params.template_id)
        return template === null ? { status: 404, body: missing(locale, requestId) } : { body: presentTemplate(template, locale) }
      },
    }),
  ]
}

/** The one refusal with a field beside the error shape, so the route answers it by itself (CONTRACT.md#errors). */
function missing(locale: Locale, requestId: string) {
  const { message, hint, details, debug_id } = errorBody(new ApiError('resource_missing'), locale, requestId)
  return { code: 'not_found' as const, message, hint, details, debug_id, detail: DETAIL } as const
}
