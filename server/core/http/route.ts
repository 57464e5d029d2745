/**
 * `defineRoute`: one declaration per route. The router, validation, types of the handler, limits and the OpenAPI document are derived
 * from it. Access is a required field: a route without it does not compile.
 */
import type { Readable } from 'node:stream'
import type { Static, TObject, TSchema } from 'typebox'
import type { IfMatch } from '../etag.js'
import type { CookieChange } from '../auth/cookies.js'
import type { Principal, ScimPrincipal, UserPrincipal } from '../auth/principal.js'
import type { ApiError, ErrorReason } from '../errors.js'
import type { Locale } from '../i18n/locale.js'
import type { GrowingPermit } from '../limits/limits.js'
import type { Load } from '../limits/loads.js'
import type { Permission } from '../tenancy/permissions.js'
import type { Scope } from '../tenancy/scope.js'
import type { UsageMetric } from '../tenancy/usage.js'
import type { ChunkedBody } from './text/chunked-body.js'

/** Default media type of bodies and responses. */
export const JSON_MEDIA_TYPE = 'application/json'

/** Who may call. */
export type Access =
  /** Anyone, without a credential. */
  | { readonly kind: 'public' }
  /** Anyone; the principal is the user whose session the request has. Other credentials and invalid sessions are ignored. */
  | { readonly kind: 'optional_session' }
  /** Any valid credential. */
  | { readonly kind: 'credential' }
  /** A user's session, in any organization; API keys are answered 401. */
  | { readonly kind: 'user' }
  /** A user's session in an organization of which the user is a member; API keys are answered 401. */
  | { readonly kind: 'session' }
  /** A session whose role, or an API key whose scope, has the permission in the organization; with `inProject` also a role in the project of the path. */
  | { readonly kind: 'permission'; readonly permission: Permission; readonly inProject?: true }
  /** A token of `scim-tokens`, for the organization that created it. */
  | { readonly kind: 'scim' }
  /** A platform admin's session. */
  | { readonly kind: 'platform_admin' }

export const PUBLIC = { kind: 'public' } as const
export const OPTIONAL_SESSION = { kind: 'optional_session' } as const
export const CREDENTIAL = { kind: 'credential' } as const
export const USER = { kind: 'user' } as const
export const SESSION = { kind: 'session' } as const
export const SCIM = { kind: 'scim' } as const
export const PLATFORM_ADMIN = { kind: 'platform_admin' } as const
export const permission = <const P extends Permission>(permission: P) => ({ kind: 'permission', permission }) as const
/** A role in the project adds to the role in the organization and never restricts it (CONTRACT.md#roles). The path contains `{project_id}`. */
export const projectPermission = <const P extends Permission>(permission: P) => ({ kind: 'permission', permission, inProject: true }) as const

interface Principals {
  readonly public: null
  readonly optional_session: UserPrincipal | null
  readonly credential: Principal
  readonly user: UserPrincipal
  readonly session: UserPrincipal
  readonly permission: Principal
  readonly scim: ScimPrincipal
  readonly platform_admin: UserPrincipal
}
type PrincipalFor<A extends Access> = Principals[A['kind']]
type ScopeFor<A extends Access> = A['kind'] extends 'session' | 'permission' | 'scim' ? Scope : null

/** Keys of rate limits (CONTRACT.md#limits). */
const RATE_LIMIT_KEYS = ['auth.login', 'auth.register', 'analysis.validate', 'analysis.logtest', 'webhook.test'] as const
export type RateLimitKey = (typeof RATE_LIMIT_KEYS)[number]

/** How a body is read. */
export type BodyDeclaration =
  /**
   * Parsed and validated before the handler runs. At most `maxBytes`; default: `PLAIN_BODY_BYTES`, or the maximum that the schema allows if that is more.
   * `anyName`: field names may be data, including names that are special to JavaScript (`__proto__`). `mediaTypes`: default application/json alone.
   */
  | { readonly as: 'json'; readonly schema: TSchema; readonly anyName?: true; readonly mediaTypes?: readonly [string, ...string[]]; readonly maxBytes?: number }
  /** Passed as bytes, at most `maxBytes`; default: `MAX_REQUEST_BYTES`. Its parser validates it against the schema. */
  | { readonly as: 'bytes'; readonly schema: TSchema; readonly mediaType: string; readonly maxBytes?: number }
  /** Passed as a stream that fails above `MAX_REQUEST_BYTES`. The schema describes one line. `isEncodable`: it may be compressed, and is counted as it was before. */
  | { readonly as: 'stream'; readonly schema: TSchema; readonly mediaType: string; readonly isEncodable?: true }
  /** Neither the body nor the query is read: the answer does not depend on them. The schema describes what callers usually send. */
  | { readonly as: 'ignored'; readonly schema: TSchema; readonly mediaType: string }

type BodyOf<B extends BodyDeclaration | undefined> = B extends { as: 'json'; schema: infer S extends TSchema }
  ? Static<S>
  : B extends { as: 'bytes' }
    ? Uint8Array
    : B extends { as: 'stream' }
      ? Readable
      : undefined

/** Declares a response. `schema` null: the response has no body. */
export interface ResponseDeclaration {
  readonly description: string
  readonly schema: TSchema | null
  /** Default application/json. */
  readonly mediaType?: string
  /** Examples by name, shown in the interface document; a test checks that they are valid. */
  readonly examples?: Readonly<Record<string, unknown>>
  /** The same content in other media types, which `Accept` can select. */
  readonly alternatives?: readonly AlternativeDeclaration[]
  /** A stream is compressed if `Accept-Encoding` says so. */
  readonly isEncodable?: true
  /** A caller that accepts none of these types is answered 406. Default: it gets the default type. */
  readonly isStrict?: true
}

export interface AlternativeDeclaration {
  readonly mediaType: string
  readonly schema: TSchema
  readonly examples: Readonly<Record<string, unknown>>
}

/** The format of refusals below a path, where a protocol defines its own. */
export interface ErrorForm {
  /** Path below `/api/v1`. Every refusal below it has this form, also where there is no route. */
  readonly below: string
  readonly mediaType: string
  readonly schema: TSchema
  /** Converts an error of the protocol to a refusal; returns another error unchanged. */
  convert(error: unknown): unknown
  present(refusal: ApiError, locale: Locale): { readonly status: number; readonly body: object }
}

export interface RouteRequest<P, Q, B, A extends Access = Access> {
  readonly params: P
  readonly query: Q
  readonly body: B
  readonly principal: PrincipalFor<A>
  /** Access to the organization's documents; null: the route has no organization. */
  readonly scope: ScopeFor<A>
  readonly locale: Locale
  readonly requestId: string
  /** The caller's address, from the headers of trusted proxies if there are any. */
  readonly address: string
  /** `User-Agent` as received, any text. */
  readonly client: string | undefined
  /** Whether the caller uses TLS, from the headers of trusted proxies if there are any. */
  readonly isSecure: boolean
  /** Aborted when the caller has disconnected or the request has timed out. */
  readonly signal: AbortSignal
  /** The tags of `If-Match`, if the route declares `ifMatch`. */
  readonly ifMatch: IfMatch
  /** Media type of the response, without parameters: selected by `Accept` among those that the route's 200 declares. */
  readonly mediaType: string
  header(name: string): string | undefined
  /** Whether `Accept` prefers a page to JSON, if the route declares `refusalPage`. */
  readonly prefersPage: boolean
  /** Sets a cookie with the response, also if it is a refusal. */
  setCookie(cookie: CookieChange): void
  /** Sends headers with the response, also if it is a refusal. */
  setHeaders(headers: Readonly<Record<string, string>>): void
  /** Counts the bytes that a handler keeps of a streamed body. Null: the body is not streamed. */
  readonly held: GrowingPermit | null
  /** Calls `release` once, when the operating system has the response or the caller has disconnected. @returns a function that calls it now */
  onEnd(release: () => void): () => void
}

/** The page of a refusal, for a route that browsers open. */
export type RefusalPage = (
  refusal: ApiError,
  context: { readonly locale: Locale; readonly requestId: string },
) => {
  readonly document: string
  /** `Content-Security-Policy` */
  readonly policy: string
}

/** The response of a handler. */
export interface RouteResponse<Body> {
  /**
   * A refusal that is a result, because it has changed something: it is answered like others, and stored for an `Idempotency-Key`. Others are thrown, and have
   * changed nothing. With it nothing else of this.
   */
  readonly refusal?: ApiError
  /** Default 200. */
  readonly status?: number
  /** Bytes are sent as they are, a stream with back-pressure; other values become JSON. Undefined: no body. */
  readonly body?: Body | Uint8Array | ChunkedBody | Readable
  /** One of the types that the status declares; default: the one that `Accept` selected. */
  readonly mediaType?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: readonly CookieChange[]
  /** Without quotes; sent as `ETag`, and `If-None-Match` is answered 304. Set if and only if the route declares `etag`. */
  readonly etag?: string
  /** Number of records of a list in all pages, for `X-Total-Count` and `Link`. */
  readonly total?: number
}

/** A deeply read-only type: handlers may return immutable arrays and records. */
type Unchanged<T> = T extends readonly (infer Entry)[] ? readonly Unchanged<Entry>[] : T extends object ? { readonly [K in keyof T]: Unchanged<T[K]> } : T

type ResponseBody<R extends Readonly<Record<number, ResponseDeclaration>>> = {
  [S in keyof R]: R[S] extends { readonly schema: infer T } ? (T extends TSchema ? Unchanged<Static<T>> : undefined) : never
}[keyof R]

/** A route without its tag, which the routes of a file share. */
interface UntaggedRoute<A extends Access, P extends TObject, Q extends TObject, B extends BodyDeclaration | undefined, R extends Readonly<Record<number, ResponseDeclaration>>> {
  /** `resource.verb`; the operationId. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Path below `/api/v1`; parameters in braces. `{organization_id}` is the organization of the request. */
  readonly path: string
  /** One line, in the imperative. */
  readonly summary: string
  /** Markdown: what the operation does, with its side effects. */
  readonly description: string
  readonly access: A
  readonly rateLimit?: RateLimitKey
  /** The handler enforces a limit of its own, and sends the headers of rate limits. */
  readonly ownRateLimit?: boolean
  readonly params?: P
  /** Unknown parameters are refused. Lists use `listQuery`. */
  readonly query?: Q
  readonly body?: B
  /** Examples of bodies, by name. */
  readonly bodyExamples?: Readonly<Record<string, unknown>>
  readonly responses: R
  /** Refusals in addition to those that follow from access, body and limits. */
  readonly errors?: readonly ErrorReason[]
  /** The form of refusals. Default: that of the contract (CONTRACT.md#errors). */
  readonly errorForm?: ErrorForm
  /** The error code of an invalid body. Default `request_validation_failed`, which unknown fields always have. */
  readonly invalidBody?: 'validation_failed'
  /** Also permitted for sessions of a suspended organization, which are answered 403 elsewhere. */
  readonly evenSuspended?: boolean
  /** Also permitted for a project that is over the limit of the plan: archiving and deleting one is the way back below the limit. */
  readonly evenReadOnly?: boolean
  /** Answers with the record's `ETag`; a GET honours `If-None-Match`. `weak`: representations of one version may differ. */
  readonly etag?: boolean | 'weak'
  /** Honours `If-Match`. `weak`: tags are compared weakly. */
  readonly ifMatch?: boolean | 'weak'
  /** Honours `Idempotency-Key`: the same key returns the same response for 24 hours. */
  readonly idempotencyKey?: boolean
  /** Refusals are this page where `Accept` prefers text/html: browsers are sent to the route. */
  readonly refusalPage?: RefusalPage
  /** The limits that a request acquires; default `documents`. */
  readonly load?: Load
  /** The metric of the plan that the route consumes. If no unit is left, the request is refused before a large body is read. */
  readonly takes?: UsageMetric
  /** Timeout of the handler in milliseconds; default `HANDLER_TIMEOUT_MS`. Null: none, until the caller disconnects. */
  readonly timeoutMs?: number | null
  /** The response never ends by itself: a stopping instance ends it at once, while other responses may finish. */
  readonly endless?: boolean
  handle(request: RouteRequest<Static<P>, Static<Q>, BodyOf<B>, A>): Promise<RouteResponse<ResponseBody<R>>>
}

export interface RouteDefinition<
  A extends Access,
  P extends TObject,
  Q extends TObject,
  B extends BodyDeclaration | undefined,
  R extends Readonly<Record<number, ResponseDeclaration>>,
> extends UntaggedRoute<A, P, Q, B, R> {
  readonly tag: string
}

/** A route without its type parameters. */
export type Route = Omit<RouteDefinition<Access, TObject, TObject, BodyDeclaration | undefined, Readonly<Record<number, ResponseDeclaration>>>, 'handle'> & {
  handle(request: RouteRequest<unknown, unknown, unknown>): Promise<RouteResponse<unknown>>
}

export function defineRoute<
  const A extends Access,
  const R extends Readonly<Record<number, ResponseDeclaration>>,
  P extends TObject = TObject,
  Q extends TObject = TObject,
  B extends BodyDeclaration | undefined = undefined,
>(definition: RouteDefinition<A, P, Q, B, R>): Route {
  return definition as unknown as Route
}

/** Returns `defineRoute` for routes that have a tag in common. */
export function routesOf(tag: string) {
  return <
    const A extends Access,
    const R extends Readonly<Record<number, ResponseDeclaration>>,
    P extends TObject = TObject,
    Q extends TObject = TObject,
    B extends BodyDeclaration | undefined = undefined,
  >(
    definition: UntaggedRoute<A, P, Q, B, R>,
  ): Route => defineRoute({ ...definition, tag })
}

/** Returns the response without a body when the work is done. */
export async function noContent(work: Promise<void>): Promise<{ readonly status: 204 }> {
  await work
  return { status: 204 }
}
