/** Builds the interface document, OpenAPI 3.1, from the routes, the events and the tables of refusals, so that it always agrees with them. */
import Type from 'typebox'
import { ERRORS, type ErrorReason } from '../core/errors.js'
import { API_PREFIX } from '../core/http/application.js'
import { errorBody } from '../core/http/response/error-response.js'
import { IF_MATCH_SCHEMA } from '../core/http/request/etag.js'
import { IDEMPOTENCY_KEY } from '../core/http/response/idempotency.js'
import { isListQuery } from '../core/http/request/list-query.js'
import { essenceOf } from '../core/http/request/media-type.js'
import { LOCALES } from '../core/i18n/locale.js'
import { JSON_MEDIA_TYPE, type ResponseDeclaration, type Route } from '../core/http/route.js'
import { ApiError } from '../core/errors.js'
import { exampleOfSchema } from './example.js'
import { refusalsOf } from './refusals.js'
import { SchemaRegistry } from './schemas.js'
import { describeWebhooks, WEBHOOKS_TAG, WEBHOOKS_TEXT } from './webhooks.js'

export type Json = Record<string, unknown>

export interface DocumentOptions {
  readonly routes: readonly Route[]
  readonly version: string
  /** `API_PUBLIC_BASE_URL`. */
  readonly baseUrl: string | null
  /** Texts of tags, in this order; other tags follow sorted by name. */
  readonly tags?: Readonly<Record<string, string>>
}

const FieldErrorSchema = Type.Object(
  {
    path: Type.String({ description: 'JSON Pointer into the body; `query/limit` outside of it.' }),
    message: Type.String({ description: 'Describes the error, in the language of the request.' }),
    expected: Type.Unknown({ description: 'The expected type, the limit, the allowed values, or words in the language of the request.' }),
  },
  { $id: 'FieldError', description: 'An invalid field of a request.' },
)

const ErrorSchema = Type.Object(
  {
    code: Type.String({ description: 'Identifies the error, for programs. New codes may be added.' }),
    message: Type.String({ description: 'Describes the error for users, in the language of the request.' }),
    hint: Type.String({ description: 'How to correct it.' }),
    details: Type.Object(
      {
        errors: Type.Optional(Type.Array(FieldErrorSchema, { description: 'For 422: all invalid fields.' })),
        route: Type.Optional(Type.String({ description: 'For 429: key of the rate limit.' })),
        metric: Type.Optional(Type.String({ description: 'For `plan_quota_exceeded`: the limited metric of the plan.' })),
        limit: Type.Optional(Type.Integer({ description: 'For `plan_quota_exceeded`: the limit.' })),
        reset_at: Type.Optional(Type.String({ format: 'date-time', description: 'For 429, and for limits per period: when the next window begins.' })),
      },
      { additionalProperties: true, description: 'Depends on the code.' },
    ),
    debug_id: Type.String({ description: 'Equal to `X-Request-Id` of the response. Include it when you report a problem.' }),
  },
  { $id: 'Error', description: 'The format of all errors.' },
)

const TEXT = { type: 'string' } as const

const PARAMETERS: Json = {
  OrganizationId: { name: 'X-Org-Id', in: 'header', description: 'The organization of the request: that of the API key, or one of which the user is a member.', schema: TEXT },
  Locale: {
    name: 'x-locale',
    in: 'header',
    description:
      'Language of `message` and `hint`: `pt-BR` or `en-US`. Default: the preference of the user, then `Accept-Language`, then the default of the instance, which is `pt-BR` unless its operator has set another.',
    schema: { type: 'string', examples: [...LOCALES] },
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'An id for the request, which is returned in the response and logged. Up to 128 characters.',
    schema: TEXT,
    example: 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f',
  },
  Traceparent: {
    name: 'Traceparent',
    in: 'header',
    description: 'W3C Trace Context; its trace id is returned as `X-Trace-Id`.',
    schema: TEXT,
    example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: '`ETag` of the version to change, or several of them. If none matches the current version, the response is 412. `*` matches any version.',
    schema: IF_MATCH_SCHEMA,
    example: '*',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: '`ETag` of the version that the caller has, or several of them. If one matches the current version, the response is 304.',
    schema: TEXT,
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Requests with the same key receive the same response for 24 hours. A response that is too large to store has the header `Idempotency-Status: not-kept`.',
    schema: { type: 'string', pattern: IDEMPOTENCY_KEY.source },
  },
}

const HEADERS: Json = {
  RequestId: { description: 'Id of the request.', schema: TEXT },
  TraceId: { description: 'Trace id of the request.', schema: TEXT },
  ETag: { description: 'Version of the record.', schema: TEXT },
  TotalCount: { description: 'Total number of entries.', schema: { type: 'integer' } },
  Link: { description: 'Links to the first, previous, next and last page (RFC 8288).', schema: TEXT },
  RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer' } },
  RateLimitLimit: { description: 'Maximum requests per minute.', schema: { type: 'integer' } },
  RateLimitRemaining: { description: 'Requests left in the window.', schema: { type: 'integer' } },
  RateLimitReset: { description: 'When the window ends.', schema: { type: 'string', format: 'date-time' } },
}

const SECURITY_SCHEMES: Json = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A key of one organization, `svk_…`. It may also be sent as a bearer token.' },
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: '`access_token` of a login.' },
  scim: { type: 'http', scheme: 'bearer', description: 'A token for provisioning of one organization, `scim_…`.' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'service_session',
    description: 'Set by a login. Requests that change something need an `Origin` or `Referer` of this site.',
  },
}

const INTRODUCTION = `Write, test and publish detection content: rules and decoders in Wazuh's XML.

If a request has several credentials, the first of \`X-API-Key\`, \`Authorization\` and the cookie is used. Unknown fields in bodies and queries are refused
(422). All responses have \`X-Content-Type-Options: nosniff\`, \`X-Frame-Options: DENY\`, \`Referrer-Policy: no-referrer\`, and
\`Cache-Control: no-store\` unless stated otherwise. The response to a request with a deprecated field has a header \`Warning: 299\` that names the replacement.`

/** The document, as JSON. */
export function buildDocument({ routes, version, baseUrl, tags = {} }: DocumentOptions): Json {
  const registry = new SchemaRegistry()
  const reasons = new Set<ErrorReason>()
  const used = new Set<string>()
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const operation = describeRoute(route, registry, reasons, used)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
  }
  const webhooks = describeWebhooks(registry)
  const names = [...new Set([...routes.map(({ tag }) => tag), WEBHOOKS_TAG])]
  const known = Object.keys(tags).filter((name) => names.includes(name))
  const ordered = [...known, ...names.filter((name) => !known.includes(name)).sort()]
  registry.present(ErrorSchema, 'response')
  return {
    openapi: '3.1.0',
    info: {
      title: 'Detection Content Service',
      version,
      description: INTRODUCTION,
      contact: { name: 'The operator of this instance' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl ?? API_PREFIX }],
    security: [],
    tags: ordered.map((name) => ({ name, description: tags[name] ?? (name === WEBHOOKS_TAG ? WEBHOOKS_TEXT : `${name}.`) })),
    paths,
    webhooks,
    components: {
      schemas: registry.components(),
      parameters: only(PARAMETERS, used, 'parameters'),
      headers: only(HEADERS, used, 'headers'),
      examples: Object.fromEntries([...reasons].sort().map((reason) => [reason, exampleOf(reason)])),
      securitySchemes: only(SECURITY_SCHEMES, used, 'securitySchemes'),
    },
  }
}

function only(table: Json, used: ReadonlySet<string>, kind: string): Json {
  return Object.fromEntries(Object.entries(table).filter(([name]) => used.has(`${kind}/${name}`)))
}

function describeRoute(route: Route, registry: SchemaRegistry, reasons: Set<ErrorReason>, used: Set<string>): Json {
  const ref = (kind: 'parameters' | 'headers', name: string): Json => {
    used.add(`${kind}/${name}`)
    return { $ref: `#/components/${kind}/${name}` }
  }
  const common = { 'X-Request-Id': ref('headers', 'RequestId'), 'X-Trace-Id': ref('headers', 'TraceId') }
  const limited: Json =
    route.rateLimit === undefined && route.ownRateLimit !== true
      ? {}
      : {
          'X-RateLimit-Limit': ref('headers', 'RateLimitLimit'),
          'X-RateLimit-Remaining': ref('headers', 'RateLimitRemaining'),
          'X-RateLimit-Reset': ref('headers', 'RateLimitReset'),
        }
  const responses: Record<string, Json> = {}
  for (const [status, declared] of Object.entries(route.responses)) {
    const isGood = Number(status) < 300
    const list = isGood && isListQuery(route.query) ? { 'X-Total-Count': ref('headers', 'TotalCount'), Link: ref('headers', 'Link') } : {}
    const versioned = isGood && hasEtag(route) ? { ETag: ref('headers', 'ETag') } : {}
    responses[status] = describeResponse(declared, registry, { ...common, ...limited, ...list, ...versioned })
  }
  if (isConditional(route)) responses[304] = { description: 'The caller has this version already.', headers: { ...common, ETag: ref('headers', 'ETag') } }
  for (const [status, own] of byStatus(route)) {
    if (route.errorForm === undefined) for (const reason of own) reasons.add(reason)
    const waits = status === 429 || status === 503 || own.includes('plan_quota_exceeded') ? { 'Retry-After': ref('headers', 'RetryAfter') } : {}
    // A status that is a response as well as a refusal is described by the route.
    responses[status] ??= {
      description: [...new Set(own.map((reason) => errorBody(new ApiError(reason), 'en-US', '').message))].join(' '),
      headers: { ...common, ...(status === 429 ? limited : {}), ...waits },
      content: describeRefusals(route, own, registry),
    }
  }
  const security = securityOf(route)
  for (const name of security.flatMap((schemes) => Object.keys(schemes))) used.add(`securitySchemes/${name}`)
  return {
    operationId: route.id.replaceAll('.', '_'),
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, ...accessText(route)].join('\n\n'),
    security,
    ...(route.access.kind === 'permission' ? { 'x-permission': route.access.permission } : {}),
    ...(route.rateLimit === undefined ? {} : { 'x-rate-limit-key': route.rateLimit }),
    parameters: describeParameters(route, registry, ref),
    ...(route.body === undefined ? {} : { requestBody: describeBody(route, registry) }),
    responses,
  }
}

function describeRefusals({ errorForm: form }: Route, reasons: readonly ErrorReason[], registry: SchemaRegistry): Json {
  if (form === undefined) {
    const examples = Object.fromEntries(reasons.map((reason) => [reason, { $ref: `#/components/examples/${reason}` }]))
    return { [JSON_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/Error' }, examples } }
  }
  const examples = Object.fromEntries(reasons.map((reason) => [reason, { value: form.present(sampleOf(reason), 'en-US').body }]))
  return { [form.mediaType]: { schema: registry.present(form.schema, 'response'), examples } }
}

function hasEtag({ etag }: Route): boolean {
  return etag !== undefined && etag !== false
}

/** Whether `If-None-Match` may be answered 304. */
function isConditional(route: Route): boolean {
  return route.method === 'GET' && hasEtag(route)
}

function describeParameters(route: Route, registry: SchemaRegistry, ref: (kind: 'parameters', name: string) => Json): Json[] {
  const pathSchemas = (route.params?.properties ?? {}) as Readonly<Record<string, Json>>
  const path = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    const { description, ...schema } = pathSchemas[name] ?? { description: `Id of the ${name.replace(/_id$/, '').replaceAll('_', ' ')}.`, type: 'string', maxLength: 128 }
    return { name, in: 'path', required: true, ...(description === undefined ? {} : { description }), ...describeValue(schema, registry) }
  })
  const required = new Set((route.query as { readonly required?: readonly string[] } | undefined)?.required)
  const query = Object.entries((route.query?.properties ?? {}) as Readonly<Record<string, Json>>).map(([name, declared]) => {
    const { description, deprecated, 'x-replaced-by': replacedBy, ...schema } = declared
    const texts = [description, replacedBy === undefined ? undefined : `Use \`${String(replacedBy)}\`.`].filter((text) => text !== undefined)
    return {
      name,
      in: 'query',
      required: required.has(name) && declared.default === undefined,
      ...(texts.length === 0 ? {} : { description: texts.join(' ') }),
      ...(deprecated === true ? { deprecated: true } : {}),
      ...describeValue(schema, registry),
    }
  })
  const headers = [ref('parameters', 'Locale'), ref('parameters', 'RequestId'), ref('parameters', 'Traceparent')]
  if (['session', 'permission', 'credential', 'user'].includes(route.access.kind)) headers.unshift(ref('parameters', 'OrganizationId'))
  if (route.ifMatch !== undefined && route.ifMatch !== false) headers.unshift(ref('parameters', 'IfMatch'))
  if (isConditional(route)) headers.unshift(ref('parameters', 'IfNoneMatch'))
  if (route.idempotencyKey === true) headers.unshift(ref('parameters', 'IdempotencyKey'))
  return [...path, ...query, ...headers]
}

/** Schema and example of a parameter. The schema's examples move to the parameter, where more tools look for them. */
function describeValue({ examples, ...schema }: Json, registry: SchemaRegistry): Json {
  return { schema: registry.present(schema, 'request'), example: exampleOfSchema({ ...schema, examples }) }
}

function describeBody(route: Route, registry: SchemaRegistry): Json {
  const body = route.body as NonNullable<Route['body']>
  const mediaTypes = body.as === 'json' ? (body.mediaTypes ?? [JSON_MEDIA_TYPE]) : [body.mediaType]
  const content = { schema: registry.present(body.schema, 'request'), ...examplesOf(route.bodyExamples) }
  return {
    required: body.as !== 'ignored' && !takesNothing(body.schema),
    content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, content])),
  }
}

/** An object without required fields is optional as a whole. */
function takesNothing(schema: object): boolean {
  const { type, required = [], properties = {} } = schema as { readonly type?: string; readonly required?: readonly string[]; readonly properties?: Readonly<Record<string, Json>> }
  return type === 'object' && required.every((name) => properties[name]?.default !== undefined)
}

function describeResponse(
  { description, schema, mediaType = 'application/json', examples, alternatives = [] }: ResponseDeclaration,
  registry: SchemaRegistry,
  headers: Json,
): Json {
  if (schema === null) return { description, headers }
  const forms = [{ mediaType, schema, examples: examples ?? { answer: exampleOfSchema(schema as Json) } }, ...alternatives]
  return {
    description,
    headers,
    content: Object.fromEntries(forms.map((form) => [essenceOf(form.mediaType), { schema: registry.present(form.schema, 'response'), ...examplesOf(form.examples) }])),
  }
}

function examplesOf(examples: Readonly<Record<string, unknown>> | undefined): Json {
  return examples === undefined ? {} : { examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) }
}

function byStatus(route: Route): Map<number, ErrorReason[]> {
  const statuses = new Map<number, ErrorReason[]>()
  for (const reason of refusalsOf(route)) {
    const status = route.errorForm?.present(sampleOf(reason), 'en-US').status ?? ERRORS[reason].status
    statuses.set(status, [...(statuses.get(status) ?? []), reason])
  }
  return new Map([...statuses].sort(([a], [b]) => a - b))
}

function securityOf({ access }: Route): Json[] {
  if (access.kind === 'public') return []
  if (access.kind === 'scim') return [{ scim: [] }]
  const session = [{ bearer: [] }, { cookie: [] }]
  // An empty requirement: a credential is optional.
  if (access.kind === 'optional_session') return [{}, ...session]
  return access.kind === 'permission' || access.kind === 'credential' ? [{ apiKey: [] }, ...session] : session
}

function accessText({ access, rateLimit }: Route): string[] {
  const limit = rateLimit === undefined ? [] : [`Rate limit: \`${rateLimit}\`.`]
  if (access.kind === 'permission') return [`Permission: \`${access.permission}\`.`, ...limit]
  return access.kind === 'platform_admin' ? ['Only for platform administrators.', ...limit] : limit
}

/** Example values of placeholders in error texts. */
const SAMPLE_PARAMS: Readonly<Record<string, string | number>> = {
  limit: 8388608,
  expected: 'application/json',
  received: 'text/plain',
  permission: 'project:edit',
  method: 'PUT',
  header: 'If-Match',
  seconds: 30,
  bytes: 32,
  role: 'org_admin',
  metric: 'analysis_runs',
  encoding: 'gzip',
  types: 'application/json, text/csv',
  rules: 'max_errors, require_regression_pass',
  line: 3,
}

/** A refusal with this reason, as in examples. */
function sampleOf(reason: ErrorReason): ApiError {
  const details: Json = ERRORS[reason].code.endsWith('validation_failed')
    ? { errors: [{ path: '/name', message: 'is required', expected: 'a value' }] }
    : reason === 'rate_limited'
      ? { route: 'analysis.logtest', reset_at: '2026-01-31T12:00:00.000Z' }
      : reason === 'plan_quota_exceeded'
        ? { metric: SAMPLE_PARAMS.metric, limit: SAMPLE_PARAMS.limit, reset_at: '2026-02-01T00:00:00.000Z' }
        : {}
  return new ApiError(reason, { params: SAMPLE_PARAMS, details })
}

function exampleOf(reason: ErrorReason): Json {
  const value = errorBody(sampleOf(reason), 'en-US', 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f')
  return { summary: value.message, value }
}
