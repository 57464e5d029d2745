/** What a file holds. */
export const FILE_KINDS = ['rules', 'decoders', 'lists'] as const

export type FileKind = (typeof FILE_KINDS)[number]

/** Where a file comes from: shipped or operator's base, the instance's custom folder, or the caller's own request. */
export type FileScope = 'default' | 'custom' | 'adhoc'

/** One file of a ruleset, as a caller hands it in. */
export interface SourceFile {
  /** Base name; it alone decides the load order. A list keeps the path that rules name it by, e.g. `etc/lists/audit-keys`. */
  readonly filename: string
  readonly kind: FileKind
  readonly scope: FileScope
  /** Text as read: a JavaScript string of Unicode text. */
  readonly content: string
}
