/** What is wrong with one field, in no language yet: it can cross threads, and the caller's language is put in at the end. */
import type { FieldMessage } from '../../i18n/translate.js'

export interface FieldIssue {
  /** As `FieldError.path`. */
  readonly path: string
  readonly message: FieldMessage
  readonly params: Readonly<Record<string, string | number>>
  readonly expected: unknown
}

/** Reported at most; a body of thousands of wrong entries is wrong in the same way. */
export const ISSUES_LIMIT = 100
/** Characters of a path that are reported: names of fields come from the caller. */
const PATH_LIMIT = 200

/** An issue with a path of a bearable length. */
export function issue(path: string, message: FieldMessage, expected: unknown, params: FieldIssue['params'] = {}): FieldIssue {
  return { path: path.length > PATH_LIMIT ? `${path.slice(0, PATH_LIMIT)}…` : path, message, params, expected }
}

/** A JSON Pointer one step longer. */
export function pointer(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
