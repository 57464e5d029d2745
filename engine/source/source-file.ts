/** The content of a file. */
export const FILE_KINDS = ['rules', 'decoders', 'lists'] as const

export type FileKind = (typeof FILE_KINDS)[number]

/** The origin of a file: the default ruleset, the instance's custom folder, or the request. */
export type FileScope = 'default' | 'custom' | 'adhoc'

/** One file of a ruleset, as a caller passes it. */
export interface SourceFile {
  /** Base name, which alone decides the load order. A list has the path that rules name it by, e.g. `etc/lists/audit-keys`. */
  readonly filename: string
  readonly kind: FileKind
  readonly scope: FileScope
  /** The text in Unicode. */
  readonly content: string
}
