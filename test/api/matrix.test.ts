/**
 * Properties of every route, tested on every route: access, ids of other organizations, and refused requests. The routes are those of the running service, so
 * that a new one is tested automatically.
 */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { ENTERPRISE_ROLES, type EnterpriseRole, KEY_SCOPES, type KeyScope, ROLE_PERMISSIONS, SCOPE_PERMISSIONS } from '../../server/core/tenancy/permissions.js'
import { SESSIONS } from '../../server/core/auth/sessions.js'
import { bodyBytes, PLAIN_BODY_BYTES } from '../../server/core/http/request/body.js'
import type { Route } from '../../server/core/http/route.js'
import { longestJson } from '../../server/core/http/validation/longest-json.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, addMember, anonymous, bootstrap, createKey, login, register } from '../support/actors.js'
import { newRun } from '../../server/features/connections/git-bindings/runs.js'
import { GIT_RUNS } from '../../server/features/connections/git-bindings/store.js'
import { PIPELINE_RUNS, type PipelineRunDocument } from '../../server/features/connections/pipeline-runs/store.js'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import { createProvider } from '../support/identity-providers.js'
import { createCase, createProject, openReview, openWorkspace } from '../support/projects.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createScimToken } from '../support/provisioning.js'
import type { Answer, Client, Refusal } from '../support/client.js'
import { DEFAULT_STORE } from '../support/stores.js'

const MAX_REQUEST_BYTES = 8 * 1024 * 1024
/** A run of a pipeline, which only a CI system could start. */
const PIPELINE_RUN: Omit<PipelineRunDocument, 'organization_id' | 'integration_id'> = {
  _id: '00000000-0000-4000-8000-000000000001',
  external_run_id: '4711',
  provider_run_id: '4711',
  project: 'soc/content',
  workflow: null,
  branch: null,
  status: 'succeeded',
  reason: null,
  url: null,
  logs_url: null,
  started_at: null,
  finished_at: new Date(),
  orphaned: false,
  checked_at: new Date(),
  check_error: null,
  misses: 0,
  retry_at: null,
  started_by: 'user:other',
  created_at: new Date(),
}
/** Ids of parameters that name no object. */
const NOBODYS = '00000000-0000-4000-8000-000000000000'
/** Bytes of public routes are not parsed before their signature is verified. */
const isOpen = ({ access: { kind } }: Pick<Route, 'access'>): boolean => kind === 'public' || kind === 'optional_session'
/** Parts of uploads are any bytes. */
const PART_TYPE = 'application/offset+octet-stream'

const takesJson = ({ body, access }: Route): boolean => body?.as === 'json' || (body?.as === 'bytes' && body.mediaType !== PART_TYPE && access.kind !== 'public')

/** Routes with an object in their path that belongs to no organization of the path, with the reason. A new one needs a test of its own with an object of others. */
const OBJECTS_OF_CALLERS: Readonly<Record<string, string>> = {
  'sessions.delete': 'sessions of the caller: test/api/own-sessions.test.ts',
  'templates.get': 'the same for everybody',
}

/** Providers append parameters of their own to the address of the callback. */
const takesAnyParameter = ({ id }: Route): boolean => id === 'sso.accept-callback'

describe(`every route, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor
  let other: Actor
  let routes: readonly Route[]
  const members = new Map<EnterpriseRole, Actor>()
  const keys = new Map<KeyScope, Client>()
  /** By parameter: an object of the other organization. */
  const foreign = new Map<string, string>()
  /** The same, if a parameter names something else below a project. */
  const ofProject = new Map<string, string>()
  /** A project of the own organization. */
  let project: ProjectRecord

  before(async () => {
    app = await startTestApp({ env: { NATIVE_SERVICE_SELF_SIGNUP_ENABLED: 'true' } })
    // Routes of SCIM have the errors of RFC 7644: test/api/scim-http.test.ts.
    routes = app.service.routes.filter(({ errorForm }) => errorForm === undefined)
    admin = await bootstrap(app.client)
    other = await register(app.client, 'other')
    members.set('org_admin', await addMember(admin, 'org_admin'))
    for (const role of ENTERPRISE_ROLES) if (role !== 'org_admin') members.set(role, await addMember(admin, role))
    for (const scope of KEY_SCOPES) keys.set(scope, (await createKey(admin, [scope])).client)
    foreign.set('key_id', (await createKey(other, ['analysis:run'])).id)
    const list = await other.client.get<{ id: string }[]>(`/auth/organizations/${other.organizationId}/members`)
    foreign.set('member_id', list.body[0].id)
    const invited = await other.client.post<{ id: string }>(`/auth/organizations/${other.organizationId}/invitations`, { email: 'guest@example.test', role: 'engineer' })
    foreign.set('invitation_id', invited.body.id)
    const theirs = await createProject(other)
    const workspace = await openWorkspace(other, theirs.id)
    foreign.set('project_id', theirs.id)
    foreign.set('workspace_id', workspace.id)
    foreign.set('case_id', (await createCase(other, theirs.id)).id)
    foreign.set('review_id', (await openReview(other, workspace)).id)
    const assigned = await other.client.post<{ id: string }>(`/platform/projects/${theirs.id}/members/assign`, { user_id: other.userId, role: 'engineer' })
    ofProject.set('member_id', assigned.body.id)
    project = await createProject(admin)
    foreign.set('version_id', (await other.client.post<{ id: string }>(`/platform/projects/${theirs.id}/versions`, { name: '1.0' })).body.id)
    const report = await other.client.post<{ id: string; attachments: { id: string }[] }>(`/platform/organizations/${other.organizationId}/feedback-reports`, {
      kind: 'bug',
      title: 'of the other',
      attachments: [{ filename: 'a.txt', content_type: 'text/plain', content: 'YQo=' }],
    })
    foreign.set('report_id', report.body.id)
    foreign.set('attachment_id', report.body.attachments[0].id)
    const webhooks = `/platform/organizations/${other.organizationId}/webhooks`
    const webhook = await other.client.post<{ id: string }>(webhooks, { url: 'http://hooks.example.test/', events: ['webhook.test'] })
    foreign.set('webhook_id', webhook.body.id)
    foreign.set('delivery_id', (await other.client.post<{ id: string }>(`${webhooks}/${webhook.body.id}/test`)).body.id)
    const integration = await other.client.post<{ id: string }>(`/platform/organizations/${other.organizationId}/integrations`, {
      name: 'of the other',
      kind: 'git',
      provider: 'git',
      settings: { base_url: 'https://git.example.test' },
    })
    foreign.set('integration_id', integration.body.id)
    const binding = await other.client.post<{ id: string }>(`/platform/organizations/${other.organizationId}/git-bindings`, {
      project_id: theirs.id,
      integration_id: integration.body.id,
      repository: 'soc/content',
      branch: 'main',
      rules_path: 'rules',
      decoders_path: 'decoders',
      publish_strategy: 'direct',
    })
    foreign.set('binding_id', binding.body.id)
    const run = { ...PIPELINE_RUN, integration_id: integration.body.id }
    await new Tenancy(app.service.storage).of(other.organizationId).collection(PIPELINE_RUNS).insert(run)
    foreign.set('external_run_id', run.external_run_id)
    const gitRun = newRun({ _id: binding.body.id, project_id: theirs.id }, 'discover', 'succeeded', { trigger: 'request', startedBy: 'user:other' }, new Date())
    await new Tenancy(app.service.storage).of(other.organizationId).collection(GIT_RUNS).insert(gitRun)
    foreign.set('run_id', gitRun._id)
    const corpora = `/platform/projects/${theirs.id}/corpora`
    const corpus = await other.client.post<{ id: string }>(corpora, { name: 'A sample', size_bytes: 2 })
    const uploaded = await other.client.call('PATCH', `${corpora}/${corpus.body.id}?offset=0`, { raw: 'a\n', headers: { 'Content-Type': PART_TYPE } })
    assert.equal(uploaded.status, 200, uploaded.text)
    foreign.set('corpus_id', corpus.body.id)
    const replay = await other.client.post<{ id: string }>(`/platform/projects/${theirs.id}/replays`, { corpus_id: corpus.body.id })
    foreign.set('replay_id', replay.body.id)
    foreign.set('domain_id', (await other.client.post<{ id: string }>(`/platform/organizations/${other.organizationId}/domains`, { domain: 'other.example' })).body.id)
    foreign.set('provider_id', (await createProvider(other)).id)
    foreign.set('scim_token_id', (await createScimToken(other)).id)
    foreign.set('organization_id', other.organizationId)
    const enabled = await admin.client.call('PUT', '/platform/admin/ai/config', { body: { enabled: true, base_url: null } })
    assert.equal(enabled.status, 200, enabled.text)
  })
  after(() => app?.close())

  const pathOf = (route: Route, ids: ReadonlyMap<string, string> = new Map()): string =>
    route.path.replace(/\{(\w+)\}/g, (_, name: string) => ids.get(name) ?? (name === 'organization_id' ? admin.organizationId : NOBODYS))
  const bodyOf = (route: Route): unknown => Object.values(route.bodyExamples ?? {})[0]
  /** The required parameters of the query, from their examples. */
  const queryOf = ({ query }: Route): string => {
    const properties = (query?.properties ?? {}) as Readonly<Record<string, { readonly default?: unknown; readonly examples?: readonly unknown[] }>>
    const required = (query?.required ?? []).filter((name) => properties[name].default === undefined)
    return required.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(required.map((name) => [name, String(properties[name].examples?.[0])])))}`
  }
  /** Returns a valid request, with ids that do not exist for objects: an allowed caller finds nothing, and changes little. */
  const call = (client: Client, route: Route, ids?: ReadonlyMap<string, string>): Promise<Answer<Refusal>> => {
    const sent = route.body === undefined ? undefined : bodyOf(route)
    const content = typeof sent === 'string' ? { raw: sent } : sent === undefined ? {} : { raw: JSON.stringify(sent) }
    const mediaType = route.body === undefined ? {} : { headers: { 'Content-Type': route.body.as === 'json' ? 'application/json' : route.body.mediaType } }
    const path = pathOf(route, ids ?? (route.access.kind === 'platform_admin' ? new Map([['organization_id', NOBODYS]]) : undefined))
    return client.call<Refusal>(route.method, path + queryOf(route), {
      ...content,
      ...mediaType,
    })
  }
  const isRefusal = ({ body, headers }: Answer<Refusal>): void => {
    assert.deepEqual(Object.keys(body).sort(), ['code', 'debug_id', 'details', 'hint', 'message'])
    assert.equal(body.debug_id, headers.get('x-request-id'))
  }
  const each = async (some: (route: Route) => boolean, check: (route: Route) => Promise<void>): Promise<void> => {
    const chosen = routes.filter(some)
    assert.ok(chosen.length > 0)
    for (const route of chosen) {
      try {
        await check(route)
      } catch (error) {
        throw new Error(`${route.method} ${route.path}: ${(error as Error).message}`, { cause: error })
      }
    }
  }

  test('has a body example if it has a body, and descriptions', async () => {
    await each(
      (route) => route.body !== undefined,
      async (route) => assert.ok(bodyOf(route) !== undefined, 'no body example'),
    )
  })

  test('refuses callers without credentials, unless it is public', async () => {
    await each(
      (route) => !isOpen(route),
      async (route) => {
        const answer = await call(anonymous(app.client), route)
        assert.equal(answer.status, 401)
        assert.equal(answer.body.code, 'unauthorized')
        isRefusal(answer)
      },
    )
  })

  test('refuses wrong credentials', async () => {
    const wrong = [{ key: 'svk_00000000000000000000000000000000000000000000' }, { token: 'a.b.c' }, { headers: { Cookie: 'service_session=a.b.c', Origin: app.client.origin } }]
    await each(
      (route) => !isOpen(route),
      async (route) => {
        for (const credential of wrong) assert.equal((await call(anonymous(app.client).as(credential), route)).status, 401)
      },
    )
  })

  test('accepts a change with the cookie alone only from a page of this host', async () => {
    const Cookie = `service_session=${admin.token}`
    await each(
      ({ access, method }) => access.kind !== 'public' && method !== 'GET',
      async (route) => {
        for (const page of [{}, { Origin: 'null' }, { Origin: 'https://elsewhere.example' }, { Referer: 'https://elsewhere.example/page' }]) {
          const answer = await call(anonymous(app.client).as({ headers: { Cookie, ...page } }), route, new Map([['organization_id', admin.organizationId]]))
          assert.equal(answer.status, 403, `${JSON.stringify(page)}: ${answer.text}`)
          isRefusal(answer)
        }
        // The end of the session is tested with another session.
        if (route.id === 'auth.logout' || route.id === 'sso.logout') return
        assert.notEqual((await call(anonymous(app.client).as({ headers: { Cookie, Origin: app.client.origin } }), route)).status, 403)
      },
    )
  })

  test('accepts the roles that have its permission, and no others', async () => {
    await each(
      ({ access }) => access.kind === 'permission',
      async (route) => {
        assert.ok(route.access.kind === 'permission')
        for (const [role, actor] of members) {
          const may = (ROLE_PERMISSIONS[role] as readonly string[]).includes(route.access.permission)
          const answer = await call(actor.client, route)
          if (may) assert.notEqual(answer.body?.code, 'forbidden', `${role} is refused: ${answer.text}`)
          else {
            assert.equal(answer.status, 403, `${role} is let in`)
            isRefusal(answer)
          }
        }
      },
    )
  })

  test('accepts the keys whose scope has its permission, and no others', async () => {
    await each(
      ({ access }) => access.kind === 'permission',
      async (route) => {
        assert.ok(route.access.kind === 'permission')
        for (const [scope, client] of keys) {
          const may = (SCOPE_PERMISSIONS[scope] as readonly string[]).includes(route.access.permission)
          const { body, status } = await call(client, route)
          if (may) assert.notEqual(body?.code, 'forbidden', `${scope} is refused`)
          else assert.equal(status, 403, `${scope} is let in`)
        }
      },
    )
  })

  test('answers 401 to an API key if a session is required', async () => {
    await each(
      ({ access }) => access.kind === 'session' || access.kind === 'user' || access.kind === 'platform_admin',
      async (route) => {
        const { status, body } = await call(keys.get('admin:*')!, route)
        assert.equal(status, 401)
        assert.equal(body.code, 'unauthorized')
      },
    )
  })

  test('is limited to platform admins only if it is declared so', async () => {
    await each(
      ({ access }) => access.kind === 'platform_admin',
      async (route) => {
        // An organization to which the caller does not belong is not found, before any other check.
        const refusal = route.path.includes('{organization_id}') ? 404 : 403
        assert.equal((await call(members.get('org_admin')!.client, route)).status, refusal)
        assert.notEqual((await call(admin.client, route)).status, 403)
      },
    )
  })

  test('gives a session of an identity provider no rights of a platform admin', async () => {
    const { token } = await login(app.client, admin.email)
    const jti = (JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString()) as { readonly jti: string }).jti
    await app.service.storage.open(SESSIONS).update({ _id: jti }, { set: { provider_id: 'a provider' } })
    const client = anonymous(app.client).as({ token })
    assert.equal((await client.get('/auth/me')).status, 200)
    await each(
      ({ access }) => access.kind === 'platform_admin',
      async (route) => {
        assert.equal((await call(client, route)).status, route.path.includes('{organization_id}') ? 404 : 403)
        if (!route.path.includes('{organization_id}')) return
        assert.equal((await call(client, route, new Map([['organization_id', admin.organizationId]]))).status, 403)
      },
    )
  })

  test('finds no other organization', async () => {
    await each(
      ({ path, access }) => path.includes('{organization_id}') && access.kind !== 'platform_admin',
      async (route) => {
        for (const client of [members.get('org_admin')!.client, keys.get('admin:*')!]) {
          if (route.access.kind === 'session' && client === keys.get('admin:*')) continue
          for (const id of [other.organizationId, NOBODYS]) {
            const answer = await call(client, route, new Map([['organization_id', id]]))
            assert.equal(answer.status, 404)
            assert.equal(answer.body.code, 'not_found')
          }
        }
      },
    )
  })

  test('finds no object of another organization', async () => {
    await each(
      ({ path, access }) => path.includes('{organization_id}/') && [...path.matchAll(/\{(\w+)\}/g)].some(([, name]) => name !== 'organization_id') && access.kind !== 'public',
      async (route) => {
        const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).filter((name) => name !== 'organization_id')
        for (const name of names) assert.ok(foreign.has(name), `no object of another organization for {${name}}: add one`)
        const answer = await call(members.get('org_admin')!.client, route, new Map([...foreign, ['organization_id', admin.organizationId]]))
        assert.equal(answer.status, 404, answer.text)
      },
    )
  })

  test('names no object of its path that these tests do not know', () => {
    const known = (route: Route): boolean => isOpen(route) || route.access.kind === 'platform_admin' || /\{(?:organization_id|project_id)\}/.test(route.path)
    assert.deepEqual(
      routes
        .filter((route) => route.path.includes('{') && !known(route))
        .map(({ id }) => id)
        .sort(),
      Object.keys(OBJECTS_OF_CALLERS).sort(),
    )
  })

  test('finds no project of another organization, and no object of it in an own project', async () => {
    await each(
      ({ path }) => path.includes('{project_id}'),
      async (route) => {
        const ids = new Map([...foreign, ...ofProject])
        const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
        for (const name of names) assert.ok(ids.has(name), `no object of another organization for {${name}}: add one`)
        const clients = [members.get('org_admin')!.client, keys.get('admin:*')!]
        for (const client of clients) {
          const answer = await call(client, route, ids)
          assert.equal(answer.status, 404, answer.text)
          isRefusal(answer)
          if (names.length === 1) continue
          assert.equal((await call(client, route, new Map([...ids, ['project_id', project.id]]))).status, 404)
        }
      },
    )
  })

  test('answers 403 to an X-Org-Id of another organization, whether or not it exists', async () => {
    await each(
      ({ access, path }) => (access.kind === 'permission' || access.kind === 'session') && !path.includes('{organization_id}'),
      async (route) => {
        const callers = route.access.kind === 'session' ? [members.get('org_admin')!.client] : [members.get('org_admin')!.client, keys.get('admin:*')!]
        for (const client of callers) for (const organization of [other.organizationId, NOBODYS]) assert.equal((await call(client.as({ organization }), route)).status, 403)
      },
    )
  })

  test('refuses an unknown field', async () => {
    await each(takesJson, async (route) => {
      const known = bodyOf(route) as object
      const answer = await admin.client.call<Refusal>(route.method, pathOf(route), { body: { ...known, a_field_that_nobody_knows: 1 } })
      assert.equal(answer.status, 422, answer.text)
      assert.equal(answer.body.code, 'request_validation_failed')
      const { errors } = answer.body.details as { errors: { path: string }[] }
      assert.ok(
        errors.some(({ path }) => path.includes('a_field_that_nobody_knows')),
        answer.text,
      )
      isRefusal(answer)
    })
    await each(
      (route) => route.body?.as !== 'ignored' && !takesAnyParameter(route),
      async (route) => {
        const answer = await admin.client.call<Refusal>(route.method, `${pathOf(route)}?a_parameter_that_nobody_knows=1`, {
          ...(route.body === undefined
            ? {}
            : { raw: JSON.stringify(bodyOf(route)), headers: { 'Content-Type': route.body.as === 'json' ? 'application/json' : route.body.mediaType } }),
        })
        assert.equal(answer.status, 422, answer.text)
      },
    )
  })

  test('accepts no database operator, and no prototype', async () => {
    const hostile = ['{"$gt":""}', '{"$ne":null}', '{"$where":"1"}', '[]', 'true']
    await each(takesJson, async (route) => {
      const known = bodyOf(route) as Record<string, unknown>
      for (const [field, value] of Object.entries(known)) {
        if (typeof value !== 'string') continue
        for (const operator of hostile) {
          const raw = JSON.stringify({ ...known, [field]: 'HERE' }).replace('"HERE"', operator)
          const { status, text } = await admin.client.call(route.method, pathOf(route), { raw, headers: { 'Content-Type': 'application/json' } })
          assert.equal(status, 422, `${field}=${operator}: ${text}`)
        }
      }
      for (const name of ['__proto__', 'constructor', 'prototype']) {
        const raw = `{"${name}":{"is_platform_admin":true},${JSON.stringify(known).slice(1)}`
        const { status } = await admin.client.call(route.method, pathOf(route), { raw, headers: { 'Content-Type': 'application/json' } })
        assert.ok(status === 400 || status === 422, `${name}: ${status}`)
      }
      assert.equal(({} as Record<string, unknown>).is_platform_admin, undefined)
    })
    await each(
      ({ query, method }) => method === 'GET' && query !== undefined,
      async (route) => {
        for (const name of Object.keys(route.query!.properties))
          for (const odd of [...(takesAnyParameter(route) ? [] : [`${name}[$gt]=`, `${name}[]=1`]), `${name}=1&${name}=2`])
            assert.equal((await admin.client.get(`${pathOf(route)}?${odd}`)).status, 422, odd)
      },
    )
  })

  test('refuses a body that is too large before it is sent', async () => {
    await each(
      ({ method }) => method !== 'GET',
      async (route) => {
        const { status, body } = await announce(app.client.origin, admin.token, route.method, `/api/v1${pathOf(route)}`, MAX_REQUEST_BYTES + 1)
        assert.equal(status, 413)
        assert.equal((JSON.parse(body) as Refusal).code, 'payload_too_large')
      },
    )
  })

  test('reads no more of a JSON body than the route needs, and little of what anonymous callers send', async () => {
    await each(
      ({ body }) => body?.as === 'json',
      async (route) => {
        const bytes = bodyBytes(route, MAX_REQUEST_BYTES)
        const { status, body } = await announce(app.client.origin, admin.token, route.method, `/api/v1${pathOf(route)}`, bytes + 1)
        assert.equal(status, 413)
        assert.deepEqual((JSON.parse(body) as Refusal).details, { limit: bytes })
        if (route.access.kind === 'public') assert.ok(longestJson((route.body as { schema: object }).schema) <= PLAIN_BODY_BYTES)
      },
    )
    const login = JSON.stringify({ email: 'nobody@example.test', password: 'p'.repeat(40) })
    const send = (raw: string) => anonymous(app.client).call<Refusal>('POST', '/auth/login', { raw, headers: { 'Content-Type': 'application/json' } })
    assert.equal((await send(login.padEnd(PLAIN_BODY_BYTES))).status, 401)
    assert.equal((await send(login.padEnd(PLAIN_BODY_BYTES + 1))).status, 413)
  })

  test('refuses a body that is not JSON', async () => {
    await each(takesJson, async (route) => {
      const send = (raw: string, type: string) => admin.client.call<Refusal>(route.method, pathOf(route), { raw, headers: { 'Content-Type': type } })
      assert.equal((await send('a=1', 'application/x-www-form-urlencoded')).status, 415)
      assert.equal((await send('{"a":', 'application/json')).body.code, 'bad_request')
    })
  })

  test('allows no other method, and lists the allowed ones', async () => {
    await each(
      () => true,
      async (route) => {
        const methods = routes.filter(({ path }) => path === route.path).map(({ method }) => method)
        const wrong = (['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const).find((method) => !methods.includes(method))
        if (wrong === undefined) return
        const { status, headers } = await admin.client.call(wrong, pathOf(route))
        // The path may fit another route as well: /members/{id} and /members/assign.
        if (status === 405) for (const method of methods) assert.ok(headers.get('allow')?.includes(method), `${wrong}: Allow ${headers.get('allow')}`)
      },
    )
  })

  test('has the headers of every answer', async () => {
    await each(
      () => true,
      async (route) => {
        const { headers } = await call(anonymous(app.client), route)
        assert.match(headers.get('x-request-id') ?? '', /^\S{1,128}$/)
        assert.match(headers.get('x-trace-id') ?? '', /^[0-9a-f]{32}$/)
        assert.equal(headers.get('x-content-type-options'), 'nosniff')
        assert.equal(headers.get('x-frame-options'), 'DENY')
        assert.equal(headers.get('referrer-policy'), 'no-referrer')
        assert.equal(headers.get('cache-control'), 'no-store')
        assert.equal(headers.get('access-control-allow-origin'), null)
      },
    )
  })

  test('logs no secret', () => {
    const log = app.log.join('')
    for (const { token } of [admin, other, ...members.values()]) assert.ok(!log.includes(token))
    for (const { standing } of keys.values()) assert.ok(!log.includes(standing.key!))
    assert.ok(!log.includes('correct horse'))
  })
})

/** Sends the head of a request with that Content-Length, and no body. */
function announce(origin: string, token: string, method: string, path: string, bytes: number): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${origin}${path}`, { method, headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Content-Length': bytes } })
    sent.on('error', reject)
    sent.on('response', (response) => {
      let body = ''
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString()
      })
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body })
        sent.destroy()
      })
      response.on('error', reject)
    })
    sent.flushHeaders()
  })
}
