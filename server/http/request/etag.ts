/** Validators of records (RFC 9110, 8.8 and 13.1). All of ours are strong. */
import { ApiError } from '../../errors.js'
import type { Middleware } from '../exchange.js'

/** Of `If-Match`: some hundred tags, of which a caller has rarely more than one. */
const LIST_CHARACTERS = 4096
/** A comma, or a tag before one; so that nothing is read twice, however long the blanks. Elements may be empty (RFC 9110, 5.6.1), tags too. */
const ELEMENT = /[ \t]*(?:,|(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?=,|$))/gy
const TAG = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"'

/** What is read of `If-Match`, for the interface document. */
export const IF_MATCH_SCHEMA = { type: 'string', maxLength: LIST_CHARACTERS, pattern: `^(?:\\*|[ \\t,]*${TAG}(?:[ \\t]*,(?:[ \\t]*${TAG})?)*)$` } as const

/** Reads `If-Match`. `*` is no condition: that the record exists is asked anyway. */
export function ifMatch(): Middleware {
  return ({ state }, next) => {
    const header = state.header('if-match')?.trim()
    if (header !== undefined && header !== '*') state.ifMatch = strongTags(header)
    return next()
  }
}

/** What stands between the quotes. A weak tag is left out: the comparison is a strong one, which it never passes. @throws ApiError header_malformed */
function strongTags(header: string): string[] {
  const elements = header.length > LIST_CHARACTERS ? [] : [...header.matchAll(ELEMENT)]
  const tags = elements.filter(([, , tag]) => tag !== undefined)
  const length = elements.reduce((sum, [text]) => sum + text.length, 0)
  if (tags.length === 0 || length < header.length) throw new ApiError('header_malformed', { params: { header: 'If-Match' } })
  return tags.filter(([, weak]) => weak === undefined).map(([, , tag]) => tag)
}

/** Whether the caller has this version already (`If-None-Match`, compared weakly). */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${etag}"`)
}
