/** Validators of records (RFC 9110, 8.8 and 13.1). */
import { ApiError } from '../../errors.js'
import type { Middleware } from '../request-state.js'

/** Maximum length of `If-Match`: some hundred tags; callers rarely send more than one. */
const LIST_CHARACTERS = 4096
/** A comma, or a tag before one; matched without backtracking, however long the blanks. Elements and tags may be empty (RFC 9110, 5.6.1). */
const ELEMENT = /[ \t]*(?:,|(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?=,|$))/gy
const TAG = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"'

/** The accepted form of `If-Match`, for the interface document. */
export const IF_MATCH_SCHEMA = { type: 'string', maxLength: LIST_CHARACTERS, pattern: `^(?:\\*|[ \\t,]*${TAG}(?:[ \\t]*,(?:[ \\t]*${TAG})?)*)$` } as const

/** Reads `If-Match`. `*` adds no condition, because the record must exist in any case. */
export function ifMatch(comparison: 'strong' | 'weak'): Middleware {
  return ({ state }, next) => {
    const header = state.header('if-match')?.trim()
    if (header !== undefined && header !== '*') state.ifMatch = tagsOf(header, comparison)
    return next()
  }
}

/** The text between the quotes of each tag. Weak tags never match in a strong comparison and are left out of it. @throws ApiError header_malformed */
function tagsOf(header: string, comparison: 'strong' | 'weak'): string[] {
  const elements = header.length > LIST_CHARACTERS ? [] : [...header.matchAll(ELEMENT)]
  const tags = elements.filter(([, , tag]) => tag !== undefined)
  const length = elements.reduce((sum, [text]) => sum + text.length, 0)
  if (tags.length === 0 || length < header.length) throw new ApiError('header_malformed', { params: { header: 'If-Match' } })
  return tags.filter(([, weak]) => comparison === 'weak' || weak === undefined).map(([, , tag]) => tag)
}

/** Whether the caller has this version already (`If-None-Match`, weak comparison). */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${etag}"`)
}
