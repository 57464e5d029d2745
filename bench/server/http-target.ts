/** A target of the HTTP bench, in its own process: `bare` is Koa that parses a body and echoes it; the others add our HTTP layer. */
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Koa from 'koa'
import pino from 'pino'
import Type from 'typebox'
import { permissionsOfScopes } from '../../server/core/tenancy/permissions.js'
import { readConfig } from '../../server/core/config.js'
import { createApplication } from '../../server/core/http/application.js'
import { IDEMPOTENCY_KEYS } from '../../server/core/http/response/idempotency.js'
import { type BodyDeclaration, defineRoute, permission, PUBLIC, type Route } from '../../server/core/http/route.js'
import { listen } from '../../server/core/http/listen.js'
import { createHttpServer } from '../../server/core/http/server.js'
import { createLog } from '../../server/core/observability/log.js'
import { openEmbeddedStorage } from '../../server/core/storage/embedded/index.js'
import { COUNTERS } from '../../server/core/tenancy/counters.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'

/** The approximate number of routes of the service. */
const OTHER_ROUTES = 160

const LogtestRequest = Type.Object({
  include_disk_defaults: Type.Optional(Type.Boolean()),
  include_disk_custom: Type.Optional(Type.Boolean()),
  files: Type.Optional(
    Type.Array(Type.Object({ filename: Type.String({ minLength: 1, maxLength: 255 }), kind: Type.Enum(['rules', 'decoders']), scope: Type.String(), content: Type.String() })),
  ),
  input: Type.Object({
    event: Type.String({ minLength: 1 }),
    log_format: Type.Optional(Type.Enum(['auto', 'syslog', 'json', 'eventchannel', 'plain'])),
    location: Type.Optional(Type.String({ maxLength: 512 })),
    session_id: Type.Optional(Type.String({ maxLength: 128 })),
  }),
})

const mode = process.argv[2] ?? 'bare'
const url = mode === 'bare' ? await bare() : await layer(mode)
process.on('message', () => process.send?.(process.cpuUsage()))
process.send?.(url)

function bare(): Promise<string> {
  const koa = new Koa()
  koa.use(async (ctx) => {
    const chunks: Buffer[] = []
    for await (const chunk of ctx.req) chunks.push(chunk as Buffer)
    ctx.body = JSON.parse(Buffer.concat(chunks).toString())
  })
  return listen(createServer(koa.callback()), 0, '127.0.0.1')
}

async function layer(mode: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'http-bench-'))
  const storage = await openEmbeddedStorage({ directory })
  await storage.prepare([COUNTERS, IDEMPOTENCY_KEYS])
  const caller = {
    kind: 'api_key',
    keyId: 'bench',
    name: 'bench',
    ownerId: null,
    organizationId: 'bench',
    expiresAt: null,
    scopes: ['analysis:run'],
    permissions: permissionsOfScopes(['analysis:run']),
  } as const
  const sink = mode === 'silent' ? undefined : pino.destination({ dest: '/dev/null', sync: false, minLength: 4096 })
  const application = createApplication({
    config: { ...readConfig({}), rateLimitPerMinute: 1_000_000_000, rateLimitPerHour: 1_000_000_000 },
    routes: [
      ...Array.from({ length: OTHER_ROUTES }, (_, index) => other(index)),
      echo(mode === 'bytes' ? { as: 'bytes', schema: LogtestRequest, mediaType: 'application/json' } : { as: 'json', schema: LogtestRequest }),
    ],
    authenticate: async () => caller,
    tenancy: new Tenancy(storage),
    storage,
    pool: { read: async () => ({ outcome: 'busy' }) },
    log: createLog({ logLevel: mode === 'silent' ? 'silent' : 'info' }, sink),
  })
  return listen(createHttpServer(application), 0, '127.0.0.1')
}

function echo(body: BodyDeclaration): Route {
  return defineRoute({
    id: 'analysis.logtest',
    method: 'POST',
    path: '/analysis/logtest-native',
    tag: 'Bench',
    summary: 'Echo',
    description: 'Echoes.',
    access: permission('analysis:run'),
    rateLimit: 'analysis.logtest',
    body,
    responses: { 200: { description: 'The body.', schema: Type.Any() } },
    handle: async (request) => ({ body: request.body }),
  })
}

function other(index: number): Route {
  return defineRoute({
    id: `other.${index}`,
    method: 'GET',
    path: `/platform/projects/{project_id}/things-${index}/{thing_id}`,
    tag: 'Bench',
    summary: 'Nothing',
    description: 'Stands in the table.',
    access: PUBLIC,
    responses: { 204: { description: 'Nothing.', schema: null } },
    handle: async () => ({ status: 204 }),
  })
}
