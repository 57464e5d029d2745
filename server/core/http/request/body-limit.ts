/** Refuses a body whose declared length is too large, before any of it is read (CONTRACT.md#limits). */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../errors.js'
import type { Middleware } from '../request-state.js'

/** Applies to all routes. A route with a smaller limit calls `refuseLonger` itself. */
export function bodyLimit(maxBytes: number): Middleware {
  return ({ req }, next) => {
    refuseLonger(req, maxBytes)
    return next()
  }
}

/** @throws ApiError payload_too_large */
export function refuseLonger({ headers }: IncomingMessage, maxBytes: number): void {
  const length = headers['content-length']
  if (length !== undefined && Number(length) > maxBytes) throw tooLarge(maxBytes)
}

export function tooLarge(maxBytes: number): ApiError {
  return new ApiError('payload_too_large', { params: { limit: maxBytes }, details: { limit: maxBytes } })
}
