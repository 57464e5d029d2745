/** The files of a repository in the forms in which they are merged, compiled and written. */
import { listNameOf, type MergeAnswer, type MergeRequest, type RepositoryFile, type SourceFile } from '#workers'
import type { FileChange } from '../gateways/git/gateway.js'
import type { FileSet, SourceFileEntry } from '../../../content/shared/content.js'
import type { ProjectDocument } from '../../../content/shared/project.js'
import { describeSourceFile } from '../../../content/shared/source-files.js'
import { blobId } from '../git-bindings/service.js'

type Includes = Pick<ProjectDocument, 'include_disk_defaults' | 'include_disk_custom'>

/** Returns files as they are compiled. @param unfiled lists of the project that no file has */
export function fileSetOf(files: readonly RepositoryFile[], lists: MergeRequest['lists'], unfiled: MergeAnswer['content']['lists'], include: Includes): FileSet {
  const own = files.map(
    ({ path, kind, content }): SourceFile => ({ filename: kind === 'lists' ? listName(path, lists) : path, kind, scope: 'adhoc', content: withoutMark(content) }),
  )
  return {
    includeDefaults: include.include_disk_defaults,
    includeCustom: include.include_disk_custom,
    files: [...own, ...unfiled.map(({ name, content }): SourceFile => ({ filename: name, kind: 'lists', scope: 'adhoc', content }))],
  }
}

/** Returns the lists of a merged content that are in none of the merged files. */
export function unfiledLists({ content, files }: Pick<MergeAnswer, 'content' | 'files'>, lists: MergeRequest['lists']): MergeAnswer['content']['lists'] {
  const ownFiles = new Set(files.filter(({ kind }) => kind === 'lists').map(({ path }) => listName(path, lists)))
  return content.lists.filter(({ name }) => !ownFiles.has(name))
}

function listName(path: string, lists: MergeRequest['lists']): string {
  return (lists === null ? null : listNameOf(path, lists)) ?? path
}

/** The byte order mark is part of the stored text, so that a file is written back byte for byte. Wazuh skips it. */
function withoutMark(content: string): string {
  return content.startsWith('\ufeff') ? content.slice(1) : content
}

/** Returns the paths at which two sets of files differ, sorted. */
export function differingPaths(before: readonly RepositoryFile[], after: readonly RepositoryFile[]): string[] {
  const [old, now] = [contentsByPath(before), contentsByPath(after)]
  return [...new Set([...old.keys(), ...now.keys()])].filter((path) => old.get(path) !== now.get(path)).sort()
}

export function contentsByPath(files: readonly RepositoryFile[]): ReadonlyMap<string, string> {
  return new Map(files.map(({ path, content }) => [path, content]))
}

/** Returns what a commit changes. @param known files of the parent commit @param paths those that differ in `after` */
export function fileChanges(known: readonly SourceFileEntry[], after: readonly RepositoryFile[], paths: readonly string[]): FileChange[] {
  const contents = contentsByPath(after)
  const shas = new Map(known.map(({ path, sha }) => [path, sha]))
  return paths.map((path) => {
    const content = contents.get(path)
    return { path, content: content === undefined ? null : Buffer.from(content, 'utf8'), blobSha: shas.get(path) ?? null }
  })
}

/** Returns files as a base keeps them. A repository with SHA-256 has other blob ids; then a file is read once more. @param known files whose blob ids the provider has returned */
export function sourceFiles(files: readonly RepositoryFile[], known: readonly SourceFileEntry[]): SourceFileEntry[] {
  const entries = new Map(known.map((entry) => [entry.path, entry]))
  return files.map(({ path, kind, content }) => {
    const entry = entries.get(path)
    return entry !== undefined && entry.xml === content && entry.kind === kind ? entry : describeSourceFile({ path, kind, xml: content, sha: blobId(content) })
  })
}
