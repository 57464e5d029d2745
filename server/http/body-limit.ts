/** Refuses a body that announces itself as too large, before a byte of it is read (interface.md, "Limits"). */
import { ApiError } from '../errors.js'
import type { Middleware } from './exchange.js'

export function bodyLimit(maxBytes: number): Middleware {
  return (ctx, next) => {
    const length = ctx.req.headers['content-length']
    if (length !== undefined && Number(length) > maxBytes) throw tooLarge(maxBytes)
    return next()
  }
}

export function tooLarge(maxBytes: number): ApiError {
  return new ApiError('payload_too_large', { params: { limit: maxBytes }, details: { limit: maxBytes } })
}
