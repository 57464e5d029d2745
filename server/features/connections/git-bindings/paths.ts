/** Paths in a repository. Callers choose those of a binding, and the people who push to the repository choose those of its files, so both are checked. */
import type { RepositoryPaths } from './store.js'

/** Maximum characters of a path: those that `source_files` of a workspace may have. */
export const PATH_CHARACTERS = 1024
/** Segments that would leave the folder, or name Git's own folder. Git refuses to check out such a path. */
const REFUSED_SEGMENTS: ReadonlySet<string> = new Set(['', '.', '..', '.git'])
/** Control characters, characters that are not Unicode, line separators and bidirectional controls: they would hide what a path is. */
const REFUSED_CHARACTERS = /[\p{Cc}\p{Cs}\ufffd\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
/** git-check-ref-format(1) refuses names of branches with these. */
const REFUSED_IN_BRANCH = /[\p{Cc}\p{Cs} ~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|^[-./]|[./]$|^@$/u

/** Returns a path of a binding without `.` and empty segments at its end; null: it is absolute, leaves the repository, or has control characters. */
export function normalizePath(written: string): string | null {
  if (written.startsWith('/')) return null
  const path = written
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/')
  return path === '' || isSafePath(path) ? path : null
}

/** Whether the path of a file can be read, stored and written back. */
export function isSafePath(path: string): boolean {
  return path.length <= PATH_CHARACTERS && !REFUSED_CHARACTERS.test(path) && path.split('/').every((segment) => !REFUSED_SEGMENTS.has(segment.toLowerCase()))
}

/** Whether Git accepts the name of a branch. */
export function isBranchName(name: string): boolean {
  return !REFUSED_IN_BRANCH.test(name)
}

/** Whether a path is that file, or a file below that folder. @param folder empty: the root */
export function isBelow(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}

/** Whether the binding covers a path. */
export function isCovered(path: string, { rules_path, decoders_path, lists_path }: RepositoryPaths): boolean {
  return isBelow(path, rules_path) || isBelow(path, decoders_path) || (lists_path !== null && isBelow(path, lists_path))
}

/** Returns the folder of a path; empty: the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Returns the last segment of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
