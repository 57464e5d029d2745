/** Rule, decoder and list files named in a call: their kinds, and their names within a ruleset. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { FileKind, FileScope, SourceFile } from '#engine'
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
      const fileKind = kind ?? kindOfContent(path, content)
      found.push({ path, file: { filename: fileKind === 'lists' ? listName(path) : basename(path), kind: fileKind, scope, content } })
    }
  }
  return distinct(found)
}

/** Removes duplicates and makes names unique: load order depends on the base name only, so a second file with the same base name is named by its path. */
export function distinct(files: readonly ContentFile[]): ContentFile[] {
  const seen = new Set<string>()
  const taken = new Set<string>()
  return files.flatMap(({ path, file }) => {
    const real = realpathSync(path)
    if (seen.has(real)) return []
    seen.add(real)
    const filename = taken.has(`${file.kind} ${file.filename}`) ? path : file.filename
    taken.add(`${file.kind} ${filename}`)
    return [{ path, file: filename === file.filename ? file : { ...file, filename } }]
  })
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
    if (entry.name.startsWith('.')) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (depth < FOLDER_DEPTH && entry.name !== 'node_modules') yield* walkFolder(path, depth + 1, kind === 'lists')
    } else if (kind === 'lists' ? !entry.name.endsWith('.cdb') : entry.name.endsWith('.xml')) yield { path, kind }
  }
}

/** Folders with these names contain only files of one kind. */
function kindOfFolder(folder: string): FileKind | null {
  const name = basename(folder)
  return name === 'rules' || name === 'decoders' || name === 'lists' ? name : null
}

/**
 * Detected by the first tag that only rules or only decoders have, then by the file name. A file without tags and with another name is a list if it looks like
 * one or is inside a folder `lists`.
 */
function kindOfContent(path: string, content: string): FileKind {
  const tag = /<(decoder|group|rule)[\s>]/i.exec(content.replace(/<!--[\s\S]*?-->/g, ''))
  if (tag !== null) return tag[1].toLowerCase() === 'decoder' ? 'decoders' : 'rules'
  if (path.toLowerCase().endsWith('.xml')) return /decoder/i.test(basename(path)) ? 'decoders' : 'rules'
  if (isList(content) || stepsBelowLists(path) !== null) return 'lists'
  throw new UsageError('file_not_content', { file: path })
}

/** `key:`, `key:value` or `"key":value`. A key with blanks is recognized only in quotes. */
const LIST_LINE = /^(?:"[^"]+"|[^\s":]+)\s*:/

function isList(content: string): boolean {
  const lines = content.split(/[\r\n]+/).filter((line) => line.trim() !== '')
  return lines.length > 0 && lines.every((line) => LIST_LINE.test(line))
}

/** The name by which rules refer to a list: `etc/lists/` and its path inside the folder `lists`, or its name alone. */
function listName(path: string): string {
  return `etc/lists/${(stepsBelowLists(path) ?? [basename(path)]).join('/')}`
}

/** The path segments of a file inside the innermost folder `lists`; null: it is not in one. */
function stepsBelowLists(path: string): string[] | null {
  const steps = resolve(path).split(sep)
  const folder = steps.lastIndexOf('lists', steps.length - 2)
  return folder < 0 ? null : steps.slice(folder + 1)
}
