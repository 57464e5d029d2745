/**
 * `defineRoute`: one declaration a route. From it come the router, the validation of what is sent, the types of the handler, the limits, and the
 * OpenAPI document. Access is a required field: a route without it does not compile.
 */
import type { Readable } from 'node:stream'
import type { Static, TObject, TSchema } from 'typebox'
import type { IfMatch } from '../etag.js'
import type { CookieChange } from '../auth/cookies.js'
import type { Principal, UserPrincipal } from '../auth/principal.js'
import type { ErrorReason } from '../errors.js'
import type { Locale } from '../i18n/locale.js'
import type { GrowingPermit } from '../limits/limits.js'
import type { Load } from '../limits/loads.js'
import type { Permission } from '../tenancy/permissions.js'
import type { Scope } from '../tenancy/scope.js'
import type { UsageMetric } from '../tenancy/usage.js'
import type { ChunkedBody } from './text/chunked-body.js'

/** Media type of a body or answer for which a route declares none. */
export const JSON_MEDIA_TYPE = 'application/json'

/** Who may call. */
export type Access =
  /** Anyone, without a credential. */
  | { readonly kind: 'public' }
  /** Any valid credential. */
  | { readonly kind: 'credential' }
  /** A user's session, whatever organization it is in; API keys are answered 401. */
  | { readonly kind: 'user' }
  /** A user's session, in an organization of the user's; API keys are answered 401. */
  | { readonly kind: 'session' }
  /** A session whose role, or an API key whose scope, gives the permission in the organization; with `inProject` also a role in the project of the path. */
  | { readonly kind: 'permission'; readonly permission: Permission; readonly inProject?: true }
  /** A platform admin's session. */
  | { readonly kind: 'platform_admin' }

export const PUBLIC = { kind: 'public' } as const
export const CREDENTIAL = { kind: 'credential' } as const
export const USER = { kind: 'user' } as const
export const SESSION = { kind: 'session' } as const
export const PLATFORM_ADMIN = { kind: 'platform_admin' } as const
export const permission = <const P extends Permission>(permission: P) => ({ kind: 'permission', permission }) as const
/** A role in the project widens that in the organization, never narrows it (CONTRACT.md#roles). The path has `{project_id}`. */
export const projectPermission = <const P extends Permission>(permission: P) => ({ kind: 'permission', permission, inProject: true }) as const

type PrincipalFor<A extends Access> = A['kind'] extends 'public' ? null : A['kind'] extends 'user' | 'session' | 'platform_admin' ? UserPrincipal : Principal
type ScopeFor<A extends Access> = A['kind'] extends 'session' | 'permission' ? Scope : null

/** Keys of rate limits (CONTRACT.md#limits). */
const RATE_LIMIT_KEYS = ['auth.login', 'auth.register', 'analysis.validate', 'analysis.logtest', 'webhook.test'] as const
export type RateLimitKey = (typeof RATE_LIMIT_KEYS)[number]

/** How a body is read. */
export type BodyDeclaration =
  /**
   * Parsed and validated before the handler runs. At most `PLAIN_BODY_BYTES`, or what the schema's own limits come to where that is more. `anyName`: names of
   * fields may be data, also those that a careless copy would trip over (`__proto__`).
   */
  | { readonly as: 'json'; readonly schema: TSchema; readonly anyName?: true }
  /** Handed over as bytes, at most `MAX_REQUEST_BYTES`; whoever parses it validates it against the schema. */
  | { readonly as: 'bytes'; readonly schema: TSchema; readonly mediaType: string }
  /** Handed over as a stream that fails above `MAX_REQUEST_BYTES`. The schema is that of a line. */
  | { readonly as: 'stream'; readonly schema: TSchema; readonly mediaType: string }

type BodyOf<B extends BodyDeclaration | undefined> = B extends { as: 'json'; schema: infer S extends TSchema }
  ? Static<S>
  : B extends { as: 'bytes' }
    ? Uint8Array
    : B extends { as: 'stream' }
      ? Readable
      : undefined

/** An answer's form. `schema` null: it has no body. */
export interface ResponseDeclaration {
  readonly description: string
  readonly schema: TSchema | null
  /** Default application/json. */
  readonly mediaType?: string
  /** Examples by name, shown in the interface document; each is valid, or a test fails. */
  readonly examples?: Readonly<Record<string, unknown>>
  /** The same in other media types, for those whose `Accept` prefers them; who accepts none is answered as by default. */
  readonly alternatives?: readonly AlternativeDeclaration[]
}

export interface AlternativeDeclaration {
  readonly mediaType: string
  readonly schema: TSchema
  readonly examples: Readonly<Record<string, unknown>>
}

export interface RouteRequest<P, Q, B, A extends Access = Access> {
  readonly params: P
  readonly query: Q
  readonly body: B
  readonly principal: PrincipalFor<A>
  /** The organization's documents; null where the route has no organization. */
  readonly scope: ScopeFor<A>
  readonly locale: Locale
  readonly requestId: string
  /** Of the caller, as the trusted proxies tell it. */
  readonly address: string
  /** Whether the caller reached us over TLS, as the trusted proxies tell it. */
  readonly isSecure: boolean
  /** Aborted when the caller is gone, or the request's time is over. */
  readonly signal: AbortSignal
  /** Of `If-Match`. Only where the route says `ifMatch`. */
  readonly ifMatch: IfMatch
  /** Of the answer, without parameters: what `Accept` prefers of the media types that the route's 200 declares. */
  readonly mediaType: string
  header(name: string): string | undefined
  /** Counts what a handler keeps of a body that comes as a stream. Null: there is no such body. */
  readonly held: GrowingPermit | null
  /** Calls `release` once, when the operating system has the response or nobody waits for it. @returns a function that calls it now */
  onEnd(release: () => void): () => void
}

/** What a handler answers. */
export interface RouteResponse<Body> {
  /** Default 200. */
  readonly status?: number
  /** Bytes go out as they are, a stream with back-pressure; anything else becomes JSON. Undefined: no body. */
  readonly body?: Body | Uint8Array | ChunkedBody | Readable
  /** Of those that the status declares; default: what `Accept` chose. */
  readonly mediaType?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: readonly CookieChange[]
  /** Without quotes; sent as `ETag`, and `If-None-Match` is answered 304. Where the route says `etag`, and only there. */
  readonly etag?: string
  /** Of a list: how many there are in all. `X-Total-Count` and `Link` come from it. */
  readonly total?: number
}

/** What is answered is only read: an array or record that nobody may change will do. */
type Unchanged<T> = T extends readonly (infer Entry)[] ? readonly Unchanged<Entry>[] : T extends object ? { readonly [K in keyof T]: Unchanged<T[K]> } : T

type ResponseBody<R extends Readonly<Record<number, ResponseDeclaration>>> = {
  [S in keyof R]: R[S] extends { readonly schema: infer T } ? (T extends TSchema ? Unchanged<Static<T>> : undefined) : never
}[keyof R]

export interface RouteDefinition<
  A extends Access,
  P extends TObject,
  Q extends TObject,
  B extends BodyDeclaration | undefined,
  R extends Readonly<Record<number, ResponseDeclaration>>,
> {
  /** `resource.verb`; the operationId. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Below `/api/v1`; parameters in braces. `{organization_id}` is the organization of the request. */
  readonly path: string
  readonly tag: string
  /** One line, in the imperative. */
  readonly summary: string
  /** Markdown: what it does, and what else happens. */
  readonly description: string
  readonly access: A
  readonly rateLimit?: RateLimitKey
  readonly params?: P
  /** Strict, as bodies are. A list's is made by `listQuery`. */
  readonly query?: Q
  readonly body?: B
  /** An example of a body, by name. */
  readonly bodyExamples?: Readonly<Record<string, unknown>>
  readonly responses: R
  /** Refusals beyond those that access, body and limits bring. */
  readonly errors?: readonly ErrorReason[]
  /** The 422 of a body of the wrong form. Default `request_validation_failed`; an unknown field is that everywhere. */
  readonly invalidBody?: 'validation_failed'
  /** Also for sessions of a suspended organization, which are answered 403 everywhere else. */
  readonly evenSuspended?: boolean
  /** Answers with the record's `ETag`; a GET honours `If-None-Match`. */
  readonly etag?: boolean
  /** Honours `If-Match`. */
  readonly ifMatch?: boolean
  /** Honours `Idempotency-Key`: the same key gives the same answer for 24 hours. */
  readonly idempotencyKey?: boolean
  /** What a request takes of the service; default `documents`. */
  readonly load?: Load
  /** What it takes of the plan. Without a unit left it is refused before a large body is read. */
  readonly takes?: UsageMetric
  /** Milliseconds that the handler may take; default `HANDLER_TIMEOUT_MS`. Null: as long as the caller stays. */
  readonly timeoutMs?: number | null
  /** The answer has no end of its own: an instance that stops ends it at once, where it lets others finish. */
  readonly endless?: boolean
  handle(request: RouteRequest<Static<P>, Static<Q>, BodyOf<B>, A>): Promise<RouteResponse<ResponseBody<R>>>
}

/** A route whose types have done their work. */
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
