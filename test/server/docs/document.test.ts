/** The interface document: how it describes routes, and that a public linter accepts it. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import Type from 'typebox'
import { ERRORS } from '../../../server/core/errors.js'
import { IF_MATCH_SCHEMA } from '../../../server/core/http/request/etag.js'
import { listQuery } from '../../../server/core/http/request/list-query.js'
import { defineRoute, PLATFORM_ADMIN, PUBLIC, permission, type Route, SESSION } from '../../../server/core/http/route.js'
import { buildDocument } from '../../../server/docs/document.js'
import { healthRoutes } from '../../../server/core/http/health-routes.js'

const Part = Type.Object({ path: Type.String() }, { $id: 'Part', description: 'A part.' })
const Thing = Type.Object(
  {
    id: Type.String({ description: 'Opaque.' }),
    parts: Type.Array(Part),
    note: Type.Union([Type.String(), Type.Null()]),
    kind: Type.Union([Type.Literal('a'), Type.Literal('b')]),
    fields: Type.Record(Type.String(), Type.String()),
  },
  { $id: 'Thing' },
)
const Create = Type.Object({ name: Type.String({ minLength: 1 }), count: Type.Integer({ default: 3 }), parts: Type.Optional(Type.Array(Part)) }, { $id: 'ThingCreate' })
const Link = Type.Object({ url: Type.String({ format: 'http-uri', description: 'Where.' }) }, { $id: 'LinkCreate' })
const example = { id: 'a', parts: [], note: null, kind: 'a' as const, fields: {} }

const routes: readonly Route[] = [
  ...healthRoutes,
  defineRoute({
    id: 'things.list',
    method: 'GET',
    path: '/organizations/{organization_id}/things',
    tag: 'Things',
    summary: 'List things',
    description: 'Newest first.',
    access: permission('project:view'),
    query: listQuery({ filters: { old: Type.Optional(Type.String({ deprecated: true, 'x-replaced-by': 'sort' })) } }),
    responses: { 200: { description: 'A page.', schema: Type.Array(Thing), examples: { one: [example] } } },
    handle: async () => ({ body: [], total: 0 }),
  }),
  defineRoute({
    id: 'things.create',
    method: 'POST',
    path: '/organizations/{organization_id}/things',
    tag: 'Things',
    summary: 'Make a thing',
    description: 'Makes it.',
    access: SESSION,
    rateLimit: 'analysis.validate',
    invalidBody: 'validation_failed',
    body: { as: 'json', schema: Create },
    bodyExamples: { small: { name: 'a' } },
    responses: { 200: { description: 'The thing.', schema: Thing } },
    errors: ['plan_quota_exceeded'],
    handle: async () => ({ body: example }),
  }),
  defineRoute({
    id: 'things.get',
    method: 'GET',
    path: '/things/{thing_id}',
    tag: 'Things',
    summary: 'Show a thing',
    description: 'Shows it.',
    access: SESSION,
    params: Type.Object({ thing_id: Type.String({ description: 'Which.' }) }),
    responses: { 200: { description: 'The thing.', schema: Thing } },
    etag: true,
    handle: async () => ({ body: example, etag: '1' }),
  }),
  defineRoute({
    id: 'things.update',
    method: 'PATCH',
    path: '/things/{thing_id}',
    tag: 'Things',
    summary: 'Change a thing',
    description: 'Changes it.',
    access: PLATFORM_ADMIN,
    etag: true,
    ifMatch: true,
    idempotencyKey: true,
    params: Type.Object({ thing_id: Type.String({ description: 'Which.' }) }),
    body: { as: 'json', schema: Type.Object({ name: Type.Optional(Type.String()) }) },
    responses: { 200: { description: 'The thing.', schema: Thing } },
    handle: async () => ({ body: example, etag: '2' }),
  }),
  defineRoute({
    id: 'things.link',
    method: 'POST',
    path: '/links',
    tag: 'Things',
    summary: 'Make a link',
    description: 'Makes it.',
    access: SESSION,
    body: { as: 'json', schema: Link },
    responses: { 204: { description: 'Made.', schema: null } },
    handle: async () => ({ status: 204 }),
  }),
  defineRoute({
    id: 'things.batch',
    method: 'POST',
    path: '/things',
    tag: 'Things',
    summary: 'Send lines',
    description: 'Lines.',
    access: PUBLIC,
    body: { as: 'stream', schema: Part, mediaType: 'application/x-ndjson' },
    responses: { 200: { description: 'Lines.', schema: Part, mediaType: 'application/x-ndjson' } },
    handle: async () => ({ body: new Uint8Array() }),
  }),
]

/** A part of the document; its values are asserted. */
interface Json {
  readonly [key: string]: Json
}
const document = buildDocument({ routes, version: '1.2.3', baseUrl: null, tags: { Utility: 'Small things.' } }) as unknown as Json

test('passes a public linter', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config })
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`),
    [],
  )
})

test('an operation describes access, limits and refusals', () => {
  const { post } = document.paths['/organizations/{organization_id}/things']
  assert.deepEqual(post.security, [{ bearer: [] }, { cookie: [] }])
  assert.equal(post['x-rate-limit-key'] as unknown, 'analysis.validate')
  assert.deepEqual(Object.keys(post.responses), ['200', '400', '401', '403', '404', '408', '413', '415', '422', '429', '500', '503'])
  assert.deepEqual(Object.keys(post.responses[422].content['application/json'].examples).sort(), ['request_validation_failed', 'validation_failed'])
  assert.ok(Object.keys(post.responses[429].headers).includes('Retry-After'))
  assert.ok(Object.keys(post.responses[200].headers).includes('X-RateLimit-Reset'))
  const { get } = document.paths['/organizations/{organization_id}/things']
  assert.equal(get['x-permission'] as unknown, 'project:view')
  assert.ok(Object.keys(get.responses[200].headers).includes('Link'))
  assert.deepEqual(document.paths['/things'].post.security, [])
})

test('a record describes its ETag, and the response to a caller that has it', () => {
  const { get, patch } = document.paths['/things/{thing_id}']
  const named = ({ parameters }: Json): string[] => Object.values(parameters).map(({ $ref }) => String($ref ?? '').slice('#/components/parameters/'.length))
  assert.deepEqual(
    [named(get).includes('IfNoneMatch'), named(get).includes('IfMatch'), named(patch).includes('IfNoneMatch'), named(patch).includes('IfMatch')],
    [true, false, false, true],
  )
  for (const { headers } of [get.responses[200], get.responses[304], patch.responses[200]]) assert.ok(Object.keys(headers).includes('ETag'))
  assert.equal(patch.responses[304], undefined)
})

test('a field with a default is optional, and requests are closed', () => {
  const create = document.components.schemas.ThingCreate
  assert.deepEqual(create.required, ['name'])
  assert.equal(create.additionalProperties as unknown, false)
  assert.equal(document.components.schemas.Thing.additionalProperties, undefined)
  const { parameters } = document.paths['/organizations/{organization_id}/things'].get as unknown as { parameters: { name: string; required: boolean; deprecated?: boolean }[] }
  assert.equal(parameters.find(({ name }) => name === 'limit')?.required, false)
  assert.equal(parameters.find(({ name }) => name === 'old')?.deprecated, true)
})

test('schemas and parameters describe what the service enforces', () => {
  // Unsupported languages are ignored, and a preference has precedence over the default.
  assert.deepEqual(document.components.parameters.Locale.schema as unknown, { type: 'string', examples: ['en-US', 'pt-BR'] })
  // Malformed tags, and a key with a blank, are refused with 400.
  assert.deepEqual(document.components.parameters.IfMatch.schema as unknown, IF_MATCH_SCHEMA)
  assert.deepEqual(document.components.parameters.IdempotencyKey.schema as unknown, { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' })
  const { url } = document.components.schemas.LinkCreate.properties
  assert.deepEqual(url as unknown, { type: 'string', format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://', description: 'Where.' })
})

test('a schema name stands for one schema: request and response have two names if they differ', () => {
  const named = Object.keys(document.components.schemas).filter((name) => !name.startsWith('Event.'))
  assert.deepEqual(named.sort(), ['Error', 'FieldError', 'Health', 'LinkCreate', 'Part', 'Part_in', 'Thing', 'ThingCreate'])
  const taken = Type.Object({ other: Type.String() }, { $id: 'Thing' })
  const clash = { ...routes[1], id: 'clash', path: '/clash', responses: { 200: { description: 'x', schema: taken } } }
  const third = { ...clash, id: 'third', path: '/third', responses: { 200: { description: 'x', schema: Type.Object({ third: Type.String() }, { $id: 'Thing' }) } } }
  assert.throws(() => buildDocument({ routes: [...routes, clash, third], version: '1', baseUrl: null }), /two schemas/)
})

test('every described refusal has its code and an example', () => {
  for (const [reason, { value }] of Object.entries(document.components.examples)) {
    assert.equal(value.code as unknown, ERRORS[reason as keyof typeof ERRORS].code)
    assert.doesNotMatch(JSON.stringify(value), /\{\w+\}/)
  }
})

test('the server address is that of the settings', () => {
  assert.deepEqual(document.servers as unknown, [{ url: '/api/v1' }])
  assert.deepEqual((buildDocument({ routes, version: '1', baseUrl: 'https://content.example/api/v1' }) as unknown as Json).servers as unknown, [
    { url: 'https://content.example/api/v1' },
  ])
})
