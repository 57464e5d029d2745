/**
 * Every operation of every gateway, and every route with a body, while the other side sends the worst that it may: the event loop neither parses, inflates nor hashes
 * it. `outside.test.ts` counts the steps. The tables are typed by the interfaces and compared with the routes, so that a new operation or route needs a row.
 */
import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import type { TSchema } from 'typebox'
import { commitObject, FLUSH, type NamedObject, named, pktLine, treeObject, writePack } from '#git'
import { SMALL_JSON_BYTES } from '#requests'
import { type AnalysisPool, createAnalysisPool } from '#workers'
import { ApiError } from '../../server/core/errors.js'
import { AiProviderError } from '../../server/features/assistant/gateways/ai-provider-error.js'
import type { AiGateway } from '../../server/features/assistant/gateways/gateway.js'
import { OpenAiGateway } from '../../server/features/assistant/gateways/openai.js'
import type { BillingGateway } from '../../server/features/billing/gateways/gateway.js'
import { MOCK_PRICES } from '../../server/features/billing/gateways/mock/objects.js'
import { readEvent } from '../../server/features/billing/gateways/events.js'
import { checkSignature, EVENT_BYTES, signatureOf } from '../../server/features/billing/gateways/signature.js'
import { StripeGateway } from '../../server/features/billing/gateways/stripe.js'
import type { CiGateway } from '../../server/features/connections/gateways/ci/gateway.js'
import { openCi } from '../../server/features/connections/gateways/ci/index.js'
import type { ProviderCredentials } from '../../server/features/connections/gateways/connection.js'
import { DELIVERY_BYTES, type GitGateway, type ReviewGateway } from '../../server/features/connections/gateways/git/gateway.js'
import { openGit, webhooksOf } from '../../server/features/connections/gateways/git/index.js'
import { type HttpClient, OutboundError, type OutboundRequest, type OutboundResponse } from '../../server/core/egress/client.js'
import type { OidcEndpoint } from '../../server/features/sso/oidc/oidc-error.js'
import { OidcTransport } from '../../server/features/sso/oidc/transport.js'
import { PROVIDERS } from '../../server/features/connections/gateways/providers.js'
import { type AnswerReader, answerReader } from '../../server/core/egress/reader.js'
import { body as bodyOf } from '../../server/core/http/request/body.js'
import type { Route } from '../../server/core/http/route.js'
import type { Context } from '../../server/core/http/request-state.js'
import { Limits } from '../../server/core/limits/limits.js'
import { limitTable } from '../../server/core/limits/table.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { bootstrap } from '../support/actors.js'
import type { Subjects } from '../support/steps.js'

const BASE_URL = 'https://provider.example.com'
const SHA = 'a'.repeat(40)
const REPOSITORY = 'owner/name'
const LIMITS = new Limits(limitTable({ workers: 1, maxRequestBytes: 8 * 1024 * 1024 }))
const never = new AbortController().signal
/** More calls than an operation makes. */
const CALLS = 12

let opened: AnalysisPool | undefined
/** One pool for all, of the service as well: its thread has no ruleset to compile, which takes a minute in a process whose code is never optimized. */
const pool = (): AnalysisPool => (opened ??= createAnalysisPool({ workers: 1, defaultRulesetDir: null }))
const threads: Pick<AnalysisPool, 'read'> = { read: (...read) => pool().read(...read) }

/** Names of one list. V8 takes two to three times as long to parse objects of more than 1,500, in a thread whose steps are not counted. */
const NAMES = 1000
const lists = new Map<number, string>()
/** Objects with fields that nobody reads. */
function worstList(bytes: number): string {
  let list = lists.get(bytes)
  if (list === undefined) {
    const parts: string[] = []
    for (let size = 0, at = 0; size < bytes; at++) size += parts[parts.push(`{"${(at % NAMES).toString(36)}q":0}`) - 1].length + 1
    lists.set(bytes, (list = `[${parts}]`))
  }
  return list
}
const cached = new Map<string, Buffer>()
/** JSON as the sample, with as much beside it: within all limits, so that it is parsed to its end. */
function worstJson(sample: unknown, bytes: number): Buffer {
  const text = JSON.stringify(sample)
  const key = `${bytes} ${text}`
  let worst = cached.get(key)
  if (worst === undefined) {
    const more = worstList(bytes)
    if (Array.isArray(sample)) worst = Buffer.from(sample.length === 0 ? more : `[{"x":${more},${JSON.stringify(sample[0]).slice(1)},${text.slice(1)}`)
    else worst = Buffer.from(typeof sample === 'object' && sample !== null ? `{"x":${more}${text === '{}' ? '' : ','}${text.slice(1)}` : more)
    cached.set(key, worst)
  }
  return worst
}

type Schema = Readonly<Record<string, unknown>>
const TEXTS = [SHA, 'https://provider.example.com/x', '2026-01-01T00:00:00Z', '100644', 'x']
/** A value that a schema accepts. */
function sampleOf(schema: Schema): unknown {
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const choices = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined
  if (choices !== undefined) return sampleOf(choices[0])
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(Object.entries((schema.properties ?? {}) as Readonly<Record<string, Schema>>).map(([name, part]) => [name, sampleOf(part)]))
    case 'array':
      return [sampleOf(schema.items as Schema)]
    case 'string': {
      const pattern = new RegExp((schema.pattern as string | undefined) ?? '')
      return TEXTS.find((text) => pattern.test(text)) ?? ''
    }
    case 'integer':
    case 'number':
      return Math.max(1, (schema.minimum as number | undefined) ?? 1)
    case 'boolean':
      return false
    default:
      return null
  }
}

/** The other side: every call gets a short right answer, but one gets the worst of that size. */
class Script {
  /** Calls so far. */
  calls = 0
  constructor(
    readonly worstAt: number,
    readonly size: number,
    readonly status: number,
    readonly git: GitAnswers,
  ) {}

  readonly http: Pick<HttpClient, 'send' | 'open'> = {
    send: async (request) => this.#answer(request, this.#bodyFor(request.url, this.calls++ === this.worstAt)),
    open: async (request) => {
      const { status, headers, body } = this.#answer({ ...request, beyondLimit: 'cut' }, this.#bodyFor(request.url, this.calls++ === this.worstAt))
      return { status, headers, body: (async function* () { yield body })() } // biome-ignore format: one line
    },
  }

  /** A reader that knows what a short answer has to say, because it knows the schema. */
  get reader(): AnswerReader {
    const real = answerReader(threads, LIMITS, 'organization')
    const read = (schema: TSchema, body: Uint8Array): Buffer =>
      body.length <= SMALL_JSON_BYTES ? Buffer.from(JSON.stringify(sampleOf(schema as Schema))) : Buffer.from(worstJson(sampleOf(schema as Schema), this.size))
    return {
      ...real,
      json: (schema, body, options) => real.json(schema, read(schema, body), options),
      jsonWithFile: (schema, body, options) => real.jsonWithFile(schema, read(schema, body), options),
    }
  }

  #bodyFor({ pathname, search }: URL, isWorst: boolean): Buffer {
    const { git } = this
    if (pathname.endsWith('/info/refs') || search.includes('git-upload-pack')) return isWorst ? git.worstReferences : git.references
    if (pathname.endsWith('/git-upload-pack')) return isWorst ? git.worstPack : git.pack
    if (pathname.endsWith('/git-receive-pack')) return isWorst ? git.worstReport : git.report
    return isWorst ? worstJson({ id: 'x', object: 'list', data: [], has_more: false, url: BASE_URL }, this.size) : git.other
  }

  /** As the guarded client, which keeps no more than was asked for. */
  #answer({ bodyLimit, beyondLimit }: Pick<OutboundRequest, 'bodyLimit' | 'beyondLimit'>, body: Buffer): OutboundResponse {
    if (body.length > bodyLimit && beyondLimit === 'refuse') throw new OutboundError('answer_too_large')
    const isWorst = this.calls - 1 === this.worstAt
    // A list has one page.
    const headers = { 'content-type': 'application/json', 'x-total-count': '1', location: `${BASE_URL}/queue/item/1/` }
    return { status: isWorst ? this.status : 200, headers, body: Buffer.from(body.subarray(0, bodyLimit)) }
  }
}

/** What a server of Git answers. */
interface GitAnswers {
  readonly references: Buffer
  readonly worstReferences: Buffer
  readonly pack: Buffer
  readonly worstPack: Buffer
  readonly report: Buffer
  readonly worstReport: Buffer
  /** A short answer of an API. */
  readonly other: Buffer
}

const BLOB_BYTES = 4096
const BLOB = named('blob', Buffer.from('a'))
const TREE = treeObject([{ mode: '100644', name: 'a', id: BLOB.id }])
const COMMIT = commitObject({ tree: TREE.id, parent: SHA, person: { name: 'n', email: 'e' }, at: new Date(0), message: 'm' })

async function fetched(objects: readonly NamedObject[]): Promise<Buffer> {
  const pack = await writePack(objects)
  const lines = [pktLine('NAK\n')]
  for (let at = 0; at < pack.length; at += 60_000) {
    const band = Buffer.concat([Buffer.from([1]), pack.subarray(at, at + 60_000)])
    lines.push(Buffer.from((band.length + 4).toString(16).padStart(4, '0')), band)
  }
  return Buffer.concat([...lines, FLUSH])
}

const gitAnswers = new Map<number, Promise<GitAnswers>>()
/** Packs have incompressible blobs, references and reports are lines of some bytes. */
function gitOf(size: number): Promise<GitAnswers> {
  let made = gitAnswers.get(size)
  if (made === undefined) gitAnswers.set(size, (made = makeGit(size)))
  return made
}
async function makeGit(size: number): Promise<GitAnswers> {
  const begin = Buffer.concat([pktLine('# service=git-upload-pack\n'), FLUSH, pktLine(`${COMMIT.id} HEAD\0side-band-64k filter\n`), pktLine(`${COMMIT.id} refs/heads/main\n`)])
  const lines = pktLine(`${COMMIT.id} refs/tags/v1\n`)
  const blobs = Array.from({ length: Math.ceil(size / BLOB_BYTES) }, (_, at) => named('blob', createHash('shake256', { outputLength: BLOB_BYTES }).update(String(at)).digest()))
  const empty = Buffer.alloc(size, '0005\x02')
  return {
    references: Buffer.concat([begin, FLUSH]),
    worstReferences: Buffer.concat([begin, ...Array<Buffer>(Math.ceil(size / lines.length)).fill(lines), FLUSH]),
    pack: await fetched([COMMIT, TREE, BLOB]),
    worstPack: await fetched([COMMIT, TREE, BLOB, ...blobs]),
    report: Buffer.concat([pktLine('unpack ok\n'), pktLine('ok refs/heads/main\n'), FLUSH]),
    worstReport: Buffer.concat([empty.subarray(0, empty.length - (empty.length % 5)), pktLine('unpack ok\n'), pktLine('ok refs/heads/main\n'), FLUSH]),
    other: Buffer.from(JSON.stringify({ id: 'x', object: 'list', data: [], has_more: false, url: BASE_URL })),
  }
}

/** Runs an operation once for each of its calls, which gets the worst answer, as a success and as an error. */
function operation(run: (script: Script) => Promise<unknown>): (size: number) => Promise<void> {
  return async (size) => {
    const git = await gitOf(size)
    for (let worstAt = 0; worstAt < CALLS; worstAt++) {
      let calls = 0
      // All calls of a gateway read an error in the same way.
      for (const status of worstAt === 0 ? [422, 200] : [200]) {
        const script = new Script(worstAt, size, status, git)
        await run(script).catch((error: unknown) => {
          const isExpected = error instanceof ApiError || error instanceof AiProviderError || error instanceof OutboundError
          if (!isExpected) throw error
        })
        calls = script.calls
      }
      if (calls <= worstAt) break
    }
  }
}

type Operations<Gateway> = { readonly [Operation in keyof Gateway]-?: ((gateway: Gateway) => Promise<unknown>) | null }

const FILE = { path: 'a', kind: 'file', blobSha: BLOB.id, size: null } as const
const NEW = { branch: 'main', parentSha: COMMIT.id, createsBranch: false, message: 'm', changes: [{ path: 'b', content: Buffer.from('b'), blobSha: null }] } as const
const GIT: Operations<GitGateway> = {
  listRepositories: (gateway) => gateway.listRepositories(never),
  listBranches: (gateway) => gateway.listBranches(REPOSITORY, never),
  getBranch: (gateway) => gateway.getBranch(REPOSITORY, 'main', never),
  listFiles: (gateway) => gateway.listFiles(REPOSITORY, COMMIT.id, never),
  readFile: (gateway) => gateway.readFile(REPOSITORY, COMMIT.id, FILE, never),
  listCommits: (gateway) => gateway.listCommits(REPOSITORY, 'main', 1, never),
  commit: async (gateway) => gateway.commit(REPOSITORY, { ...NEW, parentSha: (await gateway.getBranch(REPOSITORY, 'main', never)).commitSha }, never),
  // Below.
  reviews: null,
}
const BRANCHES = { sourceBranch: SHA, targetBranch: SHA }
const REVIEWS: Operations<ReviewGateway> = {
  findOpenReview: (reviews) => reviews.findOpenReview(REPOSITORY, BRANCHES, never),
  getReview: (reviews) => reviews.getReview(REPOSITORY, 1, never),
  openReview: (reviews) => reviews.openReview(REPOSITORY, { ...BRANCHES, title: 't', body: 'b' }, never),
  updateReview: (reviews) => reviews.updateReview(REPOSITORY, 1, { title: 't', body: 'b' }, never),
  setStatus: (reviews) => reviews.setStatus(REPOSITORY, SHA, { state: 'success', context: 'c', description: 'd', url: null }, never),
  setComment: (reviews) => reviews.setComment(REPOSITORY, 1, SHA, SHA, never),
}
const CI: Operations<CiGateway> = {
  test: (gateway) => gateway.test(never),
  start: (gateway) => gateway.start({ project: REPOSITORY, workflow: 'w', branch: null, inputs: {} }, never),
  get: (gateway) => gateway.get('1', never),
  cancel: async (gateway) => gateway.cancel?.('1', never),
}
const AI: Operations<AiGateway> = {
  stream: async (gateway) => {
    for await (const _ of gateway.stream({ messages: [{ role: 'user', content: 'q' }], maxTokens: 1, signal: never }));
  },
  embed: (gateway) => gateway.embed(['text'], never),
  ping: (gateway) => gateway.ping(never),
}
const CHECKOUT = {
  organizationId: 'o',
  organizationName: 'O',
  email: 'a@example.com',
  customerId: null,
  planId: 'team',
  interval: 'month',
  seats: 1,
  successUrl: `${BASE_URL}/s`,
  cancelUrl: `${BASE_URL}/c`,
} as const
const BILLING: Operations<BillingGateway> = {
  provider: null,
  status: null,
  // These two read the body of the webhook route, which has a row of its own below.
  verifyEvent: null,
  readEvent: null,
  checkout: (gateway) => gateway.checkout(CHECKOUT),
  portal: (gateway) => gateway.portal({ organizationId: 'o', customerId: 'cus_1', returnUrl: BASE_URL }),
  subscription: (gateway) => gateway.subscription('sub_1'),
  subscriptions: (gateway) => gateway.subscriptions(null),
  cancel: (gateway) => gateway.cancel('sub_1'),
}
const ENDPOINTS: Readonly<Record<OidcEndpoint, true>> = { discovery: true, authorization: true, token: true, jwks: true, userinfo: true }

/** Names and runs of a table's operations. */
function rowsOf<Gateway>(name: string, table: Operations<Gateway>, open: (script: Script) => Gateway | Promise<Gateway>): [string, (size: number) => Promise<void>][] {
  return Object.entries<((gateway: Gateway) => Promise<unknown>) | null>(table).flatMap(([of, run]) =>
    run === null ? [] : [[`${name}: ${of}`, operation(async (script) => run(await open(script)))] as [string, (size: number) => Promise<void>]],
  )
}

const partsOf = ({ http, reader }: Script) => ({ http, reader, clock: Date.now })
const connectionOf = (credentials: ProviderCredentials) => ({ baseUrl: BASE_URL, organization: null, credentials })
const TOKEN = connectionOf({ kind: 'token', token: 'token' })
const SECRET = 'whsec_of_this_test'
const AN_ORGANIZATION = 'organization'

const stripeOf = ({ http, reader }: Script): BillingGateway =>
  new StripeGateway({
    http,
    reader,
    log: { warn: () => undefined },
    clock: Date.now,
    secretKey: 'sk_test_1',
    publishableKey: null,
    webhookSecret: SECRET,
    prices: MOCK_PRICES,
    url: BASE_URL,
    // The library tries again what it can't read.
    times: { callMs: 60_000, operationMs: 300 },
  })
const openAiOf = ({ http, reader }: Script): AiGateway => new OpenAiGateway({ baseUrl: BASE_URL, apiKey: null, model: 'm', embeddingModel: 'e' }, { http, reader })

/** Deliveries with the right signature. What is larger than a delivery may be is refused unread (`body`). */
function webhookRows(): [string, (size: number) => Promise<void>][] {
  const reader = answerReader(threads, LIMITS, AN_ORGANIZATION)
  const headers: Readonly<Record<string, string>> = { 'x-gitea-event': 'push', 'x-github-event': 'push', 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': SECRET }
  const sent = { ref: 'refs/heads/main', after: SHA, deleted: false, repository: { full_name: REPOSITORY }, project: { path_with_namespace: REPOSITORY } }
  return PROVIDERS.git.flatMap((provider) => {
    const webhooks = webhooksOf(provider)
    if (webhooks === null) return []
    const run = async (size: number): Promise<void> => {
      const body = worstJson(sent, Math.min(size, DELIVERY_BYTES))
      const event = await webhooks.parse({ header: (name) => headers[name], body }, reader)
      assert.equal(event?.kind, 'push')
    }
    return [[`webhooks: ${provider}`, run] as [string, (size: number) => Promise<void>]]
  })
}

async function billingEvent(size: number): Promise<void> {
  const reader = answerReader(threads, LIMITS, null)
  const event = { id: 'evt_1', type: 'invoice.paid', created: 1, data: { object: { subscription: 'sub_1' } } }
  const found = await readEvent(worstJson(event, Math.min(size, EVENT_BYTES)), { reader, prices: MOCK_PRICES, isOrderCertain: true })
  assert.equal(found?.subscriptionId, 'sub_1')
}

/** Hashing is the one thing that an event loop does with a whole delivery: a millisecond for the largest. */
async function signatures(size: number): Promise<void> {
  const body = worstJson({}, size).subarray(0, Math.min(size, EVENT_BYTES))
  checkSignature(body, signatureOf(body, SECRET, 0), SECRET, 0)
  const headers: Readonly<Record<string, string>> = { 'x-gitea-signature': createHmac('sha256', SECRET).update(body).digest('hex') }
  assert.ok(webhooksOf('gitea')?.isAuthentic({ header: (name) => headers[name], body }, SECRET))
}

/** Routes whose body is no JSON that `body` reads. Each has a row here, or none is needed. */
const OTHER_ROUTES: Readonly<Record<string, string>> = {
  'git-webhooks.accept': 'webhooks',
  'billing.accept-event': 'events of the payment gateway',
  'analysis.validate': 'analysis: validate',
  'rulesets.compile': 'analysis: validate, under another name',
  'analysis.run-logtest': 'analysis: logtest',
  'analysis.run-full-logtest': 'analysis: logtest, under another name',
  'analysis.run-logtest-batch': 'analysis: batch',
  'corpora.update': 'bytes are not read, but compressed and encrypted in chunks of 256 KB',
  'saml.accept': 'the body is not read',
}

let app: Promise<{ readonly app: TestApp; readonly send: (path: string, type: string, body: Buffer) => Promise<number> }> | undefined
function service() {
  app ??= (async () => {
    const started = await startTestApp({ pool: pool() })
    const admin = await bootstrap(started.client)
    const send = async (path: string, type: string, body: Buffer): Promise<number> =>
      (await admin.client.post(path, undefined, { raw: body, headers: { 'Content-Type': type } })).status
    return { app: started, send }
  })()
  return app
}

/** Every route that takes JSON, with a body within all limits of JSON, which its schema refuses after it was parsed. */
async function routeBodies(size: number): Promise<void> {
  const { routes } = (await service()).app.service
  const others: string[] = []
  for (const route of routes) {
    if (route.body === undefined || isScim(route)) continue
    // Each of them comes with a turn of the loop of its own.
    await new Promise(setImmediate)
    if (route.body.as === 'json') await readBody(route, size)
    else others.push(route.id)
  }
  assert.deepEqual(others.sort(), Object.keys(OTHER_ROUTES).sort())
}

/** Bodies of SCIM may have any member, so that all of it comes back from the thread, in pieces. Every one of its routes reads its body as this one does. */
async function scimBody(size: number): Promise<void> {
  const { routes } = (await service()).app.service
  await readBody(routes.find(({ id }) => id === 'scim-users.create') ?? assert.fail(), size)
}

const isScim = ({ path }: Route): boolean => path.startsWith('/scim/')

async function readBody(route: Route, size: number): Promise<void> {
  const bytes = Buffer.from(worstJson({}, size))
  const type = (route.body?.as === 'json' ? route.body.mediaTypes?.[0] : undefined) ?? 'application/json'
  const req = { headers: { 'content-length': String(bytes.length), 'content-type': type }, complete: true, readableFlowing: null, readableLength: bytes.length, read: () => bytes }
  const state = { caller: null, address: '127.0.0.1', locale: 'en-US', headers: {}, signal: never, onEnd: (release: () => void) => release() }
  const middleware = bodyOf(route, { maxBytes: 8 * 1024 * 1024, idleMs: 1000, totalMs: 1000 }, LIMITS, threads)
  await Promise.resolve(middleware({ req, res: {}, state, querystring: '' } as unknown as Parameters<typeof middleware>[0] & Context, async () => undefined)).catch(
    (error: unknown) => {
      if (!(error instanceof ApiError)) throw error
    },
  )
}

const JSON_TYPE = 'application/json'
const analysis = (path: string, type: string) => async (size: number) => {
  const { send } = await service()
  assert.ok((await send(`/analysis/${path}`, type, worstJson({}, size))) >= 400)
}

/** Over a connection, which hands on a body in parts. */
export const SENT: Subjects = {
  'analysis: validate': analysis('validate', JSON_TYPE),
  'analysis: logtest': analysis('logtest-native', JSON_TYPE),
  'analysis: batch': analysis('logtest-batch', 'application/x-ndjson'),
}

export const SUBJECTS: Subjects = {
  ...Object.fromEntries(PROVIDERS.git.flatMap((provider) => rowsOf(provider, GIT, (script) => openGit(provider, TOKEN, partsOf(script))))),
  ...Object.fromEntries(
    (['github', 'gitlab', 'gitea'] as const).flatMap((provider) => rowsOf(provider, REVIEWS, async (script) => (await openGit(provider, TOKEN, partsOf(script))).reviews!)),
  ),
  ...Object.fromEntries(
    PROVIDERS.ci.flatMap((provider) => {
      const connection = provider === 'jenkins' ? connectionOf({ kind: 'password', username: 'u', password: 'p' }) : TOKEN
      return rowsOf(provider, CI, (script) => openCi(provider, { ...connection, project: REPOSITORY, workflow: 'w' }, partsOf(script)))
    }),
  ),
  ...Object.fromEntries(rowsOf('openai', AI, openAiOf)),
  ...Object.fromEntries(rowsOf('stripe', BILLING, stripeOf)),
  ...Object.fromEntries(
    (Object.keys(ENDPOINTS) as OidcEndpoint[]).map((endpoint) => [
      `oidc: ${endpoint}`,
      operation(async ({ http }) => new OidcTransport(http).getJson(new URL(BASE_URL), endpoint)),
    ]),
  ),
  ...Object.fromEntries(webhookRows()),
  'events of the payment gateway': billingEvent,
  'bodies of all routes but those of SCIM': routeBodies,
  'bodies of SCIM': scimBody,
  signatures,
  ...SENT,
}
