/** Paths relative to the root of the repository, as tools require them, also from another working directory. */
import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The repository that contains the working directory, or else the working directory. */
export function sourceRoot(): string {
  const start = process.cwd()
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (folder === dirname(folder)) return start
  }
}

/** Relative to the root, with forward slashes; a path outside of the root is unchanged. */
export function toUri(path: string, root: string = sourceRoot()): string {
  const inside = insideOf(root, path)
  return (inside ?? path).split(sep).join('/')
}

/** As a URI: relative to the root, or absolute for a file outside of it. Special characters of names (`#`, `?`, `:`) are encoded. */
export function toAddress(path: string, root: string): { readonly uri: string; readonly isRelative: boolean } {
  const inside = insideOf(root, path)
  if (inside === null) return { uri: pathToFileURL(resolve(path)).href, isRelative: false }
  return { uri: inside.split(sep).map(encodeURIComponent).join('/'), isRelative: true }
}

function insideOf(root: string, path: string): string | null {
  const inside = relative(root, resolve(path))
  return inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? null : inside
}
