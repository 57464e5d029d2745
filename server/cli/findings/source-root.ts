/** Paths as tools on a repository want them: relative to its root, wherever in it the call was made. */
import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The repository that the working directory is in; without one, the working directory. */
export function sourceRoot(): string {
  const start = process.cwd()
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (folder === dirname(folder)) return start
  }
}

/** Relative to the root, with forward slashes; a path outside of the root stays as it is. */
export function toUri(path: string, root: string = sourceRoot()): string {
  const inside = insideOf(root, path)
  return (inside ?? path).split(sep).join('/')
}

/** As an address: relative to the root, or of a file outside of it. A name may have a number sign, a question mark or a colon in it. */
export function toAddress(path: string, root: string): { readonly uri: string; readonly isRelative: boolean } {
  const inside = insideOf(root, path)
  if (inside === null) return { uri: pathToFileURL(resolve(path)).href, isRelative: false }
  return { uri: inside.split(sep).map(encodeURIComponent).join('/'), isRelative: true }
}

function insideOf(root: string, path: string): string | null {
  const inside = relative(root, resolve(path))
  return inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? null : inside
}
