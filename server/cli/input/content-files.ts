/** Rule, decoder and list files named in a call: their kinds, and their names within a ruleset. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { FileKind, FileScope, SourceFile } from '#engine'
import { kindOfContent, kindOfFolder, nameInRuleset } from '../../language/content/file-kind.js'
import { UsageError } from '../usage-error.js'

/** Maximum depth of folders below a named one. */
export const FOLDER_DEPTH = 8
/** Larger files are refused; over HTTP a ruleset has at most 8 MB. */
const FILE_LIMIT = 64 * 1024 * 1024

/** A file of the call. */
export interface ContentFile {
  /** As named by the caller, or found in a folder that the caller named. */
  readonly path: string
  readonly file: SourceFile
}

/** Reads all files, in the order of the call. @throws UsageError when a file does not exist or cannot be content */
export function readContentFiles(paths: readonly string[], scope: FileScope): ContentFile[] {
  const found: ContentFile[] = []
  for (const named of paths) {
    for (const { path, kind } of listContent(named)) {
      const content = readFileSync(path, 'utf8')
      const fileKind = kind ?? kindOfContent(resolve(path), content)
      if (fileKind === null) throw new UsageError('file_not_content', { file: path })
      found.push({ path, file: { filename: nameInRuleset(resolve(path), fileKind), kind: fileKind, scope, content } })
    }
  }
  return distinct(found)
}

/** Removes duplicates and makes names unique. */
export function distinct(files: readonly ContentFile[]): ContentFile[] {
  const seen = new Set<string>()
  const nameOf = uniqueNames()
  return files.flatMap(({ path, file }) => {
    const real = realpathSync(path)
    if (seen.has(real)) return []
    seen.add(real)
    const filename = nameOf(path, file)
    return [{ path, file: filename === file.filename ? file : { ...file, filename } }]
  })
}

/** Makes names unique: load order depends on the base name only, so a second file with the same base name is named by its path. */
export function uniqueNames(): (path: string, file: Pick<SourceFile, 'kind' | 'filename'>) => string {
  const taken = new Set<string>()
  return (path, { kind, filename }) => {
    const name = taken.has(`${kind} ${filename}`) ? path : filename
    taken.add(`${kind} ${name}`)
    return name
  }
}

/** A file, or the content of a folder: its `decoders/`, `rules/` and `lists/`, and XML files anywhere else in it. */
function* listContent(named: string): Generator<{ path: string; kind: FileKind | null }> {
  const stats = statSync(named, { throwIfNoEntry: false })
  if (stats === undefined) throw new UsageError('file_not_found', { file: named })
  if (!stats.isDirectory()) {
    if (stats.size > FILE_LIMIT) throw new UsageError('file_too_large', { file: named, limit: FILE_LIMIT })
    return yield { path: named, kind: kindOfFolder(dirname(resolve(named))) }
  }
  let empty = true
  for (const found of walkFolder(named, 0, false)) {
    empty = false
    yield found
  }
  if (empty) throw new UsageError('folder_without_content', { folder: named })
}

/** @param inLists the folder is inside a folder of lists, whose subfolders contain lists too */
function* walkFolder(folder: string, depth: number, inLists: boolean): Generator<{ path: string; kind: FileKind | null }> {
  const kind = inLists ? 'lists' : kindOfFolder(resolve(folder))
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (isSkipped(entry.name)) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (depth < FOLDER_DEPTH) yield* walkFolder(path, depth + 1, kind === 'lists')
    } else if (isContentName(entry.name, kind)) yield { path, kind }
  }
}

/** Files and folders that are not looked at. */
export function isSkipped(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules'
}

/** Whether a file is content by its name. @param kind of the files in its folder */
export function isContentName(name: string, kind: FileKind | null): boolean {
  return kind === 'lists' ? !name.endsWith('.cdb') : name.endsWith('.xml')
}
