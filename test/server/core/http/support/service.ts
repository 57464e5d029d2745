/** The HTTP layer over real sockets: with routes of the test, an embedded store, and fake callers. */
import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Authenticate, Credential, RequestedOrganization } from '../../../../../server/core/auth/credentials.js'
import { permissionsOfRole, permissionsOfScopes } from '../../../../../server/core/tenancy/permissions.js'
import type { Principal } from '../../../../../server/core/auth/principal.js'
import { type Config, readConfig } from '../../../../../server/core/config.js'
import { ApiError } from '../../../../../server/core/errors.js'
import { type Application, type ApplicationOptions, createApplication } from '../../../../../server/core/http/application.js'
import { IDEMPOTENCY_KEYS } from '../../../../../server/core/http/response/idempotency.js'
import { listen } from '../../../../../server/core/http/listen.js'
import { close, createHttpServer, type HttpServerOptions } from '../../../../../server/core/http/server.js'
import { createLog } from '../../../../../server/core/observability/log.js'
import { Metrics } from '../../../../../server/core/observability/metrics.js'
import type { Storage } from '../../../../../server/core/storage/contract.js'
import { openEmbeddedStorage } from '../../../../../server/core/storage/embedded/index.js'
import { COUNTERS } from '../../../../../server/core/tenancy/counters.js'
import { Tenancy } from '../../../../../server/core/tenancy/scope.js'
import { IN_PLACE } from '../../../../support/reader.js'

/** Keys and tokens that `fakeAuthenticate` knows. */
export const KEY = 'svk_good'
export const WEAK_KEY = 'svk_weak'
export const TOKEN = 'token-of-ann'
export const ADMIN_TOKEN = 'token-of-admin'
export const LONELY_TOKEN = 'token-of-lonely'
export const READER_TOKEN = 'token-of-reader'

export const fakeAuthenticate: Authenticate = async (credential: Credential, requested: RequestedOrganization): Promise<Principal> => {
  const own = 'org-1'
  const wanted = requested.path ?? requested.header ?? own
  if (credential.kind === 'api_key') {
    if (credential.key !== KEY && credential.key !== WEAK_KEY) throw new ApiError('credential_invalid')
    if (wanted !== own) throw new ApiError(requested.path === null ? 'organization_not_yours' : 'resource_missing')
    const scopes = credential.key === KEY ? (['admin:*'] as const) : (['projects:read'] as const)
    return {
      kind: 'api_key',
      ownerId: null,
      keyId: credential.key.slice(4),
      name: credential.key,
      organizationId: own,
      expiresAt: null,
      scopes,
      permissions: permissionsOfScopes(scopes),
    }
  }
  if (credential.kind === 'scim_token') throw new ApiError('credential_invalid')
  const user = { [TOKEN]: 'ann', [ADMIN_TOKEN]: 'admin', [LONELY_TOKEN]: 'lonely', [READER_TOKEN]: 'reader' }[credential.token]
  if (user === undefined) throw new ApiError('credential_invalid')
  const isAdmin = user === 'admin'
  if (!isAdmin && wanted !== own) throw new ApiError(requested.path === null ? 'organization_not_yours' : 'resource_missing')
  const role = user === 'reader' ? 'read_only' : 'org_admin'
  return {
    kind: 'user',
    userId: user,
    email: `${user}@example.com`,
    isPlatformAdmin: isAdmin,
    sessionId: `session-${user}`,
    providerId: null,
    via: credential.via,
    token: credential.token,
    expiresAt: new Date(Date.now() + 60_000),
    locale: user === 'ann' ? 'en' : null,
    organizationId: user === 'lonely' ? null : wanted,
    role: user === 'lonely' ? null : role,
    permissions: permissionsOfRole(user === 'lonely' ? null : role, isAdmin),
  }
}

export interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  /** The parsed JSON, which the test asserts. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read into answers of any form
  readonly body: any
}

export interface Sent {
  readonly headers?: http.OutgoingHttpHeaders
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent unchanged. */
  readonly raw?: string | Uint8Array
}

export interface TestService {
  readonly application: Application
  readonly server: http.Server
  readonly storage: Storage
  readonly metrics: Metrics
  readonly url: string
  readonly port: number
  /** Entries of the log. */
  readonly log: Record<string, unknown>[]
  /** The entries as lines. */
  readonly lines: string[]
  /** The path is below `/api/v1` unless it begins with `//`. */
  call(method: string, path: string, sent?: Sent): Promise<Answer>
  /** Writes bytes to a socket, and returns all received bytes when it is closed. */
  socket(...parts: readonly (string | Uint8Array)[]): Promise<string>
  close(): Promise<void>
}

export interface TestServiceOptions extends Partial<Omit<ApplicationOptions, 'config' | 'routes' | 'log'>> {
  readonly routes: ApplicationOptions['routes']
  readonly config?: Partial<Config>
  readonly server?: HttpServerOptions
}

/** Starts the service. The rate limit is off unless `config` enables it. */
export async function startHttp({ routes, config, server: serverOptions, ...options }: TestServiceOptions): Promise<TestService> {
  const directory = mkdtempSync(join(tmpdir(), 'http-test-'))
  const storage = await openEmbeddedStorage({ directory })
  await storage.prepare([COUNTERS, IDEMPOTENCY_KEYS])
  const lines: string[] = []
  const metrics = options.metrics ?? new Metrics({ process: false })
  const application = createApplication({
    authenticate: fakeAuthenticate,
    tenancy: new Tenancy(storage),
    storage,
    checkResponses: true,
    pool: IN_PLACE,
    ...options,
    metrics,
    config: { ...readConfig({ NATIVE_SERVICE_DATA_DIR: directory }), rateLimitEnabled: false, ...config },
    routes,
    log: createLog({ logLevel: 'debug' }, { write: (line) => void lines.push(line) }),
  })
  const server = createHttpServer(application, serverOptions)
  const url = await listen(server, 0, '127.0.0.1')
  const port = Number(new URL(url).port)
  const agent = new http.Agent({ keepAlive: true })
  return {
    application,
    server,
    storage,
    metrics,
    url,
    port,
    lines,
    get log() {
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    },
    call: (method, path, sent = {}) => call(agent, port, method, path.startsWith('//') ? path.slice(1) : `/api/v1${path}`, sent),
    socket: (...parts) => talk(port, parts),
    async close() {
      agent.destroy()
      await close(server, application, 1000)
      await storage.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function call(agent: http.Agent, port: number, method: string, path: string, { headers, json, raw }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const content = raw ?? (json === undefined ? undefined : JSON.stringify(json))
    const request = http.request(
      {
        agent,
        port,
        host: '127.0.0.1',
        method,
        path,
        headers: {
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...(content === undefined ? {} : { 'content-length': Buffer.byteLength(content) }),
          'x-locale': 'en-US',
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const isJson = response.headers['content-type']?.startsWith('application/json') === true
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: isJson && text !== '' ? JSON.parse(text) : undefined })
        })
      },
    )
    request.on('error', reject)
    request.end(content)
  })
}

function talk(port: number, parts: readonly (string | Uint8Array)[]): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = net.connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part)
    })
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', () => {})
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
  })
}
