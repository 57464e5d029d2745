/** Reads the body and the query of a request as the route declares them. */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../errors.js'
import type { Locale } from '../../i18n/locale.js'
import type { Limits } from '../../limits/limits.js'
import { refuseLonger } from './body-limit.js'
import { acquireBodyBytes, holderOf } from '../limits/concurrency.js'
import type { Context, Middleware } from '../request-state.js'
import { ENCODING_NAMES } from '../content-encoding.js'
import { decoded } from './decode-body.js'
import { requireMediaType } from './media-type.js'
import { bodyParser } from './parse-body.js'
import { EMPTY_QUERY, queryReader } from './query.js'
import { type BodyLimits, hasBody, readBody, streamBody } from './read-body.js'
import { JSON_MEDIA_TYPE, type Route } from '../route.js'
import type { FieldIssue } from '../validation/issue.js'
import { longestJson } from '../validation/longest-json.js'
import { type DeprecatedField, SMALL_JSON_BYTES } from '#requests'
import type { AnalysisPool } from '#workers'
import { deprecationWarning, type InvalidReason, invalidRequest } from '../validation/refuse.js'

const EMPTY = Buffer.alloc(0)
/** The schema of a route without a body: absent, or an object without fields. */
const NO_BODY = { type: 'object', properties: {}, additionalProperties: false } as const

/**
 * Maximum JSON body of most routes: their fields are names, addresses and passwords. Bodies of this size are parsed on the thread that serves all requests; a
 * caller without a credential can't send larger ones. The longest valid body of a public route, with every character escaped, has 43,150 bytes.
 */
export const PLAIN_BODY_BYTES = SMALL_JSON_BYTES

/** Maximum bytes of the route's body: for JSON the declared maximum, or that which its schema allows; otherwise that of the instance. */
export function bodyBytes({ body }: Pick<Route, 'body'>, maxBytes: number): number {
  if (body !== undefined && 'maxBytes' in body && body.maxBytes !== undefined) return Math.min(maxBytes, body.maxBytes)
  if (body !== undefined && body.as !== 'json') return maxBytes
  return Math.min(maxBytes, Math.max(PLAIN_BODY_BYTES, longestJson(body === undefined ? NO_BODY : body.schema)))
}

/** @param pool whose threads parse large JSON */
export function body(route: Route, instanceLimits: BodyLimits, concurrency: Limits, pool: Pick<AnalysisPool, 'read'>): Middleware {
  const limits: BodyLimits = { ...instanceLimits, maxBytes: bodyBytes(route, instanceLimits.maxBytes) }
  const readQuery = queryReader(route.query)
  const declared = route.body
  const schema = declared === undefined ? NO_BODY : declared.schema
  // Bodies of GET and DELETE have no meaning (RFC 9110, 9.3.1 and 9.3.5) and are not read. Elsewhere unknown fields are refused, also if the route has no body.
  const takesBody = route.method !== 'GET' && route.method !== 'DELETE'
  const mediaTypes = declared?.as === 'json' ? (declared.mediaTypes ?? [JSON_MEDIA_TYPE]) : [JSON_MEDIA_TYPE]
  const reason: InvalidReason = route.invalidBody ?? 'request_validation_failed'
  const parse = bodyParser(schema, declared?.as === 'json' && declared.anyName === true, pool)

  if (declared?.as === 'ignored') return (_, next) => next()
  return async (ctx, next) => {
    const { req, res, state } = ctx
    const query = route.query === undefined && ctx.querystring === '' ? EMPTY_QUERY : readQuery(ctx.querystring)
    state.query = query.value
    if (declared !== undefined && declared.as !== 'json') {
      // The parser of the body reports its issues later; those of the query are known now.
      refuseIssues(query.issues, state.locale, reason)
      // An empty body has no media type; its parser decides whether it is valid.
      if ((declared.as === 'stream' || hasBody(req)) && !isUsualType(req, declared.mediaType))
        requireMediaType(req, [declared.mediaType], declared.as === 'stream' && declared.isEncodable === true ? ENCODING_NAMES : [])
      if (declared.as === 'stream') {
        const permit = concurrency.acquire('body_bytes', holderOf(state), 0)
        state.onEnd(() => permit.release())
        state.held = permit
        state.body = decoded(streamBody(req, res, limits), req.headers['content-encoding'], limits.maxBytes)
      } else state.body = await read(ctx, limits, concurrency)
      warn(ctx, query.deprecated)
      return next()
    }
    const issues: FieldIssue[] = [...query.issues]
    const deprecated: DeprecatedField[] = [...query.deprecated]
    if (declared !== undefined || (takesBody && hasBody(req))) {
      if (hasBody(req)) requireMediaType(req, mediaTypes)
      refuseLonger(req, limits.maxBytes)
      const sent = await parse(await read(ctx, limits, concurrency), state)
      if (sent.kind === 'unparseable') throw new ApiError('body_unparseable')
      if (sent.kind === 'invalid') issues.push(...sent.issues)
      else {
        deprecated.push(...sent.deprecated)
        if (declared !== undefined) state.body = sent.value
      }
    }
    refuseIssues(issues, state.locale, reason)
    warn(ctx, deprecated)
    return next()
  }
}

/** Whether the body is of the media type in its usual spelling, which needs no parsing. */
function isUsualType({ headers }: IncomingMessage, expected: string): boolean {
  return headers['content-type'] === expected && headers['content-encoding'] === undefined
}

async function read({ req, res, state }: Context, limits: BodyLimits, concurrency: Limits): Promise<Buffer> {
  if (!hasBody(req)) return EMPTY
  const permit = acquireBodyBytes(state, req, concurrency)
  state.isReading = true
  try {
    const holder = holderOf(state)
    return await readBody(req, res, limits, permit, permit === null ? null : (bytes) => concurrency.paceBody(holder, bytes))
  } finally {
    state.isReading = false
    state.restartDeadline?.()
  }
}

function refuseIssues(issues: readonly FieldIssue[], locale: Locale, reason: InvalidReason): void {
  if (issues.length > 0) throw invalidRequest(issues, locale, reason)
}

function warn({ state }: Context, fields: Parameters<typeof deprecationWarning>[0]): void {
  if (fields.length === 0) return
  state.headers.Warning = deprecationWarning(fields) as string
}
