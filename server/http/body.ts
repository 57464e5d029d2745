/** Brings the body in as the route declares it, and everything that was sent into the form that the route declares. */
import type { Locale } from '../i18n/locale.js'
import type { Context, Middleware } from './exchange.js'
import { JSON_MEDIA_TYPE, requireMediaType } from './media-type.js'
import { parseJson } from './parse-json.js'
import { queryReader } from './query.js'
import { type BodyLimits, hasBody, readBody, streamBody } from './read-body.js'
import type { Route } from './route.js'
import type { FieldIssue } from './validation/issue.js'
import { deprecationWarning, type InvalidReason, invalidRequest } from './validation/refuse.js'
import { type Validator, validatorFor } from './validation/validator.js'

/** Of a route that takes none: nothing, or an object without fields. */
const NO_BODY = { type: 'object', properties: {}, additionalProperties: false } as const

export function body(route: Route, limits: BodyLimits): Middleware {
  const readQuery = queryReader(route.query)
  const declared = route.body
  const schema = declared === undefined ? NO_BODY : declared.schema
  const reason: InvalidReason = route.invalidBody ?? 'request_validation_failed'
  let validator: Validator | undefined

  return async (ctx, next) => {
    const { req, res, state } = ctx
    const query = readQuery(ctx.querystring)
    state.query = query.value
    if (declared !== undefined && declared.as !== 'json') {
      // Whoever parses it tells what is wrong in it; this much is known now.
      refuseIssues(query.issues, state.locale, reason)
      requireMediaType(req, declared.mediaType)
      state.body = declared.as === 'stream' ? streamBody(req, res, limits) : await read(ctx, limits)
      warn(ctx, query.deprecated)
      return next()
    }
    const issues: FieldIssue[] = [...query.issues]
    if (declared !== undefined || hasBody(req)) {
      if (hasBody(req)) requireMediaType(req, JSON_MEDIA_TYPE)
      const parsed = parseJson(await read(ctx, limits), declared?.as === 'json' && declared.anyName === true)
      validator ??= validatorFor(schema)
      issues.push(...(parsed.issues ?? validator.check(parsed.value)))
      if (declared !== undefined) state.body = parsed.value
    }
    if (issues.length > 0) throw invalidRequest(issues, state.locale, reason)
    warn(ctx, validator === undefined ? query.deprecated : [...query.deprecated, ...validator.deprecated(state.body)])
    return next()
  }
}

async function read({ req, res, state }: Context, limits: BodyLimits): Promise<Buffer> {
  state.isReading = true
  try {
    return await readBody(req, res, limits)
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
