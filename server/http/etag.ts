/** Validators of records (RFC 9110, 8.8 and 13.1). All of ours are strong. */
import { ApiError } from '../errors.js'
import type { Middleware } from './exchange.js'

/** What stands between the quotes. */
const ENTITY_TAG = /^"([\x21\x23-\x7e]{1,200})"$/
const WEAK = /^W\/"[\x21\x23-\x7e]{0,200}"$/
/** No strong comparison finds it: a weak tag never matches. */
export const WEAK_TAG = 'W/'

/** Reads `If-Match`. `*` is no condition: that the record exists is asked anyway. */
export function ifMatch(): Middleware {
  return ({ state }, next) => {
    const header = state.header('if-match')?.trim()
    if (header !== undefined && header !== '*') {
      const tag = ENTITY_TAG.exec(header)?.[1] ?? (WEAK.test(header) ? WEAK_TAG : undefined)
      if (tag === undefined) throw new ApiError('header_malformed', { params: { header: 'If-Match' } })
      state.ifMatch = tag
    }
    return next()
  }
}

/** Whether the caller has this version already (`If-None-Match`, compared weakly). */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${etag}"`)
}
