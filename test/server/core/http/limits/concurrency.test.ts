/**
 * The table of limits over HTTP. For each row and each scope of a request, one caller uses its whole limit and is then answered 503 or waits, while
 * another caller is served. A row that is tested elsewhere names that test; a row without an entry does not compile.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import net, { BlockList } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import Type from 'typebox'
import { type Load, LOADS } from '../../../../../server/core/limits/loads.js'
import { type BodyDeclaration, defineRoute, PUBLIC, permission, type Route } from '../../../../../server/core/http/route.js'
import { type Limit, type LimitScope, limitTable, type Resource, SCOPES } from '../../../../../server/core/limits/table.js'
import { testLimits } from '../../../../support/limits.js'
import { ADMIN_TOKEN, KEY, READER_TOKEN, startHttp, type TestService, TOKEN } from '../support/service.js'

/** The limit of a caller in these tests. */
const FEW = 2
const BYTES = 300_000
/** More than the buffers between both sides hold. */
const LONG_BYTES = 20_000_000
const TABLE: Readonly<Record<Resource, Limit>> = limitTable({ workers: 2, maxRequestBytes: 8 * 1024 * 1024 })

/** A request in progress and its result. */
interface Held {
  /** Null: not answered yet. */
  status(): number | null
  readonly answered: Promise<{ readonly status: number; readonly retryAfter: string | undefined; readonly text: string }>
  release(): void
}

type Holds = (service: Handlers, headers: http.OutgoingHttpHeaders, isPublic: boolean) => Held

interface Handlers extends TestService {
  /** Lets all waiting handlers answer. */
  finish(): void
}

const common = { tag: 'Test', summary: 'Test', description: 'Test.' } as const
const Any = { 200: { description: 'Fine.', schema: Type.Any() } }

function requesting(path: string, method: 'GET' | 'POST' = 'GET', begin: (request: http.ClientRequest) => void = (request) => void request.end()): Holds {
  return (service, headers, isPublic) => {
    const request = http.request({ port: service.port, host: '127.0.0.1', method, path: `/api/v1/${isPublic ? 'public-' : ''}${path}`, agent: false, headers })
    let status: number | null = null
    const answered = new Promise<Awaited<Held['answered']>>((resolve, reject) => {
      request.on('error', (error) => (status === null ? reject(error) : undefined))
      request.on('response', (response) => {
        status = response.statusCode ?? 0
        const done = (text: string): void => resolve({ status: status as number, retryAfter: response.headers['retry-after'], text })
        // A long response is left unread.
        if (Number(response.headers['content-length'] ?? 0) >= BYTES) return done('')
        let text = ''
        response.on('data', (chunk) => {
          text += String(chunk)
        })
        response.on('end', () => done(text))
      })
    })
    answered.catch(() => {})
    begin(request)
    return { status: () => status, answered, release: () => request.destroy() }
  }
}

const ofLoad = (load: Load): Holds => requesting(`load-${load}`)
const halfBody = requesting('body', 'POST', (request) => {
  request.setHeader('content-type', 'application/json')
  request.setHeader('content-length', BYTES)
  request.write('x')
})

/** How a caller acquires one of each resource, or the test of the row. */
const ROWS: Readonly<Record<Resource, Holds | string>> = {
  connections: 'below',
  requests: ofLoad('documents'),
  database_turns: ofLoad('documents'),
  analyses: ofLoad('analysis'),
  batches: ofLoad('batch'),
  runs: ofLoad('run'),
  repository_reads: ofLoad('repository'),
  provider_requests: ofLoad('provider'),
  provider_bytes: 'test/server/core/egress/reader.test.ts',
  exports: ofLoad('export'),
  event_streams: ofLoad('stream'),
  body_bytes: halfBody,
  batch_bytes: 'test/server/analysis/upload.test.ts',
  answer_bytes: requesting('long'),
  run_bytes: 'test/server/content/cases/run.test.ts',
  password_hashes: 'test/server/core/auth/password.test.ts',
}
const UNITS: Partial<Record<Resource, number>> = { body_bytes: BYTES, answer_bytes: LONG_BYTES }

/** Two callers that differ in the scope. */
const CALLERS: Readonly<Record<Exclude<LimitScope, 'instance'>, readonly [http.OutgoingHttpHeaders, http.OutgoingHttpHeaders]>> = {
  organization: [{ 'x-api-key': KEY }, { authorization: `Bearer ${ADMIN_TOKEN}`, 'x-org-id': 'org-2' }],
  user: [{ authorization: `Bearer ${TOKEN}` }, { authorization: `Bearer ${READER_TOKEN}` }],
  address: [{ 'x-forwarded-for': '192.0.2.1' }, { 'x-forwarded-for': '192.0.2.2' }],
}

async function serving(limits: Partial<Record<Resource, Partial<Limit>>>, run: (service: Handlers) => Promise<void>): Promise<void> {
  let waiting: (() => void)[] = []
  const handle = async () => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return { body: {} }
  }
  const body: BodyDeclaration = { as: 'bytes', schema: Type.Any(), mediaType: 'application/json' }
  const routes: Route[] = [PUBLIC, permission('project:view')].flatMap((access) => {
    const name = access.kind === 'public' ? 'public-' : ''
    return [
      ...(Object.keys(LOADS) as Load[]).map((load) =>
        defineRoute({ ...common, access, id: `${name}${load}`, method: 'GET', path: `/${name}load-${load}`, load, responses: Any, handle }),
      ),
      defineRoute({ ...common, access, id: `${name}body`, method: 'POST', path: `/${name}body`, body, responses: Any, handle: async () => ({ body: {} }) }),
      defineRoute({ ...common, access, id: `${name}long`, method: 'GET', path: `/${name}long`, responses: Any, handle: async () => ({ body: 'x'.repeat(LONG_BYTES - 2) }) }),
    ]
  })
  const proxies = new BlockList()
  proxies.addAddress('127.0.0.1')
  const service = await startHttp({ routes, limits: testLimits(limits), config: { trustedProxies: proxies } })
  const finish = (): void => {
    for (const resolve of waiting) resolve()
    waiting = []
  }
  try {
    await run(Object.assign(service, { finish }))
  } finally {
    finish()
    await service.close()
  }
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let round = 0; round < 3000 && !holds(); round++) await sleep(10)
  assert.ok(holds(), what)
}

const isHeld = (service: TestService, count: number): boolean => service.application.inFlight.count >= count

for (const [resource, holds] of Object.entries(ROWS) as [Resource, Holds | string][]) {
  const limit = TABLE[resource]
  if (typeof holds === 'string') continue
  for (const scope of SCOPES.filter((one) => limit[one] !== undefined)) {
    test(`${resource}: the ${scope} at its limit ${limit.waiting === undefined ? 'is answered 503' : 'waits'}, ${scope === 'instance' ? 'for every caller' : 'and others are served'}`, () => {
      const most = Number.MAX_SAFE_INTEGER
      const others = Object.fromEntries(SCOPES.filter((other) => limit[other] !== undefined).map((other) => [other, most]))
      const small = { [resource]: { ...others, [scope]: FEW * (UNITS[resource] ?? 1) } }
      return serving(small, async (service) => {
        const [own, other] = CALLERS[scope === 'instance' ? 'organization' : scope]
        const isPublic = scope === 'address'
        const begin = (headers: http.OutgoingHttpHeaders): Held => holds(service, headers, isPublic)
        const held: Held[] = []
        for (let count = 1; count <= FEW; count++) {
          const one = begin(own)
          held.push(one)
          if (resource === 'answer_bytes') await one.answered
          else await until(`${count} are held`, () => isHeld(service, count))
        }
        // A body is counted a moment after its request.
        if (resource === 'body_bytes') await sleep(50)
        const further = begin(own)
        const stranger = begin(other)
        if (limit.waiting === undefined) {
          const { status, retryAfter, text } = await further.answered
          assert.equal(status, 503)
          assert.ok(Number(retryAfter) > 0)
          const { code, details } = JSON.parse(text)
          assert.deepEqual([code, details], ['service_unavailable', { resource, scope, limit: FEW * (UNITS[resource] ?? 1) }])
          if (scope === 'instance') assert.equal((await stranger.answered).status, 503)
          else {
            await until('the other caller is served', () => isHeld(service, FEW + 1) || stranger.status() === 200)
            assert.notEqual(stranger.status(), 503)
          }
          for (const one of [...held, stranger]) one.release()
          service.finish()
          await until('no request is in flight', () => service.application.inFlight.count === 0)
          const again = begin(own)
          await until('the next request is served', () => isHeld(service, 1) || again.status() === 200)
          assert.notEqual(again.status(), 503)
          again.release()
        } else {
          await until('all requests are in flight', () => isHeld(service, FEW + 2))
          await sleep(50)
          service.finish()
          for (const one of [...held, ...(scope === 'instance' ? [] : [stranger])]) assert.equal((await one.answered).status, 200)
          assert.equal(further.status(), null)
          const left = [further, ...(scope === 'instance' ? [stranger] : [])]
          for (let round = 0; round < 500 && left.some((one) => one.status() === null); round++) {
            service.finish()
            await sleep(10)
          }
          for (const one of left) assert.equal((await one.answered).status, 200)
        }
        for (const one of [...held, further, stranger]) one.release()
      })
    })
  }
}

test('connections: an address at its limit is answered 503 on connect, and another address is accepted', async () => {
  const service = await startHttp({ routes: [], limits: testLimits({ connections: { address: FEW } }) })
  const open: net.Socket[] = []
  const connect = async (localAddress: string): Promise<string> => {
    const socket = net.connect({ port: service.port, host: '127.0.0.1', localAddress })
    open.push(socket)
    await once(socket, 'connect')
    socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    return chunk.toString()
  }
  try {
    for (let count = 0; count < FEW; count++) assert.match(await connect('127.0.0.1'), /^HTTP\/1\.1 200 /)
    const refused = await connect('127.0.0.1')
    assert.match(refused, /^HTTP\/1\.1 503 /)
    assert.match(refused, /\r\nRetry-After: 1\r\n/)
    assert.match(refused, /"details":\{"resource":"connections","scope":"address","limit":2\}/)
    assert.match(await connect('127.0.0.2'), /^HTTP\/1\.1 200 /)
    open[0].destroy()
    await until('its connection is closed', () => service.server.listening && open[0].destroyed)
    let text = ''
    for (let round = 0; round < 100 && !text.startsWith('HTTP/1.1 200'); round++) text = await connect('127.0.0.1')
    assert.match(text, /^HTTP\/1\.1 200 /)
  } finally {
    for (const socket of open) socket.destroy()
    await service.close()
  }
})

test('connections of a trusted proxy are not counted, because all callers use it', async () => {
  const proxies = new BlockList()
  proxies.addAddress('127.0.0.1')
  const service = await startHttp({ routes: [], limits: testLimits({ connections: { address: 1 } }), config: { trustedProxies: proxies } })
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 })
  try {
    const statuses = await Promise.all(
      Array.from({ length: 8 }, () => new Promise((resolve) => http.get({ port: service.port, path: '/livez', agent }, (response) => resolve(response.resume().statusCode)))),
    )
    assert.deepEqual(statuses, Array(8).fill(200))
  } finally {
    agent.destroy()
    await service.close()
  }
})

test('large bodies are paced by organization, or by address without one; small bodies are not paced', async () => {
  const limits = testLimits()
  const paced = new Map<string, number>()
  limits.paceBody = ({ organization, address }, bytes) => {
    const holder = organization ?? address ?? ''
    paced.set(holder, (paced.get(holder) ?? 0) + bytes)
    return 0
  }
  const body: BodyDeclaration = { as: 'bytes', schema: Type.Any(), mediaType: 'application/json' }
  const routes = [PUBLIC, permission('project:view')].map((access) =>
    defineRoute({ ...common, access, id: access.kind, method: 'POST', path: `/${access.kind}`, body, responses: Any, handle: async () => ({ body: {} }) }),
  )
  const service = await startHttp({ routes, limits })
  try {
    for (const [path, headers] of [
      ['public', {}],
      ['permission', { 'x-api-key': KEY }],
    ] as const) {
      for (const length of [BYTES, 1_000]) {
        const answer = await fetch(`http://127.0.0.1:${service.port}/api/v1/${path}`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: ' '.repeat(length),
        })
        assert.equal(answer.status, 200)
        await answer.arrayBuffer()
      }
    }
    assert.deepEqual([...paced.values()], [BYTES, BYTES])
    assert.equal(paced.size, 2)
  } finally {
    await service.close()
  }
})
