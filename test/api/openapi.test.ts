/** The OpenAPI document of the running service: it has every route, passes an independent linter, and its examples are valid. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'
import { Value } from 'typebox/value'
import { ApiError, ERRORS, type ErrorReason } from '../../server/core/errors.js'
import { EVENT_NAMES, EVENTS } from '../../server/core/events/catalogue.js'
import type { Route } from '../../server/core/http/route.js'
import { FORMATS } from '#requests'
import { validatorFor } from '#requests'
import { PLACEHOLDER } from '../../server/docs/example.js'
import { bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { portabilityFaults } from '../support/portable-pattern.js'

interface Content {
  readonly schema?: object
  readonly examples?: Readonly<Record<string, Example | { readonly $ref: string }>>
}

interface Example {
  readonly value: unknown
}

interface Parameter {
  readonly name?: string
  readonly $ref?: string
  readonly description?: string
  readonly schema?: object
  readonly example?: unknown
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly headers?: object; readonly content?: Readonly<Record<string, Content>> }>>
}

interface Event {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: { readonly $ref: string }; readonly examples: { readonly event: Example } } } }
}

interface Document {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly webhooks: Readonly<Record<string, { readonly post: Event }>>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>>; readonly examples: Readonly<Record<string, Example>> }
}

/** Operations without a response of 2xx: they redirect, or refuse everything. */
const WITHOUT_SUCCESS: ReadonlySet<string> = new Set([
  'sso.logout',
  'saml.accept',
  ...['get', 'create', 'replace', 'update', 'delete'].map((verb) => `scim-me.${verb}`),
  'scim-bulk.create',
])

describe('the interface document', () => {
  let app: TestApp
  let routes: readonly Route[]
  let text: string
  let document: Document
  const sampleOf = (example: Example | { readonly $ref: string }): unknown =>
    ('$ref' in example ? document.components.examples[example.$ref.replace('#/components/examples/', '')] : example).value
  const operationOf = ({ path, method }: Route): Operation => document.paths[path]?.[method.toLowerCase()]

  before(async () => {
    app = await startTestApp({ env: { NATIVE_SERVICE_DOCS_EXPOSURE: 'public' } })
    routes = app.service.routes
    const answer = await app.client.get<Document>('/openapi.json')
    assert.equal(answer.status, 200)
    text = answer.text
    document = answer.body
  })
  after(() => app?.close())

  test('describes each of its parts', () => {
    for (const { name, description } of document.tags) assert.ok(description.length > name.length + 10, name)
    assert.equal(document.tags[0].name, 'Analysis')
  })

  test('the rule of the example of a logtest fires', async () => {
    const { requestBody } = document.paths['/analysis/logtest-native'].post
    const { rules } = requestBody?.content['application/json'].examples ?? {}
    const { status, body } = await (await bootstrap(app.client)).client.post<{ rule: { id: string } }>('/analysis/logtest-native', sampleOf(rules) as object)
    assert.deepEqual([status, body.rule.id], [200, '100100'])
  })

  test('has every route, and nothing else', () => {
    const told = Object.entries(document.paths).flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`))
    assert.deepEqual(told.sort(), routes.map(({ method, path }) => `${method} ${path}`).sort())
    for (const route of routes) assert.equal(operationOf(route).operationId, route.id.replaceAll('.', '_'))
  })

  test('passes the recommended rules of a linter', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source: text, absoluteRef: '/openapi.json', config })
    const expected = routes
      .filter(({ id }) => WITHOUT_SUCCESS.has(id))
      .map(
        ({ path, method }) =>
          `operation-2xx-response: Operation must have at least one \`2XX\` response. at #/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}/responses`,
      )
    assert.deepEqual(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`).sort(), expected.sort())
  })

  test('describes every operation, parameter, field and answer', () => {
    const bare: string[] = []
    const walk = (schema: unknown, at: string): void => {
      if (typeof schema !== 'object' || schema === null) return
      for (const [key, value] of Object.entries(schema)) {
        if (key === 'properties') {
          for (const [name, field] of Object.entries(value as Record<string, { description?: string; $ref?: string }>)) {
            if (field.description === undefined && field.$ref === undefined) bare.push(`${at}.${name}`)
            walk(field, `${at}.${name}`)
          }
        } else if (key !== 'examples' && key !== 'default') walk(value, at)
      }
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) walk(schema, name)
    for (const route of routes) {
      const { summary, description, parameters = [], requestBody, responses, operationId } = operationOf(route)
      if (summary === '' || description === '') bare.push(operationId)
      for (const parameter of parameters) if (parameter.$ref === undefined && !parameter.description) bare.push(`${operationId} ${parameter.name}`)
      walk(requestBody, operationId)
      for (const [status, answer] of Object.entries(responses)) {
        if (answer.description === '') bare.push(`${operationId} ${status}`)
        walk(answer, `${operationId} ${status}`)
      }
    }
    assert.deepEqual(bare, [])
  })

  test('has only patterns that all regular expression engines read alike', () => {
    const patterns = new Set<string>()
    const walk = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return
      for (const [key, value] of Object.entries(node)) {
        // Examples are values: a pattern in them is one of Wazuh.
        if (key === 'example' || key === 'examples' || key === 'default') continue
        if (key === 'pattern' && typeof value === 'string') patterns.add(value)
        if (key === 'patternProperties') for (const pattern of Object.keys(value as object)) patterns.add(pattern)
        walk(value)
      }
    }
    walk(document)
    assert.ok(patterns.size > 5)
    for (const pattern of patterns) {
      assert.deepEqual(portabilityFaults(pattern), [])
      assert.ok(new RegExp(pattern) && new RegExp(pattern, 'u') && RE2JS.compile(pattern))
    }
  })

  test('has an example of every parameter, body, answer and refusal, valid for its schema', () => {
    const ajv = new Ajv2020({ strict: false, formats: { ...FORMATS, binary: true }, inlineRefs: false, code: { optimize: false } })
    // The service compiles its schemas without the metaschema.
    for (const [name, schema] of Object.entries(document.components.schemas)) assert.equal(ajv.validateSchema(schema as object), true, name)
    ajv.addSchema(document, 'document')
    const compiled = new Map<string, ValidateFunction>()
    const check = (schema: object, value: unknown, where: string): void => {
      // Most refusals have the same few schemas.
      const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')
      const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as object)
      compiled.set(text, validate)
      assert.ok(validate(value), `${where}: ${JSON.stringify(validate.errors)}`)
    }
    const without: string[] = []
    for (const route of routes) {
      const { operationId, parameters = [], requestBody, responses } = operationOf(route)
      for (const { name, $ref, schema, example } of parameters) {
        if ($ref !== undefined || schema === undefined) continue
        if (example === undefined) without.push(`${operationId} ${name}`)
        check(schema, example, `${operationId} ${name}`)
      }
      const contents = [
        ...Object.entries(requestBody?.content ?? {}).map(([type, content]) => [`${operationId} body`, type, content] as const),
        ...Object.entries(responses).flatMap(([status, answer]) =>
          Object.entries(answer.content ?? {}).map(([type, content]) => [`${operationId} ${status}`, type, content] as const),
        ),
      ]
      for (const [where, type, { schema, examples = {} }] of contents) {
        if (Object.keys(examples).length === 0) without.push(where)
        if (schema === undefined || !['application/json', 'application/scim+json', 'application/x-ndjson'].includes(type)) continue
        for (const [name, example] of Object.entries(examples)) check(schema, sampleOf(example), `${where} ${name}`)
      }
    }
    assert.deepEqual(without, [])
  })

  test('has bodies that pass validation', () => {
    for (const { id, body, bodyExamples = {} } of routes) {
      // The schema of a stream is that of its lines, which are validated when they are read.
      if (body === undefined || body.as === 'stream') continue
      const validator = validatorFor(body.schema)
      for (const [name, example] of Object.entries(bodyExamples)) assert.deepEqual(validator.check(structuredClone(example)), [], `${id} ${name}`)
    }
  })

  test('has a specific example for every text', () => {
    const placeholders: string[] = []
    const walk = (value: unknown, at: string): void => {
      if (value === PLACEHOLDER) placeholders.push(at)
      else if (typeof value === 'object' && value !== null) for (const [key, part] of Object.entries(value)) walk(part, `${at}/${key}`)
    }
    const operations = [...routes.map(operationOf), ...EVENT_NAMES.map((name) => document.webhooks[name].post as unknown as Operation)]
    for (const { operationId, parameters = [], requestBody, responses } of operations) {
      for (const { name, example } of parameters) walk(example, `${operationId} ${name}`)
      for (const { content = {} } of [...(requestBody === undefined ? [] : [requestBody]), ...Object.values(responses)]) {
        for (const { examples = {} } of Object.values(content)) for (const example of Object.values(examples)) walk(sampleOf(example), operationId)
      }
    }
    assert.deepEqual(placeholders, [])
  })

  test('lists each refusal of a route under its status', () => {
    for (const route of routes) {
      for (const reason of (route.errors ?? []) as readonly ErrorReason[]) {
        const { code } = ERRORS[reason]
        const form = route.errorForm
        const status = form?.present(new ApiError(reason), 'en-US').status ?? ERRORS[reason].status
        const examples = operationOf(route).responses[status]?.content?.[form?.mediaType ?? 'application/json']?.examples ?? {}
        assert.ok(reason in examples, `${route.id}: ${reason}`)
        if (form !== undefined) continue
        assert.equal((sampleOf(examples[reason]) as { code: string }).code, code)
      }
    }
  })

  test('lists refusals of what no route declares: a body of a route without one, and a malformed path', async () => {
    const text = { raw: 'text', headers: { 'Content-Type': 'text/plain' } }
    const broken = { raw: '{', headers: { 'Content-Type': 'application/json' } }
    for (const [id, reason, answer] of [
      ['sso.logout', 'media_type_unsupported', await app.client.post('/sso/logout', undefined, text)],
      ['sso.logout', 'body_unparseable', await app.client.post('/sso/logout', undefined, broken)],
      ['invitations.get', 'path_malformed', await app.client.get('/auth/invitations/%zz')],
    ] as const) {
      const { code, status } = ERRORS[reason]
      const refusal = answer.body as { code: string; message: string }
      assert.deepEqual([answer.status, refusal.code], [status, code], id)
      const route = routes.find((candidate) => candidate.id === id) as Route
      assert.ok(reason in (operationOf(route).responses[status]?.content?.['application/json'].examples ?? {}), `${id}: ${reason}`)
    }
  })

  test('has every event that is sent, with its headers and a valid example', () => {
    assert.deepEqual(Object.keys(document.webhooks).sort(), [...EVENT_NAMES].sort())
    for (const name of EVENT_NAMES) {
      const { parameters, requestBody } = document.webhooks[name].post
      assert.deepEqual(
        parameters.map((parameter) => [parameter.name, parameter.in, parameter.required]),
        ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((header) => [header, 'header', true]),
      )
      const { schema, examples } = requestBody.content['application/json']
      assert.equal(schema.$ref, `#/components/schemas/Event.${name}`)
      const { type, timestamp, data } = examples.event.value as { type: string; timestamp: string; data: unknown }
      assert.equal(type, name)
      assert.ok(Number.isFinite(Date.parse(timestamp)))
      assert.ok(Value.Check(EVENTS[name], data), name)
    }
  })
})
