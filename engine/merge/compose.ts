/** Composes the files of a repository into one content, in the order in which Wazuh loads them. */
import { registeredName } from '../source/list-name.js'
import { inLoadOrder } from '../source/load-order.js'
import type { MergedContent, MergeRequest, RepositoryFile } from './merge-request.js'

const BYTE_ORDER_MARK = '\ufeff'

/** Returns the files in load order; files of equal names are ordered by path. */
export function inFileOrder<F extends Pick<RepositoryFile, 'path' | 'kind'>>(files: readonly F[]): F[] {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  return inLoadOrder(sorted.map((file) => ({ filename: file.path, kind: file.kind, file }))).map(({ file }) => file)
}

/**
 * Returns the name by which rules refer to a list of the repository: the prefix, and the path below the folder without `.cdb`. Null: the file is not below the
 * folder.
 */
export function listNameOf(path: string, { folder, prefix }: NonNullable<MergeRequest['lists']>): string | null {
  const root = folderPrefix(folder)
  return path.startsWith(root) && path.length > root.length ? registeredName(prefix + path.slice(root.length)) : null
}

/** Returns the path of a list in the repository; null: its name does not begin with the prefix, or is not a path below the folder. */
export function listPathOf(name: string, { folder, prefix }: NonNullable<MergeRequest['lists']>): string | null {
  const rest = name.slice(prefix.length)
  if (!name.startsWith(prefix) || rest.split('/').some((part) => part === '' || part === '.' || part === '..')) return null
  return folderPrefix(folder) + rest
}

function folderPrefix(folder: string): string {
  let end = folder.length
  while (end > 0 && folder[end - 1] === '/') end--
  return end === 0 ? '' : `${folder.slice(0, end)}/`
}

/** Joins the files of a repository to one content. @param lists null: the repository has no lists */
export function composeFiles(files: readonly RepositoryFile[], lists: MergeRequest['lists']): MergedContent {
  const ordered = inFileOrder(files)
  const textOf = (kind: RepositoryFile['kind']): string => joined(ordered.filter((file) => file.kind === kind).map(({ content }) => content))
  return { decoders_xml: textOf('decoders'), rules_xml: textOf('rules'), lists: [...listsOf(files, lists)].map(([name, { content }]) => ({ name, content: withoutMark(content) })) }
}

/** Returns the files of lists by the names of the lists, sorted. Two files with one name: the first path counts. */
export function listsOf(files: readonly RepositoryFile[], lists: MergeRequest['lists']): Map<string, RepositoryFile> {
  const named = new Map<string, RepositoryFile>()
  if (lists === null) return named
  for (const file of inFileOrder(files)) {
    const name = file.kind === 'lists' ? listNameOf(file.path, lists) : null
    if (name !== null && !named.has(name)) named.set(name, file)
  }
  return new Map([...named].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Joins texts, each of which ends its last line with the line end that it uses. */
export function joined(texts: readonly string[]): string {
  return texts
    .map(withoutMark)
    .filter((text) => text !== '')
    .map((text, index, all) => (index === all.length - 1 || text.endsWith('\n') ? text : text + lineEndOf(text)))
    .join('')
}

export function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
}

/** Returns a text with `\n` as line end and without a byte order mark. */
export function plainText(text: string): string {
  return withoutMark(text).replaceAll('\r\n', '\n')
}

/** Returns a text with the line ends and the byte order mark of another one. */
export function writtenLike(text: string, like: string): string {
  const lines = lineEndOf(like) === '\n' ? plainText(text) : plainText(text).replaceAll('\n', '\r\n')
  return like.slice(0, like.length - withoutMark(like).length) + lines
}

/** Returns the line end of a text: that of its first line. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  const at = text.indexOf('\n')
  return at > 0 && text.charCodeAt(at - 1) === 0x0d ? '\r\n' : '\n'
}
