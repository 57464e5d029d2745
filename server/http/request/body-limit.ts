/** Refuses a body that announces itself as too large, before a byte of it is read (CONTRACT.md#limits). */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../errors.js'
import type { Middleware } from '../exchange.js'

/** For all routes; one whose bodies are shorter refuses by `refuseLonger` with a limit of its own. */
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
