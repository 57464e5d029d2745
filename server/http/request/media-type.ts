/** Which bodies a route takes, and in which of its media types it answers. */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../errors.js'
import type { Middleware } from '../exchange.js'
import { JSON_MEDIA_TYPE, type Route } from '../route.js'

/** @throws ApiError media_type_unsupported */
export function requireMediaType({ headers }: IncomingMessage, expected: string): void {
  const type = headers['content-type']
  const isPlain = headers['content-encoding'] === undefined || headers['content-encoding'].toLowerCase() === 'identity'
  // The usual spelling costs no parsing.
  if (isPlain && (type === expected || (type !== undefined && isTaken(type, expected)))) return
  throw new ApiError('media_type_unsupported', { params: { expected }, details: { expected } })
}

/** The type itself, in UTF-8 if it names a charset. Other parameters mean nothing to us. */
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

/** Chooses among the media types of the route's 200, by `Accept` with its weights. Null: there is no choice. */
export function negotiate(route: Route): Middleware | null {
  const declared = route.responses[200]
  if (declared?.alternatives === undefined) return null
  const types = [declared.mediaType ?? JSON_MEDIA_TYPE, ...declared.alternatives.map(({ mediaType }) => mediaType)].map(essenceOf)
  return (ctx, next) => {
    const { state } = ctx
    // Who accepts nothing of it, as browsers do, is still better off with an answer (RFC 9110, 12.5.1).
    state.mediaType = ctx.accepts(...types) || types[0]
    state.headers.Vary = 'Accept'
    return next()
  }
}
