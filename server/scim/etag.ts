/** Weak entity tags of resources (RFC 7644, 3.14), and conditions on them. Two representations of one version may differ, because of `attributes`. */

/** Maximum length of a header with tags. */
const HEADER_CHARACTERS = 4096
const TAG = /[ \t]*(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?:,|$)/gy

/** The tag of a version: `ETag`, and `meta.version`. */
export function weakEtag(revision: number): string {
  return `W/"${revision}"`
}

/**
 * Whether `If-Match` or `If-None-Match` names a version. Tags are compared weakly: the RFC's clients send `If-Match: W/"…"`, which a strong comparison would
 * never match. @returns null: the header cannot be read
 */
export function namesVersion(header: string, revision: number): boolean | null {
  const text = header.trim()
  if (text === '*') return true
  const tags = text.length > HEADER_CHARACTERS ? [] : [...text.matchAll(TAG)]
  const length = tags.reduce((sum, [tag]) => sum + tag.length, 0)
  return tags.length === 0 || length < text.length ? null : tags.some(([, tag]) => tag === String(revision))
}
