/** Checks the media type of bodies, and negotiates that of responses. */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../errors.js'
import type { Context, Middleware } from '../request-state.js'
import { JSON_MEDIA_TYPE, type Route } from '../route.js'

/** Characters of a header that a refusal repeats: more than any media type has. */
const SHOWN_CHARACTERS = 100

/** @param encodings that are taken beside `identity` @throws ApiError media_type_unsupported, media_type_missing, body_encoded */
export function requireMediaType({ headers }: IncomingMessage, accepted: readonly string[], encodings: readonly string[] = []): void {
  const type = headers['content-type']
  const encoding = headers['content-encoding']
  const encodingsTaken = ['identity', ...encodings]
  if (encoding !== undefined && !encodingsTaken.includes(encoding.toLowerCase())) throw refused('body_encoded', encodingsTaken, encoding)
  if (type === undefined) throw refused('media_type_missing', accepted, null)
  if (!accepted.some((one) => isTaken(type, one))) throw refused('media_type_unsupported', accepted, type)
}

function refused(reason: 'media_type_unsupported' | 'media_type_missing' | 'body_encoded', accepted: readonly string[], header: string | null): ApiError {
  const expected = accepted.join(', ')
  const received = header?.slice(0, SHOWN_CHARACTERS) ?? null
  return new ApiError(reason, { params: { expected, ...(received === null ? {} : { received, encoding: received }) }, details: { expected, received } })
}

/** Whether the type is the expected one, in UTF-8 if it names a charset. Other parameters are ignored. */
function isTaken(type: string, expected: string): boolean {
  const [essence, ...parameters] = type.toLowerCase().split(';')
  if (essence.trim() !== expected) return false
  return parameters.every((parameter) => {
    const [name, value = ''] = parameter.split('=')
    return name.trim() !== 'charset' || ['utf-8', 'utf8'].includes(value.trim().replace(/^"(.*)"$/, '$1'))
  })
}

/** A media type without its parameters. */
export function essenceOf(mediaType: string): string {
  return mediaType.split(';')[0]
}

/** Selects among the media types of the route's 200 response by the weights of `Accept`. Null: there is only one. */
export function negotiate(route: Route): Middleware | null {
  const declared = route.responses[200]
  if (declared?.alternatives === undefined) return null
  const types = [declared.mediaType ?? JSON_MEDIA_TYPE, ...declared.alternatives.map(({ mediaType }) => mediaType)].map(essenceOf)
  return (ctx, next) => {
    const { state } = ctx
    state.headers.Vary = 'Accept'
    const accepted = ctx.accepts(...types)
    if (accepted === false && declared.isStrict === true) throw new ApiError('not_acceptable', { params: { types: types.join(', ') }, details: { types } })
    // Elsewhere a caller that accepts none of them gets the default, as RFC 9110, 12.5.1 permits; browsers send such requests.
    state.mediaType = accepted || types[0]
    return next()
  }
}

const PAGE_MEDIA_TYPE = 'text/html'

/** Whether `Accept` prefers a page to JSON. */
export function prefersPage(ctx: Context): boolean {
  return ctx.accepts(JSON_MEDIA_TYPE, PAGE_MEDIA_TYPE) === PAGE_MEDIA_TYPE
}

/** Reads whether `Accept` prefers a page. Programs send any type or none, and get JSON. */
export const pagePreference: Middleware = (ctx, next) => {
  ctx.state.prefersPage = prefersPage(ctx)
  ctx.state.headers.Vary = 'Accept'
  return next()
}
