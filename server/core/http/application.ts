/**
 * The HTTP application: routers, and a chain of middlewares for each route. A chain contains only what its route needs. The order:
 *
 *     beginRequest → accessLog → errorResponse → requestHead → bodyLimit → probes → analysis → pages → formPages → other routes
 *                                                                             └──────────────┬──────────────────────────┘
 *     timeout → params → rateLimitUnauthenticated → authenticate → csrf → rateLimit → requestQuota → authorize → acquireRequest → readOnlyOverLimit → visits → planUnits → ifMatch →
 *     negotiate → body → acquireSlot → handle
 *
 * Cheap checks run first, and the body is read only after the caller is known to be allowed to send it.
 */
import type { RequestListener } from 'node:http'
import type { AnalysisPool } from '#workers'
import Koa from 'koa'
import type { Authenticate } from '../auth/credentials.js'
import type { Config } from '../config.js'
import { ApiError } from '../errors.js'
import type { Health } from '../observability/health.js'
import { Limits, type Permit } from '../limits/limits.js'
import type { Locale } from '../i18n/locale.js'
import { limitTable } from '../limits/table.js'
import type { Log } from '../observability/log.js'
import { Metrics } from '../observability/metrics.js'
import type { Storage } from '../storage/contract.js'
import { Counters } from '../tenancy/counters.js'
import type { Quotas } from '../tenancy/quotas.js'
import type { Tenancy } from '../tenancy/scope.js'
import { accessLog } from './access-log.js'
import { authenticate, authenticateOptionally, authorize, type ProjectPermissions } from './identity/access.js'
import { AnswerCheck } from './response/answer-check.js'
import { bodyLimit } from './request/body-limit.js'
import { body } from './request/body.js'
import { acquireRequest, acquireSlot } from './limits/concurrency.js'
import { csrf } from './identity/csrf.js'
import type { RecordVisit } from './identity/visits.js'
import { answerError, errorResponse, type FindErrorForm } from './response/error-response.js'
import { ifMatch } from './request/etag.js'
import { type Context, type Middleware, RequestState } from './request-state.js'
import { type FormPage, formPages } from './pages/form-pages.js'
import { handle } from './handle.js'
import { Idempotency } from './response/idempotency.js'
import { InFlight } from './limits/in-flight.js'
import { negotiate, pagePreference } from './request/media-type.js'
import { addressKey, isTrustedProxy, socketAddress } from './connection/forwarded.js'
import { params } from './request/params.js'
import { probes } from './probes.js'
import { RateLimiter, rateLimit, rateLimitUnauthenticated } from './limits/rate-limit.js'
import { BODY_IDLE_MS, BODY_TOTAL_MS } from './request/read-body.js'
import { type RequestOverLimit, readOnlyOverLimit } from './limits/over-limit.js'
import { planUnits, requestQuota } from './limits/request-quota.js'
import { requestHead } from './request/request-head.js'
import { beginRequest } from './request-id.js'
import type { Route } from './route.js'
import { byMethod, routed } from './router.js'
import { HANDLER_TIMEOUT_MS, timeout } from './limits/timeout.js'

export const API_PREFIX = '/api/v1'
/** Paths of logtests, batches and compilations. */
const ANALYSIS = /^\/(?:analysis|rulesets)\//

/** Times that tests shorten. */
export interface ApplicationTimes {
  readonly handlerTimeoutMs: number
  readonly bodyIdleMs: number
  readonly bodyTotalMs: number
}

export interface ApplicationOptions {
  readonly config: Pick<
    Config,
    | 'apiPublicBaseUrl'
    | 'publicBaseUrl'
    | 'defaultLocale'
    | 'trustedProxies'
    | 'maxRequestBytes'
    | 'rateLimitEnabled'
    | 'rateLimitPerMinute'
    | 'rateLimitPerHour'
    | 'metricsToken'
    | 'workers'
  >
  readonly routes: readonly Route[]
  readonly authenticate: Authenticate
  /** Default: users have no roles in projects. */
  readonly projectPermissions?: ProjectPermissions
  /** Default: visits of platform admins are not recorded. */
  readonly recordVisit?: RecordVisit
  readonly tenancy: Pick<Tenancy, 'of'>
  /** Default: requests do not count against a plan. */
  readonly quotas?: Pick<Quotas, 'request' | 'usage'>
  /** Default: nothing is over the limits of a plan. */
  readonly overLimit?: RequestOverLimit
  /** Its collections `COUNTERS` and `IDEMPOTENCY_KEYS` are prepared. */
  readonly storage: Pick<Storage, 'open' | 'windows'>
  readonly log: Log
  /** Default: a new registry that is not exposed. */
  readonly metrics?: Metrics
  /** Reads what `/metrics` responds. Default: `metrics`. */
  readonly metricsPage?: Pick<Metrics, 'read'>
  /** Default: always ready. */
  readonly health?: Health
  /** Serves the pages of the interface document, beside the routes. Default: none. */
  readonly pages?: Middleware
  /** Pages with forms, which are not part of the interface. Default: none. */
  readonly formPages?: readonly FormPage[]
  /** Files for browsers, by their paths. They answer GET and HEAD, and are not part of the interface. Default: none. */
  readonly files?: ReadonlyMap<string, Middleware>
  /** Checks every response against the declaration of its route. */
  readonly checkResponses?: boolean
  /** Milliseconds since 1970. */
  readonly clock?: () => number
  readonly times?: Partial<ApplicationTimes>
  /** Default: the limits of the table. */
  readonly limits?: Limits
  /** Its threads parse large bodies. */
  readonly pool: Pick<AnalysisPool, 'read'>
}

export interface Application {
  /** The argument of `createHttpServer`. */
  readonly listener: RequestListener
  /** Language of refusals of requests that cannot be read. */
  readonly defaultLocale: Locale
  /** The requests that are being answered; `drain` waits for them. */
  readonly inFlight: InFlight
  /** Counts a connection of the address until the returned permit is released. @throws ApiError limit_reached */
  connected(address: string): Permit | null
}

export function createApplication(options: ApplicationOptions): Application {
  const { config, log, metrics = new Metrics({ process: false }), health = null } = options
  const limits = options.limits ?? new Limits(limitTable(config))
  const inFlight = new InFlight()
  const formOf = errorForms(options.routes)
  metrics.reportInFlight(() => inFlight.count)
  const isPublicSecure = config.publicBaseUrl?.startsWith('https:') ?? false
  const [analysis, others] = routers(options, metrics, limits, inFlight)
  const chain: Middleware[] = [
    beginRequest({ trustedProxies: config.trustedProxies, tenancy: options.tenancy, defaultLocale: config.defaultLocale, isPublicSecure }),
    inFlight.middleware,
    accessLog(log.access, metrics),
    errorResponse(log, formOf),
    requestHead,
    bodyLimit(config.maxRequestBytes),
    // The short path: a logtest takes 50 µs of the event loop, of which finding its route among all 169 paths would be 7. Here it tries one expression, which takes 2.
    analysis,
    probes({ health, metrics: options.metricsPage ?? metrics, metricsToken: config.metricsToken }),
  ]
  if (options.files !== undefined) chain.push(fileTable(options.files))
  if (options.pages !== undefined) chain.push(options.pages)
  if (options.formPages !== undefined) {
    const { trustedProxies, publicBaseUrl, apiPublicBaseUrl } = config
    const { handlerTimeoutMs: timeoutMs, bodyIdleMs: idleMs, bodyTotalMs: totalMs } = timesOf(options)
    chain.push(formPages({ pages: options.formPages, addresses: [publicBaseUrl, apiPublicBaseUrl], trustedProxies, bodyLimits: { idleMs, totalMs }, timeoutMs, limits, log }))
  }
  chain.push(
    others,
    // Last: no route has the path.
    () => {
      throw new ApiError('route_missing')
    },
  )
  const koa = new Koa<RequestState>()
  const run = chained(chain)
  // `errorResponse` answers errors. These are thrown before it, or while it answers.
  const onUnanswered = (ctx: Context, error: unknown): void => {
    if (!ctx.res.headersSent && !ctx.res.destroyed && !ctx.req.socket.destroyed && ctx.state instanceof RequestState) answerError(ctx, error, log, formOf)
    else ctx.res.destroy()
  }
  return {
    defaultLocale: config.defaultLocale,
    // Koa creates the context only. Its `callback` adds listeners to each request, which cost a tenth of a logtest, and would write responses of its own.
    listener: (req, res) => {
      const ctx = koa.createContext<RequestState>(req, res) as Context
      run(ctx).catch((error: unknown) => onUnanswered(ctx, error))
    },
    inFlight,
    connected(address) {
      const known = socketAddress(address)
      return isTrustedProxy(known, config.trustedProxies) ? null : limits.acquire('connections', { address: addressKey(known) })
    },
  }
}

/** Returns the function that finds the form of refusals for a path; null: that of the contract. */
function errorForms(routes: readonly Route[]): FindErrorForm {
  const forms = [...new Set(routes.flatMap(({ errorForm }) => errorForm ?? []))].map((form) => ({ form, prefix: `${API_PREFIX}${form.below}` }))
  return (path) => forms.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))?.form ?? null
}

/** Finds a file by the path as it was sent. */
function fileTable(files: ReadonlyMap<string, Middleware>): Middleware {
  const known = new Map(Array.from(files, ([path, file]) => [path, byMethod(new Map([['GET', file]]))]))
  return (ctx, next) => {
    const file = known.get(ctx.path)
    if (file === undefined) return next()
    ctx.state.routePath = ctx.path
    return file(ctx, next)
  }
}

function timesOf({ times = {} }: ApplicationOptions): ApplicationTimes {
  return { handlerTimeoutMs: HANDLER_TIMEOUT_MS, bodyIdleMs: BODY_IDLE_MS, bodyTotalMs: BODY_TOTAL_MS, ...times }
}

const NO_PROJECT_ROLES: ProjectPermissions = () => Promise.resolve(null)

type Run = (ctx: Context) => Promise<unknown>

/** Composes middlewares into one function. A synchronous exception becomes a rejection. */
function chained(chain: readonly Middleware[]): Run {
  return chain.reduceRight<Run>(
    (following, middleware) => (ctx) => {
      try {
        return Promise.resolve(middleware(ctx as Parameters<Middleware>[0], () => following(ctx)))
      } catch (error) {
        return Promise.reject(error)
      }
    },
    () => Promise.resolve(),
  )
}

/** The routes of analysis, and the others. @throws TypeError when two routes have the same path and method, or the same id */
function routers(options: ApplicationOptions, metrics: Metrics, limits: Limits, inFlight: InFlight): readonly [analysis: Middleware, others: Middleware] {
  const { config, storage, tenancy, quotas, log, clock = Date.now } = options
  const limiter = config.rateLimitEnabled
    ? new RateLimiter(new Counters(storage, clock), { perMinute: config.rateLimitPerMinute, perHour: config.rateLimitPerHour }, metrics, clock)
    : null
  const idempotency = new Idempotency(storage, log, clock)
  const check = options.checkResponses === true ? new AnswerCheck(log) : null
  const { handlerTimeoutMs, bodyIdleMs, bodyTotalMs } = timesOf(options)
  const bodyLimits = { maxBytes: config.maxRequestBytes, idleMs: bodyIdleMs, totalMs: bodyTotalMs }
  const fromThisSite = csrf(config.publicBaseUrl, config.trustedProxies)
  const analysis = new Map<string, Map<string, Middleware>>()
  const others = new Map<string, Map<string, Middleware>>()
  const ids = new Set<string>()
  for (const route of options.routes) {
    if (ids.has(route.id)) throw new TypeError(`two routes have the id ${route.id}`)
    ids.add(route.id)
    const timeoutMs = route.timeoutMs === undefined ? handlerTimeoutMs : route.timeoutMs
    const chain: Middleware[] = route.refusalPage === undefined ? [] : [pagePreference]
    if (timeoutMs !== null) chain.push(timeout(timeoutMs))
    if (route.path.includes('{')) chain.push(params(route))
    const limited = limiter !== null && route.rateLimit !== undefined ? { limiter, key: route.rateLimit } : null
    if (route.access.kind !== 'public') {
      if (limited !== null) chain.push(rateLimitUnauthenticated(limited.limiter, limited.key))
      chain.push(route.access.kind === 'optional_session' ? authenticateOptionally(options.authenticate, fromThisSite) : authenticate(route, options.authenticate, fromThisSite))
    }
    if (limited !== null) chain.push(rateLimit(limited.limiter, limited.key))
    const counted = quotas === undefined ? null : requestQuota(route, quotas, tenancy)
    if (counted !== null) chain.push(counted)
    if (route.access.kind !== 'public' && route.access.kind !== 'optional_session')
      chain.push(authorize(route, options.projectPermissions ?? NO_PROJECT_ROLES, options.recordVisit))
    chain.push(acquireRequest(route, limits))
    const readOnly = options.overLimit === undefined ? null : readOnlyOverLimit(route, options.overLimit)
    if (readOnly !== null) chain.push(readOnly)
    const units = quotas === undefined ? null : planUnits(route, quotas)
    if (units !== null) chain.push(units)
    if (route.ifMatch !== undefined && route.ifMatch !== false) chain.push(ifMatch(route.ifMatch === 'weak' ? 'weak' : 'strong'))
    const negotiation = negotiate(route)
    if (negotiation !== null) chain.push(negotiation)
    chain.push(body(route, bodyLimits, limits, options.pool))
    const acquire = acquireSlot(route, limits)
    if (acquire !== null) chain.push(acquire)
    chain.push(
      handle(route, {
        baseUrl: config.apiPublicBaseUrl,
        prefix: API_PREFIX,
        idempotency,
        leaseMs: timeoutMs ?? handlerTimeoutMs,
        check,
        limits,
      }),
    )
    const run = chained(chain)
    const path = `${API_PREFIX}${route.path}`
    const paths = ANALYSIS.test(route.path) ? analysis : others
    const methods = paths.get(path) ?? new Map<string, Middleware>()
    if (methods.has(route.method)) throw new TypeError(`${route.method} ${path} is a route already`)
    methods.set(route.method, (ctx) => {
      const { state } = ctx
      state.route = route
      state.routePath = path
      state.params = ctx.params
      // Endless responses are ended at shutdown; a new one would be cut.
      if (inFlight.isStopping && route.endless === true) throw new ApiError('shutting_down')
      return run(ctx)
    })
    paths.set(path, methods)
  }
  const mounted = (paths: typeof analysis): Middleware => routed(new Map(Array.from(paths, ([path, methods]) => [path, byMethod(methods)])), API_PREFIX)
  return [mounted(analysis), mounted(others)]
}
